"""Draw every display on the demo data: `python benchmarks/gallery.py docs` writes gallery.md and its pictures."""

from __future__ import annotations

import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt

import puremetrics as pm
from puremetrics import plots

CODE = {
    "roc": """plots.RocCurveDisplay.from_predictions(
    demo["reported"], demo["forest"], scenario="single_training_set", prior=0.394,
    name="forest", truth=demo["spam"])""",
    "precision-recall": """plots.PrecisionRecallDisplay.from_predictions(
    demo["reported"], demo["forest"], scenario="single_training_set", prior=0.394,
    name="forest", truth=demo["spam"])""",
    "calibration": """plots.CalibrationDisplay.from_predictions(
    demo["reported"], demo["forest"], scenario="single_training_set", prior=0.394,
    name="forest", truth=demo["spam"])""",
    "prior-sensitivity": """plots.PriorSensitivityDisplay.from_predictions(
    demo["reported"], demo["forest"], scenario="single_training_set",
    name="forest", truth=demo["spam"])""",
    "label-bias": """plots.LabelBiasDisplay.from_table(
    pm.ScoreTable.from_arrays(
        demo["reported"], demo["forest"], scenario="single_training_set"),
    prior=0.394, above=0.9, name="forest")""",
    "hull": """plots.HullDisplay.from_predictions(
    demo["reported"], demo["words"], scenario="single_training_set", prior=0.394, rng=0,
    name="words", truth=demo["spam"])""",
    "bands": """figure, axes = plt.subplots(1, 2, figsize=(10.4, 6.8), layout="constrained")
for display, ax in zip((plots.RocCurveDisplay, plots.PrecisionRecallDisplay), axes):
    display.from_predictions(
        demo["reported"], demo["words"], scenario="single_training_set", prior=0.394,
        name="words", truth=demo["spam"], band="simultaneous", bounds=False, naive=False, ax=ax)""",
    "discovery": """plots.DiscoveryDisplay.from_predictions(
    demo["reported"], demo["forest"], scenario="single_training_set", prior=0.394,
    name="forest", truth=demo["spam"], band="simultaneous")""",
    "decision": """plots.DecisionCurveDisplay.from_predictions(
    demo["reported"], demo["forest"], scenario="single_training_set", prior=0.394,
    name="forest", truth=demo["spam"])""",
    "two-models": """figure, axes = plt.subplots(1, 2, figsize=(10.4, 6.8), layout="constrained")
for name in ("forest", "words"):
    table = pm.ScoreTable.from_arrays(
        demo["reported"], demo[name], scenario="single_training_set")
    for display, ax in zip((plots.RocCurveDisplay, plots.PrecisionRecallDisplay), axes):
        display.from_table(table, prior=(0.36, 0.42), name=name, naive=False, ax=ax)""",
}

TEXT = {
    "roc": (
        "ROC curve",
        "The estimate, the bounds that hold whichever unlabeled rows are positive, the curve that takes the "
        "unlabeled as negative, and, since this is a demonstration, the curve of the hidden labels.",
    ),
    "precision-recall": (
        "Precision and recall",
        "The estimate goes by steps, the bounds are hyperbolae. Taking the unlabeled as negative misses "
        "the curve by far; the dashed line is what guessing gives.",
    ),
    "calibration": (
        "Calibration",
        "A model that was trained to tell labelled rows from unlabeled ones looks calibrated when the unlabeled "
        "are taken as negative. As a probability of being positive its scores are far too low.",
    ),
    "prior-sensitivity": (
        "Sensitivity to the prior",
        "What the area would be at every prior, up to the largest one that the data allow.",
    ),
    "label-bias": (
        "Sensitivity to label bias",
        "How far the area may lie from its estimate if some positives are more likely to be labelled than others, and up to "
        "which bias a conclusion holds.",
    ),
    "hull": (
        "Hull",
        "The best that thresholds, and drawing lots between two of them, can reach. The band comes from a "
        "bootstrap that also says which group of rows the spread is due to.",
    ),
    "bands": (
        "Confidence bands",
        'Where the whole curve lies with 95% confidence. `band="pointwise"` holds at each point by itself, and is narrower.',
    ),
    "discovery": (
        "Discoveries",
        "How many positives checking the unlabeled rows would find, from the top of the list down, with limits that hold "
        "for all numbers of rows at once.",
    ),
    "decision": (
        "Decision curve",
        "What acting from a probability on is worth, beside acting on all rows and on none.",
    ),
    "two-models": (
        "Two models, an uncertain prior",
        "Displays share axes: colour and pattern change by themselves. With an interval for the prior every "
        "interval and every band is wider.",
    ),
}


def main(folder: str) -> None:
    target = Path(folder)
    demo = pm.load_demo()
    lines = [
        "# Gallery",
        "",
        "Every display of `puremetrics.plots` on the demo data: spam that readers did not report, with the hidden "
        "truth beside the estimate. Made by `python benchmarks/gallery.py docs`.",
        "",
        "```python",
        "import matplotlib.pyplot as plt",
        "import puremetrics as pm",
        "from puremetrics import plots",
        "",
        "demo = pm.load_demo()",
        "```",
        "",
        "Each display is also made by `from_table(table, prior=...)` and by `from_estimator(model, X, y, scenario=..., "
        'prior=...)`, takes `ax=`, and keeps the results that it draws. `legend="lower right"` puts the legend '
        "inside the axes.",
    ]
    for key, code in CODE.items():
        exec(code, {"demo": demo, "plots": plots, "plt": plt, "pm": pm})
        plt.savefig(target / f"gallery-{key}.png", dpi=120)
        plt.close()
        title, text = TEXT[key]
        lines += ["", f"## {title}", "", text, "", "```python", code, "```", ""]
        lines += [f"![{title}](gallery-{key}.png)"]
    (target / "gallery.md").write_text("\n".join([*lines, ""]), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "docs")
