"""A statistic that the package does not have, written here: registered, it works wherever others do."""

import json
from dataclasses import dataclass

import numpy as np
import pytest

import puremetrics as pm
from puremetrics.cli import main
from puremetrics.exceptions import InputError, UnsupportedError
from puremetrics.statistics import Statistic, catalogue, find, names, register
from tests.every import for_every
from tests.oracles import known
from tests.statistics.cases import SCENARIOS, rows

NAME = "kolmogorov_smirnov"
PRIOR = 0.4


@dataclass(frozen=True)
class KolmogorovSmirnov(Statistic):
    """The largest distance of the true from the false positive rate, over all thresholds."""

    name = NAME
    title = "Kolmogorov–Smirnov"

    def _apart(self, world):
        return (world.heads.pos - world.heads.cmp) / world.gap

    def value(self, world):
        return self.inside(float(self._apart(world).max()))

    def influence(self, world):
        """At the threshold where it is reached: whether a row is above it."""
        rows = int(np.argmax(self._apart(world)))
        above = (np.arange(world.ranked.score.size) < rows) / world.gap
        return above, -above


@pytest.fixture(autouse=True)
def registered():
    assert NAME not in names()
    register(NAME, lambda ask: KolmogorovSmirnov())
    yield
    catalogue._BUILDERS.pop(NAME)
    catalogue._LISTED.remove(NAME)
    assert NAME not in names()
    with pytest.raises(InputError, match="There is no statistic"):
        find(NAME)


TRUTH, Y, SCORES = rows(11, 120)
JOINT = {
    scenario: pm.JointTable.from_arrays(Y, SCORES, scenario=scenario) for scenario in SCENARIOS
}


@for_every("scenario", SCENARIOS)
def test_it_is_what_it_says(scenario):
    y = np.where(TRUTH, 1, -1)
    table = pm.ScoreTable.from_arrays(y, SCORES["a"], scenario=scenario, neg_label=-1)
    exact = known.kolmogorov_smirnov(TRUTH.tolist(), SCORES["a"].tolist())
    found = pm.assume(table).estimate(NAME)
    assert found.value == pytest.approx(exact, abs=1e-12)
    assert found.title == "Kolmogorov–Smirnov"
    assert found.low <= exact <= found.high
    assert found.interval.method == "student_logit"


@for_every("scenario", SCENARIOS)
def test_under_every_assumption(scenario):
    table = JOINT[scenario]["a"]
    plain = pm.assume(table, prior=PRIOR).estimate(NAME)
    assert plain.low < plain.value < plain.high
    ends = [pm.assume(table, prior=end).estimate(NAME) for end in (0.35, 0.45)]
    ranged = pm.assume(table, prior=(0.35, 0.45)).estimate(NAME)
    assert ends[0].low < ranged.low < ends[0].value < ends[1].value < ranged.high < ends[1].high
    assert ranged.interval.width > max(end.interval.width for end in ends)
    for more in ({"prior": (0.35, 0.45)}, {"label_bias": 2.0}):
        wide = pm.assume(table, **{"prior": PRIOR, **more}).estimate(NAME)
        assert wide.low < plain.value < wide.high
        assert wide.interval.width > plain.interval.width
        assert wide.interval.kind == "combined"
    impure = pm.assume(table, prior=PRIOR, purity=0.9).estimate(NAME)
    assert impure.value > plain.value
    grouped = pm.ScoreTable.from_arrays(
        Y, SCORES["a"], scenario=scenario, groups=np.arange(Y.size) // 4
    )
    assert pm.assume(grouped, prior=PRIOR).estimate(NAME).n_groups == Y.size // 4


@for_every("scenario", SCENARIOS)
def test_along_what_is_assumed(scenario):
    given = pm.assume(JOINT[scenario]["a"], prior=PRIOR)
    value = given.estimate(NAME).value
    prior = given.along("prior", NAME, at=[0.35, PRIOR])
    assert prior.value[0] < prior.value[1] == value
    bias = given.along("label_bias", NAME, at=[1, 2])
    assert bias.bias_low[1] <= value <= bias.bias_high[1]
    assert bias.low[1] <= bias.low[0]
    assert given.along("purity", NAME, at=[0.9, 1.0]).value[0] > value
    point = given.tipping_point(NAME, above=value - 0.1)
    assert 1 < point.label_bias < np.inf
    reached = pm.assume(JOINT[scenario]["a"], prior=PRIOR, label_bias=point.label_bias).estimate(
        NAME
    )
    assert reached.bias_range.low == pytest.approx(value - 0.1, abs=1e-6)


