"""What the command line takes. Loads nothing but argparse: ``--help`` must be quick.

No flag has a default here: what was left out is None, so that a settings file can fill it in, and then
`DEFAULTS`.
"""

from __future__ import annotations

import argparse
from typing import Any

from puremetrics.cli.choices import CHOICES, METHODS, METRICS, STATISTICS, TARGETS, told
from puremetrics.cli.parsing import Parser, number, one_of, rows, whole

__all__ = ["DEFAULTS", "NEEDED", "make_parser"]

DEFAULTS: dict[str, Any] = {
    "objective": "f1",
    "method": "combined",
    "statistic": "roc_auc",
    "target": "f1",
    "label_bias": 1.0,
    "label_bias_side": "either",
    "level": 0.95,
    "seed": 0,
}
NEEDED = {
    "label": "the column that marks labelled positives",
    "score": "the column with the scores of a model",
    "scenario": "how the rows came about: case_control (unlabeled rows sampled from the population, "
    "positives collected separately) or single_training_set (one sample, some of its positives labelled)",
    "budget": "how many rows can be checked",
    "output": "the name of the sheet to write",
}
_EXAMPLES = """\
examples:
  puremetrics demo
  puremetrics evaluate scores.csv --label y --score p \\
      --scenario single_training_set -o report.html
  puremetrics evaluate 'scores/2026-*.parquet' --label clicked --score model_a \\
      --score model_b --scenario case_control --prior 0.05:0.10 \\
      --where "country = 'NL'" --json out.json
  puremetrics evaluate log.parquet --label y --score p \\
      --scenario case_control --by month -o drift.html
  puremetrics prior scores.csv --label y --score p --scenario case_control
  puremetrics compare scores.csv --label y --score a --score b \\
      --scenario case_control --prior 0.1
  puremetrics evaluate scores.csv --label y --score p \\
      --scenario case_control --prior 0.1 --top 100
  puremetrics evaluate scores.csv --label y --score p \\
      --scenario case_control --json - | jq .models
  puremetrics evaluate scores.csv --label y --score p \\
      --scenario case_control --fail-if "roc_auc.low < 0.8" \\
      --markdown summary.md
  puremetrics audit plan scores.csv --label y --score p \\
      --scenario case_control --threshold 0.5 --budget 200 --id patient \\
      -o to_check.csv
  puremetrics evaluate scores.csv --label y --score p \\
      --scenario case_control --audit to_check.csv

exit codes: 0 done; 2 wrong line, settings or file; 3 a gate failed
(--fail-if, --fail-if-worse-than); 130 interrupted
"""
_SCENARIO_HELP = (
    "case_control (unlabeled rows sampled from the population, positives separately) or "
    "single_training_set (one sample, some of its positives labelled)"
)
_SCAN_HELP = "count in two passes without loading the rows; by itself above 2 GB"


def make_parser() -> Parser:
    """Return the parser; ``options.command`` names the function of `cli.commands` to run."""
    texts: dict[str, Any] = {
        "epilog": _EXAMPLES,
        "formatter_class": argparse.RawDescriptionHelpFormatter,
    }
    parser = Parser(
        prog="puremetrics",
        description="How good is a binary classifier if the only labels are positive and unlabeled?",
        **texts,
    )
    parser.add_argument("--version", action="store_true", help="tell the version and end")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", parser_class=Parser)
    _add_evaluate(commands, _epilog(texts, told("--objective", METRICS)))
    _add_audit(commands, texts, _epilog(texts, told("--target", TARGETS)))
    prior = commands.add_parser(
        "prior",
        help="estimate the share of positives",
        **_epilog(texts, told("--method", METHODS)),
    )
    _add_input(prior)
    _add_purity(prior)
    prior.add_argument("--method", type=one_of("method", CHOICES["method"]), metavar="M",
                       help="how to estimate (default combined); see the end")  # fmt: skip
    _add_compare(
        commands,
        _epilog(texts, told("--statistic", STATISTICS) + "\n" + told("any metric", METRICS)),
    )
    demo = commands.add_parser("demo", help="the main job on demo data, beside the hidden truth")
    demo.add_argument("-o", "--output", metavar="FILE", help="write the HTML report too")
    return parser


def _epilog(texts: dict[str, Any], values: str) -> dict[str, Any]:
    return {**texts, "epilog": f"{values}\n{texts['epilog']}"}


def _add_evaluate(commands: Any, texts: dict[str, Any]) -> None:
    evaluate = commands.add_parser(
        "evaluate", help="one honest picture of the scores in a file", **texts
    )
    _add_input(evaluate)
    _add_prior(evaluate)
    add = evaluate.add_argument
    add("--threshold", type=number, metavar="T", help="operating point score >= T")
    add("--objective", type=one_of("objective", CHOICES["objective"]), metavar="M",
        help="chooses the threshold (default f1); see the end")  # fmt: skip
    add("--top", type=rows, metavar="K",
        help="tell what checking the K best unlabeled rows would find")  # fmt: skip
    _add_outputs(evaluate)
    add("--verbose", action="store_true", default=None, help="print all figures and remarks")
    add("--by", metavar="COL", help="one table per value of this column, and their drift")
    add("--scan", action="store_true", default=None, help=_SCAN_HELP)
    add("--checkpoint", metavar="DIR", help="keep counts of finished files there, to resume")
    add("--audit", metavar="FILE", help="answers in a sheet that 'audit plan' wrote")
    add("--audit-plan", metavar="FILE", help="its plan (default: beside it, FILE.plan.json)")
    add("--sequential", action="store_true", default=None,
        help="you look while answers come in, and may stop")  # fmt: skip
    add("--until-width", type=number, metavar="W",
        help="the same, and say whether the interval of what was planned for is at most W wide")  # fmt: skip
    add("--fail-if", action="append", metavar="RULE",
        help="end with exit code 3 if this holds of some model, such as \"roc_auc.low < 0.8\"; "
        "repeatable")  # fmt: skip


