"""What notebooks show of a result: all that it concludes, its curve as a picture, its table folded."""

import html
import html.parser
import re
import xml.etree.ElementTree as ET
from dataclasses import dataclass, replace

import numpy as np
import pytest

import puremetrics as pm
from puremetrics.exceptions import Diagnostic
from puremetrics.results import Curve, Result
from puremetrics.results.picture import Drawing, Picture, steps_after, steps_before
from tests.every import for_every
from tests.results.instances import made

RESULTS = made()
OWN = {"Evaluation"}  # has a display of its own
TABLES_IN_TEXT = {
    "AuditPlan",
    "Drift",
    "ModelEvaluation",
    "SegmentComparison",
}  # their rows are folded
CURVES = {
    "AuditPath": ("rows checked", "roc_auc"),
    "Band": ("threshold", "share of latent positives at or above"),
    "CalibrationBins": ("mean score", "positive rate"),
    "CalibrationResult": ("mean score", "positive rate"),
    "ConfusionCounts": ("threshold", "rows"),
    "Curve": ("false positive rate", "true positive rate"),
    "CurveBand": ("false positive rate", "true positive rate"),
    "CurveBounds": ("false positive rate", "true positive rate"),
    "DecisionCurve": ("threshold", "net benefit"),
    "DiscoveryCurve": ("unlabeled rows checked", "positives found"),
    "HullLikelihood": ("share of the other rows", "share of the labelled rows"),
    "HullResult": ("false positive rate", "true positive rate"),
    "HullVariance": ("false positive rate", "true positive rate"),
    "LabelBiasSensitivity": ("label bias", "ROC AUC"),
    "ModelRanking": ("prior", "roc_auc"),
    "PriorDerivatives": ("threshold", "change of a rate with the prior"),
    "PriorEstimate": ("share of positives among the unlabeled", "objective"),
    "PriorSensitivity": ("prior", "roc_auc"),
    "RecalibrationMap": ("score", "probability"),
    "ReliabilityCurve": ("score", "positive rate"),
}
each = for_every("name", sorted(set(RESULTS) - OWN))


class Reader(html.parser.HTMLParser):
    """The text that a reader sees at once, and that of the folded table."""

    def __init__(self, page):
        super().__init__()
        self.open, self.folded, self.seen, self.inside = [], "", "", ""
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.open.append(tag)
        if tag in ("div", "td", "th", "summary"):
            self.seen += "\n"

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_startendtag(self, tag, attrs):
        pass

    def handle_data(self, data):
        if "svg" in self.open:
            return
        if "details" in self.open and "summary" not in self.open:
            self.inside += f"{data}\n"
        else:
            self.seen += data


def plain(text):
    return " ".join(text.split())


def picture(page):
    """The picture as a tree; it is XML, so that it can be stored by itself."""
    return ET.fromstring(page[page.index("<svg") : page.rindex("</svg>") + 6])


def words(svg):
    return [text.text for text in svg.iter("text")]


def paths(svg):
    """Points of every path, by what is drawn with it."""
    return [
        (
            path.attrib,
            np.array(re.findall(r"[ML](-?[\d.]+),(-?[\d.]+)", path.get("d")), dtype=float),
        )
        for path in svg.iter("path")
    ]


# ---------------------------------------------------------------- what is concluded


@each
def test_every_sentence_is_shown(name):
    result = RESULTS[name]
    seen = plain(Reader(result._repr_html_()).seen)
    lines = str(result).split("\n")
    for line in lines:
        if name in TABLES_IN_TEXT and "  " in line.strip():
            continue  # a row of the table
        assert plain(line) in seen


