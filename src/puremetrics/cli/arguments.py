"""What the command line takes. Loads nothing but argparse: ``--help`` must be quick.

Complaints of the `Parser` are sentences, and so are those of the types of what flags take. Words that flags
take are written out here by topic, as ``--help`` shows them, since it loads no library; a test compares them
with what the library knows.

No flag has a default here: what was left out is None, so that a settings file can fill it in, and then
`DEFAULTS`.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

from puremetrics.checking.spelling import did_you_mean

__all__ = [
    "ALIASES",
    "CHOICES",
    "DEFAULTS",
    "METHODS",
    "METRICS",
    "NEEDED",
    "SCENARIOS",
    "SIDES",
    "STATISTICS",
    "TARGETS",
    "Parser",
    "WrongLine",
    "check_words",
    "make_parser",
    "number",
    "one_of",
    "parsers_of",
    "rows",
    "values_text",
    "whole",
]


Grouped = dict[str, tuple[str, ...]]

METRICS: Grouped = {
    "one kind of error": (
        "precision", "recall", "specificity", "npv", "fpr", "fnr", "fdr",
        "positive_likelihood_ratio", "negative_likelihood_ratio",
    ),
    "both together": (
        "f1", "fbeta", "accuracy", "balanced_accuracy", "mcc", "informedness", "markedness", "jaccard",
        "cohen_kappa", "geometric_mean", "lee_liu", "pseudo_f",
    ),
    "use of the list": ("lift", "predicted_positive_rate", "expected_cost", "net_benefit"),
}  # fmt: skip
ALIASES = ("tpr", "sensitivity", "tnr", "ppv", "matthews_corrcoef", "youden", "f1_score")
STATISTICS: Grouped = {
    "whole ranking": (
        "roc_auc",
        "average_precision",
        "pulp",
        "mean_f1",
        "mean_mutual_information",
        "mean_pearson",
        "rie",
        "bedroc",
        "ndcg",
    ),
    "probabilities": (
        "brier_score",
        "log_loss",
        "calibration_error",
        "discrimination_slope",
    ),
    "first rows, with --top": ("enrichment_factor", "any metric"),
    "with --threshold": ("any metric",),
}
METHODS: Grouped = {
    "default": ("combined",),
    "noisy labels": ("combined_n", "alphamax_n"),
    "others": ("alphamax", "best_bin", "slope", "dedpul"),
    "calibrated scores": ("elkan_noto", "elkan_noto_e2", "elkan_noto_e3"),
}
TARGETS: Grouped = {
    "with --threshold": ("precision", "recall", "f1"),
    "whole ranking": ("roc_auc", "average_precision"),
    "share of positives": ("prior",),
}
SCENARIOS = ("case_control", "single_training_set")
SIDES = ("either", "high", "low")


def _flat(groups: Grouped) -> tuple[str, ...]:
    return tuple(word for words in groups.values() for word in words if " " not in word)


CHOICES: dict[str, tuple[str, ...]] = {
    "scenario": SCENARIOS,
    "objective": (*_flat(METRICS), *ALIASES),
    "statistic": (*_flat(STATISTICS), *_flat(METRICS), *ALIASES),
    "method": _flat(METHODS),
    "target": _flat(TARGETS),
    "label_bias_side": SIDES,
}


def values_text(flag: str, groups: Grouped) -> str:
    """The values of a flag for the end of ``--help``, in lines of at most 80 characters."""
    import textwrap

    lines = [f"values of {flag}:"]
    for name, words in groups.items():
        text = f"{name}: {', '.join(words)}"
        lines += textwrap.wrap(
            text, 78, initial_indent="  ", subsequent_indent="    ", break_on_hyphens=False
        )
    return "\n".join(lines) + "\n"


_COMMA = re.compile(r"[-+]?\d*,\d+")
_PERCENT = re.compile(r"([-+]?[\d.,]+)\s*%")


class WrongLine(Exception):  # noqa: N818 (what it holds is a sentence for the terminal)
    """A command line that cannot be understood; holds the sentence that says why."""


class Parser(argparse.ArgumentParser):
    """argparse, except that a mistake raises `WrongLine`, with one sentence in place of the usage."""

    def error(self, message: str) -> NoReturn:
        """Raise the sentence for what argparse found."""
        raise WrongLine(f"{_sentence(message)} See {self.prog} --help.")


def _sentence(message: str) -> str:
    lacks = re.fullmatch(r"the following arguments are required: (.*)", message)
    if lacks:
        what = {"file": "the name of a file with scores", "ACTION": "an action, such as plan"}
        names = [what.get(name, name) for name in lacks[1].split(", ")]
        return f"The command needs {' and '.join(names)}."
    one = re.fullmatch(r"argument (\S+): expected one argument", message)
    if one:
        flag = one[1].rpartition("/")[2]
        return f"{flag} needs a value, but none follows it. Write a value that begins with - as {flag}=VALUE."
    several = re.fullmatch(r"argument file: expected at least one argument", message)
    if several:
        return "The command needs the name of a file with scores."
    placed = re.fullmatch(r"unrecognized arguments: (.*)", message)
    if placed:
        return (
            f"{placed[1].split()[0]!r} does not belong to a flag. A flag takes one value: repeat the flag "
            "for each value, as in --score a --score b. Name all files together, right after the command, "
            "and put quotation marks around a value that contains a space."
        )
    text = re.sub(r"^argument (?:\S+/)?(\S+?): ", r"\1 ", message)
    return text[:1].upper() + text[1:] + ("" if text.endswith((".", "?")) else ".")


def check_words(parser: Parser, argv: Sequence[str]) -> None:
    """Raise for the first word that is neither a command nor a flag of it, with what was probably meant.

    argparse would complain first of what is missing, which is what the misspelled word was meant to be.
    """
    used, words = parser, list(argv)
    while (chosen := _commands(used)) is not None:
        place = next((i for i, word in enumerate(words) if not word.startswith("-")), None)
        if place is None:
            break
        word = words.pop(place)
        if word not in chosen:
            known = ", ".join(chosen)
            raise WrongLine(
                f"There is no command {word!r}.{did_you_mean(word, chosen, '{}')} The commands are: {known}."
            )
        used = chosen[word]
    flags = [flag for action in used._actions for flag in action.option_strings]
    for word in words:
        if word == "--":
            return
        flag = word.partition("=")[0]
        if not flag.startswith("--") or any(known.startswith(flag) for known in flags):
            continue
        meant = did_you_mean(flag, [name for name in flags if name.startswith("--")], "{}")
        raise WrongLine(
            f"{used.prog} has no flag {flag}.{meant} Leave it out, or choose one that "
            f"{used.prog} --help lists."
        )


def parsers_of(parser: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    """The parsers of the commands that read files; those of actions together stand for their command."""
    found = {}
    for name, own in (_commands(parser) or {}).items():
        actions = _commands(own)
        chosen = own if actions is None else _together(list(actions.values()))
        if any(action.dest == "file" for action in chosen._actions):
            found[name] = chosen
    return found


def _together(parsers: list[Any]) -> argparse.ArgumentParser:
    """A parser with the flags of several."""
    made = Parser(add_help=False)
    for parser in parsers:
        known = {action.dest for action in made._actions}
        made._actions += [action for action in parser._actions if action.dest not in known]
    return made


def _commands(parser: argparse.ArgumentParser) -> dict[str, Any] | None:
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            return dict(action.choices)
    return None


def number(text: str) -> float:
    """A number with a decimal point."""
    try:
        return float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(_no_number(text)) from None


def whole(text: str) -> int:
    """A whole number."""
    try:
        return int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(
            f"{text!r} is not a whole number. Use a number such as 200."
        ) from None


def rows(text: str) -> float:
    """A number of rows, or a share of them: 100 is not 1.0."""
    return int(text) if text.strip().isdigit() else number(text)


def one_of(name: str, words: Sequence[str]) -> Callable[[str], str]:
    """The type of a flag that takes one of some words."""

    def chosen(text: str) -> str:
        if text in words:
            return text
        meant = did_you_mean(text, words, "{}")
        listed = "" if len(words) > 12 and meant else f" Pass one of: {', '.join(words)}."
        raise argparse.ArgumentTypeError(f"does not take {text!r}.{meant}{listed}")

    chosen.__name__ = name
    return chosen


def target(text: str) -> str:
    """What an audit is planned for: one that is listed, or any other statistic that the library knows."""
    return text if text in CHOICES["target"] else statistic(text)


def statistic(text: str) -> str:
    """The name of a statistic: one that is listed, or any other that the library knows."""
    if text in CHOICES["statistic"]:
        return text
    from puremetrics.statistics import names

    return one_of("statistic", (*CHOICES["statistic"], *names()))(text)


def _no_number(text: str) -> str:
    percent = _PERCENT.fullmatch(text.strip())
    if percent:
        try:
            share = f"{float(percent[1].replace(',', '.')) / 100:g}"
        except ValueError:
            share = "0.05"
        return f"{text!r} is a percentage. Use {share}."
    if _COMMA.fullmatch(text.strip()):
        point = text.strip().replace(",", ".")
        return f"{text!r} has a decimal comma. Use {point}."
    return f"{text!r} is not a number. Use a number such as 0.5."


DEFAULTS: dict[str, Any] = {
    "objective": "f1",
    "method": "combined",
    "statistic": "roc_auc",
    "target": "f1",
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
  puremetrics labels scores.csv --label y --score p \\
      --scenario case_control --by month
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
  puremetrics audit check to_check.csv --until-width 0.1
  puremetrics evaluate scores.csv --label y --score p \\
      --scenario case_control --audit checked.csv
  puremetrics evaluate cases.csv --label reported --label rule --score p \\
      --scenario single_training_set --checked outcome -o report.html

exit codes: 0 success; 2 wrong command line, settings or file; 3 a gate failed
(--fail-if, --fail-if-worse-than); 4 no figures, because the assumptions and
the data contradict each other; 130 interrupted
"""
_SCENARIO_HELP = (
    "case_control (unlabeled rows sampled from the population, positives separately) or "
    "single_training_set (one sample, some of its positives labelled)"
)
_SCAN_HELP = "count in two passes without loading the rows; automatic above 2 GB"


