"""Tables of every kind, each with what is assumed about it: name to (tables, assumptions, options)."""

import numpy as np

import puremetrics as pm
from puremetrics.datasets import load_demo

CASES = {}
SCENARIOS = {"case-control": "case_control", "one sample": "single_training_set"}


def case(name):
    """A case that is the same in both scenarios but for their names."""

    def add(function):
        for words, scenario in SCENARIOS.items():
            CASES[f"{name}, {words}"] = lambda scenario=scenario: function(scenario)
        return function

    return add


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


def inside(table, part, purity=1.0):
    """A prior at that part of the way between those the counts allow."""
    low, high = table.design.prior_limits(table.totals, purity)
    return float(low + part * (min(high, purity) - low))


def assumptions(table, part=0.3, purity=1.0, width=1.0):
    prior = inside(table, part, purity)
    return {"prior": prior if width == 1.0 else (prior, width * prior), "purity": purity}


@case("ties")
def _ties(scenario):
    table = small_table(0, scenario)
    return table, assumptions(table), {"threshold": 0.5}


@case("ties, arbitrary floats")
def _floats(scenario):
    table = small_table(1, scenario, decimals=False)
    return table, assumptions(table, 0.1), {"threshold": 0.4321}


@case("negatives")
def _negatives(scenario):
    table = small_table(2, scenario, negatives=True)
    return table, assumptions(table), {"threshold": 0.45}


@case("weights")
def _weights(scenario):
    table = small_table(3, scenario, weighted=True)
    return table, assumptions(table), {"threshold": 0.4321}


@case("weights, negatives, noisy labels")
def _everything(scenario):
    table = small_table(4, scenario, weighted=True, negatives=True)
    return table, assumptions(table, purity=0.9), {"threshold": 0.6}


@case("noisy labels")
def _noisy(scenario):
    table = small_table(5, scenario, negatives=True)
    return table, assumptions(table, purity=0.85), {"threshold": 0.4321}


@case("range of the prior")
def _range(scenario):
    table = small_table(6, scenario)
    return table, assumptions(table, 0.2, width=1.3), {"threshold": 0.5}


@case("wide range of the prior")
def _wide(scenario):
    table = small_table(7, scenario, negatives=True)
    given = {"prior": (inside(table, 0.02), inside(table, 0.85))}
    return table, given, {"threshold": 0.55, "confidence_level": 0.8}


@case("range of the prior, noisy labels")
def _noisy_range(scenario):
    rng = np.random.default_rng(8)
    table = pm.ScoreTable.from_groups(
        positive=rng.normal(1, 1, 30).round(1),
        unlabeled=rng.normal(0, 1, 90).round(1),
        scenario=scenario,
    )
    given = {"prior": (inside(table, 0.1, 0.8), inside(table, 0.6, 0.8)), "purity": 0.8}
    return table, given, {"threshold": 0.5, "confidence_level": 0.99}


@case("estimated prior")
def _estimated(scenario):
    rng = np.random.default_rng(9)
    table = pm.ScoreTable.from_groups(
        positive=rng.beta(5, 2, 90).round(3),
        unlabeled=np.concatenate([rng.beta(5, 2, 60), rng.beta(2, 5, 240)]).round(3),
        scenario=scenario,
    )
    return table, {"prior": pm.estimate_prior(table)}, {"threshold": 0.5}


@case("scores beyond 0 and 1")
def _normal(scenario):
    rng = np.random.default_rng(10)
    table = pm.ScoreTable.from_groups(
        positive=rng.normal(1, 1, 60), unlabeled=rng.normal(0, 1, 300), scenario=scenario
    )
    return table, assumptions(table, 0.2), {}


@case("buckets")
def _buckets(scenario):
    rng = np.random.default_rng(11)
    table = pm.ScoreTable.from_counts(
        np.arange(15) / 15, n_pos=np.arange(15) // 3 + rng.integers(0, 3, 15),
        n_unl=rng.integers(0, 20, 15) + 10, scenario=scenario, resolution=0.05,
    )  # fmt: skip
    return table, {"prior": inside(table, 0.25)}, {"threshold": 0.41}


@case("buckets, negatives, range of the prior")
def _bucket_range(scenario):
    rng = np.random.default_rng(12)
    table = pm.ScoreTable.from_counts(
        np.arange(40) / 40, n_pos=rng.poisson(np.arange(40) / 8), n_unl=rng.integers(0, 20, 40),
        n_neg=rng.integers(0, 3, 40), scenario=scenario, resolution=0.01,
    )  # fmt: skip
    return table, assumptions(table, 0.1, width=1.5), {"threshold": 0.5}


@case("scores merged by a scan")
def _scanned(scenario):
    import pyarrow as pa

    rng = np.random.default_rng(13)
    score, label = rng.random(2000), np.zeros(2000, dtype=int)
    label[:30] = 1
    score[:30] **= 0.4
    data = pa.table({"label": label, "score": score})
    table = pm.scan(data, label="label", score="score", scenario=scenario, pieces=5)
    place = int(np.argmax(table.highest - table.score))
    between = 0.4 * float(table.score[place]) + 0.6 * float(table.highest[place])
    return table, assumptions(table, 0.2), {"threshold": between}