def test_the_conclusions_that_were_cut_are_whole():
    seen = {name: plain(Reader(RESULTS[name]._repr_html_()).seen) for name in set(RESULTS) - OWN}
    assert "best by roc_auc: prior 0 to 0.95: a the ranking of a contradicts" in seen["Comparison"]
    assert "differs by more than chance" in seen["Drift"]
    assert "these stand out: 1, 2" in seen["Drift"]
    alike = replace(RESULTS["Drift"], diagnostics=())
    assert "these stand out: 1, 2" in Reader(alike._repr_html_()).seen
    assert "could be the worst: 0, 1" in seen["SegmentComparison"]
    assert "width by rows checked: 50:" in seen["AuditPlan"]
    assert "with 95% confidence, not below" in seen["TippingPoint"]
    assert re.search(r"Prior: 0\.\d+, 95% combined interval", seen["PriorEstimate"])


def test_a_threshold_tells_the_limited_metrics():
    table = pm.ScoreTable.from_groups(
        positive=range(30, 60), unlabeled=range(50), scenario="case_control"
    )
    choice = pm.choose_threshold(
        table, objective="recall", subject_to={"precision": (">=", 0.5)}, prior=0.2, n_resamples=5
    )
    assert re.search(r"precision at this threshold: 0\.\d{4}", Reader(choice._repr_html_()).seen)


def test_rows_of_a_table_in_the_text_are_folded():
    for name in TABLES_IN_TEXT:
        read = Reader(RESULTS[name]._repr_html_())
        assert plain(read.seen).endswith(("1 row", "2 rows", "8 rows"))
        rows = [line for line in str(RESULTS[name]).split("\n") if "  " in line.strip()]
        assert not any(plain(row) in plain(read.seen) for row in rows)
    inside = Reader(RESULTS["Drift"]._repr_html_()).inside.split("\n")
    assert inside[:3] == ["segment", "rows", "positives"]
    assert {"1", "240", "40", "0.9361"} <= set(inside)


def test_a_remark_is_told_once():
    drift = RESULTS["Drift"]
    assert any("differs by more than chance" in remark.message for remark in drift.diagnostics)
    assert drift._repr_html_().count("differs by more than chance") == 1
    path = RESULTS["AuditPath"]
    assert path._repr_html_().count("PM130") == 1


@dataclass(frozen=True, eq=False, repr=False)
class Told(Result):
    """A result that says what it is given."""

    text: str
    columns: dict
    diagnostics: tuple[Diagnostic, ...] = ()

    def frame(self):
        return self.columns

    def __str__(self):
        return self.text


def test_the_first_sentence_leads_unless_lines_are_equals():
    page = Told("Yes. Because of b.\n  assumes c", {})._repr_html_()
    assert "<b>Yes.</b> Because of b.</div>" in page
    assert "<b>" not in Told("a: 1\nb: 2\nc: 3", {})._repr_html_()


def test_lines_set_in_columns_stay_so():
    page = Told("head\n  a      b\n  1      2\nafter", {})._repr_html_()
    assert page.count("white-space:pre") == 1  # one block, which scrolls as a whole
    assert "  a      b\n  1      2</div>" in page


def test_of_very_many_lines_the_first_and_the_last_are_shown():
    lines = [f"line {i}" for i in range(1000)]
    seen = Reader(Told("\n".join(lines), {})._repr_html_()).seen
    assert "line 0" in seen
    assert "line 999" in seen
    assert "line 500" not in seen
    assert "952 more lines" in seen


def test_names_of_any_length_and_kind_leave_a_small_page():
    long = "<&" * 5000
    names = [f"{long}{i}" for i in range(40)]
    columns = {name: np.array([name] * 50, dtype=object) for name in names}
    page = Told("\n".join(names), columns)._repr_html_()
    Reader(page)
    assert "<&" not in page
    assert len(page) < 200_000
    columns = {name[-30:]: np.linspace(0, 1, 5000) for name in names}
    ranking = replace(
        RESULTS["ModelRanking"],
        prior=np.linspace(0, 1, 5000),
        values={name: np.sin(np.arange(5000) * i) for i, name in enumerate(columns)},
        ranges=[(0.0, 1.0, names[3][-30:])],
        contradicted={},
    )
    assert len(ranking._repr_html_()) < 30_000


