"""What the page's script must compute: the library's figures at many positions of the sliders.

`figures_at` asks the library for every figure of one model at one position; `vector` does so for a whole
case of `CASES` and adds what the page gets. Keys are those of the page's ``data-fig``; lists are curves,
bins and bounds. ``within`` holds the figures that may differ by more than rounding: areas of tables whose
rows the page has in blocks.
"""

import math
from unittest.mock import patch

import numpy as np

import puremetrics as pm
from puremetrics.calibration.bin_rates import positive_rates
from puremetrics.calibration.bins import reduce_to_bins
from puremetrics.calibration.gaps import biased_gaps, bin_gaps
from puremetrics.numerics.quantiles import student_quantile
from puremetrics.report import payload as payload_module
from puremetrics.report.payload import packed, packed_scores, packed_steps, script_json
from puremetrics.setting import Setting
from tests.javascript.cases import CASES
from tests.javascript.positions import MANY, allowed_at, positions, rows_checked

METRICS = ("precision", "recall", "specificity", "f1", "accuracy", "mcc")
AREAS = {"roc_auc": pm.roc_auc, "average_precision": pm.average_precision}
COUNTS = ("tp", "fp", "fn", "tn")
DISCOVERY = ("finds", "low", "high")
_DISCOVERED = tuple(f"discovery.{key}" for key in DISCOVERY)


def assumed_by(evaluation):
    """Prior and purity of an evaluation as a user would have typed them."""
    known = evaluation.prior
    prior = known.value if known.low == known.high else (known.low, known.high)
    if next(iter(evaluation.models.values())).table.total_unl == 0:
        prior = None  # every label is known
    return {"prior": prior, "purity": known.purity}


def is_home(evaluation, prior, purity):
    return (prior, purity) == (evaluation.prior.value, evaluation.prior.purity)


def used_at(evaluation, prior, purity, given=None):
    """Arguments that stand for a position; at home what was evaluated, ranges and label bias included."""
    if not is_home(evaluation, prior, purity):
        return {"prior": prior, "purity": purity}
    used = assumed_by(evaluation) if given is None else given
    side = evaluation.label_bias_side
    return used | {"label_bias": evaluation.label_bias, "label_bias_side": side}


def figures_at(
    evaluation,
    index,
    prior,
    purity,
    threshold,
    given=None,
    *,
    curves=False,
    checked=None,
):
    """Every figure of one model at a position.

    Elsewhere than at home prior and purity count as known and labels as random; so they do for metrics at a
    threshold that was moved. ``checked`` are the best unlabeled rows that are checked; with ``curves`` there
    is what checking any number of them finds.
    """
    model = list(evaluation.models.values())[index]
    home = is_home(evaluation, prior, purity)
    used = used_at(evaluation, prior, purity, given)
    out = {}

    def add(key, estimate):
        ends = (math.nan, math.nan) if estimate.interval is None else tuple(estimate.interval)
        out[key], (out[f"{key}.low"], out[f"{key}.high"]) = estimate.value, ends

    table, level = model.table, evaluation.level
    naive, naive_ranks = table.unlabeled_as_negative(), table.cut().unlabeled_as_negative()
    for key, function in AREAS.items():
        add(key, function(table, **used, confidence_level=level))
        out[f"naive.{key}"] = function(naive_ranks, prior=None).value
    out["hull"] = pm.roc_hull(table, prior=prior, purity=purity).area
    if threshold is not None:
        out["threshold"] = threshold
        chosen = model.operating_point is not None and threshold == model.operating_point.threshold
        moved = threshold != model.corrected["recall"].threshold
        there = used | ({"label_bias": 1.0} if moved else {})
        for key in METRICS:
            fixed = pm.metric(table, key, threshold=threshold, **there, confidence_level=level)
            add(key, model.corrected[key] if home and chosen else fixed)
            out[f"naive.{key}"] = pm.metric(naive, key, threshold=threshold, prior=None).value
        out |= _counts(model, prior, purity, threshold)
    if checked is not None:
        out |= discoveries_at(evaluation, index, used, checked, curves=curves)
    if model.calibration is not None:
        setting = Setting.of(table, **used, confidence_level=level)
        out |= _calibration(model, setting, home)
    return out


def discoveries_at(evaluation, index, used, checked, *, curves=True):
    """What checking so many rows of one model finds; with ``curves`` at all points."""
    model = list(evaluation.models.values())[index]
    curve = pm.discovery_curve(
        model.table, **used, confidence_level=evaluation.level, rows=model.discovery_rows
    )
    found = curve.at(min(checked, curve.unlabeled))  # sums of weights round
    out = {"checked": checked, "found": found.value}
    out["found.low"], out["found.high"] = found.interval
    columns = (getattr(curve, key).tolist() for key in DISCOVERY)
    return out | (dict(zip(_DISCOVERED, columns, strict=True)) if curves else {})