def make_parser() -> Parser:
    """Return the parser; ``options.command`` names the function of `cli.commands` to run."""
    texts: dict[str, Any] = {
        "epilog": _EXAMPLES,
        "formatter_class": argparse.RawDescriptionHelpFormatter,
    }
    parser = Parser(
        prog="puremetrics",
        description="How good is a binary classifier when only some of the positives are labelled?",
        **texts,
    )
    parser.add_argument("--version", action="store_true", help="show version and exit")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", parser_class=Parser)
    _add_evaluate(commands, _epilog(texts, values_text("--objective", METRICS)))
    _add_audit(commands, texts, _epilog(texts, values_text("--target", TARGETS)))
    prior = commands.add_parser(
        "prior",
        help="estimate the share of positives",
        **_epilog(texts, values_text("--method", METHODS)),
    )
    _add_input(prior)
    _add_purity(prior)
    _add_evidence(prior)
    prior.add_argument("--method", type=one_of("method", CHOICES["method"]), metavar="M",
                       help="how to estimate it (default combined); values listed below")  # fmt: skip
    _add_compare(
        commands,
        _epilog(
            texts,
            values_text("--statistic", STATISTICS) + "\n" + values_text("any metric", METRICS),
        ),
    )
    _add_labels(commands, texts)
    demo = commands.add_parser("demo", help="evaluate demo data, next to the hidden truth")
    demo.add_argument("-o", "--output", metavar="FILE", help="also write the HTML report")
    demo.add_argument("--audit", action="store_true",
                      help="show how rows are checked, on a page that answers by itself")  # fmt: skip
    _add_page(demo)
    return parser


