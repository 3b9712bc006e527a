"""Sheets, sessions and served pages for tests, and requests as a page sends them."""

import http.client
import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

from puremetrics.checkpage import Session, Sheet

START = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)


def sheet(rows=10, columns=("text", "amount")):
    cells = [tuple(f"{name} {row}" for name in columns) for row in range(rows)]
    return Sheet(columns, [7 * row + 3 for row in range(rows)], cells)


class Clock:
    """A second passes with every look."""

    def __init__(self):
        self.seconds = 0

    def __call__(self):
        self.seconds += 1
        return START + timedelta(seconds=self.seconds)


def session(folder, rows=10, **given):
    given = {"checker": "ann", "now": Clock(), **given}
    return Session(sheet(rows), Path(folder) / "checked.csv", **given)


def ask(server, path, body=None, method=None, headers=None, token=None):
    """The status, the headers and the content of an answer to a request like those of the page."""
    sent = {"Host": f"127.0.0.1:{server.port}", "X-Puremetrics": "1", **(headers or {})}
    content = None
    if body is not None:
        content = body if isinstance(body, bytes) else json.dumps(body).encode()
        sent = {"Content-Type": "application/json", **sent}
    sent = {name: value for name, value in sent.items() if value is not None}
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=20)
    start = server.token if token is None else token
    used = method or ("GET" if body is None else "POST")
    connection.putrequest(used, f"/{start}/{path}", skip_host=True)
    for name, value in sent.items():
        connection.putheader(name, value)
    if content is not None and "Content-Length" not in sent:
        connection.putheader("Content-Length", str(len(content)))
    connection.endheaders(content)
    answer = connection.getresponse()
    text = answer.read().decode()
    found = dict(answer.getheaders())
    connection.close()
    if found.get("Content-Type", "").startswith("application/json"):
        return answer.status, found, json.loads(text)
    return answer.status, found, text
