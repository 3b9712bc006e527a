"""The page's server: the standard library's, on this machine alone, for one session.

**Who may ask.** It listens on 127.0.0.1 only. Every address begins with a random token. A request must name
this server in ``Host``, which keeps names out that somebody points at this machine (DNS rebinding), and if
the browser says where it comes from, that must be this page (``Origin``, ``Sec-Fetch-Site``). What changes
something needs a header that no other site can send without asking first, and nobody is ever given leave.

**What there is.** The page, its rows, the answers, what they say so far, the verdict and the report: paths
named in `_GET` and `_POST`, and no file by its name.
"""

from __future__ import annotations

import hmac
import json
import os
import secrets
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

from puremetrics.checkpage.live import Live
from puremetrics.checkpage.page import served
from puremetrics.checkpage.session import ChangedError, Session
from puremetrics.exceptions import InputError, PuremetricsError
from puremetrics.results import json_ready

__all__ = ["CheckServer", "Options"]

_LONGEST = 1 << 16  # bytes of a request's body
_MOST_ROWS = 50  # told at once
_SECONDS = 60  # that a connection may stay silent
_OWN = "X-Puremetrics"
_FRAMES = "http://localhost:* http://127.0.0.1:* vscode-webview:"


@dataclass(frozen=True)
class Options:
    """What a page shows, and how.

    Attributes
    ----------
    columns : tuple of str or None
        The columns to show; None for all that were kept.
    question : str
        What is asked of every row.
    images : bool
        Whether addresses of images are loaded, which tells their servers that somebody looks.
    framed : bool
        Whether pages on this machine, such as notebooks, may show it in a frame.
    resume : str
        The command that goes on with this session.
    scores : mapping of int to float
        The score of each row, by its number in the sheet, told only if asked for.
    truth : sequence of str
        Answers that the page gives by itself, for a demonstration.
    """

    columns: tuple[str, ...] | None = None
    question: str = "Is this row positive?"
    images: bool = False
    framed: bool = False
    resume: str = ""
    scores: Mapping[int, float] | None = None
    truth: tuple[str, ...] = ()