def _epilog(texts: dict[str, Any], values: str) -> dict[str, Any]:
    return {**texts, "epilog": f"{values}\n{texts['epilog']}"}


def _add_evaluate(commands: Any, texts: dict[str, Any]) -> None:
    evaluate = commands.add_parser("evaluate", help="evaluate the scores in a file", **texts)
    _add_input(evaluate)
    _add_prior(evaluate)
    _add_evidence(evaluate)
    add = evaluate.add_argument
    add(
        "--threshold",
        type=number,
        metavar="T",
        help="flag rows with score >= T (default: the best threshold)",
    )
    add("--objective", type=one_of("objective", CHOICES["objective"]), metavar="M",
        help="metric to choose the threshold by (default f1); values listed below")  # fmt: skip
    add("--top", type=rows, metavar="K",
        help="show what checking the top K unlabeled rows would find")  # fmt: skip
    add("--also", type=statistic, action="append", metavar="M",
        help="also show this statistic, such as ndcg; repeatable")  # fmt: skip
    _add_outputs(evaluate)
    add("--verbose", action="store_true", default=None, help="print all figures and remarks")
    add("--by", metavar="COL", help="one table per value of this column, and how they drift")
    add("--scan", action="store_true", default=None, help=_SCAN_HELP)
    add("--checkpoint", metavar="DIR", help="keep counts of finished files there, to resume from")
    add("--audit", metavar="FILE", help="sheet from 'audit plan' with the answers filled in")
    add(
        "--audit-plan",
        metavar="FILE",
        help="plan of that sheet (default: FILE.plan.json next to it)",
    )
    add("--sequential", action="store_true", default=None,
        help="you look at results while answers come in, and may stop early")  # fmt: skip
    add("--until-width", type=number, metavar="W",
        help="the same, and say whether the interval of the planned target is at most W wide")  # fmt: skip
    add("--fail-if", action="append", metavar="RULE",
        help='exit with code 3 if this holds for any model, such as "roc_auc.low < 0.8"; '
        "repeatable")  # fmt: skip


