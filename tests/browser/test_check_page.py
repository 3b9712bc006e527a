"""Rows checked as a person does it: by keys, by touch, in two tabs, after a reload, on a phone."""

import time
from importlib import resources

import numpy as np
import pytest

from puremetrics.checkpage import Session, read_sheet
from tests.browser.checks import Tab, other_site, server_of, session
from tests.checkpage.world import World
from tests.conftest import require

PHONE = {"width": 390, "height": 844}


@pytest.fixture
def made(tmp_path):
    return session(tmp_path)


@pytest.fixture
def server(made):
    server = server_of(
        made, question="Is this message spam?", scores=dict.fromkeys(range(30), 0.125)
    )
    yield server
    server.stop()


@pytest.fixture
def context(browser):
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    yield context
    context.close()


@pytest.fixture
def tab(context, server):
    tab = Tab(context, server.address)
    yield tab.open()
    assert tab.trouble == []


def test_thirty_rows_by_keyboard_alone(tab, made):
    rng = np.random.default_rng(0)
    wanted = rng.choice(["yes", "no"], 30).tolist()
    keys = {"yes": ["1", "y", "Y"], "no": ["0", "n", "N"]}
    for row, said in enumerate(wanted):
        assert tab.row == str(row)
        tab.press(rng.choice(keys[said]))
    assert "Every row has an answer" in tab.says("row-title")
    assert [one.final for one in read_sheet(made.output).answers] == wanted
    assert "30 of 30 answered" in tab.says("counted")
    tab.page.keyboard.press("Tab")  # to the verdict, without a mouse
    for _ in range(12):
        if tab.page.evaluate("document.activeElement.textContent").startswith(
            ("See the", "Stop and")
        ):
            break
        tab.page.keyboard.press("Tab")
    tab.page.keyboard.press("Enter")
    tab.page.wait_for_selector("text=It is what it is.")


def test_undo_back_and_unsure(tab, made):
    for key in "10?":
        tab.press(key)
    assert tab.row == "3"
    tab.press("Backspace")
    assert tab.row == "2"
    assert made.answers[2].first is None
    tab.press("ArrowLeft")
    assert tab.row == "1"
    assert tab.says("mark") == "negative"
    assert tab.page.get_attribute("#no", "aria-pressed") == "true"
    tab.press("1")  # changed, and on with the next open row
    assert tab.row == "2"
    assert made.final[:3] == ["yes", "yes", ""]
    tab.press("?")
    tab.press("ArrowRight")
    assert tab.row == "4"
    for _ in range(26):
        tab.press("0")
    assert tab.row == "3"  # the one that was passed over
    tab.press("0")
    assert "unsure about 1 row" in tab.says("finish")
    tab.page.click("text=Look at these again")
    tab.page.wait_for_function("() => document.body.dataset.row === '2'")
    tab.press("1")
    assert "unsure" not in tab.says("finish")
    assert "" not in made.final


def test_a_reload_goes_on_at_the_next_row(tab):
    for key in "101":
        tab.press(key)
    tab.page.reload()
    tab.page.wait_for_selector("html.ready")
    assert tab.row == "3"
    assert "3 of 30 answered" in tab.says("counted")


def test_two_tabs(tab, context, server, made):
    other = Tab(context, server.address, allowed=["409"]).open()
    tab.press("1")
    other.page.keyboard.press("0")  # it still shows the first row
    other.page.wait_for_selector("#trouble:not([hidden])")
    assert "answered elsewhere a moment ago: it now says positive" in other.says("trouble")
    assert made.final[0] == "yes"
    assert other.says("mark") == "positive"
    other.press("0")  # given again, because it is right
    assert made.final[0] == "no"
    assert made.version == 2
    assert other.trouble == []


