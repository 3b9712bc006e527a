"""Whether the verdict earns its words: trust against the truth, and what comes of following the next step.

Run: python benchmarks/simulate_verdicts.py docs/evidence [repeats]. Writes docs/evidence/verdicts.md and its picture.

A case is what somebody might bring: scores with a known truth, how labels were given, what the user knows, rows that
were checked, or a trap. Every sample of a case is evaluated as the user would do it; then the next step that the
verdict recommends is taken, with the truth as the answer of whoever checks, and the rows are evaluated again. Scores
are those of the demo data and of two normal classes; where the folder that PUREMETRICS_DATA_FOLDER names has a folder
`score_pools` (npz files with the truth `y` and columns of scores), every kind of case runs on those, too.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any

import evidence
import matplotlib.pyplot as plt
import numpy as np
from sharpness import lambda95, need_of

import puremetrics as pm

REPEATS = 20
LARGE = 200_000  # rows of a pool of normal scores
SINGLE, CONTROL = "single_training_set", "case_control"
TITLES = {"roc_auc": "AUC", "precision": "precision", "recall": "recall"}
POOLS = {
    "covtype": "hgb_pu",
    "mnist_odd": "lr_pu",
    "pendigits": "mlp_pu",
    "gas_8of10": "hgb_pu",
    "mushroom": "lr_pu",
}


@dataclass(frozen=True)
class Case:
    """What somebody brings to be evaluated."""

    name: str
    pool: str = "spam"
    prior: float = 0.3
    rows: int = 3000
    labels: float = 0.3  # share of the positives; in case-control their number
    scenario: str = SINGLE
    slope: float = (
        0.0  # by how much the log odds of a label grow from the lowest to the highest score
    )
    wrong: float = 0.0  # share of the labels that are wrong
    known: Mapping[str, Any] = field(default_factory=dict)
    audit: tuple[str, int] | None = None  # target and rows that are checked
    trap: str = ""

    def draw(self, rng: np.random.Generator, labels: float = 1.0, rows: float = 1.0) -> Sample:
        """Rows with labels, scores and truth; with so many times as many labels or rows."""
        score, truth = pool(self.pool)
        n = int(self.rows * rows)
        positive = rng.random(n) < self.prior
        own = np.where(positive, rng.choice(score[truth], n), rng.choice(score[~truth], n))
        if self.scenario == SINGLE:
            y = positive & (rng.random(n) < self._chance(own, self.labels))
            return self._trapped(self._spoilt(y, positive, rng), own, positive, rng)
        wanted = int(self.labels * labels)
        some = rng.choice(score[truth], 50 * wanted)
        kept = some[rng.random(some.size) < self._chance(some, 0.5)][:wanted]
        bad = rng.random(wanted) < self.wrong
        kept = np.where(bad, rng.choice(score[~truth], wanted), kept)
        y = np.r_[np.ones(wanted, bool), np.zeros(n, bool)]
        return self._trapped(y, np.r_[kept, own], np.r_[~bad, positive], rng)

    def _chance(self, score: np.ndarray, mean: float) -> np.ndarray:
        """Of a label, by the rank among the positives of the pool."""
        if not self.slope:
            return np.full(score.size, mean)
        every, truth = pool(self.pool)
        ordered = np.sort(every[truth])
        rank = np.searchsorted(ordered, score) / ordered.size
        return 1 / (1 + np.exp(-(np.log(mean / (1 - mean)) + self.slope * (rank - 0.5))))

    def _spoilt(self, y: np.ndarray, positive: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """The labels with some wrong ones among them."""
        if not self.wrong:
            return y
        more = int(y.sum() * self.wrong / (1 - self.wrong))
        y = y.copy()
        y[rng.choice(np.flatnonzero(~positive), more, replace=False)] = True
        return y

    def _trapped(
        self, y: np.ndarray, score: np.ndarray, positive: np.ndarray, rng: np.random.Generator
    ) -> Sample:
        given = dict(self.known)
        if self.trap == "twice":
            y, score, positive = (np.repeat(column, 2) for column in (y, score, positive))
        elif self.trap == "in-sample":  # the model has learnt which rows carry a label
            score = score + np.where(y, 2.0, 0.0) * np.std(score)
        elif self.trap == "predictions":
            score = (score >= np.quantile(score, 0.8)).astype(float)
        elif self.trap == "percent":
            given["threshold"] = 50.0
        elif self.trap == "backwards":
            score = -score
        return Sample(y.astype(int), score, positive, given)

    def truths(self, threshold: float) -> dict[str, float]:
        """What is true in the population: area, and precision and recall at a threshold."""
        score, truth = pool(self.pool)
        ordered = np.sort(score[~truth])
        below = np.searchsorted(ordered, score[truth], "left") + np.searchsorted(
            ordered, score[truth], "right"
        )
        recall, others = np.mean(score[truth] >= threshold), np.mean(score[~truth] >= threshold)
        hits = self.prior * recall
        flagged = hits + (1 - self.prior) * others
        return {
            "roc_auc": float(np.mean(below) / 2 / ordered.size),
            "precision": float(hits / flagged) if flagged > 0 else np.nan,
            "recall": float(recall),
            "prior": self.prior,
        }


@dataclass(frozen=True)
class Sample:
    """Rows of a case, and what the user knows."""

    y: np.ndarray
    score: np.ndarray
    positive: np.ndarray
    known: dict[str, Any]

    def evaluate(self, scenario: str, **more: Any) -> pm.Evaluation:
        table = pm.ScoreTable.from_arrays(self.y, self.score, scenario=scenario)
        return pm.evaluate(table, **{**self.known, **more})

    def checked(self, plan: Any, rng: np.random.Generator) -> Any:
        """The audit, with the truth as answers."""
        rows = plan.draw(self.y, self.score, rng=rng)
        return plan.audit(rows, self.positive[rows])


@cache
def pool(name: str) -> tuple[np.ndarray, np.ndarray]:
    """Scores and truth."""
    if name.startswith("normal"):
        rng = np.random.default_rng(7)
        truth = rng.random(LARGE) < 0.5
        return rng.normal(size=LARGE) + float(name.split()[1]) * truth, truth
    if name in ("spam", "words"):
        demo = pm.load_demo()
        return np.asarray(demo["forest" if name == "spam" else "words"]), np.asarray(
            demo["spam"]
        ) > 0
    found = np.load(Path(os.environ["PUREMETRICS_DATA_FOLDER"]) / "score_pools" / f"{name}.npz")
    return found[POOLS[name]], found["y"] > 0


def cases() -> list[Case]:
    """What users bring."""
    both = {"prior": 0.3, "label_bias": 1.0}
    found = [
        Case("nothing known"),
        Case("nothing known, classes overlap", "words"),
        Case("nothing known, classes far apart", "normal 3"),
        Case("nothing known, case-control", "normal 2", scenario=CONTROL, labels=300),
        Case("prior known", known={"prior": 0.3}),
        Case("prior known, labels said to be random", known=both),
        Case("prior known, labels said to be random, overlap", "words", known=both),
        Case("prior known as a range", known={"prior": (0.25, 0.35), "label_bias": 1.0}),
        Case(
            "label bias up to 4 stated, labels biased",
            slope=1.2,
            known={"prior": 0.3, "label_bias": 4.0},
        ),
        Case("label bias not stated, labels biased", slope=2.0, known={"prior": 0.3}),
        Case("one label in ten wrong, not stated", wrong=0.1, known={"prior": 0.3}),
        Case("one label in ten wrong, stated", wrong=0.1, known={**both, "purity": 0.9}),
        Case(
            "15 labels", "normal 2", 0.1, 3000, 15, CONTROL, known={"prior": 0.1, "label_bias": 1.0}
        ),
        Case("15 labels, nothing known", "normal 2", 0.1, 3000, 15, CONTROL),
        Case(
            "rare positives",
            "normal 2",
            0.01,
            20_000,
            0.3,
            known={"prior": 0.01, "label_bias": 1.0},
        ),
        Case("rare positives, nothing known", "normal 2", 0.01, 20_000, 0.3),
        Case(
            "case-control, prior known",
            "normal 1.5",
            0.2,
            3000,
            200,
            CONTROL,
            known={"prior": 0.2, "label_bias": 1.0},
        ),
    ]
    for target in ("precision", "recall", "roc_auc", "prior"):
        found += [
            Case(f"{rows} rows checked for {target}", audit=(target, rows))
            for rows in (3, 30, 100, 300)
        ]
    found += [
        Case("100 rows checked, labels biased", slope=2.0, audit=("precision", 100)),
        Case("every row twice", known={"prior": 0.3}, trap="twice"),
        Case("scores of rows seen in training", trap="in-sample"),
        Case("predictions in place of scores", known={"prior": 0.3}, trap="predictions"),
        Case("a threshold in percent", known={"prior": 0.3}, trap="percent"),
        Case("scores backwards", known={"prior": 0.3}, trap="backwards"),
    ]
    if (Path(os.environ.get("PUREMETRICS_DATA_FOLDER", "")) / "score_pools").is_dir():
        for name in POOLS:
            kind = CONTROL if name in ("covtype", "mushroom") else SINGLE
            labels = 200 if kind == CONTROL else 0.3
            own = [
                Case("nothing known", name, 0.2, 4000, labels, kind),
                Case("prior known, labels said to be random", name, 0.2, 4000, labels, kind,
                     known={"prior": 0.2, "label_bias": 1.0}),
                Case("100 rows checked for precision", name, 0.2, 4000, labels, kind, audit=("precision", 100)),
            ]  # fmt: skip
            found += [replace(one, name=f"{one.name} ({name})") for one in own]
    return found


# ------------------------------------------------------------------------------- one sample


def run(job: tuple[int, int]) -> dict[str, Any]:
    """One sample of a case: what the verdict says, whether it is true, what its advice brings."""
    number, seed = job
    case = cases()[number]
    rng = np.random.default_rng([number, seed, 35])
    sample = case.draw(rng)
    result = sample.evaluate(case.scenario)
    if case.audit is not None:
        target, rows = case.audit
        plan = result.plan_audit(budget=max(rows, 5), target=target)
        drawn = plan.draw(sample.y, sample.score, rng=rng)[:rows]
        audit = plan.audit(drawn, sample.positive[drawn])
        at = result.models["model"].threshold
        sample = replace(sample, known={**sample.known, "audit": audit, "threshold": at})
        result = sample.evaluate(case.scenario)
    verdict, model = result.verdict, result.models["model"]
    found: dict[str, Any] = {
        "case": number, "grade": verdict.grade, "words": str(verdict), "figures": {}, "caution": verdict.caution,
    }  # fmt: skip
    if model.threshold is None or case.trap in ("predictions", "in-sample", "backwards"):
        return found
    truth = case.truths(model.threshold)
    for name, one in model.graded.items():
        ends = model.headlines[name].interval
        if name in truth and ends is not None:
            held = ends.low <= truth[name] <= ends.high
            found["figures"][name] = (
                one.grade,
                ends.low,
                ends.high,
                truth[name],
                held,
                need_of(truth[name], model.headlines[name].value, ends),
            )
    advice = verdict.advice
    if advice is not None and verdict.best is not None:
        found["advice"] = (advice.kind, advice.figure, advice.width, advice.expected)
        after = _followed(case, sample, result, advice, rng)
        if after is not None:
            found["after"] = after
    return found


def _followed(case: Case, sample: Sample, result: Any, advice: Any, rng: Any) -> float | None:
    """The width after the advice was taken."""
    at = result.models["model"].threshold
    known = {key: value for key, value in sample.known.items() if key != "threshold"}
    if advice.kind == "audit":
        audit = sample.checked(result.plan_audit(), rng)
        free = {key: None for key in ("prior", "label_bias", "purity") if key in known}
        purity = {"purity": known["purity"]} if "purity" in known else {}
        again = replace(
            sample, known={**known, **free, **purity, "audit": audit, "threshold": at}
        ).evaluate(case.scenario)
    elif advice.kind == "prior":
        again = replace(sample, known={**known, "prior": case.prior, "threshold": at}).evaluate(
            case.scenario
        )
    elif advice.kind in ("labels", "rows"):
        more = {advice.kind: float(advice.times)}
        again = replace(case.draw(rng, **more), known={**known, "threshold": at}).evaluate(
            case.scenario
        )
    else:
        return None
    ends = again.models["model"].corrected[advice.figure].interval
    return None if ends is None else float(ends.width)


# ------------------------------------------------------------------------------- the page


@dataclass(frozen=True)
class Summary:
    """All samples, as the bars ask for them."""

    held: np.ndarray  # of figures graded good or high
    need: float  # λ95 of these
    widths: np.ndarray
    high: np.ndarray  # widths of those graded high
    left: np.ndarray  # width after following the advice, as a share of the width before
    forecast: np.ndarray  # the same as a share of the forecast


def summary(found: list[dict[str, Any]]) -> Summary:
    """What the samples say of trust and of the next step."""
    figures = [one for each in found for one in each["figures"].values()]
    good = [one for one in figures if one[0] in ("good", "high")]
    followed = [(each["advice"], each["after"]) for each in found if "after" in each]
    return Summary(
        np.array([one[4] for one in good]),
        lambda95([one[5] for one in good]),
        np.array([one[2] - one[1] for one in good]),
        np.array([one[2] - one[1] for one in good if one[0] == "high"]),
        np.array([after / advice[2] for advice, after in followed]),
        np.array([after / max(advice[3], 1e-9) for advice, after in followed]),
    )


def within_a_third(forecast: np.ndarray) -> float:
    """Share of forecasts that are at most a third off."""
    return float(np.mean((forecast <= 4 / 3) & (forecast >= 2 / 3)))


def sentence(all_: Summary) -> str:
    return (
        f"Figures graded good or high held the truth in {all_.held.mean():.3f} of {all_.held.size:,} samples ([λ95](sharpness.md) {all_.need:.2f}), with intervals at "
        f"most {all_.widths.max():.2f} wide (high: {all_.high.max():.2f}). Taking the recommended next step narrowed the widest "
        f"figure by 30% or more in {np.mean(all_.left <= 0.7):.2f} of {all_.left.size:,} samples, and its width was within a "
        f"third of the forecast in {within_a_third(all_.forecast):.2f} (longer than that in {np.mean(all_.forecast > 4 / 3):.2f})."
    )


def most(words: list[str]) -> str:
    """The most frequent of some words, and the next one if it is frequent, too."""
    names, counts = np.unique(words, return_counts=True)
    order = np.argsort(-counts, kind="stable")[:2]
    return " or ".join(str(names[i]) for i in order if counts[i] >= 0.25 * counts.sum())


def row(case: Case, found: list[dict[str, Any]]) -> list[str]:
    """One case of the table."""
    cells = []
    for name in TITLES:
        own = [each["figures"][name] for each in found if name in each["figures"]]
        cells.append(
            f"{np.mean([one[3] for one in own]):.2f}: {np.mean([one[1] for one in own]):.2f} to "
            f"{np.mean([one[2] for one in own]):.2f}, {np.mean([one[4] for one in own]):.2f}" if own else "–"
        )  # fmt: skip
    advised = [each for each in found if "advice" in each]
    step, result = "–", "–"
    if advised:
        kinds = [f"{each['advice'][0]} ({each['advice'][1]})" for each in advised]
        step = most(
            ["nothing" if kind.startswith("nothing") else kind.replace("_", " ") for kind in kinds]
        )
    after = [each for each in advised if "after" in each]
    if after:
        now, hoped = (np.mean([each["advice"][i] for each in after]) for i in (2, 3))
        result = (
            f"{now:.2f} → {np.mean([each['after'] for each in after]):.2f} (forecast {hoped:.2f})"
        )
    if any(each["caution"] for each in found):
        step = "put the rows right"
    return [case.name, most([each["grade"] for each in found]), *cells, step, result]


def page(every: list[Case], found: list[list[dict[str, Any]]], repeats: int) -> list[str]:
    """The page: a sentence, the picture, the table of cases, and the words of one sample of each."""
    flat = [each for own in found for each in own]
    made = [case for case in every if case.pool not in POOLS]
    real = [i for i, case in enumerate(every) if case.pool in POOLS]
    lines = evidence.opening(
        "Trust and next steps against the truth",
        sentence(summary(flat)),
        "verdicts.png",
        "Width after the recommended step against its forecast, and widths of intervals by grade",
        f"{len(made)} cases with a known truth on the demo data and on two normal classes, {repeats} samples each: what somebody "
        f"knows, how labels were given, rows that were checked, and traps. {len(real)} more are on scores of models on "
        f"{len(POOLS)} real sets ({', '.join(POOLS)}), which nothing was tuned on. Whoever checks rows answers with the truth; "
        "more labels or rows are drawn anew.",
        f"python benchmarks/simulate_verdicts.py docs/evidence {repeats}",
    )
    if real:
        own = summary([each for i in real for each in found[i]])
        lines += [f"On the real sets alone: {sentence(own)[0].lower()}{sentence(own)[1:]}", ""]
    head = (
        "case",
        "trust",
        *(f"{title}: truth, mean interval, held" for title in TITLES.values()),
        "next step",
        "width before → after",
    )
    rows = [row(case, own) for case, own in zip(every, found, strict=True)]
    lines += ["## The cases", "", *evidence.table(head, rows, f"All {len(rows)} cases")]
    lines += ["## What the verdict says", "", "The first sample of each made-up case.", ""]
    for case, own in zip(every, found, strict=True):
        if case.pool not in POOLS:
            lines += evidence.folded(case.name, ["```text", own[0]["words"], "```"])
    return lines


def draw(every: list[Case], found: list[list[dict[str, Any]]], path: Path) -> None:
    """What came against what was forecast; widths by grade, those that miss the truth in another colour."""
    figure, (left, right) = plt.subplots(1, 2, figsize=(8, 3.6), layout="constrained")
    colours = {
        "audit": evidence.BLUE,
        "prior": evidence.ORANGE,
        "rows": evidence.GREEN,
        "labels": evidence.GREY,
    }
    flat = [each for own in found for each in own]
    for kind, colour in colours.items():
        pairs = [
            (e["advice"][3], e["after"]) for e in flat if "after" in e and e["advice"][0] == kind
        ]
        if pairs:
            left.loglog(*np.array(pairs).T, ".", color=colour, alpha=0.4, mew=0, label=kind)
    ends = np.array([0.02, 1.0])
    for factor in (2 / 3, 1.0, 4 / 3):
        left.loglog(ends, factor * ends, color="black", lw=1.2 if factor == 1 else 0.5, zorder=0)
    evidence.plain(left, xlabel="forecast width", ylabel="width after the step")
    left.legend(frameon=False, fontsize=8)
    rng = np.random.default_rng(0)
    for place, grade in enumerate(("low", "fair", "good", "high")):
        own = [one for each in flat for one in each["figures"].values() if one[0] == grade]
        for held, colour in ((True, evidence.BLUE), (False, evidence.ORANGE)):
            widths = np.array([one[2] - one[1] for one in own if one[4] == held])
            look = {
                "color": colour,
                "alpha": 0.35,
                "mew": 0,
                "label": None if place else "holds the truth" if held else "does not",
            }
            right.plot(place + 0.5 * (rng.random(widths.size) - 0.5), widths, ".", **look)
    right.set_xticks(range(4), ["low", "fair", "good", "high"])
    right.axhline(0.3, color="black", lw=0.5)
    right.legend(frameon=False, fontsize=8)
    evidence.plain(right, xlabel="grade of trust", ylabel="width of the interval")
    evidence.save(figure, path)


def main(folder: Path = Path("docs/evidence"), repeats: int = REPEATS) -> None:
    every = cases()
    jobs = [(number, seed) for number in range(len(every)) for seed in range(repeats)]
    flat = list(evidence.each(run, jobs))
    found = [flat[i * repeats : (i + 1) * repeats] for i in range(len(every))]
    draw(every, found, folder / "verdicts.png")
    (folder / "verdicts.md").write_text("\n".join(page(every, found, repeats)), encoding="utf-8")


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:2]), *map(int, sys.argv[2:3]))
