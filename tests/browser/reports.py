"""What the page must show, asked of the library; and how its sliders are moved."""

import math

import numpy as np

import puremetrics as pm
from puremetrics.calibration.bins import reduce_to_bins
from puremetrics.calibration.gaps import bin_gaps, debiased_size
from puremetrics.datasets import load_demo
from puremetrics.evaluation import evaluate

METRICS = ("precision", "recall", "specificity", "f1", "accuracy", "mcc")

# Moves the real inputs and reads every figure after each move.
DRIVE = """
(moves) => moves.map((move) => {
  const fire = (id, type, value) => {
    const node = document.getElementById(id);
    node.value = value;
    node.dispatchEvent(new Event(type, { bubbles: true }));
  };
  if (move.active !== undefined) fire('active', 'change', move.active);
  if (move.stop !== undefined) {
    const slider = document.getElementById('threshold');
    fire('threshold', 'input', Math.round(move.stop * Number(slider.max)));
  }
  for (const key of ['purity', 'prior']) {
    if (move[key] === undefined) continue;
    const slider = document.getElementById(key);
    fire(key, 'input', Math.round(move[key] * Number(slider.max)));
  }
  if (move.typed !== undefined) fire('prior-number', 'change', move.typed);
  return window.__read ? window.__read() : null;
})
"""
READ = """
() => {
  const out = { prior: document.getElementById('prior').dataset.value,
    purity: document.getElementById('purity').dataset.value, figures: {}, texts: {}, bounds: {}, bins: {} };
  for (const node of document.querySelectorAll('[data-fig]')) {
    const key = `${node.dataset.fig}${node.dataset.kind === 'percent' ? '%' : ''}`;
    out.figures[key] = node.dataset.value;
    out.texts[key] = node.textContent;
  }
  for (const node of document.querySelectorAll('[data-bounds]')) {
    const { low, high } = node.dataset;
    out.bounds[node.dataset.bounds] = low === undefined ? null : [low, high];
  }
  for (const node of document.querySelectorAll('[data-bin]')) out.bins[node.dataset.bin] = node.dataset.value;
  return out;
}
"""


def install(page):
    page.evaluate(f"() => {{ window.__read = {READ}; }}")


def drive(page, moves):
    return page.evaluate(DRIVE, moves)


def demo_evaluation(prior="known"):
    demo = load_demo()
    tables = {
        name: pm.ScoreTable.from_arrays(
            demo["reported"], demo[name], scenario="single_training_set"
        )
        for name in ("forest", "words")
    }
    given = float(demo["spam"].mean()) if prior == "known" else prior
    return evaluate(tables, prior=given)


def small_table(seed, scenario, *, negatives=False, weighted=False, decimals=True):
    """Few rows, many ties; decimals or arbitrary floats as scores."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(8, 40), rng.integers(30, 80), rng.integers(5, 20) if negatives else 0
    parts = [rng.beta(3, 2, sizes[0]), rng.beta(1.5, 3, sizes[1]), rng.beta(1, 4, sizes[2])]
    scores = np.concatenate(parts)
    scores = np.round(scores * 20) / 20 if decimals else np.round(scores * 33) / 33
    labels = np.repeat([1, 0, -1], sizes)
    weights = rng.uniform(0.3, 2.5, scores.size) if weighted else None
    return pm.ScoreTable.from_arrays(
        labels,
        scores,
        scenario=scenario,
        neg_label=-1 if negatives else None,
        sample_weight=weights,
    )


def expected(evaluation, index, prior, purity, threshold):
    """Every figure of one model at a position of the sliders, from the library."""
    model = list(evaluation.models.values())[index]
    table, known, level = model.table, evaluation.prior, evaluation.level
    home = (prior, purity) == (known.value, known.purity)
    used = (known.low, known.high) if home and not known.is_point else prior
    given = {"prior": used, "purity": purity, "confidence_level": level}
    if home and not known.is_point:  # the estimate need not be the middle of its range
        interval = pm.Interval(known.low, known.high, level, "confidence", "")
        given["prior"] = pm.PriorEstimate(prior=known.value, interval=interval)
    out = {}

    def add(key, estimate):
        ends = (math.nan, math.nan) if estimate.interval is None else tuple(estimate.interval)
        out[key], (out[f"{key}.low"], out[f"{key}.high"]) = estimate.value, ends

    naive = table.unlabeled_as_negative()
    for key, function in (("roc_auc", pm.roc_auc), ("average_precision", pm.average_precision)):
        add(key, function(table, **given))
        out[f"naive.{key}"] = function(table.cut().unlabeled_as_negative(), prior=None).value
    out["hull"] = pm.roc_hull(table, prior=prior, purity=purity).area
    if threshold is not None:
        for key in METRICS:
            add(key, pm.metric(table, key, threshold=threshold, **given))
            out[f"naive.{key}"] = pm.metric(naive, key, threshold=threshold, prior=None).value
        counts = pm.confusion_at_thresholds(table, prior=prior, purity=purity)
        row = int(np.searchsorted(-counts.threshold, -threshold, side="right")) - 1
        for key in ("tp", "fp", "fn", "tn"):
            out[key] = float(getattr(counts, key)[row])
        out["threshold"] = threshold
    if model.calibration is not None:
        moments = reduce_to_bins(table, model.calibration.bins.upper)
        gaps = bin_gaps(moments, prior, purity)
        points = known.points() if home else [prior]
        ends = [bin_gaps(moments, float(p), purity).limits(level) for p in points]
        out["calibration"] = gaps.error
        out["calibration.low"] = min(min(low for low, _ in ends), 1.0)
        out["calibration.high"] = min(max(high for _, high in ends), 1.0)
        out["calibration.debiased"] = max(float(debiased_size(gaps.gap, gaps.noise).sum()), 0.0)
        out["calibration.signed"] = float(gaps.gap.sum())
        out["gaps"] = gaps.gap
    return out


def worst_difference(evaluation, seen, skip_bins=False):
    """Largest distance between a reading of the page and the library; counts by the population's size."""
    prior, purity = float(seen["prior"]), float(seen["purity"])
    size = next(iter(evaluation.models.values())).table.total
    worst, where, compared = 0.0, "", 0
    for index in range(len(evaluation.models)):
        at = seen["figures"].get(f"{index}.threshold")
        wanted = expected(evaluation, index, prior, purity, None if at is None else float(at))
        gaps = wanted.pop("gaps", None)
        if gaps is not None and not skip_bins and index == 0:
            wanted_bins = {f"{b}.gap": gap for b, gap in enumerate(gaps)}
            for key, value in wanted_bins.items():
                worst = max(worst, abs(float(seen["bins"][key]) - value))
                compared += 1
        for key, value in wanted.items():
            shown = float(seen["figures"][f"{index}.{key}"].replace("Infinity", "inf"))
            compared += 1
            if math.isnan(value) or math.isnan(shown):
                gap = 0.0 if math.isnan(value) and math.isnan(shown) else math.inf
            elif math.isinf(value) or math.isinf(shown):
                gap = 0.0 if value == shown else math.inf
            else:
                scale = size if key in ("tp", "fp", "fn", "tn") else max(1.0, abs(value))
                gap = abs(shown - value) / scale
            if gap > worst:
                worst, where = gap, f"model {index}, {key}: page {shown}, library {value}"
    return worst, f"prior {prior}, purity {purity}; {where}", compared
