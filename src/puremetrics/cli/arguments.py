"""What the command line takes. Loads nothing but argparse: ``--help`` must be quick."""

from __future__ import annotations

import argparse
from typing import Any

__all__ = ["make_parser"]

_EXAMPLES = """\
examples:
  puremetrics demo
  puremetrics evaluate scores.csv --label y --score p --scenario single_training_set -o report.html
  puremetrics evaluate 'scores/2026-*.parquet' --label clicked --score model_a --score model_b \\
      --scenario case_control --prior 0.05:0.10 --where "country = 'NL'" --json out.json
  puremetrics evaluate log.parquet --label y --score p --scenario case_control --by month -o drift.html
  puremetrics prior scores.csv --label y --score p --scenario case_control
  puremetrics compare scores.csv --label y --score a --score b --scenario case_control --prior 0.1
  puremetrics evaluate scores.csv --label y --score p --scenario case_control --prior 0.1 --top 100
  puremetrics evaluate scores.csv --label y --score p --scenario case_control --json - | jq .models
  puremetrics audit plan scores.csv --label y --score p --scenario case_control --threshold 0.5 \\
      --budget 200 --id patient -o to_check.csv
  puremetrics evaluate scores.csv --label y --score p --scenario case_control --audit to_check.csv
"""
_SCENARIO_HELP = (
    "case_control (unlabeled rows sampled from the population, positives separately) or "
    "single_training_set (one sample, some of its positives labelled)"
)
_SCAN_HELP = "count in two passes without loading the rows; by itself above 2 GB"


def make_parser() -> argparse.ArgumentParser:
    """Return the parser; ``options.command`` names the function of `cli.commands` to run."""
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
    add = evaluate.add_argument
    add("--threshold", type=float, metavar="T", help="operating point score >= T")
    add("--objective", default="f1", metavar="M", help="chooses the threshold (default f1)")
    add(
        "--top",
        type=_rows,
        metavar="K",
        help="tell what checking the K best unlabeled rows would find",
    )
    add("-o", "--output", metavar="FILE", help="write a self-contained HTML report")
    add("--title", metavar="TEXT", help="title of the report")
    add("--by", metavar="COL", help="one table per value of this column, and their drift")
    add("--scan", action="store_true", help=_SCAN_HELP)
    add("--checkpoint", metavar="DIR", help="keep counts of finished files there, to resume")
    add("--audit", metavar="FILE", help="answers in a sheet that 'audit plan' wrote")
    add("--audit-plan", metavar="FILE", help="its plan (default: beside it, FILE.plan.json)")
    add("--sequential", action="store_true", help="you look while answers come in, and may stop")
    add(
        "--until-width",
        type=float,
        metavar="W",
        help="the same, and say whether the interval of what was planned for is at most W wide",
    )
    _add_audit(commands, texts)
    prior = commands.add_parser("prior", help="estimate the share of positives", **texts)
    _add_input(prior)
    _add_purity(prior)
    prior.add_argument("--method", default="combined", metavar="M", help="default: combined")
    compare = commands.add_parser("compare", help="compare models on the same rows", **texts)
    _add_input(compare)
    _add_prior(compare)
    compare.add_argument(
        "--statistic", default="roc_auc", metavar="M", help="roc_auc, average_precision or a metric"
    )
    compare.add_argument("--threshold", type=float, metavar="T", help="for a metric: score >= T")
    compare.add_argument(
        "--top",
        type=_rows,
        metavar="K",
        help="in its place: the first K rows, or a share such as 0.01",
    )
    demo = commands.add_parser("demo", help="the main job on demo data, beside the hidden truth")
    demo.add_argument("-o", "--output", metavar="FILE", help="write the HTML report too")
    return parser


def _rows(text: str) -> float:
    """A number of rows, or a share of them: 100 is not 1.0."""
    return int(text) if text.strip().isdigit() else float(text)


def _add_audit(commands: Any, texts: dict[str, Any]) -> None:
    audit = commands.add_parser("audit", help="choose rows to check by hand", **texts)
    actions = audit.add_subparsers(dest="action", metavar="ACTION", required=True)
    plan = actions.add_parser("plan", help="write a sheet of rows to check", **texts)
    _add_input(plan)
    add = plan.add_argument
    add("--budget", type=int, required=True, metavar="N", help="how many rows can be checked")
    add("--target", default="f1", metavar="M", help="what is to become known (default f1)")
    add("--threshold", type=float, metavar="T", help="for precision, recall and f1: score >= T")
    add("--prior", metavar="P", help="a guess of the share of positives; estimated if left out")
    add("-o", "--output", required=True, metavar="FILE", help="the sheet, as CSV")
    add("--id", action="append", metavar="COL", help="column to keep in the sheet; repeatable")
    add("--seed", type=int, default=0, metavar="N", help="the same seed draws the same rows")
    add("--show-scores", action="store_true", help="write scores into the sheet: not blind")
    add("--scan", action="store_true", help=_SCAN_HELP)
    add("--force", action="store_true", help="replace a sheet that is there already")


def _add_input(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("file", nargs="+", help="CSV, Parquet, JSON lines or Arrow files, or patterns of them")
    add("--label", required=True, metavar="COL", help="label column")
    add("--score", required=True, metavar="COL", action="append", help="score column; repeatable")
    add("--scenario", required=True, metavar="S", help=_SCENARIO_HELP)
    add("--pos-label", default="1", metavar="V", help="marks positives (default 1)")
    add(
        "--unlabeled-label",
        default="0",
        metavar="V",
        help="marks unlabeled rows (default 0); 'missing' for empty cells",
    )
    add("--neg-label", metavar="V", help="marks known negatives")
    add("--propensity", metavar="COL", help="chance of each labelled row to be labelled")
    add(
        "--groups",
        metavar="COL",
        help="rows with the same value belong together, such as a patient",
    )
    add("--where", metavar="SQL", help='only rows for which this holds, such as "month >= 3"')
    add("--level", type=float, default=0.95, metavar="L", help="confidence level (default 0.95)")
    add("--json", metavar="FILE", help="write all results; - for standard output")
    add("--no-progress", action="store_true", help="no progress bar, even on a terminal")


def _add_prior(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("--prior", metavar="P", help="share of positives: 0.12, or LOW:HIGH; estimated if left out")
    add(
        "--label-bias",
        type=float,
        default=1.0,
        metavar="G",
        help="how many times as likely to be labelled some positives may be as others (in a single training "
        "set: times the odds; default 1)",
    )
    add(
        "--label-bias-side",
        default="either",
        metavar="S",
        help="high or low, if labels are known to favour such scores (default either)",
    )
    _add_purity(parser)


def _add_purity(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--purity",
        metavar="B",
        help="share of true positives among the labelled: 0.9, or LOW:HIGH (default 1)",
    )
