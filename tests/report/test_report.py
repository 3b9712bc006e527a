"""The report as text: what the page carries, and that nothing a user supplies gets out of hand."""

import base64
import hashlib
import itertools
import json
import re
from html.parser import HTMLParser

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import puremetrics as pm
from puremetrics.evaluation import evaluate
from puremetrics.report import notebook, render
from puremetrics.report import payload as payload_module
from puremetrics.report.payload import packed, packed_scores, packed_steps, script_json
from puremetrics.report.pieces import thinned
from puremetrics.tables.segments import Segments

TABLE = pm.ScoreTable.from_groups(
    positive=np.arange(40, 80) / 100, unlabeled=np.arange(60) / 100, scenario="case_control"
)


@pytest.fixture(scope="module")
def evaluation():
    return evaluate({"one": TABLE, "other": TABLE.flipped().flipped()}, prior=0.2)


def unpacked(column):
    """What the page's script does, in Python."""
    content = base64.b64decode(column["b"])
    if column["t"] == "f":
        return np.frombuffer(content, "<f8")
    if column["t"] == "b":
        bits = np.unpackbits(np.frombuffer(content, np.uint8), bitorder="little")
        return bits[: column["n"]].astype(np.float64)
    values, value, shift = [], 0, 0
    for byte in content:
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            values.append(value)
            value, shift = 0, 0
    if column["t"] == "v":
        return np.array(values, dtype=np.float64)
    if column["t"] == "z":
        return np.cumsum([-(v + 1) // 2 if v % 2 else v // 2 for v in values])
    return (column["s"] - np.concatenate([[0], np.cumsum(values)])) / 10.0 ** column["k"]


@given(st.lists(st.integers(0, 2**50), min_size=1))
def test_whole_numbers_survive_packing(values):
    assert unpacked(packed(values)).tolist() == values


@given(st.lists(st.integers(-(2**40), 2**40), min_size=1))
def test_steps_survive_packing(values):
    assert unpacked(packed_steps(values)).tolist() == values


@given(st.lists(st.floats(0, 1e9), min_size=1))
def test_weights_survive_packing(values):
    assert unpacked(packed(values)).tolist() == values


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, unique=True), st.integers(0, 17))
def test_scores_survive_packing(values, digits):
    scores = np.unique(np.round(values, digits) + 0.0)[::-1]
    assert unpacked(packed_scores(scores)).tolist() == scores.tolist()


@given(st.text())
def test_json_cannot_leave_its_script(text):
    written = script_json({"name": text, "</script>": [text, "\u2028\u2029<!--&"]})
    assert not set("<>&\u2028\u2029") & set(written)
    assert json.loads(written)["name"] == text


def test_lone_surrogates_and_nul_can_be_written(evaluation):
    page = render(evaluation, title="a\ud800b\0c")
    page.encode("utf-8")
    assert "<title>a?bc</title>" in page


def data_of(page):
    return json.loads(re.search(r'id="data">(.*?)</script>', page, re.S)[1])


def test_the_page_carries_the_cut_tables(evaluation):
    content = data_of(render(evaluation))
    assert [model["name"] for model in content["models"]] == ["one", "other"]
    rows, cut = content["models"][0]["rows"], TABLE.cut()
    assert unpacked(rows["score"]).tolist() == cut.score.tolist()
    assert unpacked(rows["pos"]).tolist() == cut.n_pos.tolist()
    assert unpacked(rows["unl"]).tolist() == cut.n_unl.tolist()
    assert rows["neg"] is None
    assert content["home"]["prior"] == 0.2
    assert 0.2 in content["grid"]["prior"]
    assert content["models"][0]["deviation"] == 0.0


def test_sliders_reach_the_limits_of_the_prior():
    table = pm.ScoreTable.from_groups(
        positive=range(40, 60),
        unlabeled=range(50),
        negative=range(10),
        scenario="single_training_set",
    )
    content = data_of(render(evaluate(table, prior=0.4)))
    assert content["grid"]["prior"][0] == 0.25
    assert content["grid"]["prior"][-1] == 70 / 80
    assert content["grid"]["prior"] == sorted(set(content["grid"]["prior"]))
    assert content["grid"]["purity"][-1] == 1.0