def _add_compare(commands: Any, texts: dict[str, Any]) -> None:
    compare = commands.add_parser("compare", help="compare models on the same rows", **texts)
    _add_input(compare)
    _add_prior(compare)
    _add_evidence(compare)
    add = compare.add_argument
    add("--statistic", type=statistic, metavar="M",
        help="what to compare by (default roc_auc); values listed below")  # fmt: skip
    add("--threshold", type=number, metavar="T", help="for a metric: score >= T")
    add("--top", type=rows, metavar="K",
        help="instead of a threshold: the first K rows, or a share such as 0.01")  # fmt: skip
    _add_outputs(compare)
    add("--fail-if-worse-than", metavar="NAME",
        help="exit with code 3 if another model is significantly worse than the model NAME")  # fmt: skip


def _add_labels(commands: Any, texts: dict[str, Any]) -> None:
    labels = commands.add_parser(
        "labels", help="check whether labels can be a random sample of the positives", **texts
    )
    _add_input(labels)
    _add_purity(labels)
    add = labels.add_argument
    add(
        "--prior",
        metavar="P",
        help="share of positives, known from elsewhere: a number or LOW:HIGH",
    )
    add("--by", metavar="COL",
        help="in place of a prior: column such as a month or a region, whose values differ in their share of "
        "positives, and in which positives and negatives look the same")  # fmt: skip


