"""Who may ask the server, and what it answers."""

import http.client
import socket
import threading

import pytest

from puremetrics.checkpage import CheckServer
from puremetrics.checkpage.server import Options
from puremetrics.exceptions import InputError
from tests.checkpage.making import ask, session


@pytest.fixture
def server(tmp_path):
    made = CheckServer(session(tmp_path), None, Options(scores={0: 0.25}))
    made.start()
    yield made
    made.stop()


def test_the_page_says_what_may_run_in_it(server):
    status, headers, text = ask(server, "", headers={"X-Puremetrics": None})
    assert status == 200
    policy = headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "frame-ancestors 'none'" in policy
    assert "unsafe" not in policy
    assert headers["Cache-Control"] == "no-store"
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Referrer-Policy"] == "no-referrer"
    assert headers["Cross-Origin-Resource-Policy"] == "same-origin"
    assert "Access-Control-Allow-Origin" not in headers
    assert len(text.encode()) < 200_000
    for name in ("http://", "https://", "src="):
        assert name not in text.replace("http://www.w3.org/2000/svg", "").replace("https?:", "")


def test_it_listens_on_this_machine_alone(server):
    assert server._server.server_address[0] == "127.0.0.1"
    other = socket.gethostbyname(socket.gethostname())
    if not other.startswith("127."):
        with pytest.raises(OSError):  # noqa: PT011 (refused or unreachable, as the system likes)
            socket.create_connection((other, server.port), timeout=2)


PATHS = ["about", "rows?first=0&count=3", "score?row=0", "news", "verdict"]