class Structure(HTMLParser):
    """Tags must be closed in order, identifiers unique, and nothing may load or run from outside."""

    VOID = frozenset({"meta", "link", "br", "input", "img", "hr"})

    def __init__(self):
        super().__init__()
        self.open, self.ids, self.attributes, self.text = [], [], [], []

    def handle_starttag(self, tag, attributes):
        self.attributes += [(tag, *pair) for pair in attributes]
        self.ids += [value for name, value in attributes if name == "id"]
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.attributes += [(tag, *pair) for pair in attributes]

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, text):
        if self.open and self.open[-1] not in ("script", "style"):
            self.text.append(text)


def parsed(page):
    structure = Structure()
    structure.feed(page)
    assert structure.open == []
    assert len(structure.ids) == len(set(structure.ids))
    return structure


NAMES = ["</script><img src=x onerror=alert(1)>", "\"' onload=alert(2) '", "a & b <i>", "{{body}}"]


def test_names_are_text_and_nothing_else():
    tables = dict.fromkeys(NAMES, TABLE)
    page = render(evaluate(tables, prior=0.2), title=NAMES[0])
    structure = parsed(page)
    for tag, name, value in structure.attributes:
        assert not name.startswith("on"), (tag, name, value)
        assert name != "style", "the policy allows no style attribute"
        assert tag not in ("img", "iframe", "object", "embed", "i") or tag == "i"
        if name in ("src", "href"):
            assert value in ("data:,", "#overview", "#free")
    told = "".join(structure.text)
    assert all(name in told for name in NAMES)


def test_the_policy_allows_exactly_this_script_and_style(evaluation):
    page = render(evaluation)
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', page)[1]
    assert policy.startswith("default-src 'none';")
    assert "unsafe" not in policy
    for tag in ("script", "style"):
        text = re.search(rf"<{tag}>(.*?)</{tag}>", page, re.S)[1]
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert f"{tag}-src 'sha256-{digest}'" in policy
    assert "http" not in re.sub(r"http://www\.w3\.org/2000/svg|http-equiv", "", page)


def test_figures_stand_there_without_a_script(evaluation):
    told = " ".join(parsed(render(evaluation)).text)
    for model in evaluation.models.values():
        for estimate in [
            *model.corrected.values(),
            *model.naive.values(),
            *model.prior_free.values(),
        ]:
            assert f"{estimate.value:.3f}".replace("-", "−") in told
        for bound in model.bounds.values():
            assert f"{bound.low:.3f} to {bound.high:.3f}" in told.replace("−", "-")
    for remark in evaluation.diagnostics:
        assert remark.message in told


def test_truth_stands_beside_the_estimate(evaluation):
    page = render(evaluation, truth={"one": {"roc_auc": 0.8765, "recall": 0.4321}})
    assert 'data-truth="0.roc_auc">0.876<' in page or 'data-truth="0.roc_auc">0.877<' in page
    assert 'data-truth="0.recall">0.432<' in page
    assert 'data-truth="1' not in page


def test_weighted_and_fully_labelled_tables_have_a_page():
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 2, 60)
    weighted = pm.ScoreTable.from_arrays(
        labels,
        rng.random(60) * (0.5 + labels / 2),
        sample_weight=rng.random(60),
        scenario="case_control",
    )
    for result in (
        evaluate(weighted, prior=0.3),
        evaluate(weighted, prior=0.3, purity=0.8, threshold=0.4),
        evaluate(TABLE.unlabeled_as_negative(), threshold=0.5),
    ):
        page = render(result)
        parsed(page)
        assert data_of(page)["models"][0]["along"] is None


