"""``python -m puremetrics.cli``."""

import sys

from puremetrics.cli import main

if __name__ == "__main__":
    sys.exit(main())