# ---------------------------------------------------------------- tables


@each
def test_tables_are_folded(name):
    page, frame = RESULTS[name]._repr_html_(), RESULTS[name].frame()
    rows = next(iter(frame.values())).size
    folded = rows > 1 or (name in TABLES_IN_TEXT and rows == 1)
    assert page.count("<table") == page.count("<details>") == folded
    if folded:
        assert f">Table of {rows:,} row{'s' if rows > 1 else ''}</summary>" in page
        assert page.index("<details>") < page.index("<table") < page.index("</details>")
        shown = rows if rows <= 13 else 13  # of more, the first 8, a gap and the last 4
        assert page.count("<tr>") == 1 + shown
        assert all(html.escape(column) in page for column in list(frame)[:12])


def test_cells_are_numbers_as_english_writes_them():
    columns = {
        "count": np.array([1234567.0, 0.0, -3.0]),
        "share": np.array([0.5, np.nan, -0.25]),
        "limit": np.array([np.inf, -np.inf, 1.0]),
        "large": np.array([1234.56, 0.5, 98765.4]),
        "small": np.array([1.5e-7, 0.25, 0.0]),
        "holds": np.array([True, False, True]),
        "year": np.array([2024, 2025, 2026], dtype=object),
        "name": np.array(["a" * 60, "<b>", "c"]),
        "std": np.array([1, 2, 3]),
    }
    read = Reader(Told("x", columns)._repr_html_())
    cells = read.inside.strip().split("\n")
    assert cells[:9] == list(columns)
    by_column = {name: cells[9 + i :: 9] for i, name in enumerate(columns)}
    assert by_column["count"] == ["1,234,567", "0", "−3"]
    assert by_column["share"] == ["0.5000", "–", "−0.2500"]
    assert by_column["limit"] == ["∞", "−∞", "1"]
    assert by_column["large"] == ["1,234.6", "0.5000", "98,765"]
    assert by_column["small"] == ["1.5e−07", "0.2500", "0"]
    assert by_column["holds"] == ["yes", "no", "yes"]
    assert by_column["year"] == ["2024", "2025", "2026"]
    assert by_column["name"] == ["a" * 31 + "…", "<b>", "c"]


def test_long_tables_show_their_ends_and_wide_ones_say_so():
    columns = {f"c{i}": np.arange(1000) + 10_000 * i for i in range(15)}
    read = Reader(Told("x", columns)._repr_html_())
    cells = read.inside.split("\n")
    assert "Table of 1,000 rows" in read.seen
    assert {"0", "7", "⋮", "996", "999"} <= set(cells)
    assert not {"8", "995"} & set(cells)
    assert cells[12::12][:13] == [*map(str, range(8)), "⋮", "996", "997", "998", "999"]
    assert "c11" in cells
    assert "c12" not in cells
    assert "… and 3 more columns" in cells


# ---------------------------------------------------------------- pictures


@each
def test_curves_are_pictures_and_nothing_else_is(name):
    page = RESULTS[name]._repr_html_()
    assert ("<svg" in page) == (name in CURVES)
    assert len(page) < 30_000
    if name not in CURVES:
        return
    svg, (x_title, y_title) = picture(page), CURVES[name]
    assert svg.get("role") == "img"
    assert svg.get("aria-label") == svg.find("title").text
    assert svg.get("aria-label").startswith(f"{y_title} against {x_title}: ")
    assert {x_title, y_title} <= set(words(svg))
    numbers = [text for text in words(svg) if re.fullmatch(r"−?[\d.,]+M?", text)]
    assert 4 <= len(numbers) <= 12  # ticks of both axes
    assert svg.get("width") == "320"
    assert 220 <= int(svg.get("height")) <= 270
    colours = {path.get("stroke") for path in svg.iter("path")} - {None}
    assert "currentColor" in colours
    assert not colours & {"black", "white", "#000", "#fff"}  # which light or dark pages would hide