def _counts(model, prior, purity, threshold):
    least, most = model.table.heads_around(threshold)
    if least != most:  # only the middle of both is known, which the metrics have
        return {}
    counts = pm.confusion_at_thresholds(model.table, prior=prior, purity=purity)
    row = int(np.searchsorted(-counts.threshold, -threshold, side="right")) - 1
    return {key: float(getattr(counts, key)[row]) for key in COUNTS}


def _calibration(model, setting, home):
    gaps = bin_gaps(
        reduce_to_bins(model.table, model.calibration.bins.upper), setting.prior, setting.purity
    )
    rate, low, high = positive_rates(setting, gaps)
    tilts = () if setting.bias.is_random else biased_gaps(setting.at(setting.prior), gaps)
    ends = [found.limits(setting.level) for found in (gaps, *tilts)]
    found = {
        "calibration": min(gaps.error, 1.0),
        "calibration.low": min(low for low, _ in ends),
        "calibration.high": max(high for _, high in ends),
        "calibration.debiased": min(max(gaps.debiased, 0.0), 1.0),
        "calibration.signed": gaps.signed,
    }
    if home:
        result = model.calibration
        found = {
            "calibration": result.error,
            "calibration.low": result.interval.low,
            "calibration.high": result.interval.high,
            "calibration.debiased": result.debiased,
            "calibration.signed": result.signed_error,
        }
    filled = gaps.share_pop > 0
    mean = np.divide(gaps.score_pop, gaps.share_pop, out=rate * np.nan, where=filled)
    bins = {"gap": gaps.gap, "noise": gaps.noise, "share": gaps.share_pop, "mean": mean}
    bins |= {"rate": rate, "low": low, "high": high}
    return found | {f"bin.{key}": column.tolist() for key, column in bins.items()}