@pytest.mark.parametrize("path", PATHS)
def test_only_the_page_can_read(server, path):
    assert ask(server, path)[0] == 200
    refused = [
        {"Host": "evil.example"},
        {"Host": f"evil.example:{server.port}"},
        {"Host": "127.0.0.1"},
        {"Host": None},
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Origin": f"http://127.0.0.1:{server.port + 1}"},
        {"Origin": f"https://127.0.0.1:{server.port}"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
        {"X-Puremetrics": None},
    ]
    for headers in refused:
        status, _, text = ask(server, path, headers=headers)
        assert status == 403, headers
        assert "amount" not in text


@pytest.mark.parametrize("token", ["", "x", "%C3%A9", "a" * 5000])
def test_without_the_token_there_is_nothing(server, token):
    for path in ("", "about", "answer"):
        status, _, text = ask(server, path, token=token)
        assert status in (404, 400)
        assert "amount" not in text


def test_no_other_page_can_post(server):
    body = {"row": 0, "said": "yes"}
    for headers in (
        {"Origin": "http://evil.example"},
        {"X-Puremetrics": None},
        {"Content-Type": "text/plain"},
        {"Content-Type": "application/x-www-form-urlencoded"},
        {"Host": "evil.example"},
        {"Sec-Fetch-Site": "cross-site"},
    ):
        assert ask(server, "answer", body, headers=headers)[0] in (403, 415), headers
        assert ask(server, "end", {}, headers=headers)[0] in (403, 415), headers
    assert not server.ended.is_set()
    assert server.session.final[0] == ""
    own = {"Origin": f"http://127.0.0.1:{server.port}"}
    assert ask(server, "answer", body, headers=own)[0] == 200
    assert server.session.final[0] == "yes"


@pytest.mark.parametrize("method", ["OPTIONS", "PUT", "DELETE", "HEAD", "TRACE"])
def test_nobody_is_given_leave_to_ask_across_sites(server, method):
    status, headers, _ = ask(
        server, "answer", method=method, headers={"Origin": "http://a.example"}
    )
    assert status == 501
    assert not [name for name in headers if name.startswith("Access-Control")]


@pytest.mark.parametrize(
    "path",
    ["../checked.csv", "checked.csv", "/etc/passwd", "%2e%2e/x", "assets/style.css", "rows/"],
)
def test_there_are_no_other_paths(server, path):
    assert ask(server, path)[0] == 404


def test_what_changes_something_is_not_asked_for(server):
    for path in ("answer", "undo", "end"):
        assert ask(server, path)[0] == 405
    assert ask(server, "about", {})[0] == 405
    assert not server.ended.is_set()


@pytest.mark.parametrize(
    ("body", "headers", "wanted"),
    [
        (b"{", {}, 400),
        (b"[1]", {}, 400),
        (b"[" * 60_000, {}, 400),
        (b"\xff\xfe", {}, 400),
        (b"x" * 70_000, {}, 413),
        (b"{}", {"Content-Length": "-1"}, 413),
        (b"{}", {"Content-Length": "many"}, 411),
        (b"{}", {}, 500),
        (b'{"row": 1e99, "said": "yes"}', {}, 500),
        (b'{"row": 0, "said": ["yes"]}', {}, 500),
        (b'{"row": 0, "said": "yes", "base": "x", "request": {}}', {}, 200),
    ],
)
def test_odd_bodies_are_answered(server, body, headers, wanted):
    assert ask(server, "answer", body, headers=headers)[0] == wanted


@pytest.mark.parametrize("query", ["", "?first=x&count=1", "?first=0", "?first=-5&count=-5"])
def test_odd_questions_are_answered(server, query):
    status, _, found = ask(server, f"rows{query}")
    assert status in (200, 400)
    if status == 200:
        assert found["rows"] == []


def test_rows_answers_and_undo(server):
    _, _, found = ask(server, "rows?first=8&count=5")
    assert [row["place"] for row in found["rows"]] == [59, 66]
    assert found["rows"][0]["cells"] == ["text 8", "amount 8"]
    assert ask(server, "answer", {"row": 8, "said": "no", "base": 0})[2]["state"]["said"][8] == "no"
    status, _, found = ask(server, "answer", {"row": 8, "said": "yes", "base": 0})
    assert status == 409
    assert found["changed"]
    assert found["state"]["said"][8] == "no"
    assert ask(server, "undo", {})[2]["undone"] == 8
    assert ask(server, "undo", {})[2]["undone"] is None


def test_a_score_is_told_only_if_asked_for(server):
    for path in ("about", "rows?first=0&count=5", "news"):
        assert "0.25" not in str(ask(server, path)[2])
    assert ask(server, "score?row=0")[2] == {"score": 0.25}
    assert ask(server, "score?row=5")[2] == {"score": None}


def test_what_cannot_be_written_is_told(server):
    server.session.output.write_text("something else")
    server.session._seen = (0, 0, 0)
    status, _, found = ask(server, "answer", {"row": 0, "said": "yes"})
    assert status == 500
    assert "changed by another program" in found["trouble"]
    assert found["state"]["said"][0] is None


def test_the_page_can_end_it(server):
    assert ask(server, "end", {})[0] == 200
    assert server.ended.wait(5)


def test_a_port_that_is_taken_is_told(server, tmp_path):
    with pytest.raises(InputError, match=f"Port {server.port} cannot be used"):
        CheckServer(server.session, port=server.port)
    with pytest.raises(InputError, match="cannot be used"):
        CheckServer(server.session, port=70000)


def test_answers_from_many_sides_at_once_are_all_kept(server):
    def answer(row):
        for _ in range(3):
            assert ask(server, "answer", {"row": row, "said": "yes"})[0] == 200

    threads = [threading.Thread(target=answer, args=(row,)) for row in range(10)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert server.session.final == ["yes"] * 10
    assert server.session.version == 30


def test_a_frame_is_allowed_for_notebooks_alone(tmp_path, server):
    headers = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Dest": "iframe", "X-Puremetrics": None}
    assert ask(server, "", headers=headers)[0] == 403
    framed = CheckServer(session(tmp_path), None, Options(framed=True))
    framed.start()
    try:
        status, found, _ = ask(framed, "", headers=headers)
        assert status == 200
        assert "frame-ancestors http://localhost:*" in found["Content-Security-Policy"]
        assert ask(framed, "about", headers=headers)[0] == 403
        headers["Sec-Fetch-Dest"] = "image"
        assert ask(framed, "", headers=headers)[0] == 403
    finally:
        framed.stop()


def test_half_a_request_holds_up_nobody(server):
    with socket.create_connection(("127.0.0.1", server.port)) as half:
        half.sendall(b"GET /")
        assert ask(server, "about")[0] == 200


def test_two_hosts_in_one_request_are_refused(server):
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=5)
    connection.putrequest("GET", f"/{server.token}/about", skip_host=True)
    for host in (f"127.0.0.1:{server.port}", "evil.example"):
        connection.putheader("Host", host)
    connection.putheader("X-Puremetrics", "1")
    connection.endheaders()
    assert connection.getresponse().status == 403
    connection.close()
