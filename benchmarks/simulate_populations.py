"""Random labels tested from several populations: size, power, false alarms; writes docs/evidence/populations.md.

Run: python benchmarks/simulate_populations.py [docs/evidence/populations.md] [share of the samples, such as 0.1].
Negatives score N(0, 1), positives N(μ, 1); populations differ in their share of positives, and in nothing else
unless stated.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, replace
from pathlib import Path

import evidence
import matplotlib.pyplot as plt
import numpy as np
from scipy.special import expit

import puremetrics as pm

SAMPLES, SEED, LEVEL = 300, 83, 0.95
INNER = 1.645  # standard deviations from the mean that nine in ten positives keep within
CASE_CONTROL, ONE = "case_control", "single_training_set"
COMMAND = "python benchmarks/simulate_populations.py docs/evidence/populations.md"
PRIORS = {
    "2, far apart": (0.1, 0.4),
    "2, near": (0.1, 0.2),
    "2, the same": (0.2, 0.2),
    "2, rare": (0.01, 0.03),
    "3": (0.05, 0.1, 0.3),
    "6": (0.1, 0.15, 0.2, 0.3, 0.4, 0.15),
}
SIZES = ((2000, 40), (2000, 100), (10_000, 100), (10_000, 400), (50_000, 1000))
RATIOS = (1.0, 1.5, 2.0, 3.0, 4.0, 6.0)
SHIFTS = (0.0, 0.05, 0.1, 0.2)
Rates = dict[str, float]


@dataclass(frozen=True)
class Populations:
    """Samples of several populations, with labels that may favour high scores (ratio > 1) or low ones (< 1)."""

    scenario: str
    priors: tuple[float, ...]
    rows: int  # of each population
    labelled: int  # altogether, in expectation
    apart: float = 1.5
    ratio: float = (
        1.0  # of the chances of positives 1.645 standard deviations above and below their mean
    )
    shift: float = 0.0  # of the negatives, from one population to the next
    levels: int = 0  # scores are rounded to so many values

    def draw(self, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Labels, scores and populations."""
        slope = np.log(self.ratio) / INNER
        place = np.repeat(np.arange(len(self.priors)), self.rows)
        positive = rng.random(place.size) < np.array(self.priors)[place]
        score = rng.normal(self.apart * positive) + self.shift * place * ~positive
        if self.scenario == CASE_CONTROL:
            raw = rng.normal(self.apart, 1, 12 * self.labelled)
            kept = raw[rng.random(raw.size) < expit(slope * (raw - self.apart))][: self.labelled]
            label = np.arange(place.size + kept.size) >= place.size
            score = np.append(score, kept)
            place = np.append(place, rng.integers(0, len(self.priors), kept.size))
        else:
            chance = self.labelled / (self.rows * sum(self.priors))
            rise = 2 * expit(slope * (score - self.apart))
            label = positive & (rng.random(place.size) < chance * rise)
        if self.levels:
            score = np.digitize(score, np.linspace(-1.5, 1.5 + self.apart, self.levels - 1))
        return label.astype(int), score, place


def shares(task: tuple[Populations, int]) -> Rates:
    """How often each p-value is below 5%, and how often the bias that would be noticed is below the true one."""
    world, samples = task
    rng = np.random.default_rng([SEED, len(world.priors), world.rows, world.labelled])
    labels, classes, noticed = 0, 0, []
    for _ in range(samples):
        label, score, place = world.draw(rng)
        while label.sum() < 20:  # fewer are refused
            label, score, place = world.draw(rng)
        found = pm.check_labelling(
            label, score, by=place, scenario=world.scenario, confidence_level=LEVEL
        )
        labels += found.p_value <= 1 - LEVEL
        classes += found.p_classes is not None and found.p_classes <= 1 - LEVEL
        noticed.append(found.noticed)
    return {
        "labels": labels / samples,
        "classes": classes / samples if len(world.priors) > 2 else float("nan"),
        "noticed": float(np.median(noticed)),
    }