def test_the_line_is_that_of_the_numbers():
    x, y = np.array([0.0, 0.25, 1.0]), np.array([0.0, 0.5, 1.0])
    svg = picture(Drawing("x", "y", {"y": (x, y)}).svg())
    inner = svg.find("svg")
    (line,) = [points for look, points in paths(inner) if look["stroke-width"] == "1.6"]
    left, right = line[0, 0], line[-1, 0]
    bottom, top = line[0, 1], line[-1, 1]
    assert bottom > top
    assert (line[:, 0] - left) / (right - left) == pytest.approx(x, abs=1e-3)
    assert (line[:, 1] - bottom) / (top - bottom) == pytest.approx(y, abs=1e-3)
    ticks = {
        t.text: float(t.get("x")) for t in svg.findall("text") if t.get("text-anchor") == "middle"
    }
    assert ticks["0.0"] == pytest.approx(left, abs=0.1)
    assert ticks["1.0"] == pytest.approx(right, abs=0.1)
    assert ticks["0.2"] == pytest.approx(left + 0.2 * (right - left), abs=0.1)
    dots = [(float(c.get("cx")), float(c.get("cy"))) for c in svg.iter("circle")]
    assert dots == [tuple(point) for point in line]
    assert svg.get("aria-label") == "y against x: 0 at 0 to 1 at 1"


def test_a_band_is_filled_between_its_edges():
    x = np.linspace(0, 1, 5)
    svg = picture(Drawing("x", "y", {"y": (x, x)}, [("", (x, x - 0.1), (x, x + 0.1))]).svg())
    band, line = (points for _, points in paths(svg.find("svg"))[:2])
    assert len(band) == 10
    assert band[:5, 0] == pytest.approx(line[:, 0])
    assert band[5:, 0] == pytest.approx(line[::-1, 0])
    assert (band[:5, 1] < line[:, 1]).all()  # down is up
    assert (band[5:, 1] > line[::-1, 1]).all()
    assert svg.get("aria-label").endswith("within a band")


def test_gaps_stay_open():
    x = np.arange(7.0)
    y = np.array([0, 1, np.nan, 2, 3, np.inf, 4.0])
    low, high = y - 1, np.where(x == 3, np.nan, y + 1)
    inner = picture(Drawing("x", "y", {"y": (x, y)}, [("", (x, low), (x, high))]).svg()).find("svg")
    shapes = [path for path in inner.iter("path") if path.get("stroke") is None]
    assert len(shapes) == 1  # from 0 to 1; single points have no area
    line = next(path for path in inner.iter("path") if path.get("stroke-width") == "1.6")
    assert line.get("d").count("M") == 3


def test_many_points_are_thinned_and_keep_the_shape():
    x = np.concatenate([np.linspace(0, 0.001, 50_000), np.linspace(0.001, 1, 50)])
    y = np.concatenate([np.linspace(0, 0.9, 50_000), np.linspace(0.9, 1, 50)])
    svg = Drawing("x", "y", {"y": (x, y)}, [("", (x, y / 2), (x, y))]).svg()
    assert len(svg) < 10_000
    inner = picture(svg).find("svg")
    line = next(points for look, points in paths(inner) if look.get("stroke-width") == "1.6")
    assert 100 <= len(line) <= 200
    assert np.hypot(*np.diff(line, axis=0).T).max() < 12  # no part of the picture is left out
    left, right = line[0, 0], line[-1, 0]
    assert (line[:, 0] - left > 0.01 * (right - left)).sum() > 40


