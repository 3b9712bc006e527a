"""The command line: parse, read, estimate, print. Heavy modules load only when needed."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Sequence

from puremetrics.cli.arguments import DEFAULTS, WrongLine, check_words, make_parser, parsers_of
from puremetrics.cli.terminal import prepare, say

__all__ = ["main"]


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; return the exit code.

    0 fine, 2 bad input or usage, 3 a gate that failed, 4 no figures because of a contradiction, 130
    interrupted.
    """
    prepare()
    words = sys.argv[1:] if argv is None else list(argv)
    parser = make_parser()
    try:
        check_words(parser, words)
        options = parser.parse_args(words)
    except WrongLine as error:
        say(f"puremetrics: {' '.join(str(error).split())}", error=True)
        return 2
    if options.version:
        from puremetrics import __version__

        say(f"puremetrics {__version__}")
        return 0
    if options.command is None:
        parser.print_help()
        return 0
    options.typed = words
    from puremetrics.cli.terminal import translated
    from puremetrics.exceptions import PuremetricsError

    try:
        with contextlib.ExitStack() as stack:
            if "file" in options:
                from puremetrics.cli.evidence import check_evidence
                from puremetrics.cli.reading import check_needed
                from puremetrics.cli.settings import fill_in, read_settings
                from puremetrics.io.files import keep_pipes

                settings = None
                if not options.no_settings:
                    settings = read_settings(parsers_of(parser), options.command)
                fill_in(options, settings, DEFAULTS)
                check_needed(options)
                check_evidence(options)
                kept = keep_pipes(options.file, stack)
                options.can_read_again = kept == options.file  # not a pipe
                options.file = kept
            from puremetrics.cli import commands

            code = int(getattr(commands, options.command)(options))
            sys.stdout.flush()
            return code
    except PuremetricsError as error:
        say(f"puremetrics: {translated(' '.join(str(error).splitlines()))}", error=True)
        return 2
    except BrokenPipeError:  # the reader, such as `head`, has seen enough
        sys.stdout = None
        return 0
    except KeyboardInterrupt:
        say("puremetrics: interrupted; nothing was written.", error=True)
        return 130
    except MemoryError:
        say("puremetrics: there is not enough memory. Pass --scan, or fewer columns.", error=True)
        return 2
    except OSError as error:
        where = f"{error.filename}: " if error.filename else "standard output or a file: "
        say(
            f"puremetrics: {where}{error.strerror or error}. Check permissions and free space.",
            error=True,
        )
        _give_up_output()
        return 2


def _give_up_output() -> None:
    """Let nobody complain again at the end that standard output is full."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
