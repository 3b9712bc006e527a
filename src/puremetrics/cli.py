"""The command line: parse, read, estimate, print. Heavy modules load only when needed."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from puremetrics.results import Estimate
    from puremetrics.table import ScoreTable

__all__ = ["main"]

_EXAMPLES = """\
examples:
  puremetrics demo
  puremetrics evaluate scores.csv --label y --score p --scenario single_training_set --prior 0.12
  puremetrics evaluate scores.parquet --label clicked --score model_a --score model_b \\
      --scenario case_control --prior 0.05:0.10 --threshold 0.5 --json out.json
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; return the exit code: 0 fine, 2 bad input or usage."""
    parser = _parser()
    options = parser.parse_args(argv)
    if options.command is None:
        parser.print_help()
        return 0
    from puremetrics.exceptions import PuremetricsError

    try:
        return int(options.run(options))
    except PuremetricsError as error:
        print(f"puremetrics: {error}", file=sys.stderr)
        return 2
    except BrokenPipeError:  # the reader, such as `head`, has seen enough
        sys.stdout = None  # type: ignore[assignment]
        return 0
    except OSError as error:
        print(f"puremetrics: {error.filename}: {error.strerror}", file=sys.stderr)
        return 2


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="puremetrics",
        description="How good is a binary classifier when the only labels are positive and unlabeled?",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    commands = parser.add_subparsers(dest="command", metavar="COMMAND")
    evaluate = commands.add_parser(
        "evaluate",
        help="naive and corrected metrics of the scores in a file",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    evaluate.add_argument("file", help="CSV, Parquet or JSON lines")
    evaluate.add_argument("--label", required=True, metavar="COL", help="label column")
    evaluate.add_argument(
        "--score", required=True, metavar="COL", action="append", help="score column; repeatable"
    )
    evaluate.add_argument(
        "--scenario",
        required=True,
        metavar="S",
        help="case_control (unlabeled rows sampled from the population, positives separately) or "
        "single_training_set (one sample, some of its positives labelled)",
    )
    evaluate.add_argument("--prior", metavar="P", help="share of positives: 0.12, or LOW:HIGH")
    evaluate.add_argument(
        "--purity",
        type=float,
        default=1.0,
        metavar="B",
        help="share of true positives among the labelled (default 1)",
    )
    evaluate.add_argument(
        "--threshold", type=float, metavar="T", help="also report metrics of the rule score >= T"
    )
    evaluate.add_argument("--pos-label", default="1", metavar="V")
    evaluate.add_argument(
        "--unlabeled-label",
        default="0",
        metavar="V",
        help="value that marks unlabeled rows; 'missing' for empty cells",
    )
    evaluate.add_argument("--neg-label", metavar="V", help="value that marks known negatives")
    evaluate.add_argument(
        "--level", type=float, default=0.95, metavar="L", help="confidence level (default 0.95)"
    )
    evaluate.add_argument("--json", metavar="FILE", help="write all results; - for standard output")
    evaluate.set_defaults(run=_evaluate)
    demo = commands.add_parser("demo", help="the same on demo data, beside the hidden truth")
    demo.set_defaults(run=_demo)
    return parser


def _evaluate(options: argparse.Namespace) -> int:
    from puremetrics.io.files import read_columns
    from puremetrics.table import ScoreTable

    prior = _parse_prior(options.prior)
    columns = read_columns(options.file, [options.label, *options.score])
    labels = columns[options.label]
    marks = _labels(labels, options)
    tables = {
        name: ScoreTable.from_arrays(labels, columns[name], scenario=options.scenario, **marks)
        for name in options.score
    }
    results = {
        name: _results(table, prior, options.purity, options.level, options.threshold)
        for name, table in tables.items()
    }
    if options.json is not None:
        _write_json(tables, results, options.json)
    if options.json != "-":
        for name, table in tables.items():
            print(f"{options.file}, {name}: {table}")
            print(_page(results[name]))
    return 0


def _demo(options: argparse.Namespace) -> int:
    from puremetrics.datasets import load_demo
    from puremetrics.table import ScoreTable

    demo = load_demo()
    prior = float(demo["spam"].mean())
    print("Spam nobody reported: 4 601 messages, a random 30 % of the spam carries a label.")
    print(
        f"Scores of two filters; prior {prior:.3f}. The hidden truth stands beside the estimate.\n"
    )
    for name in ("forest", "words"):
        table = ScoreTable.from_arrays(demo["reported"], demo[name], scenario="single_training_set")
        truth = ScoreTable.from_arrays(
            demo["spam"], demo[name], scenario="single_training_set"
        ).unlabeled_as_negative()
        print(f"{name}: {table}")
        hidden = {key: both[1].value for key, both in _results(truth, None, 1.0, 0.95, 0.2).items()}
        print(_page(_results(table, prior, 1.0, 0.95, 0.2), hidden))
    return 0


_AT_THRESHOLD = ("precision", "recall", "specificity", "f1", "accuracy", "mcc")


def _results(
    table: ScoreTable, prior: Any, purity: float, level: float, threshold: float | None
) -> dict[str, tuple[Estimate, Estimate]]:
    """Naive and corrected estimates by name."""
    from puremetrics.confusion import metric
    from puremetrics.correction import average_precision, roc_auc

    naive = table.unlabeled_as_negative()
    results = {}
    for function in (roc_auc, average_precision):
        corrected = function(table, prior=prior, purity=purity, confidence_level=level)
        results[corrected.name] = function(naive, prior=None, confidence_level=level), corrected
    if threshold is None:
        return results
    for name in _AT_THRESHOLD:
        results[name] = (
            metric(naive, name, threshold=threshold, prior=None, confidence_level=level),
            metric(
                table, name, threshold=threshold, prior=prior, purity=purity, confidence_level=level
            ),
        )
    return results


def _page(
    results: dict[str, tuple[Estimate, Estimate]], hidden: dict[str, float] | None = None
) -> str:
    corrected = [both[1] for both in results.values()]
    level = 100 * corrected[0].interval.level if corrected[0].interval else 95
    head = f"  {'':<34}{'naive':>8}{'corrected':>11}   {f'{level:g} % interval':<20}"
    lines = [head + ("truth" if hidden else "")]
    for name, (naive, estimate) in results.items():
        at = "" if estimate.threshold is None else f", score >= {estimate.threshold:g}"
        title = estimate.title.split(" (")[0] + at
        ends = estimate.interval
        span = f"{ends.low:.4f} to {ends.high:.4f}" if ends else "undefined"
        line = f"  {title:<34}{naive.value:>8.4f}{estimate.value:>11.4f}   {span:<20}"
        lines.append(line + (f"{hidden[name]:.4f}" if hidden else ""))
    first = corrected[0]
    lines.append(
        f"  assumes prior {first.prior:.4g}, purity {first.purity:.4g}, labels given at random "
        f"({first.interval.kind if first.interval else 'no'} intervals)"
    )
    seen = {d.code: d for estimate in corrected for d in estimate.diagnostics}
    lines += [f"  {diagnostic}" for diagnostic in seen.values()]
    return "\n".join(lines) + "\n"


def _write_json(
    tables: dict[str, ScoreTable],
    results: dict[str, dict[str, tuple[Estimate, Estimate]]],
    target: str,
) -> None:
    content = {
        "version": 1,
        "models": {
            name: {
                "rows": table.total,
                "positive": table.total_pos,
                "unlabeled": table.total_unl,
                "negative": table.total_neg,
                "scenario": table.scenario,
                "naive": {key: both[0].to_dict() for key, both in results[name].items()},
                "corrected": {key: both[1].to_dict() for key, both in results[name].items()},
            }
            for name, table in tables.items()
        },
    }
    text = json.dumps(content, indent=1) + "\n"
    if target == "-":
        sys.stdout.write(text)
        return
    from puremetrics.io.files import write_text

    write_text(target, text)


def _parse_prior(text: str | None) -> Any:
    from puremetrics.exceptions import PriorError

    if text is None:
        return None
    try:
        parts = [float(part) for part in text.split(":")]
    except ValueError:
        parts = []
    if len(parts) == 1:
        return parts[0]
    if len(parts) == 2:
        return (parts[0], parts[1])
    raise PriorError(
        f"--prior {text} is neither a number such as 0.12 nor a range such as 0.1:0.15."
    )


def _labels(column: Any, options: argparse.Namespace) -> dict[str, Any]:
    """Label values in the type of the column: the command line knows only text."""
    import numpy as np

    kind = np.asarray(column).dtype.kind
    given = {
        "pos_label": options.pos_label,
        "unlabeled_label": options.unlabeled_label,
        "neg_label": options.neg_label,
    }
    return {name: _typed(value, kind) for name, value in given.items()}


def _typed(value: str | None, kind: str) -> Any:
    if value is None or value == "missing":
        return None
    if kind in "biuf":
        words = {"true": 1.0, "false": 0.0}
        try:
            number = words.get(value.lower())
            return float(value) if number is None else number
        except ValueError:
            return value
    return value


if __name__ == "__main__":
    sys.exit(main())
