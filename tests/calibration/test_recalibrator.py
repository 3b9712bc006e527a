"""The transformer inside scikit-learn."""

import numpy as np
import pytest
from scipy.special import expit

from puremetrics import ScoreTable
from puremetrics.calibration.recalibration import Recalibrator, recalibrate
from puremetrics.exceptions import InputError


def test_the_transformer_works_in_scikit_learn():
    base = pytest.importorskip("sklearn.base")
    pipeline = pytest.importorskip("sklearn.pipeline")
    preprocessing = pytest.importorskip("sklearn.preprocessing")
    selection = pytest.importorskip("sklearn.model_selection")
    rng = np.random.default_rng(4)
    truth = rng.random(600) < 0.5
    y = (truth & (rng.random(600) < 0.5)).astype(int)
    x = (rng.normal(size=600) + truth)[:, None]
    model = Recalibrator(prior=0.5, scenario="single_training_set", method="platt")
    copy = base.clone(model)
    assert copy.get_params() == model.get_params()
    assert repr(copy) == repr(model)
    with pytest.raises(InputError, match="not fitted"):
        model.transform(x)
    pipe = pipeline.make_pipeline(preprocessing.StandardScaler(), model)
    out = pipe.fit(x, y).transform(x)
    assert out.shape == (600, 1)
    assert np.mean(out) == pytest.approx(0.5, abs=0.1)
    assert np.array_equal(model.fit_transform(x, y), model.transform(x))

    def spread(estimator, X, y):
        return float(np.std(estimator.transform(X)))

    scores = selection.cross_val_score(pipe, x, y, scoring=spread, cv=3)
    assert np.all(np.isfinite(scores))
    assert model.set_params(method="isotonic").method == "isotonic"
    with pytest.raises(InputError, match="not a parameter"):
        model.set_params(colour="red")
    fixed = recalibrate(
        ScoreTable.from_arrays(y, x[:, 0], scenario="single_training_set"), prior=0.5
    )
    both = np.stack([1 - expit(x[:, 0]), x[:, 0]], axis=1)
    assert np.array_equal(fixed.transform(both), fixed.transform(x))