def _add_outputs(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("-o", "--output", metavar="FILE", help="write a self-contained HTML report")
    add("--title", metavar="TEXT", help="title of the report")
    add("--markdown", metavar="FILE", help="write a short summary, for example for a pull request")


def _add_audit(commands: Any, texts: dict[str, Any], plan_texts: dict[str, Any]) -> None:
    audit = commands.add_parser("audit", help="choose rows to check by hand", **texts)
    actions = audit.add_subparsers(
        dest="action", metavar="ACTION", required=True, parser_class=Parser
    )
    plan = actions.add_parser("plan", help="write a sheet of rows to check", **plan_texts)
    _add_input(plan)
    add = plan.add_argument
    add("--budget", type=whole, metavar="N", help="how many rows can be checked (required)")
    add("--target", type=target, metavar="M",
        help="what to estimate (default f1); values listed below")  # fmt: skip
    add("--threshold", type=number, metavar="T", help="for precision, recall and f1: score >= T")
    add("--prior", metavar="P", help="a guess of the share of positives; estimated if left out")
    add("-o", "--output", metavar="FILE",
        help="the sheet, as CSV; or one HTML page for somebody without Python (required)")  # fmt: skip
    add("--id", action="append", metavar="COL", help="column to keep in the sheet; repeatable")
    add("--seed", type=whole, metavar="N", help="the same seed draws the same rows (default 0)")
    add("--show-scores", action="store_true", default=None,
        help="include scores in the sheet, so checking is not blind")  # fmt: skip
    add("--scan", action="store_true", default=None, help=_SCAN_HELP)
    add("--force", action="store_true", default=None, help="overwrite an existing sheet")
    add("--question", metavar="TEXT", help="what an HTML page asks of every row")
    add("--images", action="store_true", default=None,
        help="let an HTML page load pictures by their addresses")  # fmt: skip
    _add_check(actions, plan_texts)


def _add_check(actions: Any, texts: dict[str, Any]) -> None:
    check = actions.add_parser("check", help="check rows on a page in the browser", **texts)
    _add_input(
        check, "the sheet from 'audit plan'; or scores, with --budget and the flags of 'audit plan'"
    )
    add = check.add_argument
    add("-o", "--output", metavar="FILE", help="the answers (default checked.csv beside the sheet)")
    add(
        "--show",
        action="append",
        metavar="COL,COL",
        help="columns to show (default: all that the sheet has)",
    )
    add("--question", metavar="TEXT", help="what is asked of every row")
    add("--images", action="store_true", default=None, help="load pictures by their addresses")
    add("--checker", metavar="NAME", help="who answers (default: your login name)")
    add("--overlap", type=number, metavar="PERCENT", help="share of the rows that two people check")
    add("--answers", action="append", metavar="FILE",
        help="answers that somebody else has given, to be taken in; repeatable")  # fmt: skip
    add("--until-width", type=number, metavar="W",
        help="say when the interval of the target is at most W wide")  # fmt: skip
    add(
        "--audit-plan",
        metavar="FILE",
        help="plan of the sheet (default: FILE.plan.json next to it)",
    )
    _add_page(check)
    add("--budget", type=whole, metavar="N", help="with scores: how many rows can be checked")
    add("--target", type=target, metavar="M",
        help="with scores: what to estimate (default f1); values listed below")  # fmt: skip
    add("--threshold", type=number, metavar="T", help="for precision, recall and f1: score >= T")
    add("--prior", metavar="P", help="a guess of the share of positives; estimated if left out")
    add("--seed", type=whole, metavar="N", help="the same seed draws the same rows (default 0)")
    add("--scan", action="store_true", default=None, help=_SCAN_HELP)


def _add_page(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add(
        "--no-browser",
        action="store_true",
        default=None,
        help="print the page's address, open nothing",
    )
    add(
        "--port",
        type=whole,
        metavar="N",
        help="port of the page on this machine (default: a free one)",
    )


def _add_input(parser: argparse.ArgumentParser, files: str = "") -> None:
    add = parser.add_argument
    add("file", nargs="+", help=files or "CSV, Parquet, JSON Lines, Arrow or Excel files, optionally "
        "compressed with gzip or zstd; folders or patterns such as '*.csv'; - for "
        "standard input")  # fmt: skip
    add("--label", metavar="COL", action="append",
        help="label column (required); repeat it where several sources labelled rows, as in --label "
        "reported --label rule: what one missed and another found tells how many all missed (evaluate, "
        "prior, compare)")  # fmt: skip
    add("--score", metavar="COL", action="append",
        help="score column (required); repeatable; --score=-COL if low scores mean positive")  # fmt: skip
    add("--scenario", type=one_of("scenario", CHOICES["scenario"]), metavar="S",
        help=f"{_SCENARIO_HELP} (required)")  # fmt: skip
    add("--pos-label", metavar="V", help="value that marks positives (default 1)")
    add("--unlabeled-label", metavar="V",
        help="value that marks unlabeled rows; 'missing' for empty cells (default: empty cells if the "
        "column holds nothing else besides the other labels, otherwise 0)")  # fmt: skip
    add("--neg-label", metavar="V", help="value that marks known negatives")
    add(
        "--propensity",
        metavar="COL",
        help="column with each labelled row's chance of being labelled",
    )
    add("--groups", metavar="COL",
        help="column such as a patient ID; rows with the same value belong together")  # fmt: skip
    add("--where", metavar="SQL", help='use only rows for which this holds, such as "month >= 3"')
    add("--level", type=number, metavar="L", help="confidence level (default 0.95)")
    add("--json", metavar="FILE", help="write all results as JSON; - for standard output")
    add("--no-progress", action="store_true", default=None,
        help="no progress bar, even on a terminal")  # fmt: skip
    add("--no-settings", action="store_true", default=None,
        help="do not read puremetrics.toml or [tool.puremetrics] in pyproject.toml")  # fmt: skip


def _add_prior(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("--prior", metavar="P", help="share of positives: 0.12, or LOW:HIGH; estimated if left out")
    add("--label-bias", type=number, metavar="G",
        help="how far positives may differ in their chance of getting a label, as the ratio of the largest "
        "to the smallest (in a single training set: of the odds); 1 states that labels are a random sample, "
        "which is otherwise only assumed")  # fmt: skip
    add("--label-bias-side", type=one_of("side", CHOICES["label_bias_side"]), metavar="S",
        help="high or low, if labels are known to favour high or low scores (default either)")  # fmt: skip
    _add_purity(parser)


def _add_evidence(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument_group(
        "evidence",
        "What else is known of the positives. All of it is put together, with --prior\n"
        "and --label-bias, and the page says what each kind is worth and which\n"
        "contradict each other. A RANGE is a number or LOW:HIGH.",
    ).add_argument
    add("--dependence", metavar="RANGE",
        help="with several --label: how many times the odds of being labelled by one source are as large for "
        "positives that another labelled, at the same score (default 1)")  # fmt: skip
    add("--checked", metavar="COL",
        help="what people found in rows that they chose: 1 or yes, 0 or no, empty where nobody "
        "looked")  # fmt: skip
    add("--second", metavar="COL",
        help="second answers to some of these rows, which are right: how often the first err is "
        "learnt from them")  # fmt: skip
    add("--judge", metavar="COL",
        help="what a judge, such as a language model, says of every row: 1 or 0, or a probability; needs "
        "--checked")  # fmt: skip
    add("--selection-bias", type=number, metavar="G",
        help="odds of being positive may be so many times as large, or small, for rows of --checked as for "
        "others of the same score (default 1)")  # fmt: skip
    add("--sensitivity", metavar="RANGE",
        help="share of positive rows that whoever checked says yes to (default 1)")  # fmt: skip
    add("--specificity", metavar="RANGE",
        help="share of negative rows that whoever checked says no to (default 1)")  # fmt: skip
    add("--published-prior", type=number, metavar="P",
        help="share of positives according to a registry or survey; needs one of the next two")  # fmt: skip
    add("--prior-error", type=number, metavar="E", help="its standard error")
    add("--prior-interval", metavar="LOW:HIGH", help="its 95%% interval")
    add("--random-labels", action="store_true", default=None,
        help="labels are a random sample of the positives: the same as --label-bias 1")  # fmt: skip


def _add_purity(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--purity",
        metavar="B",
        help="share of the labelled rows that are truly positive: 0.9, or LOW:HIGH (default 1)",
    )