def test_thinned_steps_keep_their_ends():
    x, y = steps_before(np.linspace(0, 1, 5000), np.linspace(1, 0.3, 5000))
    inner = picture(Drawing("x", "y", {"y": (x, y)}).svg()).find("svg")
    (points,) = [p for look, p in paths(inner) if look["stroke-width"] == "1.6"]
    left, top, width, height = (float(inner.get(k)) for k in ("x", "y", "width", "height"))
    edge = 3  # around the axes, which run from 0 to 1
    assert len(points) <= 160
    assert points[0] == pytest.approx([left + edge, top + edge], abs=0.2)
    down = top + edge + 0.7 * (height - 2 * edge)
    assert points[-1] == pytest.approx([left + width - edge, down], abs=0.2)


def test_steps():
    x, y = np.array([0.0, 1.0, 3.0]), np.array([5.0, 6.0, 7.0])
    assert [list(column) for column in steps_before(x, y)] == [[0, 0, 1, 1, 3], [5, 6, 6, 7, 7]]
    assert [list(column) for column in steps_after(x, y)] == [[0, 1, 1, 3, 3], [5, 5, 6, 6, 7]]


@pytest.mark.parametrize(
    ("x", "y"),
    [
        ([], []),
        ([1.0], [2.0]),
        ([np.nan, 1.0], [1.0, np.inf]),
        ([0.0, 1.0], [-1.7e308, 1.7e308]),
    ],
)
def test_what_cannot_be_drawn_is_not(x, y):
    assert Drawing("x", "y", {"y": (np.array(x), np.array(y))}).svg() == ""


@pytest.mark.parametrize(
    ("low", "high"),
    [
        (3.0, 3.0),
        (0.0, 0.0),
        (1e-9, 2e-9),
        (-5e9, 5e9),
        (1e12, 1e13),
        (0.1, 0.1 + 1e-15),
        (2e5, 9e6),
    ],
)
def test_any_size_has_axes(low, high):
    svg = picture(
        Drawing("x", "y", {"y": (np.array([low, high, high]), np.array([high, low, high]))}).svg()
    )
    numbers = words(svg)[:-2]
    assert len(numbers) >= 2
    assert max(map(len, numbers)) < 16
    assert "−0.0" not in numbers
    for text in svg.findall("text"):
        assert -20 <= float(text.get("x")) <= 340


def test_large_ticks_are_read_at_once():
    svg = picture(Drawing("x", "y", {"y": (np.array([0, 8e6]), np.array([0, 5000.0]))}).svg())
    assert {"0", "2M", "4M", "6M", "8M"} <= set(words(svg))
    assert {"2,000", "4,000"} <= set(words(svg))


def test_several_lines_have_names_and_very_many_are_counted():
    x = np.linspace(0, 1, 30)
    lines = {f"model_{i} <&>": (x, x * i) for i in range(12)}
    svg = picture(Drawing("x", "y", lines).svg())
    shown = words(svg)
    assert [f"model {i} <&>" for i in range(5)] == [text for text in shown if "model" in text]
    assert "and 7 more" in shown
    looks = [look for look, _ in paths(svg.find("svg"))]
    assert len(looks) == 8
    named = [look for look in looks if look["stroke-width"] == "1.6"]
    assert len({(look["stroke"], look.get("stroke-dasharray")) for look in named}) == 5
    assert svg.get("aria-label").endswith("model 4 <&> and 7 more")


def test_the_best_models_are_among_those_drawn():
    values = {f"m{i}": np.linspace(0.5, 0.6 + i / 100, 30) for i in range(20)}
    ranking = replace(
        RESULTS["ModelRanking"],
        prior=np.linspace(0, 1, 30),
        values=values,
        ranges=[(0.0, 1.0, "m19")],
    )
    assert words(picture(ranking._repr_html_()))[-6:] == [
        "m19",
        "m0",
        "m1",
        "m2",
        "m3",
        "and 15 more",
    ]


