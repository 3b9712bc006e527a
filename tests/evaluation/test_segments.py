"""Evaluations of segments."""

import json

import puremetrics as pm
from puremetrics.comparing.drifting import Drift
from tests.tables.segmented import make_rows, segmented


def test_evaluate_takes_segments():
    found = segmented(make_rows(odd=2))
    result = pm.evaluate(found, prior=0.2)
    assert isinstance(result.drift, Drift)
    whole = pm.evaluate(found.total, prior=0.2)
    assert whole.drift is None
    assert whole.to_dict()["drift"] is None
    first, second = (r.models["model"].corrected["roc_auc"] for r in (whole, result))
    assert first == second
    stored = json.loads(result.to_json())["drift"]
    assert stored["segments"]["segment"] == [1, 2, 3, 4, 5, 6]
    assert stored["tests"][0]["differ"] is True
    assert "segments by 'month'" in str(result)
    assert "PM604" in [d.code for d in result.diagnostics]
    several = pm.evaluate({"first": found, "second": found}, prior=0.2)
    assert several.drift is not None
    assert set(several.models) == {"first", "second"}