def sizes(samples: int) -> tuple[list[list[str]], list[float]]:
    """Rejections where all is as assumed, by setting; and all of them."""
    rows, every = [], []
    for name, priors in PRIORS.items():
        for scenario in (CASE_CONTROL, ONE):
            worlds = []
            for n, labelled in SIZES:
                if labelled > 0.6 * n * sum(priors) and scenario == ONE:
                    worlds.append(None)
                    continue
                worlds += [Populations(scenario, priors, n, labelled)]
            tasks = [(world, samples) for world in worlds if world is not None]
            found = iter(list(evidence.each(shares, tasks)))
            told = [None if world is None else next(found) for world in worlds]
            every += [one["labels"] for one in told if one is not None]
            of_classes = [one["classes"] for one in told if one is not None]
            rows.append(
                [name, evidence.words(scenario)]
                + ["" if one is None else f"{one['labels']:.3f}" for one in told]
                + ["" if np.isnan(of_classes[0]) else f"{np.mean(of_classes):.3f}"]
            )
            print(rows[-1], flush=True)
    return rows, every


def overlaps(samples: int) -> tuple[list[list[str]], list[float]]:
    """Rejections where all is as assumed, by how far classes are apart and how scores are tied."""
    rows, every = [], []
    for levels in (0, 5, 20):
        worlds = [
            Populations(scenario, (0.1, 0.4), 10_000, 200, apart=apart, levels=levels)
            for scenario in (CASE_CONTROL, ONE)
            for apart in (0.5, 1.0, 2.0, 3.0)
        ]
        found = [one["labels"] for one in evidence.each(shares, [(w, samples) for w in worlds])]
        every += found
        rows.append([f"{levels} values" if levels else "no ties", *(f"{x:.3f}" for x in found)])
    return rows, every


def power(samples: int) -> tuple[list[list[str]], dict[str, list[float]]]:
    """Rejections where labels are biased, by how strongly."""
    rows, curves = [], {}
    for scenario in (CASE_CONTROL, ONE):
        for name in ("2, far apart", "2, near", "3", "6"):
            world = Populations(scenario, PRIORS[name], 10_000, 400)
            ratios = [*(1 / r for r in RATIOS[:0:-1]), *RATIOS]
            found = list(
                evidence.each(shares, [(replace(world, ratio=r), samples) for r in ratios])
            )
            at = [one["labels"] for one in found]
            curves[f"{name}|{scenario}"] = at
            told = found[len(RATIOS) - 1]["noticed"]
            rows.append([name, evidence.words(scenario), *(f"{x:.2f}" for x in at), f"{told:.2f}"])
            print(rows[-1], flush=True)
    return rows, curves


def shifted(samples: int) -> tuple[list[list[str]], dict[str, Rates]]:
    """Rejections where labels are random and negatives differ from population to population."""
    rows, kept = [], {}
    for name in ("2, far apart", "3", "6"):
        world = Populations(ONE, PRIORS[name], 10_000, 400)
        found = list(evidence.each(shares, [(replace(world, shift=s), samples) for s in SHIFTS]))
        kept |= {f"{name}|{s:g}": one for s, one in zip(SHIFTS, found, strict=True)}
        rows.append(
            [name]
            + [f"{one['labels']:.2f}" for one in found]
            + ["" if np.isnan(one["classes"]) else f"{one['classes']:.2f}" for one in found]
        )
    return rows, kept


def draw(curves: dict[str, list[float]], target: Path) -> None:
    """Power by the bias of the labels."""
    figure, axes = plt.subplots(1, 2, figsize=(7, 3.4), layout="constrained", sharey=True)
    ratios = np.array([*(1 / r for r in RATIOS[:0:-1]), *RATIOS])
    colours = {
        "2, far apart": evidence.BLUE,
        "2, near": evidence.GREY,
        "3": evidence.ORANGE,
        "6": evidence.GREEN,
    }
    for ax, scenario in zip(axes, (CASE_CONTROL, ONE), strict=True):
        for name, colour in colours.items():
            ax.plot(
                ratios, curves[f"{name}|{scenario}"], marker="o", ms=3, color=colour, label=name
            )
        ax.axhline(0.05, color=evidence.GREY, lw=0.8, ls=":")
        ax.set_xscale("log")
        ax.set_xticks([1 / 6, 1 / 3, 1, 3, 6], ["6", "3", "random", "3", "6"])
        ax.minorticks_off()
        ax.set_title(evidence.words(scenario), loc="left", fontsize=11)
        evidence.plain(
            ax, ylim=(-0.03, 1.05), xlabel="low scores   ← labels favour →   high scores"
        )
    axes[0].set_ylabel("share of samples that reject at 5%")
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside upper left", ncols=4,
                  frameon=False, fontsize=9, title="populations", title_fontsize=9)  # fmt: skip
    evidence.save(figure, target)


