"""Mathematics on plain arrays; nothing here knows of tables or labels."""
