"""The command line: parse, read, estimate, print. Heavy modules load only when needed."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from puremetrics.table import ScoreTable

__all__ = ["main"]

_EXAMPLES = """\
examples:
  puremetrics demo
  puremetrics evaluate scores.csv --label y --score p --scenario single_training_set --prior 0.12
  puremetrics evaluate scores.parquet --label clicked --score model_a --score model_b \\
      --scenario case_control --prior 0.05:0.10 --threshold 0.5 --json out.json
  puremetrics prior scores.csv --label y --score p --scenario case_control
  puremetrics compare scores.csv --label y --score a --score b --scenario case_control --prior 0.1
"""
_SCENARIO_HELP = (
    "case_control (unlabeled rows sampled from the population, positives separately) or "
    "single_training_set (one sample, some of its positives labelled)"
)


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
        sys.stdout = None
        return 0
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        print(f"puremetrics: {where}{error.strerror or error}", file=sys.stderr)
        return 2


def _parser() -> argparse.ArgumentParser:
    texts: dict[str, Any] = {
        "epilog": _EXAMPLES,
        "formatter_class": argparse.RawDescriptionHelpFormatter,
    }
    parser = argparse.ArgumentParser(
        prog="puremetrics",
        description="How good is a binary classifier if the only labels are positive and unlabeled?",
        **texts,
    )
    commands = parser.add_subparsers(dest="command", metavar="COMMAND")
    evaluate = commands.add_parser(
        "evaluate", help="one honest picture of the scores in a file", **texts
    )
    _add_input(evaluate)
    _add_prior(evaluate)
    evaluate.add_argument("--threshold", type=float, metavar="T", help="operating point score >= T")
    evaluate.add_argument(
        "--objective",
        default="f1",
        metavar="M",
        help="metric to choose the threshold by (default f1)",
    )
    evaluate.set_defaults(run=_evaluate)
    prior = commands.add_parser("prior", help="estimate the share of positives", **texts)
    _add_input(prior)
    prior.add_argument("--method", default="combined", metavar="M", help="default: combined")
    prior.set_defaults(run=_prior)
    compare = commands.add_parser("compare", help="compare models on the same rows", **texts)
    _add_input(compare)
    _add_prior(compare)
    compare.add_argument(
        "--statistic", default="roc_auc", metavar="M", help="roc_auc, average_precision or a metric"
    )
    compare.add_argument("--threshold", type=float, metavar="T", help="for a metric: score >= T")
    compare.set_defaults(run=_compare)
    demo = commands.add_parser("demo", help="the main job on demo data, beside the hidden truth")
    demo.set_defaults(run=_demo)
    return parser


def _add_input(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", help="CSV, Parquet or JSON lines")
    parser.add_argument("--label", required=True, metavar="COL", help="label column")
    parser.add_argument(
        "--score", required=True, metavar="COL", action="append", help="score column; repeatable"
    )
    parser.add_argument("--scenario", required=True, metavar="S", help=_SCENARIO_HELP)
    parser.add_argument("--pos-label", default="1", metavar="V", help="marks positives (default 1)")
    parser.add_argument(
        "--unlabeled-label",
        default="0",
        metavar="V",
        help="marks unlabeled rows (default 0); 'missing' for empty cells",
    )
    parser.add_argument("--neg-label", metavar="V", help="marks known negatives")
    parser.add_argument(
        "--level", type=float, default=0.95, metavar="L", help="confidence level (default 0.95)"
    )
    parser.add_argument("--json", metavar="FILE", help="write all results; - for standard output")


def _add_prior(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--prior", metavar="P", help="share of positives: 0.12, or LOW:HIGH; estimated if left out"
    )
    parser.add_argument(
        "--purity",
        type=float,
        default=1.0,
        metavar="B",
        help="share of true positives among the labelled (default 1)",
    )


def _evaluate(options: argparse.Namespace) -> int:
    from puremetrics.evaluation import evaluate

    given = _parse_prior(options.prior)
    result = evaluate(
        _tables(options),
        prior=given,
        purity=options.purity,
        threshold=options.threshold,
        objective=options.objective,
        confidence_level=options.level,
    )
    _deliver(options, result.to_dict(), str(result))
    return 0


def _prior(options: argparse.Namespace) -> int:
    from puremetrics.priors import estimate_prior

    results = {
        name: estimate_prior(table, method=options.method, confidence_level=options.level, rng=0)
        for name, table in _tables(options).items()
    }
    content = {"schema_version": 1, "priors": {name: e.to_dict() for name, e in results.items()}}
    _deliver(options, content, "\n".join(f"{name}: {e}" for name, e in results.items()))
    return 0


def _compare(options: argparse.Namespace) -> int:
    from puremetrics.comparison import compare
    from puremetrics.joint import JointTable
    from puremetrics.priors import estimate_prior

    labels, columns, marks = _columns(options)
    joint = JointTable.from_arrays(labels, columns, scenario=options.scenario, **marks)
    prior = _parse_prior(options.prior)
    if prior is None and next(iter(joint.tables.values())).total_unl > 0:
        prior = estimate_prior(
            next(iter(joint.tables.values())), confidence_level=options.level, rng=0
        )
        print(f"prior estimated from {next(iter(joint))}: {prior}", file=sys.stderr)
    result = compare(
        joint,
        statistic=options.statistic,
        prior=prior,
        purity=options.purity,
        threshold=options.threshold,
        confidence_level=options.level,
        rng=0,
    )
    content = {
        "schema_version": 1,
        "statistic": result.statistic,
        "estimates": {name: e.to_dict() for name, e in result.estimates.items()},
        "differences": [asdict(difference) for difference in result.differences],
    }
    _deliver(options, content, f"{joint}\n{result}")
    return 0


def _demo(options: argparse.Namespace) -> int:
    from puremetrics.datasets import load_demo
    from puremetrics.evaluation import evaluate
    from puremetrics.table import ScoreTable

    demo = load_demo()
    tables = {
        name: ScoreTable.from_arrays(demo["reported"], demo[name], scenario="single_training_set")
        for name in ("forest", "words")
    }
    prior = float(demo["spam"].mean())
    result = evaluate(tables, prior=prior)
    print("Spam nobody reported: 4 601 messages, a random 30 % of the spam carries a label.")
    print("What the labels say of two spam filters:\n")
    print(result)
    print("\nThe hidden truth beside it:")
    print(f"  {'':<10}{'':<24}{'naive':>8}{'corrected':>11}   {'95 % interval':<19}{'truth':>7}")
    for name, model in result.models.items():
        hidden = ScoreTable.from_arrays(
            demo["spam"], demo[name], scenario="single_training_set"
        ).unlabeled_as_negative()
        at = model.corrected["precision"].threshold
        truth = evaluate(hidden, threshold=at).models["model"].corrected
        for key, estimate in model.corrected.items():
            ends = estimate.interval
            span = f"{ends.low:.4f} to {ends.high:.4f}" if ends else ""
            print(
                f"  {name:<10}{estimate.title.split(' (')[0]:<24}{model.naive[key].value:>8.4f}"
                f"{estimate.value:>11.4f}   {span:<19}{truth[key].value:>7.4f}"
            )
    return 0


def _tables(options: argparse.Namespace) -> dict[str, ScoreTable]:
    from puremetrics.table import ScoreTable

    labels, columns, marks = _columns(options)
    return {
        name: ScoreTable.from_arrays(labels, column, scenario=options.scenario, **marks)
        for name, column in columns.items()
    }


def _columns(options: argparse.Namespace) -> tuple[Any, dict[str, Any], dict[str, Any]]:
    from puremetrics._validation import check_scenario
    from puremetrics.io.files import read_columns

    check_scenario(options.scenario)
    columns = read_columns(options.file, [options.label, *options.score])
    labels = columns[options.label]
    return labels, {name: columns[name] for name in options.score}, _labels(labels, options)


def _deliver(options: argparse.Namespace, content: dict[str, Any], page: str) -> None:
    """Write the JSON whole or not at all, and print the page unless JSON goes to standard output."""
    if options.json is not None:
        from puremetrics.results import json_ready

        text = json.dumps(json_ready(content), indent=1, allow_nan=False) + "\n"
        if options.json == "-":
            sys.stdout.write(text)
            return
        from puremetrics.io.files import write_text

        write_text(options.json, text)
    print(page)


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

    values = np.asarray(column)
    given = {
        "pos_label": options.pos_label,
        "unlabeled_label": options.unlabeled_label,
        "neg_label": options.neg_label,
    }
    return {name: _typed(value, values) for name, value in given.items()}


def _typed(text: str | None, values: Any) -> Any:
    """The value of the column that a word on the command line means."""
    if text is None or text == "missing":
        return None
    kind = values.dtype.kind
    if kind == "O":  # text, or anything with empty cells
        present = {value for value in values[:100_000].tolist() if value is not None}
        same = [value for value in present if str(value).lower() == text.lower()]
        if same:
            return same[0]
        kind = "U" if any(isinstance(value, str) for value in present) else "f"
    if kind not in "biuf":
        return text
    words = {"true": 1.0, "false": 0.0}
    try:
        return words[text.lower()] if text.lower() in words else float(text)
    except ValueError:
        return text


if __name__ == "__main__":
    sys.exit(main())