@for_every("scenario", SCENARIOS)
def test_models_folds_and_segments(scenario):
    joint = JOINT[scenario]
    compared = pm.compare(joint, statistic=NAME, prior=PRIOR)
    alone = {
        name: pm.assume(table, prior=PRIOR).estimate(NAME) for name, table in joint.tables.items()
    }
    (difference,) = compared.differences
    assert difference.value == pytest.approx(alone["a"].value - alone["b"].value)
    assert difference.value in difference.interval
    assert pm.compare(joint, statistic=NAME, prior=PRIOR, label_bias=1.5).differences[
        0
    ].interval.width > (difference.interval.width)
    fold = np.arange(Y.size) % 3
    folds = pm.cross_evaluate(
        Y, SCORES["a"], fold=fold, scenario=scenario, statistic=[NAME, "roc_auc"], prior=PRIOR
    )
    each = [
        pm.assume(Y[fold == f], SCORES["a"][fold == f], scenario=scenario, prior=PRIOR)
        .estimate(NAME)
        .value
        for f in range(3)
    ]
    mean = folds[NAME]
    assert mean.value == pytest.approx(np.mean(each))
    assert mean.value in mean.interval
    land = np.where(np.arange(Y.size) % 2, "north", "south")
    segments = pm.Segments.from_arrays(Y, SCORES["a"], segment=land, scenario=scenario, by="land")
    found = pm.compare_segments(segments, statistic=NAME, prior=PRIOR)
    for key in ("north", "south"):
        own = pm.assume(segments[key], prior=PRIOR).estimate(NAME)
        assert found.estimates[key].value == own.value
    best = pm.best_by_prior(joint.tables, statistic=NAME, priors=[0.35, PRIOR])
    assert best.values["b"][-1] == alone["b"].value


def test_in_an_evaluation_and_its_pages():
    found = pm.evaluate(JOINT[SCENARIOS[1]], prior=PRIOR, threshold=0.5, also=[NAME, "ndcg"])
    figure = found["b"][NAME]
    assert figure == pm.assume(JOINT[SCENARIOS[1]]["b"], prior=PRIOR).estimate(NAME)
    assert found.to_dict()["models"]["b"]["corrected"][NAME]["value"] == figure.value
    for text in (str(found), found.to_markdown(), found._repr_html_()):
        assert "Kolmogorov–Smirnov" in text
        assert f"{figure.value:.3f}" in text
    assert found["a"].naive[NAME].value < found["a"][NAME].value
    given = pm.evaluate(
        JOINT[SCENARIOS[1]]["a"], prior=PRIOR, threshold=0.5, also=KolmogorovSmirnov()
    )
    assert given["model"][NAME].value == found["a"][NAME].value


def test_an_audit_does_not_tell_it_and_says_so():
    hidden = Y == 0
    audit = pm.Audit.from_arrays(SCORES["a"][hidden], TRUTH[hidden])
    with pytest.raises(
        UnsupportedError, match=r"Kolmogorov–Smirnov cannot be computed from an audit"
    ):
        pm.assume(JOINT[SCENARIOS[0]]["a"], audit=audit).estimate(NAME)
    found = pm.evaluate(JOINT[SCENARIOS[0]]["a"], audit=audit, threshold=0.5, also=NAME)
    assert NAME not in found["model"].corrected


def test_on_the_command_line(tmp_path, capsys):
    path = tmp_path / "rows.csv"
    lines = [f"{y},{a},{b}" for y, a, b in zip(Y, SCORES["a"], SCORES["b"], strict=True)]
    path.write_text("\n".join(["y,a,b", *lines]), encoding="utf-8")
    line = [
        "compare",
        str(path),
        "--label",
        "y",
        "--score",
        "a",
        "--score",
        "b",
        "--prior",
        str(PRIOR),
    ]
    line += ["--scenario", "case_control", "--statistic", NAME, "--no-progress"]
    assert main([*line, "--json", str(tmp_path / "told.json")]) == 0
    told = json.loads((tmp_path / "told.json").read_text(encoding="utf-8"))
    wanted = pm.compare(JOINT["case_control"], statistic=NAME, prior=PRIOR)
    assert told["statistic"] == NAME
    assert told["estimates"]["a"]["value"] == pytest.approx(wanted.estimates["a"].value)
    assert told["differences"][0]["value"] == pytest.approx(wanted.differences[0].value)
    assert "Compared by Kolmogorov–Smirnov; prior 0.4, given" in capsys.readouterr().out
    assert main([*line[:-2], "smirnov"]) == 2
    assert "smirnov" in capsys.readouterr().err
