"""Figures the scikit-learn way: each reads result objects and draws exactly what they hold.

Every display is made with `from_table`, `from_predictions` or `from_estimator`, or from results at hand,
and drawn with ``plot(ax=None, ...)``. matplotlib is loaded when something is first drawn.

>>> from matplotlib.figure import Figure
>>> from puremetrics.plots import RocCurveDisplay
>>> display = RocCurveDisplay.from_predictions(
...     [1, 1, 0, 0, 0, 0], [0.9, 0.4, 0.8, 0.5, 0.2, 0.1],
...     scenario="single_training_set", prior=0.4, ax=Figure().subplots())
>>> float(display.line_.get_ydata()[-1])
1.0
"""

from __future__ import annotations

from puremetrics.plots.calibration import CalibrationDisplay
from puremetrics.plots.curves import PrecisionRecallDisplay, RocCurveDisplay
from puremetrics.plots.evidence import EvidenceDisplay
from puremetrics.plots.hull import HullDisplay
from puremetrics.plots.lists import DecisionCurveDisplay, DiscoveryDisplay
from puremetrics.plots.sensitivity import LabelBiasDisplay, PriorSensitivityDisplay

__all__ = [
    "CalibrationDisplay",
    "DecisionCurveDisplay",
    "DiscoveryDisplay",
    "EvidenceDisplay",
    "HullDisplay",
    "LabelBiasDisplay",
    "PrecisionRecallDisplay",
    "PriorSensitivityDisplay",
    "RocCurveDisplay",
]