def test_keys_that_are_held_or_mean_something_else_do_nothing(tab, made):
    for keys in ("Control+1", "Alt+0", "Meta+1", "a", "2", "Enter", "Space"):
        tab.page.keyboard.press(keys)
    tab.page.evaluate(
        """() => { for (let i = 0; i < 20; i++)
        document.dispatchEvent(new KeyboardEvent('keydown', { key: '1', repeat: true })); }"""
    )
    tab.page.uncheck("#keys")
    tab.page.keyboard.press("1")
    tab.page.wait_for_timeout(150)
    assert made.version == 0
    tab.page.check("#keys")
    tab.press("1")
    assert made.version == 1


def test_the_score_is_hidden_until_asked_for(tab):
    assert "0.125" not in tab.page.content()
    tab.page.keyboard.press("s")
    tab.page.wait_for_function("() => document.getElementById('score').textContent !== ''")
    assert tab.says("score") == "Score 0.125"
    tab.press("1")
    assert tab.says("score") == ""


def test_cells_are_shown_as_what_they_are(tab):
    assert tab.page.locator("#cells a").get_attribute("rel") == "noopener noreferrer"
    assert tab.page.locator("#cells img").count() == 0
    assert '"from": "a@b.example"' in tab.page.locator("#cells pre").inner_text()
    assert "\n" in tab.page.locator("#cells pre").inner_text()
    assert tab.page.locator("#cells .empty").count() == 1


def test_by_touch_on_a_phone(browser, server, made):
    context = browser.new_context(viewport=PHONE, has_touch=True, is_mobile=True)
    tab = Tab(context, server.address).open()
    for row, name in enumerate(["yes", "no", "unsure"]):
        tab.page.tap(f"#{name}")
        tab.page.wait_for_function(f"() => document.body.dataset.row === '{row + 1}'")
    tab.page.tap("#undo")
    tab.page.wait_for_function("() => document.body.dataset.row === '2'")
    assert made.final[:3] == ["yes", "no", ""]
    assert tab.page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    for name in ("yes", "no", "unsure", "undo", "back"):
        box = tab.page.locator(f"#{name}").bounding_box()
        assert box["height"] >= 44
        assert box["width"] >= 44
        assert box["y"] + box["height"] <= PHONE["height"]
    context.close()
    assert tab.trouble == []


def test_a_program_that_ended_is_told_and_the_answer_kept_for_another_try(context, tmp_path):
    made = session(tmp_path)
    server = server_of(made, resume="puremetrics audit check to_check.csv")
    tab = Tab(context, server.address, allowed=["ERR_CONNECTION_REFUSED"]).open()
    tab.press("1")
    port, token = server.port, server.token
    server.stop()
    tab.page.keyboard.press("0")
    tab.page.wait_for_selector("#trouble:not([hidden])")
    assert "is not kept yet" in tab.says("trouble")
    assert "puremetrics audit check to_check.csv" in tab.says("trouble")
    assert tab.row == "1"
    from puremetrics.checkpage import CheckServer

    again = CheckServer(made, port=port)
    again.token = token
    again.start()
    try:
        tab.page.click("#again")
        tab.page.wait_for_function("() => document.body.dataset.row === '2'")
        assert made.final[:2] == ["yes", "no"]
        assert made.version == 2
        assert tab.page.is_hidden("#trouble")
    finally:
        again.stop()
    assert tab.trouble == []


def test_what_cannot_be_written_is_told_and_the_row_stays(tab, made):
    tab.allowed = ("500",)
    made.output.write_text("dear diary")
    made._seen = (0, 0, 0)
    tab.page.keyboard.press("1")
    tab.page.wait_for_selector("#trouble:not([hidden])")
    assert "changed by another program" in tab.says("trouble")
    assert "is not kept yet" in tab.says("trouble")
    assert tab.row == "0"
    made.output.unlink()
    tab.page.click("#again")
    tab.page.wait_for_function("() => document.body.dataset.row === '1'")
    assert made.final[0] == "yes"


def test_screen_readers_hear_what_happened(tab):
    tab.press("1")
    assert tab.says("status") == "positive. Row 2 of 30."
    assert tab.page.get_attribute("#status", "aria-live") == "polite"
    assert tab.page.get_attribute("#trouble", "role") == "alert"
    assert tab.page.get_attribute("#track", "aria-valuenow") == "1"