def bounds_at(evaluation, index, prior, purity, threshold, compact=None):
    """Bounds that the page shows: at home only, and at other thresholds for a known prior only.

    If the page has one pair of them for several rows, what they have to hold for all of these.
    """
    model = list(evaluation.models.values())[index]
    names = (*AREAS, *METRICS, *COUNTS) if threshold is not None else tuple(AREAS)
    out = dict.fromkeys(names)
    if not is_home(evaluation, prior, purity) or not model.bounds:
        return out
    out |= {key: tuple(model.bounds[key]) for key in AREAS}
    if threshold is None:
        return out
    if threshold == model.corrected["recall"].threshold:
        out |= {key: tuple(model.bounds[key]) for key in METRICS if key in model.bounds}
        out |= {key: tuple(model.confusion.bounds[key]) for key in model.confusion.bounds}
        return out
    ranked = model.setting.ranked
    named = [key for key in METRICS if key in model.bounds]
    rows = np.flatnonzero(ranked.score == threshold)
    if compact is not None:
        shown = compact.table.score
        width = -(-shown.size // payload_module.BLOCKS)
        first = int(np.flatnonzero(shown == threshold)[0]) // width * width
        rows = np.flatnonzero(np.isin(ranked.score, shown[first : first + width]))
    for key, (low, high) in model.bounded.along(ranked, [*named, *COUNTS]).items():
        found = float(low[rows].min()), float(high[rows].max())
        out[key] = None if np.isnan(found).any() else found
    return out


def _curves(model, compact, prior, purity):
    """What is drawn; of blocks, if the page has those."""
    table = compact.table
    drawn = {
        "roc": pm.roc_curve(table, prior=prior, purity=purity),
        "pr": pm.pr_curve(table, prior=prior, purity=purity),
        "naive.roc": pm.roc_curve(table.unlabeled_as_negative(), prior=None),
        "naive.pr": pm.pr_curve(table.unlabeled_as_negative(), prior=None),
    }
    out = {f"curve.{key}": [curve.x.tolist(), curve.y.tolist()] for key, curve in drawn.items()}
    hull = pm.roc_hull(model.table, prior=prior, purity=purity)
    return out | {"curve.hull": [hull.fpr.tolist(), hull.tpr.tolist()]}


def _of_blocks(compact, prior, purity, model):
    """Areas of the blocks themselves, which the script must hit exactly."""
    here = model.setting.at(prior, purity)
    roc = pm.roc_curve(compact.table, prior=prior, purity=purity)
    pr = pm.pr_curve(compact.table, prior=prior, purity=purity)
    drawn = float(np.sum(np.diff(pr.x) * (pr.y[1:] + pr.y[:-1])) / 2)
    return {
        "blocks.roc_auc": min(max(roc.area + compact.offset / here.gap, 0.0), 1.0),
        "blocks.average_precision": drawn,
    }


def _within(compact, prior, purity, evaluated):
    """How far areas may be from those of the rows: beyond the purities and priors that the stated deviation
    was found over, and next to the steepest correction, it is a rough guide only.
    """
    usual = purity >= 0.75 * evaluated and prior <= 0.9 * purity
    ends = [f"{key}{end}" for key in AREAS for end in ("", ".low", ".high")]
    return dict.fromkeys(ends, compact.deviation * (1 if usual else 10))


def vector(name, biased=False, many=MANY):
    """One case: what the page gets, and what it must show at every position, of which ``many`` are tried.

    If ``biased``, labels are evaluated as such.
    """
    seed = list(CASES).index(name)
    tables, given, options = CASES[name]()
    bias = {"label_bias": 1.5, "label_bias_side": "high"} if biased else {}
    evaluation = pm.evaluate(tables, **given, **options, **bias)
    with patch.object(pm.ModelEvaluation, "bias_curves", lambda *_: {}):  # drawn without a script
        content = payload_module.payload(evaluation, title=name)
    limit = max(payload_module.ROWS // len(evaluation.models), 200)
    models = list(evaluation.models.values())
    compacts = [model.compact(limit) for model in models]
    count = 6 if any(c.ends is not None for c in compacts) else many
    rng = np.random.default_rng(seed)
    made = []
    for number, (prior, purity) in enumerate(positions(evaluation, content, count, seed)):
        checked = rows_checked(content["checked"], number, rng)
        wanted = []
        for index, (model, compact) in enumerate(zip(models, compacts, strict=True)):
            at = None
            if "recall" in model.corrected:
                stops = [model.corrected["recall"].threshold, *compact.table.score.tolist()]
                some = {0: stops[0], 1: stops[1], 2: stops[-1], 4: stops[0], 5: stops[1]}
                at = some.get(number, float(rng.choice(stops)))
            whole = {"curves": compact.ends is None, "checked": checked}
            figures = figures_at(evaluation, index, prior, purity, at, given, **whole)
            figures |= _curves(model, compact, prior, purity)
            bounds = bounds_at(evaluation, index, prior, purity, at, compact)
            figures |= {f"bounds.{key}": value for key, value in bounds.items()}
            within = {f"bounds.{key}": 1.1e-4 for key in METRICS}  # the page has four decimals
            within |= within_discoveries(model, prior, purity)
            if compact.ends is not None and model.table.weighted:  # sums of squares of blocks
                within |= {f"{key}{end}": 1e-7 for key in METRICS for end in (".low", ".high")}
            if compact.ends is not None and not is_home(evaluation, prior, purity):
                figures |= _of_blocks(compact, prior, purity, model)
                within |= _within(compact, prior, purity, evaluation.prior.purity)
            wanted.append({"threshold": at, "figures": figures, "within": within})
        at = {"prior": prior, "purity": purity, "checked": checked}
        at["allowed"] = allowed_at(evaluation, content, prior, purity)
        made.append(at | {"models": wanted})
    rows = [_rows(compact.table) for compact in compacts]
    return {
        "name": name,
        "payload": script_json(content),
        "packed": _packed(rng),
        "rows": rows,
        "positions": made,
    }


def within_discoveries(model, prior, purity):
    """Rounding grows where the unlabeled rows would be as positive as the labelled ones."""
    share = model.setting.design.unlabeled_share(model.table.totals, prior, purity)
    if share is None or share <= purity - 1e-6:
        return {}
    return dict.fromkeys(("found", "found.low", "found.high", *_DISCOVERED), 1e-6)


def _rows(table):
    """The columns as the script must unpack them."""
    columns = {"score": table.score, "pos": table.n_pos, "unl": table.n_unl, "neg": table.n_neg}
    return {key: column.astype(float).tolist() for key, column in columns.items()}


def _packed(rng):
    """Columns of every kind, packed and plain."""
    whole = rng.integers(0, 2 ** rng.integers(1, 53, 40))
    columns = [
        (packed, whole),
        (packed, rng.random(9)),
        (packed, rng.integers(0, 2, 21)),
        (packed_scores, np.sort(rng.normal(size=9))),
    ]
    columns += [(packed_scores, np.sort(rng.normal(size=9).round(3))), (packed_steps, whole >> 8)]
    columns[3:5] = [(function, column[::-1]) for function, column in columns[3:5]]
    return [{"packed": f(column), "values": column.astype(float).tolist()} for f, column in columns]


def special():
    """Student's quantile, which the library makes as exact as that of new scipys, and the error function."""
    from scipy.special import erf
    from scipy.stats import norm

    degrees = [1, 1.5, 2, 3.7, 10, 99.5, 1000, 1000.5, 1e4, 1e6, 1e9]
    student = [
        [df, level, float(norm.ppf((1 + level) / 2)), student_quantile(df, level)]
        for df in degrees
        for level in (0.5, 0.8, 0.95, 0.99)
    ]
    return {
        "student": student,
        "erf": [[x, float(erf(x))] for x in np.linspace(-7, 7, 141).tolist()],
    }


def plain(value):
    """Ready for JSON: what is not finite becomes text that JavaScript's Number understands."""
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    return value