def test_drift_is_shown_if_there_is_any(evaluation):
    rng = np.random.default_rng(5)
    tables = {
        name: pm.ScoreTable.from_groups(
            positive=rng.normal(shift, 1, 60),
            unlabeled=rng.normal(0, 1, 400),
            scenario="case_control",
        )
        for name, shift in (("<b>May</b>", 2.0), ("June", 0.2))
    }
    tables["tiny"] = pm.ScoreTable.from_groups(
        positive=[1.0], unlabeled=[0.0, 2.0], scenario="case_control"
    )
    total = tables["June"].merge(tables["<b>May</b>"]).merge(tables["tiny"])
    segments = Segments("<i>month</i>", tables, total, {})
    for prior in (0.1, None):
        told = " ".join(parsed(render(evaluate(segments, prior=prior))).text)
        assert "Segment by segment" in told
        assert "<b>May</b>" in told
        assert "<i>month</i>" in told
        assert "differ by more than chance" in told
    assert "Segment by segment" not in render(evaluation)


def test_merged_tables_keep_their_totals_and_end_at_operating_points(monkeypatch):
    rng = np.random.default_rng(1)
    table = pm.ScoreTable.from_groups(
        positive=rng.normal(1, 1, 900), unlabeled=rng.normal(0, 1, 4000), scenario="case_control"
    )
    result = evaluate(table, prior=0.2, threshold=0.5)
    monkeypatch.setattr(payload_module, "ROWS", 500)
    model = payload_module.payload(result, title="")["models"][0]
    scores = unpacked(model["rows"]["score"])
    assert scores.size <= 500
    assert unpacked(model["rows"]["pos"]).sum() == 900
    assert np.isin(scores, table.cut().score).all()
    assert 1e-9 < model["deviation"] < 0.05
    assert "in blocks" in render(result)


@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), min_size=2, max_size=40))
def test_thinning_stays_close(points):
    x, y = np.sort(np.array(points), axis=0).T
    keep = thinned(x, y, 0.01)
    assert keep[0] == 0
    assert keep[-1] == x.size - 1
    for first, last in itertools.pairwise(keep):
        chord = np.array([x[last] - x[first], y[last] - y[first]])
        length = np.hypot(*chord)
        for i in range(first + 1, last):
            away = np.array([x[i] - x[first], y[i] - y[first]])
            gap = (
                np.hypot(*away)
                if length == 0
                else abs(chord[0] * away[1] - chord[1] * away[0]) / length
            )
            assert gap <= 0.01 + 1e-12


def test_notebook_is_static_and_escaped():
    text = notebook(evaluate({NAMES[0]: TABLE}, prior=0.2))
    assert "<script" not in text
    assert "<img" not in text
    assert "ROC AUC" in text


def test_label_bias_is_told():
    evaluation = evaluate(TABLE, prior=0.2, label_bias=1.7, label_bias_side="high")
    content = payload_module.payload(evaluation, title="")
    assert content["home"]["bias"] == 1.7
    told = "up to 1.7 times as likely to be labelled"
    assert told in notebook(evaluation)
    assert told in render(evaluation)


def test_figures_of_biased_labels_are_carried_as_evaluated():
    evaluation = evaluate(TABLE, prior=0.2, threshold=0.5, label_bias=1.7)
    (found,), (model,) = (
        payload_module.payload(evaluation, title="")["models"],
        evaluation.models.values(),
    )
    carried = found["evaluated"]
    for key, estimate in model.corrected.items():
        assert carried[key][:3] == [estimate.value, *estimate.interval]
    assert carried["calibration"]["interval"] == list(model.calibration.interval)
    assert carried["discovery"] == [model.discovery.low.tolist(), model.discovery.high.tolist()]
    random = payload_module.payload(evaluate(TABLE, prior=0.2, threshold=0.5), title="")
    assert random["models"][0]["evaluated"] == {}


def test_pulp_stands_under_the_figures(evaluation):
    page = render(evaluation)
    assert f"PULP <b>{evaluation.models['one'].prior_free['pulp'].value:.3f}</b>" in page


def test_the_script_is_carried_without_comments():
    page = render(evaluate(TABLE, prior=0.2))
    script = page[page.rindex("<script>") :]
    assert "\n  " not in script
    assert "\n//" not in script
