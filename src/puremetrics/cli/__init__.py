"""The command line: parse, read, estimate, print. Heavy modules load only when needed."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from puremetrics.cli.arguments import make_parser

__all__ = ["main"]


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; return the exit code: 0 fine, 2 bad input or usage, 130 interrupted."""
    parser = make_parser()
    options = parser.parse_args(argv)
    if options.command is None:
        parser.print_help()
        return 0
    from puremetrics.cli import commands
    from puremetrics.exceptions import PuremetricsError

    try:
        run = getattr(commands, options.command)
        return int(run(options))
    except PuremetricsError as error:
        print(f"puremetrics: {error}", file=sys.stderr)
        return 2
    except BrokenPipeError:  # the reader, such as `head`, has seen enough
        sys.stdout = None
        return 0
    except KeyboardInterrupt:
        print("puremetrics: interrupted; nothing was written.", file=sys.stderr)
        return 130
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        print(f"puremetrics: {where}{error.strerror or error}", file=sys.stderr)
        return 2