def test_two_people_and_what_they_settle(context, tmp_path):
    ann = session(tmp_path, rows=10, overlap=40)
    for row in range(10):
        ann.say(row, "yes")
    bob = session(tmp_path, rows=10, overlap=40, checker="bob")
    server = server_of(bob)
    tab = Tab(context, server.address).open()
    try:
        assert "Row 1 of 4" in tab.says("row-title")
        assert "two people check this row" in tab.says("double")
        assert tab.page.is_hidden("#mark")
        for key in "0110":
            tab.press(key)
        assert "Two people differ about 2 rows" in tab.says("finish")
        tab.page.click("text=Settle the differences")
        tab.page.wait_for_selector(".two")
        assert "positive said ann" in tab.page.locator(".two").inner_text()
        assert tab.page.is_disabled("#unsure")
        tab.press("0")
        tab.press("1")
        assert "differ" not in tab.says("finish")
        assert [bob.final[row] for row in (2, 4, 7, 9)] == ["no", "yes", "yes", "yes"]
    finally:
        server.stop()
    assert tab.trouble == []


def test_the_page_ends_the_program(tab, server):
    tab.page.click("#end")
    tab.page.wait_for_selector("#note:not([hidden])")
    assert server.ended.is_set()
    assert "You can close this page" in tab.says("note")


def test_the_next_row_is_there_within_50_ms(context, tmp_path):
    server = server_of(session(tmp_path, rows=200))
    tab = Tab(context, server.address).open()
    found = tab.page.evaluate(
        """async () => {
          const times = [];
          for (let row = 0; row < 199; row++) {
            const start = performance.now();
            document.dispatchEvent(new KeyboardEvent('keydown', { key: row % 2 ? '1' : '0' }));
            while (document.body.dataset.row !== String(row + 1)) await new Promise((done) => {
              const channel = new MessageChannel();
              channel.port1.onmessage = done; channel.port2.postMessage(0); });
            times.push(performance.now() - start);
            await new Promise((done) => requestAnimationFrame(done));
          }
          return times;
        }"""
    )
    server.stop()
    print(
        f"key to next row: median {np.median(found):.1f} ms, 95% {np.quantile(found, 0.95):.1f} ms"
    )
    assert len(found) == 199
    assert np.quantile(found, 0.25) < 50  # of rows at which nothing else kept the machine
    assert tab.trouble == []


# ---------------------------------------------------------------------- other sites

ATTACKS = """
async (address) => {
  const tried = {};
  const attempt = async (name, action) => {
    try { tried[name] = await action(); } catch (error) { tried[name] = 'failed'; }
  };
  const body = JSON.stringify({ row: 0, said: 'yes' });
  const own = { 'X-Puremetrics': '1', 'Content-Type': 'application/json' };
  const asked = async (path, how) => (await fetch(address + path, how)).text();
  const sent = async (path, how) => { await fetch(address + path, { method: 'POST', mode: 'no-cors', ...how }); return ''; };
  await attempt('read', () => asked('about'));
  await attempt('read rows', () => asked('rows?first=0&count=5', { headers: own }));
  await attempt('no-cors', () => asked('about', { mode: 'no-cors' }));
  await attempt('page', () => asked(''));
  await attempt('post', () => asked('answer', { method: 'POST', body, headers: own }));
  await attempt('simple post', () => sent('answer', { body }));
  await attempt('end', () => sent('end', { body: '{}' }));
  await attempt('beacon', async () => {
    navigator.sendBeacon(address + 'answer', new Blob([body], { type: 'text/plain' }));
    return '';
  });
  await attempt('script', () => new Promise((done) => {
    const script = document.createElement('script');
    script.src = address + 'about'; script.onload = () => done('loaded'); script.onerror = () => done('failed');
    document.body.append(script);
  }));
  await attempt('frame', () => new Promise((done) => {
    const frame = document.createElement('iframe');
    frame.onload = () => { try { done(frame.contentDocument.body.textContent); } catch { done('failed'); } };
    setTimeout(() => done('failed'), 2000);
    frame.src = address;
    document.body.append(frame);
  }));
  const form = document.createElement('form'), field = document.createElement('input');
  form.method = 'POST'; form.action = address + 'answer'; form.enctype = 'text/plain'; form.target = 'nowhere';
  field.name = '{"row":0,"said":"yes","x":"'; field.value = '"}';
  form.append(field); document.body.append(form); form.submit();
  await new Promise((done) => setTimeout(done, 300));
  return tried;
}
"""  # noqa: E501


