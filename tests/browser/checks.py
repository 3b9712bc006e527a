"""Served pages of rows to check, watched: what they must not ask for, and what a person does on them."""

import contextlib
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from puremetrics.checkpage import CheckServer, Session, Sheet
from puremetrics.checkpage.server import Options

COLUMNS = ("text", "url", "amount", "raw", "note")


def cells_of(row):
    words = (
        "Dear customer, your parcel could not be delivered. Confirm your address within 24 hours. "
    )
    raw = f'{{"from": "a@b.example", "n": {row}}}'
    return (words * (1 + row % 3), f"https://shop.example/item/{row}", str(row), raw, "")


def session(folder, rows=30, **given):
    sheet = Sheet(COLUMNS, list(range(rows)), [cells_of(row) for row in range(rows)])
    return Session(sheet, folder / "checked.csv", **{"checker": "ann", **given})


def server_of(made, live=None, **given):
    server = CheckServer(made, live, Options(**given), verdict=lambda: ["It is what it is."])
    server.start()
    return server


@contextlib.contextmanager
def other_site(html):
    """The address of a page that another program on this machine serves."""

    class Page(BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(html.encode())

        def log_message(self, *_):
            pass

    site = ThreadingHTTPServer(("127.0.0.1", 0), Page)
    thread = threading.Thread(target=site.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    yield f"http://localhost:{site.server_address[1]}/lab"
    site.shutdown()
    thread.join()
    site.server_close()


class Tab:
    """A page of the server, with everything that it should not do."""

    def __init__(self, context, address, allowed=()):
        self.page, self.trouble, self.address = context.new_page(), [], address
        self.allowed = tuple(allowed)
        self.page.on("console", self._said)
        self.page.on("pageerror", lambda e: self.trouble.append(f"error: {e}"))
        self.page.on("request", self._request)
        self.page.on("popup", lambda p: self.trouble.append(f"popup: {p.url[:200]}"))

    def _said(self, message):
        if not any(text in message.text for text in self.allowed):
            self.trouble.append(f"console: {message.text}")

    def _request(self, request):
        if not request.url.startswith((self.address, "data:", "blob:")):
            self.trouble.append(f"request: {request.url[:200]}")

    def open(self):
        self.page.goto(self.address)
        self.page.wait_for_selector("html.ready")
        return self

    @property
    def row(self):
        return self.page.evaluate("document.body.dataset.row")

    def press(self, key):
        """Press a key, and wait until the page has done what it means."""
        shown = "document.getElementById('status').textContent + document.body.dataset.row"
        before = self.page.evaluate(shown)
        self.page.keyboard.press(key)
        self.page.wait_for_function(f"(before) => {shown} !== before", arg=before)

    def says(self, node):
        return self.page.locator(f"#{node}").inner_text()