@case("buckets of a scan")
def _scanned_buckets(scenario):
    import pyarrow as pa

    rng = np.random.default_rng(14)
    label = np.repeat([1, 0], [300, 2000])
    score = np.concatenate([rng.beta(4, 2, 300), rng.beta(2, 4, 2000)])
    data = pa.table({"label": label, "score": score})
    table = pm.scan(
        data, label="label", score="score", scenario=scenario, max_labelled=50, buckets=64
    )
    place = int(np.argmax(np.where(table.hidden, table.highest - table.score, 0)))
    inside_bucket = float(table.score[place] + table.highest[place]) / 2
    return table, assumptions(table, 0.1), {"threshold": inside_bucket}


@case("one labelled row")
def _one_label(scenario):
    table = pm.ScoreTable.from_groups(
        positive=[0.7], unlabeled=[0.9, 0.8, 0.4, 0.3, 0.2, 0.1], scenario=scenario
    )
    return table, assumptions(table, 0.2), {"threshold": 0.5}


@case("two rows")
def _two(scenario):
    table = pm.ScoreTable.from_groups(positive=[0.7], unlabeled=[0.2], scenario=scenario)
    return table, assumptions(table, 0.4), {"threshold": 0.5}


@case("one score")
def _one_score(scenario):
    table = pm.ScoreTable.from_groups(positive=[3, 3], unlabeled=[3, 3, 3, 3], scenario=scenario)
    return table, assumptions(table, 0.4), {"threshold": 3}


@case("perfectly ranked")
def _perfect(scenario):
    table = pm.ScoreTable.from_groups(
        positive=[9, 8, 8, 7], unlabeled=[8, 7, 3, 2, 1, 1, 0, 0, 0], scenario=scenario
    )
    return table, assumptions(table, 0.2), {"threshold": 7}


@case("ranked upside down")
def _reversed(scenario):
    table = pm.ScoreTable.from_groups(
        positive=[0.1, 0.2, 0.2], unlabeled=[0.9, 0.8, 0.7, 0.5, 0.2, 0.2], scenario=scenario
    )
    return table, assumptions(table, 0.3), {"threshold": 0.2}


@case("every row labelled")
def _labelled(scenario):
    table = pm.ScoreTable.from_groups(
        positive=[5, 4, 4, 2], unlabeled=None, negative=[4, 3, 1, 0, 0], scenario=scenario
    )
    return table, {"prior": None}, {"threshold": 3}


@case("many rows of few scores")
def _many(scenario):
    rng = np.random.default_rng(15)
    table = pm.ScoreTable.from_counts(
        np.arange(50) / 50,
        n_pos=rng.integers(10, 1000, 50) * np.arange(50),
        n_unl=rng.integers(1000, 10**5, 50),
        scenario=scenario,
    )
    return table, assumptions(table, 0.05), {"threshold": 0.8}


@case("scores full of positives")
def _full(scenario):
    """Hidden positives nearly fill the rows at some scores, so that a bias finds no room there."""
    table = pm.ScoreTable.from_counts(
        np.arange(1, 9) / 10,
        n_pos=[20, 60, 90, 150, 260, 400, 700, 500],
        n_unl=[9000, 8000, 4000, 1500, 900, 1100, 1200, 1300],
        n_neg=[40, 300, 20, 200, 5, 900, 100, 600],
        scenario=scenario,
    )
    return table, assumptions(table, 0.16), {"threshold": 0.7}


def _two_models():
    demo = load_demo()
    tables = {
        name: pm.ScoreTable.from_arrays(
            demo["reported"], demo[name], scenario="single_training_set"
        )
        for name in ("forest", "words")
    }
    return tables, float(demo["spam"].mean())


def _demo():
    tables, prior = _two_models()
    return tables, {"prior": prior}, {}


def _demo_range():
    return _two_models()[0], {"prior": (0.3, 0.42)}, {}


CASES["the demo"] = _demo
CASES["the demo, range of the prior"] = _demo_range


@case("rows in blocks")
def _blocks(scenario):
    rng = np.random.default_rng(16)
    table = pm.ScoreTable.from_groups(
        positive=rng.normal(1.2, 1, 8000),
        unlabeled=rng.normal(1.2 * (rng.random(20_000) < 0.2), 1),
        scenario=scenario,
    )
    return table, assumptions(table, 0.15), {"threshold": 0.3}


def _weighted_blocks():
    rng = np.random.default_rng(17)
    label = np.repeat([1, 0, -1], [9000, 15_000, 500])
    score = rng.random(label.size) ** np.where(label == 1, 0.5, 1.0)
    table = pm.ScoreTable.from_arrays(
        label, score, neg_label=-1, sample_weight=rng.uniform(0.5, 2, label.size),
        scenario="single_training_set",
    )  # fmt: skip
    return table, assumptions(table, 0.2, purity=0.95), {"threshold": 0.6}


CASES["weighted rows in blocks"] = _weighted_blocks


# ------------------------------------------------------------------------------------- lagging


def _noisy_range_of_bins():
    table = small_table(8, "single_training_set")
    given = {"prior": (inside(table, 0.1, 0.8), inside(table, 0.6, 0.8)), "purity": 0.8}
    return table, given, {"threshold": 0.5, "confidence_level": 0.99}


CASES["bins over a range of the prior, noisy labels"] = _noisy_range_of_bins


@case("range of the purity")
def _purity_range(scenario):
    table = small_table(3, scenario)
    return table, {"prior": inside(table, 0.2), "purity": (0.8, 0.95)}, {"threshold": 0.5}


@case("prior and purity estimated together")
def _both_estimated(scenario):
    table = small_table(5, scenario)
    return table, {"prior": pm.estimate_prior(table, method="combined_n")}, {"threshold": 0.5}