def test_lines_beside_may_leave_and_do_not_set_the_scale():
    decision = RESULTS["DecisionCurve"]
    assert decision.frame()["treat_all"].min() < -10
    svg = picture(decision._repr_html_())
    ticks = [
        float(t.text.replace("−", "-"))
        for t in svg.findall("text")
        if t.get("text-anchor") == "end" and t.text != "threshold"
    ]
    assert min(ticks) > -0.3
    assert {"net benefit", "treat all", "treat none"} <= set(words(svg))
    inner = svg.find("svg")  # which cuts what leaves it
    assert "overflow" not in inner.attrib
    bottom = float(inner.get("y")) + float(inner.get("height"))
    assert max(points[:, 1].max() for _, points in paths(inner)) > bottom


def test_the_answer_is_marked_where_the_objective_has_it():
    prior = RESULTS["PriorEstimate"]
    inner = picture(prior._repr_html_()).find("svg")
    mark, line = (points for _, points in paths(inner))
    assert mark[0, 0] == mark[1, 0]
    there = np.interp(prior.unlabeled_share, prior.grid, line[:, 0])
    assert mark[0, 0] == pytest.approx(there, abs=0.2)
    table = pm.ScoreTable.from_groups(
        positive=np.linspace(0.4, 1, 60), unlabeled=np.linspace(0, 1, 200), scenario="case_control"
    )
    other = picture(pm.estimate_prior(table, method="best_bin")._repr_html_())
    assert len(paths(other.find("svg"))) == 1  # shares of the labelled have no such place
    assert "share of the labelled above a threshold" in words(other)
    assert "<svg" not in pm.PriorEstimate(0.2)._repr_html_()


def test_curves_carry_their_bands():
    table = pm.ScoreTable.from_groups(
        positive=np.linspace(0.3, 1, 20), unlabeled=np.linspace(0, 1, 50), scenario="case_control"
    )
    banded = pm.pr_curve(table, prior=0.2, band="pointwise")
    svg = picture(banded._repr_html_())
    assert "95% band" in words(svg)
    line = next(p for look, p in paths(svg.find("svg")) if look.get("stroke-width") == "1.6")
    straight = np.isclose(np.diff(line, axis=0), 0).any(axis=1)
    assert straight.all()  # steps, as the area under it is computed
    biased = pm.roc_auc(table, prior=0.2, label_bias=2.0).curve
    assert "left open by biased labels" in words(picture(biased._repr_html_()))
    along = pm.metric_curve_bounds(table, "recall", prior=0.2)
    assert "threshold" in words(picture(along._repr_html_()))
    assert isinstance(along.lower, Curve)


def test_a_map_of_steps_is_drawn_as_steps():
    steps = RESULTS["RecalibrationMap"]
    inner = picture(steps._repr_html_()).find("svg")
    line = next(p for look, p in paths(inner) if look.get("stroke-width") == "1.6")
    assert np.isclose(np.diff(line, axis=0), 0).any(axis=1).all()
    assert len(line) == 2 * steps.start.size + 1  # the last step has its length, too
    table = pm.ScoreTable.from_groups(
        positive=np.linspace(0.3, 0.9, 40),
        unlabeled=np.linspace(0.1, 0.9, 90),
        scenario="case_control",
    )
    smooth = pm.recalibrate(table, prior=0.2, method="platt")
    inner = picture(smooth._repr_html_()).find("svg")
    assert len(paths(inner)[0][1]) == 101


def test_a_result_says_in_one_line_that_it_is_a_curve():
    class Sampled(Told):
        _picture = Picture("t", ("{0.text}",), (("low", "high"),), x_title="time")

    t = np.linspace(0, 3, 10)
    found = Sampled("speed", {"t": t, "speed": t**2, "low": t, "high": t**2 + 1})
    svg = picture(found._repr_html_())
    assert {"time", "speed"} <= set(words(svg))
    assert svg.get("aria-label") == "speed against time: 0 at 0 to 9 at 3, within a band"