def main(target: str = "docs/evidence/populations.md", part: float = 1.0) -> None:
    samples, path = max(int(SAMPLES * part), 4), Path(target)
    by_size, every = sizes(samples)
    by_overlap, more = overlaps(samples)
    by_ratio, curves = power(max(samples // 2, 4))
    by_shift, kept = shifted(max(samples // 2, 4))
    picture = path.with_suffix(".png")
    draw(curves, picture)
    every += more
    far = [curves[f"2, far apart|{scenario}"] for scenario in (CASE_CONTROL, ONE)]
    middle = len(RATIOS) - 1
    twice = [c[i] for c in far for i in (middle - 2, middle + 2)]
    four = [c[i] for c in far for i in (middle - 4, middle + 4)]
    alarm = kept["2, far apart|0.1"]["labels"]
    ratios = [
        *(f"{r:g}, low" for r in RATIOS[:0:-1]),
        "random",
        *(f"{r:g}, high" for r in RATIOS[1:]),
    ]
    lines = [
        *evidence.opening(
            "Random labels, tested from several populations",
            f"Without a prior, `check_labelling(…, by=…)` rejects random labels that are random in {min(every):.3f} to "
            f"{max(every):.3f} of the samples at the 5% level ({np.mean(every):.3f} on average), and notices labels that "
            f"favour high or low scores by a factor of 2 in {min(twice):.2f} to {max(twice):.2f} of them, by a factor of 4 "
            f"in {min(four):.2f} to {max(four):.2f} (priors 0.1 and 0.4, 10,000 rows each, 400 labels). It takes classes "
            f"that changed for biased labels: negatives 0.1 standard deviations apart make it reject in {alarm:.2f}.",
            picture.name,
            "How often random labels are rejected, by how labels favour high or low scores",
            "Negatives score N(0, 1), positives N(1.5, 1) unless stated. The factor is the ratio of the chances of a label "
            "1.645 standard deviations above and below the mean of the positives, with a logistic chance in "
            f"between. {samples} samples a setting where labels are random (standard error "
            f"{np.sqrt(0.05 * 0.95 / samples):.3f} at 0.05), {max(samples // 2, 4)} elsewhere.",
            COMMAND,
        ),
        "## Size",
        "",
        "Share of samples that reject at the 5% level where labels are random and classes are the same everywhere. Heads of "
        "columns: rows of each population / labelled rows altogether. Last column: the test of the classes alone, "
        "over all of them. The single training set is left out where there are not that many positives.",
        "",
        *evidence.table(
            ["populations", "scenario", *(f"{n:,} / {k:,}" for n, k in SIZES), "classes alone"], by_size
        ),
        "Priors by name: " + "; ".join(f"{n}: {', '.join(map(str, p))}" for n, p in PRIORS.items()) + ".",
        "",
        "Priors 0.1 and 0.4, 10,000 rows each, 200 labels; by the distance of the classes, and by ties:",
        "",
        *evidence.table(
            ["scores", *(f"{s}, {a:g}" for s in ("case-control", "single") for a in (0.5, 1.0, 2.0, 3.0))],
            by_overlap,
        ),
        "## Power",
        "",
        "Share that rejects at the 5% level, by the factor by which labels favour low or high scores; 10,000 rows each, 400 "
        "labels. Last column: the factor that the result itself names as noticed in about half of the samples or more (median, "
        "where labels are random).",
        "",
        *evidence.table(["populations", "scenario", *ratios, "said to be noticed"], by_ratio),
        "## Classes that change",
        "",
        "Labels are random, and negatives lie further up by so many standard deviations from one population to the "
        "next (single training set). Left the test of the labels, whose rejections are false alarms; right that of the "
        "classes by the unlabeled rows alone, which needs three populations.",
        "",
        *evidence.table(
            ["populations", *(f"labels, {s:g}" for s in SHIFTS), *(f"classes, {s:g}" for s in SHIFTS)], by_shift
        ),
    ]  # fmt: skip
    path.write_text("\n".join(lines), encoding="utf-8")


if __name__ == "__main__":
    given = sys.argv[1:]
    main(*given[:1], *(float(x) for x in given[1:2]))
