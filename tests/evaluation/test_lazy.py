"""What is not on the first screen is computed when it is asked for, and is the same whenever that is."""

import csv
import io
import json
import pickle

import numpy as np
import pytest

import puremetrics as pm
from puremetrics.evaluation import model as of_model
from puremetrics.evaluation import records
from puremetrics.exceptions import InputError, PuremetricsError
from puremetrics.statistics import find
from tests.every import for_every

RNG = np.random.default_rng(3)
TRUTH = RNG.random(70) < 0.4
Y = (TRUTH & (RNG.random(70) < 0.5)).astype(int)
SCORES = {
    name: np.round(1 / (1 + np.exp(1 - shift * TRUTH - RNG.normal(size=70))), 2)
    for name, shift in (("forest", 2.0), ("words", 1.0))
}
JOINT = pm.JointTable.from_arrays(Y, SCORES, scenario="single_training_set")
CHECKED = np.flatnonzero(Y == 0)[::2]
AUDIT = pm.Audit.from_arrays({n: s[CHECKED] for n, s in SCORES.items()}, TRUTH[CHECKED])
ALONE = pm.Audit.from_arrays(SCORES["forest"][CHECKED], TRUTH[CHECKED])
ALSO = ["ndcg", "brier_score", "discrimination_slope"]
LATER = {  # of a model: what computes it
    "bounded": "_bounded",
    "hull": "hull_of",
    "modelled_calibration": "calibration_of",
    "discovery": "discovery_of",
    "tipping": "tipping_points",
    "bands": "with_band",
    "narrowing": "narrowing_of",
    "sensitivity": "sensitivity_of",
    "confusion": "_confusion",
}
KNOWN = {
    "given": {"prior": 0.4, "threshold": 0.5},
    "a range": {"prior": (0.3, 0.5), "threshold": 0.5},
    "estimated": {"threshold": 0.5},
    "an audit": {"audit": AUDIT, "threshold": 0.5},
}


def evaluated(**more):
    return pm.evaluate(JOINT, **{"prior": 0.4, "threshold": 0.5, **more})


class TooEarlyError(Exception):
    pass


def refuse(*args, **more):
    raise TooEarlyError


@for_every("known", KNOWN)
def test_evaluate_computes_the_figures_only(known, monkeypatch):
    with monkeypatch.context() as patched:
        for name in LATER.values():
            patched.setattr(of_model, name, refuse)
        for name in ("verdict_of", "ranking_of", "audit_summary"):
            patched.setattr(records, name, refuse)
        measures = dict.fromkeys(of_model._PRIOR_FREE, refuse)
        patched.setattr(of_model, "_PRIOR_FREE", measures)
        found = pm.evaluate(JOINT, **KNOWN[known])
        model = found["forest"]
        computed = {*LATER, "prior_free", "naive", "calibration"} & model.__dict__.keys()
        assert not computed
        assert not {"verdict", "ranking", "audit", "diagnostics"} & found.__dict__.keys()
        assert {"roc_auc", "f1"} <= model.corrected.keys()
        assert model["roc_auc"].value > 0.5
        for name in (*LATER, "prior_free"):
            if known == "an audit" and name == "tipping":
                continue  # nothing overturns what was checked
            with pytest.raises(TooEarlyError):
                getattr(model, name)
    for name in LATER if known == "given" else ():  # and then they are computed, once
        assert getattr(model, name) is getattr(model, name)


def test_print_computes_no_more_than_it_shows(monkeypatch):
    found = evaluated()
    for name in ("_bounded", "hull_of", "calibration_of", "discovery_of", "with_band"):
        monkeypatch.setattr(of_model, name, refuse)
    assert "ROC AUC" in str(found)


ORDERS = [
    (),
    ("tipping", "bounds", "hull", "narrowing"),
    ("bands", "discovery", "prior_free", "calibration", "diagnostics", "corrected"),
    ("confusion", "sensitivity", "naive", "certain"),
]


@for_every("known", ["given", "an audit"])
def test_numbers_do_not_depend_on_what_is_asked_first(known):
    wanted = None
    for order in ORDERS if known == "given" else ORDERS[1:3]:
        one = {**KNOWN[known], "audit": ALONE if known == "an audit" else None}
        found = pm.evaluate(JOINT["forest"], **one)
        for name in order:
            getattr(found["model"], name)
        told = json.dumps(found.to_dict(), sort_keys=True)
        wanted = wanted or told
        assert told == wanted, f"after {order}"