class CheckServer:
    """A session served as a page until it is ended.

    Parameters
    ----------
    session : Session
    live : Live, optional
        What the answers say so far.
    options : Options
    port : int
        0 for any that is free.
    verdict, report : callable, optional
        What the answers say at last: a list of sentences; and the page of the report.
    """

    def __init__(
        self,
        session: Session,
        live: Live | None = None,
        options: Options | None = None,
        *,
        port: int = 0,
        verdict: Callable[[], list[str]] | None = None,
        report: Callable[[], str] | None = None,
    ) -> None:
        self.session, self.live, self.options = session, live, options or Options()
        self.verdict, self.report = verdict, report
        self.token = secrets.token_urlsafe(24)
        self.ended = threading.Event()
        self.page, self.policy = served(
            framed=_FRAMES if self.options.framed else "", images=self.options.images
        )
        try:
            self._server = _Server(("127.0.0.1", port), _Handler)
        except (OSError, OverflowError) as error:
            why = getattr(error, "strerror", None) or error
            raise InputError(
                f"Port {port} cannot be used: {why}. Choose another port, or leave --port out."
            ) from None
        self._server.owner = self
        self.port = int(self._server.server_address[1])
        self._thread: threading.Thread | None = None
        if live is not None:
            session.listeners.append(self._told)
            self._told()
            live.start()

    @property
    def address(self) -> str:
        """Where the page is, with the token that opens it."""
        return f"http://127.0.0.1:{self.port}/{self.token}/"

    def start(self) -> None:
        """Serve in a thread."""
        self._thread = threading.Thread(
            target=self._server.serve_forever, args=(0.05,), daemon=True
        )
        self._thread.start()

    def stop(self) -> None:
        """Serve no longer."""
        self.ended.set()
        if self.live is not None:
            self.live.stop()
        if self._thread is not None:
            self._server.shutdown()
            self._thread.join()
            self._thread = None
        self._server.server_close()
        self._server.hang_up()

    def _told(self) -> None:
        assert self.live is not None
        session = self.session
        unsure = [
            not given.final and given.first is not None and not given.differ
            for given in session.answers
        ]
        differ = [given.differ for given in session.answers]
        either = [u or d for u, d in zip(unsure, differ, strict=True)]
        self.live.tell(session.version, session.final, either)

    # ---------------------------------------------------------------- what the page asks

    def about(self) -> dict[str, Any]:
        """What does not change while rows are checked."""
        session, options = self.session, self.options
        own = session.sheet.columns
        return {
            "mode": "server",
            "question": options.question,
            "columns": [name for name in (options.columns or own) if name in own],
            "images": options.images,
            "checker": session.checker,
            "overlap": session.overlap,
            "output": session.output.name,
            "resume": options.resume,
            "scores": options.scores is not None,
            "live": self.live is not None,
            "verdict": self.verdict is not None,
            "report": self.report is not None,
            "truth": list(options.truth),
            "state": session.state(),
            "interval": self._interval(),
        }

    def rows(self, first: int, count: int) -> dict[str, Any]:
        """Some rows of the sheet, by their number in it."""
        sheet = self.session.sheet
        shown = self.options.columns or sheet.columns
        places = {name: at for at, name in enumerate(sheet.columns)}
        last = min(len(sheet), first + min(count, _MOST_ROWS))
        return {
            "first": first,
            "rows": [
                {
                    "place": sheet.places[row],
                    "cells": [sheet.cells[row][places[n]] for n in shown if n in places],
                }
                for row in range(max(first, 0), last)
            ],
        }

    def score(self, row: int) -> dict[str, Any]:
        """The score of a row, for whoever asks."""
        scores = self.options.scores or {}
        return {"score": scores.get(row)}

    def answer(self, asked: Mapping[str, Any]) -> dict[str, Any]:
        """Keep an answer; what comes back was on disk before."""
        base = asked.get("base")
        self.session.say(
            asked.get("row"),  # type: ignore[arg-type]
            asked.get("said"),
            base=base if isinstance(base, int) else None,
            request=str(asked.get("request", ""))[:100],
            settle=asked.get("settle") is True,
        )
        return {"state": self.session.state(), "interval": self._interval()}

    def undo(self) -> dict[str, Any]:
        """Take the last answer back."""
        found = self.session.undo()
        return {
            "undone": None if found is None else found.row,
            "state": self.session.state(),
            "interval": self._interval(),
        }

    def news(self) -> dict[str, Any]:
        """Answers and interval as they are now."""
        return {"state": self.session.state(), "interval": self._interval()}

    def told(self) -> dict[str, Any]:
        """The verdict."""
        return {"sentences": [] if self.verdict is None else self.verdict()}

    def _interval(self) -> dict[str, Any] | None:
        return None if self.live is None else self.live.state()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    allow_reuse_address = os.name == "posix"  # elsewhere it would share a port that is in use
    owner: CheckServer

    def __init__(self, *args: Any) -> None:
        self._open: set[Any] = set()
        super().__init__(*args)

    def process_request(self, request: Any, client_address: Any) -> None:
        """Remember a connection, so that it can be closed."""
        self._open.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        """Close a connection."""
        self._open.discard(request)
        super().shutdown_request(request)

    def hang_up(self) -> None:
        """Close all connections: a page must not believe that somebody still listens."""
        for request in list(self._open):
            self.shutdown_request(request)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A connection that breaks off is no news for the terminal."""


class _Refused(Exception):  # noqa: N818 (an answer to a request, not a mistake of the program)
    """A request that is not for this page."""

    def __init__(self, status: HTTPStatus) -> None:
        super().__init__(status.phrase)
        self.status = status


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = _SECONDS
    disable_nagle_algorithm = True
    server: _Server
    server_version, sys_version = "puremetrics", ""

    def do_GET(self) -> None:
        """Tell something."""
        self._answered(_GET)

    def do_POST(self) -> None:
        """Change something."""
        self._answered(_POST)

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing: addresses hold the token."""

    def _answered(self, known: Mapping[str, Any]) -> None:
        owner = self.server.owner
        try:
            path, asked = self._checked(owner)
            if path not in known:
                raise _Refused(
                    HTTPStatus.METHOD_NOT_ALLOWED
                    if path in {*_GET, *_POST}
                    else HTTPStatus.NOT_FOUND
                )
            kind, content = known[path](owner, asked)
        except _Refused as refused:
            self.close_connection = True
            return self._send(refused.status, "text/plain", f"{refused.status.phrase}\n")
        except ChangedError as error:
            found = {"trouble": str(error), "changed": True, **owner.news()}
            return self._send(HTTPStatus.CONFLICT, "application/json", json.dumps(found))
        except (PuremetricsError, OSError) as error:
            found = {"trouble": str(error), **owner.news()}
            return self._send(
                HTTPStatus.INTERNAL_SERVER_ERROR, "application/json", json.dumps(found)
            )
        if not isinstance(content, str):
            content = json.dumps(json_ready(content), allow_nan=False)
        self._send(HTTPStatus.OK, kind, content)
        if path == "end":
            owner.ended.set()
        return None

    def _checked(self, owner: CheckServer) -> tuple[str, dict[str, Any]]:
        """The path behind the token and what is asked, or a refusal that says nothing."""
        headers = self.headers
        hosts = (f"127.0.0.1:{owner.port}", f"localhost:{owner.port}")
        if headers.get_all("Host") is None or headers.get_all("Host") not in (
            [hosts[0]],
            [hosts[1]],
        ):
            raise _Refused(HTTPStatus.FORBIDDEN)
        origin = headers.get("Origin")
        if origin is not None and origin not in [f"http://{host}" for host in hosts]:
            raise _Refused(HTTPStatus.FORBIDDEN)
        parts = urlsplit(self.path)
        token, _, path = parts.path.removeprefix("/").partition("/")
        if not hmac.compare_digest(token.encode(), owner.token.encode()):
            raise _Refused(HTTPStatus.NOT_FOUND)
        site, opening = headers.get("Sec-Fetch-Site", "none"), path in ("", "report")
        if site not in ("same-origin", "none") and not (
            opening and path == "" and self._opens(owner)
        ):
            raise _Refused(HTTPStatus.FORBIDDEN)
        if not opening and headers.get(_OWN) != "1":
            raise _Refused(HTTPStatus.FORBIDDEN)
        asked: dict[str, Any] = {k: v[-1] for k, v in parse_qs(parts.query).items()}
        if self.command == "POST":
            asked = self._body()
        return path, asked

    def _opens(self, owner: CheckServer) -> bool:
        """Whether this opens the page itself, from a link or in the frame of a notebook."""
        kind = self.headers.get("Sec-Fetch-Dest", "")
        return self.command == "GET" and kind in (
            ("document", "iframe") if owner.options.framed else ("document",)
        )

    def _body(self) -> dict[str, Any]:
        if self.headers.get_content_type() != "application/json":
            raise _Refused(HTTPStatus.UNSUPPORTED_MEDIA_TYPE)
        try:
            size = int(self.headers.get("Content-Length", ""))
        except ValueError:
            raise _Refused(HTTPStatus.LENGTH_REQUIRED) from None
        if not 0 <= size <= _LONGEST:
            raise _Refused(HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
        try:
            found = json.loads(self.rfile.read(size))
        except (ValueError, RecursionError):
            raise _Refused(HTTPStatus.BAD_REQUEST) from None
        if not isinstance(found, dict):
            raise _Refused(HTTPStatus.BAD_REQUEST)
        return found

    def _send(self, status: HTTPStatus, kind: str, content: str) -> None:
        body = content.encode("utf-8", "replace")
        self.send_response(status)
        head = {
            "Content-Type": f"{kind}; charset=utf-8",
            "Content-Length": str(len(body)),
            "Cache-Control": "no-store",
            "X-Content-Type-Options": "nosniff",
            "Referrer-Policy": "no-referrer",
            "Cross-Origin-Resource-Policy": "same-origin",
            "Cross-Origin-Opener-Policy": "same-origin",
        }
        if kind == "text/html":
            head["Content-Security-Policy"] = self._policy()
        else:
            head["Content-Security-Policy"] = "default-src 'none'; frame-ancestors 'none'"
        if self.close_connection:
            head["Connection"] = "close"
        for name, value in head.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def _policy(self) -> str:
        """Of the page its own; the report states its policy itself."""
        if urlsplit(self.path).path.endswith("/report"):
            return "frame-ancestors 'none'"
        return self.server.owner.policy


def _whole(asked: Mapping[str, Any], name: str) -> int:
    try:
        return int(asked[name])
    except (KeyError, ValueError):
        raise _Refused(HTTPStatus.BAD_REQUEST) from None


def _report(owner: CheckServer) -> str:
    if owner.report is None:
        raise _Refused(HTTPStatus.NOT_FOUND)
    return owner.report()


_JSON = "application/json"
_GET: dict[str, Callable[[CheckServer, Mapping[str, Any]], tuple[str, Any]]] = {
    "": lambda owner, asked: ("text/html", owner.page),
    "about": lambda owner, asked: (_JSON, owner.about()),
    "rows": lambda owner, asked: (
        _JSON,
        owner.rows(_whole(asked, "first"), _whole(asked, "count")),
    ),
    "score": lambda owner, asked: (_JSON, owner.score(_whole(asked, "row"))),
    "news": lambda owner, asked: (_JSON, owner.news()),
    "verdict": lambda owner, asked: (_JSON, owner.told()),
    "report": lambda owner, asked: ("text/html", _report(owner)),
}
_POST: dict[str, Callable[[CheckServer, Mapping[str, Any]], tuple[str, Any]]] = {
    "answer": lambda owner, asked: (_JSON, owner.answer(asked)),
    "undo": lambda owner, asked: (_JSON, owner.undo()),
    "end": lambda owner, asked: (_JSON, {"ended": True}),
}