def _add_compare(commands: Any, texts: dict[str, Any]) -> None:
    compare = commands.add_parser("compare", help="compare models on the same rows", **texts)
    _add_input(compare)
    _add_prior(compare)
    add = compare.add_argument
    add("--statistic", type=one_of("statistic", CHOICES["statistic"]), metavar="M",
        help="what to compare by (default roc_auc); see the end")  # fmt: skip
    add("--threshold", type=number, metavar="T", help="for a metric: score >= T")
    add("--top", type=rows, metavar="K",
        help="in its place: the first K rows, or a share such as 0.01")  # fmt: skip
    _add_outputs(compare)
    add("--fail-if-worse-than", metavar="NAME",
        help="end with exit code 3 if another model is significantly worse than the model NAME")  # fmt: skip


def _add_outputs(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("-o", "--output", metavar="FILE", help="write a self-contained HTML report")
    add("--title", metavar="TEXT", help="title of the report")
    add("--markdown", metavar="FILE", help="write a short summary, such as for a pull request")


def _add_audit(commands: Any, texts: dict[str, Any], plan_texts: dict[str, Any]) -> None:
    audit = commands.add_parser("audit", help="choose rows to check by hand", **texts)
    actions = audit.add_subparsers(
        dest="action", metavar="ACTION", required=True, parser_class=Parser
    )
    plan = actions.add_parser("plan", help="write a sheet of rows to check", **plan_texts)
    _add_input(plan)
    add = plan.add_argument
    add("--budget", type=whole, metavar="N", help="how many rows can be checked (needed)")
    add("--target", type=one_of("target", CHOICES["target"]), metavar="M",
        help="what is to become known (default f1); see the end")  # fmt: skip
    add("--threshold", type=number, metavar="T", help="for precision, recall and f1: score >= T")
    add("--prior", metavar="P", help="a guess of the share of positives; estimated if left out")
    add("-o", "--output", metavar="FILE", help="the sheet, as CSV (needed)")
    add("--id", action="append", metavar="COL", help="column to keep in the sheet; repeatable")
    add("--seed", type=whole, metavar="N", help="the same seed draws the same rows (default 0)")
    add("--show-scores", action="store_true", default=None,
        help="write scores into the sheet: not blind")  # fmt: skip
    add("--scan", action="store_true", default=None, help=_SCAN_HELP)
    add("--force", action="store_true", default=None, help="replace a sheet that is there already")


def _add_input(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("file", nargs="+", help="CSV, Parquet, JSON lines, Arrow or Excel files, packed by gzip or "
        "zstd or not, folders or patterns of them; - for standard input")  # fmt: skip
    add("--label", metavar="COL", help="label column (needed)")
    add("--score", metavar="COL", action="append", help="score column (needed); repeatable")
    add("--scenario", type=one_of("scenario", CHOICES["scenario"]), metavar="S",
        help=f"{_SCENARIO_HELP} (needed)")  # fmt: skip
    add("--pos-label", metavar="V", help="marks positives (default 1)")
    add("--unlabeled-label", metavar="V",
        help="marks unlabeled rows; 'missing' for empty cells (default: empty cells if the column holds "
        "nothing else besides the other labels, otherwise 0)")  # fmt: skip
    add("--neg-label", metavar="V", help="marks known negatives")
    add("--propensity", metavar="COL", help="chance of each labelled row to be labelled")
    add("--groups", metavar="COL",
        help="rows with the same value belong together, such as a patient")  # fmt: skip
    add("--where", metavar="SQL", help='only rows for which this holds, such as "month >= 3"')
    add("--level", type=number, metavar="L", help="confidence level (default 0.95)")
    add("--json", metavar="FILE", help="write all results; - for standard output")
    add("--no-progress", action="store_true", default=None,
        help="no progress bar, even on a terminal")  # fmt: skip
    add("--no-settings", action="store_true", default=None,
        help="do not read puremetrics.toml or [tool.puremetrics] in pyproject.toml")  # fmt: skip


def _add_prior(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("--prior", metavar="P", help="share of positives: 0.12, or LOW:HIGH; estimated if left out")
    add("--label-bias", type=number, metavar="G",
        help="how many times as likely to be labelled some positives may be as others (in a single "
        "training set: times the odds; default 1)")  # fmt: skip
    add("--label-bias-side", type=one_of("side", CHOICES["label_bias_side"]), metavar="S",
        help="high or low, if labels are known to favour such scores (default either)")  # fmt: skip
    _add_purity(parser)


def _add_purity(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--purity",
        metavar="B",
        help="share of true positives among the labelled: 0.9, or LOW:HIGH (default 1)",
    )