HELLO = "<!DOCTYPE html><html><body>hello</body></html>"


@pytest.mark.parametrize("site", ["elsewhere", "another program on this machine"])
def test_another_site_reads_and_posts_nothing(browser, server, made, site):
    """Even one that knows the address with its token."""
    context = browser.new_context()
    page = context.new_page()
    with other_site(HELLO) as near:
        if site == "elsewhere":
            near = "http://evil.example/"
            page.route(f"{near}**", lambda r: r.fulfill(body=HELLO, content_type="text/html"))
        page.goto(near)
        found = page.evaluate(ATTACKS, server.address)
    context.close()
    assert len(found) == 10
    secrets = ("parcel", "shop.example", "checked.csv", "data-said")
    for name, text in found.items():
        assert text in ("failed", ""), name
        assert not any(word in text for word in secrets)
    time.sleep(0.2)
    assert made.version == 0
    assert not server.ended.is_set()


# ---------------------------------------------------------------------- hostile cells


def hostile():
    """Cells that want to be more than text."""
    seeds = [
        "<script>window.__hit = 1</script>",
        "<img src=x onerror='window.__hit = 1'>",
        "<svg onload=window.__hit=1>",
        "</script><script>window.__hit = 1</script>",
        "<iframe src='javascript:parent.__hit=1'></iframe>",
        "javascript:window.__hit=1",
        "<a href='javascript:window.__hit=1'>press 1</a>",
        "https://x.example/\"onmouseover=\"window.__hit=1",
        "https://x.example/'><img src=x onerror=window.__hit=1>.png",
        "data:text/html,<script>window.__hit=1</script>",
        '{"__proto__": {"said": "yes"}, "a": "<script>window.__hit=1</script>"}',
        "[" * 5000,
        "{{data}}{{script}}",
        "<!--", "<![CDATA[", "<style>*{display:none}</style>", "<base href='http://evil.example/'>",
        "<meta http-equiv=refresh content='0;url=http://evil.example'>",
        "<form action=http://evil.example><input autofocus onfocus=window.__hit=1></form>",
        "\u202e\u2066 gnihtemos \u2069", "\u0000\u0001\u0007\u001b[31m", "‮" * 50, "Z̷̢̛" * 500,
        "x" * 300_000, "\n" * 500, "\t\t\t", "=cmd|'/c calc'!A0", "𝕏" * 1000, "\ud7ff\ue000\uffff",
        "`${window.__hit=1}`", "');window.__hit=1;//", "&lt;script&gt;", "%3Cscript%3E",
        "<math><mtext></mtext>",
        "<details open ontoggle=window.__hit=1>", "<video><source onerror=window.__hit=1>", "<object data=x>",
        "<template><script>window.__hit=1</script></template>", "<x id=card><x id=cells><x id=yes>",
        "constructor",
    ]  # fmt: skip
    return [seeds[at % len(seeds)] * (1 + (at // len(seeds)) % 2) for at in range(200)]


def test_two_hundred_hostile_cells_are_inert(context, tmp_path):
    from puremetrics.checkpage import Sheet, alone

    cells = hostile()
    columns = ("<b>one</b>", "constructor", "__proto__", "four", "five")
    sheet = Sheet(columns, list(range(40)), [tuple(cells[5 * r : 5 * r + 5]) for r in range(40)])
    served = server_of(Session(sheet, tmp_path / "checked.csv"), images=False)
    file = tmp_path / "to_check.html"
    file.write_text(alone(sheet), encoding="utf-8", errors="surrogatepass")
    try:
        for address in (served.address, file.as_uri()):
            tab = Tab(context, address).open()
            for row in range(40):
                assert tab.row == str(row)
                shown = tab.page.evaluate(
                    """() => [...document.querySelectorAll('#cells *')].filter((n) =>
                    !['DIV', 'DT', 'DD', 'A', 'PRE', 'SPAN', 'BUTTON'].includes(n.tagName)
                    || (n.tagName === 'A' && !/^https?:$/.test(n.protocol)))
                    .map((n) => n.outerHTML.slice(0, 80))"""
                )
                assert shown == []
                wide = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
                assert tab.page.evaluate(wide) <= 0
                assert tab.page.is_visible("#yes")
                tab.press("1")
            assert tab.page.evaluate("window.__hit") is None
            assert tab.trouble == []
            tab.page.close(run_before_unload=False)
    finally:
        served.stop()
    assert [one.final for one in read_sheet(tmp_path / "checked.csv").answers] == ["yes"] * 40


# ---------------------------------------------------------------------- access


@pytest.fixture(scope="module")
def axe():
    try:
        folder = resources.files("axe_playwright_python")
    except ModuleNotFoundError:
        require("axe", "The page is tested with axe-core: pip install axe-playwright-python.")
    return (folder / "axe.min.js").read_text(encoding="utf-8")


def violations(page):
    found = page.evaluate("async () => (await axe.run()).violations")
    return [(v["id"], [node["html"][:150] for node in v["nodes"]]) for v in found]


@pytest.mark.parametrize("size", ["desk", "phone"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_violations(browser, axe, tmp_path, size, scheme):
    world = World(budget=30)
    made = Session(world.sheet(), tmp_path / "checked.csv", checker="ann")
    server = server_of(made, world.live(width=0.5), scores=dict.fromkeys(range(30), 0.5))
    viewport = PHONE if size == "phone" else {"width": 1280, "height": 800}
    context = browser.new_context(viewport=viewport, color_scheme=scheme, bypass_csp=True)
    tab = Tab(context, server.address).open()
    tab.page.evaluate(f"() => {{ {axe}\n }}")
    assert violations(tab.page) == []
    for row in range(30):
        if row == 12:
            tab.page.wait_for_selector("#funnel svg", timeout=60_000)
            assert violations(tab.page) == []
        tab.press("?" if row == 3 else "1" if world.said[row] == "yes" else "0")
    tab.page.wait_for_selector("#stop:not([hidden])", timeout=60_000)
    assert violations(tab.page) == []
    tab.page.click("text=See the verdict")
    tab.page.wait_for_selector("text=It is what it is.")
    assert violations(tab.page) == []
    server.stop()
    tab.page.keyboard.press("ArrowLeft")
    tab.page.keyboard.press("1")
    tab.page.wait_for_selector("#trouble:not([hidden])")
    assert violations(tab.page) == []
    context.close()


def test_in_a_frame_of_a_notebook(browser, tmp_path):
    """A page at another port of this machine shows it, and rows are answered inside."""
    world = World(budget=10)
    page = world.plan.check(
        world.rows, {"what": [f"row {row}" for row in range(1500)]}, output=tmp_path / "checked.csv"
    )
    context = browser.new_context()
    notebook = context.new_page()
    with other_site(f"<!DOCTYPE html><html><body>{page._repr_html_()}</body></html>") as address:
        notebook.goto(address)
        frame = notebook.frame_locator("iframe")
        frame.locator("h2:has-text('Row 1 of 10')").wait_for()
        frame.locator("#yes").click()
        frame.locator("h2:has-text('Row 2 of 10')").wait_for()
    assert page.answers[0] is True
    context.close()
    page.stop()
