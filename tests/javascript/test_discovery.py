"""Discoveries under node: tables of every kind, groups among them, at many positions of all sliders."""

import os

import numpy as np
import pytest

import puremetrics as pm
from puremetrics.report import payload as payload_module
from puremetrics.report.payload import script_json
from tests.javascript.cases import SCENARIOS, inside
from tests.javascript.positions import positions, rows_checked
from tests.javascript.test_kernels import compared
from tests.javascript.vectors import discoveries_at, used_at, within_discoveries

KINDS = ("plain", "weights", "groups", "groups and weights", "negatives", "few labels")


def table_of(kind, scenario, rng):
    """Rows with ties; in groups of about four, whose scores are alike."""
    sizes = [int(rng.integers(20, 80)), int(rng.integers(150, 600)), 0]
    if kind == "negatives":
        sizes[2] = 25
    apart = 1.5
    if kind == "few labels":
        sizes[0], apart = 10, 4.0
    label = np.repeat([1, 0, -1], sizes)
    group = rng.integers(0, label.size // 4, label.size)
    shift = rng.normal(0, 0.7, label.size)[group] if "groups" in kind else 0.0
    positive = (label == 1) | ((label == 0) & (rng.random(label.size) < 0.4))
    score = np.round(rng.normal(apart * positive, 1) + shift, int(rng.integers(0, 3)))
    return pm.ScoreTable.from_arrays(
        label, score, scenario=scenario, neg_label=-1 if sizes[2] else None,
        sample_weight=rng.uniform(0.3, 2.5, label.size) if "weights" in kind else None,
        groups=group if "groups" in kind else None,
    )  # fmt: skip


def vector_of(kind, scenario, seed):
    """One table, assumed about as chance says, and what the page must say about its discoveries."""
    rng = np.random.default_rng(seed)
    table = table_of(kind, scenario, rng)
    purity = float(rng.choice([1.0, 0.9]))
    prior = inside(table, 0.05, purity), inside(table, 0.25, purity)
    given = {"prior": prior if seed % 2 else prior[1], "purity": purity}
    bias = {"label_bias": 1.6, "label_bias_side": str(rng.choice(["either", "high", "low"]))}
    options = {"threshold": 0.5, "confidence_level": float(rng.choice([0.8, 0.95]))}
    options |= bias if seed % 3 == 0 else {}
    top = int(rng.integers(1, 90))
    evaluation = pm.evaluate(table, **given, **options, top=top)
    content = payload_module.payload(evaluation, title=kind)
    (model,), made = evaluation.models.values(), []
    for number, (at, pure) in enumerate(positions(evaluation, content, 8, seed)):
        checked = rows_checked(content["checked"], number, rng)
        used = used_at(evaluation, at, pure, given)
        figures = discoveries_at(evaluation, 0, used, checked)
        position = {"prior": at, "purity": pure, "checked": checked}
        within = within_discoveries(model, at, pure)
        models = [{"threshold": None, "figures": figures, "within": within}]
        made.append(position | {"models": models})
    assert content["checked"]["home"] == top
    return {
        "name": f"{kind}, {scenario}, {seed}",
        "payload": script_json(content),
        "packed": [],
        "rows": [],
        "positions": made,
    }


@pytest.mark.parametrize("scenario", SCENARIOS.values())
@pytest.mark.parametrize("kind", KINDS)
def test_discoveries_are_the_librarys(tmp_path, kind, scenario):
    for seed in range(3 if os.environ.get("PUREMETRICS_EXPLORE") else 1):
        content = vector_of(kind, scenario, 10 * KINDS.index(kind) + seed)
        found = compared(content, tmp_path)
        assert found["trouble"] == []
        assert found["compared"] == 7 * found["positions"] >= 7 * 8
        assert found["numbers"] > 100 * found["positions"]