def test_it_is_the_same_after_pickling_whether_it_was_computed_or_not():
    found = evaluated(also=ALSO)
    before = pickle.loads(pickle.dumps(found))
    assert "hull" not in before["forest"].__dict__
    wanted = found.to_dict()
    _ = found["forest"].hull
    after = pickle.loads(pickle.dumps(found))
    assert "hull" in after["forest"].__dict__
    for copy in (before, after):
        assert copy.to_dict() == wanted
        assert copy == found
        assert str(copy) == str(found)
        assert copy.details() == found.details()


def test_figures_by_name():
    found = evaluated(also=ALSO)
    model = found["forest"]
    assert model["roc_auc"] == pm.roc_auc(JOINT["forest"], prior=0.4)
    assert model["f1"] == pm.metric(JOINT["forest"], "f1", threshold=0.5, prior=0.4)
    assert model["ndcg"] == pm.ndcg(JOINT["forest"], prior=0.4)
    assert model["pulp"].value == pm.pulp(JOINT["forest"]).value
    with pytest.raises(InputError, match=r"There is no model 'tree'\. There are: forest, words\."):
        found["tree"]
    with pytest.raises(
        InputError, match=r"There is no figure 'area' of 'forest'\. There are: roc_auc, .*pulp"
    ):
        model["area"]


def test_ends_of_an_estimate():
    figure = evaluated()["words"]["roc_auc"]
    assert (figure.low, figure.high) == tuple(figure.interval)
    assert figure.low <= figure.value <= figure.high
    without = pm.Estimate.of(
        figure, figure.value, None, {"scenario": figure.scenario}, method=figure.method
    )
    assert np.isnan([without.low, without.high]).all()
    undefined = pm.metric(JOINT["forest"], "precision", threshold=2.0, prior=0.4)
    assert undefined.interval is None
    assert np.isnan([undefined.value, undefined.low, undefined.high]).all()


def test_the_page_is_written_whole(tmp_path, monkeypatch):
    found, path = (
        pm.evaluate(JOINT["forest"], prior=0.4, threshold=0.5),
        tmp_path / "deeper" / "page.html",
    )
    path.parent.mkdir()
    page = found.to_html(path, title="Two models")
    assert path.read_text(encoding="utf-8") == page
    assert page.rstrip().endswith("</html>")
    assert [each.name for each in path.parent.iterdir()] == ["page.html"]
    assert found.to_html(str(path)) == path.read_text(encoding="utf-8")
    with pytest.raises(PuremetricsError):
        found.to_html(tmp_path / "nowhere" / "page.html")


@for_every("known", ["given", "an audit"])
def test_further_figures_are_everywhere(known):
    found = pm.evaluate(JOINT, **KNOWN[known], also=ALSO)
    told = [name for name in ALSO if name in found["forest"].corrected]
    assert told == (ALSO if known == "given" else ALSO[:2])  # an audit does not tell the slope
    titles = {
        "ndcg": "nDCG",
        "brier_score": "Brier score",
        "discrimination_slope": "Discrimination slope",
    }
    plain, content, frame = str(found), found.to_dict(), found.frame()
    texts = [
        plain,
        found.details(),
        found.to_markdown(),
        found.to_latex(),
        found.to_html(),
        found._repr_html_(),
    ]
    for name in told:
        for text in texts:
            assert titles[name] in text, f"{name} is not in:\n{text[:200]}"
        for model in found.models:
            figure = found[model][name]
            assert content["models"][model]["corrected"][name]["value"] == figure.value
            here = (frame["model"] == model) & (frame["metric"] == name)
            assert frame["corrected"][here] == [figure.value]
            assert f"{figure.value:.3f}" in plain
            assert f"{figure.value:.3f}" in found._repr_html_()
    rows = list(csv.DictReader(io.StringIO(found.to_csv())))
    assert {row["metric"] for row in rows} >= set(told)


def test_a_statistic_may_be_passed_as_it_is():
    first = find("enrichment_factor", top=20)
    found = evaluated(also=first)
    assert found["forest"]["enrichment_factor"] == first.estimate(found["forest"].setting)
    with pytest.raises(InputError, match="There is no statistic 'area'"):
        evaluated(also=["area"])
    with pytest.raises(InputError, match="pass top"):
        evaluated(also="enrichment_factor")
    raw = pm.ScoreTable.from_arrays(Y, 9 * SCORES["forest"], scenario="single_training_set")
    with pytest.raises(PuremetricsError, match="probabilities"):
        pm.evaluate(raw, prior=0.4, threshold=2, also="brier_score")
