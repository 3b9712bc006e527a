"""Where results go: a page for the terminal, JSON, a report, a summary in Markdown.

Files that a command writes are looked at before the work (`check_targets`): writable, not the same, and not
to be read. The summary in Markdown (`write_markdown`) is a short one, such as for a pull request.
"""

from __future__ import annotations

import argparse
import json
import re
import shlex
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from puremetrics import __version__
from puremetrics.checking.columns import unsigned
from puremetrics.cli.arguments import DEFAULTS
from puremetrics.cli.terminal import in_commands, say, translated
from puremetrics.exceptions import InputError
from puremetrics.io.files import expand
from puremetrics.io.writing import check_target, same_file

if TYPE_CHECKING:
    from puremetrics.comparing import Comparison
    from puremetrics.evaluation import Evaluation, ModelEvaluation
    from puremetrics.evidence import EvidenceTable
    from puremetrics.exceptions import Diagnostic
    from puremetrics.results import Interval


__all__ = [
    "check_targets",
    "checked_command",
    "comparison_markdown",
    "deliver",
    "evaluation_markdown",
    "in_flags",
    "next_command",
    "short_page",
    "source_of",
    "write_markdown",
    "write_report",
]


_ADDRESS = re.compile(r"(\b\w+://[^?\s]*)\?\S*")
_REMARK = re.compile(r"^\s*(?:PM\d{3}|Caution): ")


def write_report(
    options: argparse.Namespace,
    result: Evaluation,
    notes: Sequence[str | None] = (),
    **more: Any,
) -> None:
    """Write the HTML report, if one was asked for; notes are short lines below its title."""
    if options.output is not None:
        from puremetrics.io.writing import write_text
        from puremetrics.report import render

        more.setdefault("title", getattr(options, "title", None))
        told = [note for note in notes if note]
        source = source_of(options)
        if command := next_command(options, result):
            source["Next step"] = command
        write_text(options.output, render(result, notes=told, source=source, **more))


def source_of(options: argparse.Namespace) -> dict[str, str]:
    """Files, filter, command and seed, for the report's last section; no keys of web addresses."""
    typed = [_ADDRESS.sub(r"\1?…", word) for word in getattr(options, "typed", [])]
    read = [_ADDRESS.sub(r"\1?…", str(name)) for name in getattr(options, "file", [])]
    told = {"Files": ", ".join(read), "Only rows where": getattr(options, "where", None) or ""}
    told["Command"] = shlex.join(["puremetrics", *typed]) if typed else ""
    told["Seed"] = f"{getattr(options, 'seed', None) or 0}"
    return {name: text for name, text in told.items() if text}


def deliver(options: argparse.Namespace, content: dict[str, Any], page: str) -> None:
    """Write the JSON whole or not at all, and print the page unless JSON goes to standard output."""
    if options.json is not None:
        from puremetrics.results import json_ready

        text = json.dumps(json_ready(content), indent=1, allow_nan=False) + "\n"
        if options.json == "-":
            sys.stdout.write(text)
            return
        from puremetrics.io.writing import write_text

        write_text(options.json, text)
    say(in_flags(page))


def in_flags(page: str) -> str:
    """The page with commands for functions, and flags for arguments in its remarks."""
    return "\n".join(
        translated(line) if _REMARK.match(line) else in_commands(line) for line in page.split("\n")
    )


def short_page(result: Evaluation, command: str = "") -> str:
    """The screen of an evaluation in the words of the command line; ``command`` begins the next step."""
    from puremetrics.evaluation.showing import short_lines

    return "\n".join(short_lines(result, in_flags, "--verbose", command))


def next_command(options: argparse.Namespace, result: Evaluation) -> str:
    """The whole command for what the verdict recommends next; empty if no command does it."""
    advice = result.verdict.advice
    if advice is None or not getattr(options, "can_read_again", False):
        return ""
    if advice.kind == "reverse":
        turned = [
            f"-{name}" if unsigned(name) == name else unsigned(name) for name in options.score
        ]
        return _command("evaluate", {**vars(options), "score": turned})
    if advice.rows is None or options.propensity is not None or len(options.sources) > 1:
        return ""  # a plan takes one label column
    first = [advice.model] if advice.model in options.score else []
    from puremetrics.statistics import metrics

    wanted = {
        **{name: value for name, value in vars(options).items() if name in _OF_ROWS},
        "score": list(dict.fromkeys([*first, *options.score])),
        "target": advice.figure,
        "threshold": advice.threshold if advice.figure in metrics() else None,
        "budget": advice.rows,
        "prior": None if advice.figure == "prior" else options.prior,
        "output": _free_name("to_check.csv"),
    }
    return _command("audit plan", wanted)


def checked_command(options: argparse.Namespace, answers: str | None = None) -> str:
    """The whole command that evaluates the rows of a sheet when they are checked."""
    of_rows = {name: value for name, value in vars(options).items() if name in _OF_ROWS}
    given = {**of_rows, "threshold": options.threshold, "audit": answers or options.output}
    return _command("evaluate", given)


_OF_ROWS = (
    "file", "label", "score", "scenario", "pos_label", "unlabeled_label", "neg_label", "groups", "where",
    "level", "no_settings", "scan",
)  # fmt: skip
_WRITTEN = (
    *_OF_ROWS, "prior", "purity", "label_bias", "label_bias_side", "propensity", "target", "threshold",
    "objective", "dependence", "checked", "second", "judge", "selection_bias", "sensitivity", "specificity",
    "published_prior", "prior_error", "prior_interval", "random_labels", "budget", "audit", "output",
)  # fmt: skip


def _command(name: str, given: dict[str, Any]) -> str:
    """A command with its flags, those that are not at their defaults, quoted for a shell."""
    words = ["puremetrics", *name.split(), *given["file"]]
    for key in _WRITTEN[1:]:
        value = given.get(key)
        if value is None or (key != "target" and DEFAULTS.get(key) == value):
            continue
        flag = "-o" if key == "output" else f"--{key.replace('_', '-')}"
        for each in value if isinstance(value, list) else [value]:
            if each is True:
                words.append(flag)
            elif str(each).startswith("-"):  # which would look like a flag
                words.append(f"{flag}={each}")
            else:
                words += [flag, str(each)]
    return shlex.join(words)


def _free_name(name: str) -> str:
    """A file that is not there yet."""
    path, number = Path(name), 1
    while path.exists():
        number += 1
        path = Path(f"{Path(name).stem}_{number}{Path(name).suffix}")
    return str(path)


_SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|~])")
_FIGURES = ("roc_auc", "average_precision", "precision", "recall", "f1")
_HEADS = {
    "roc_auc": "ROC AUC",
    "average_precision": "average precision",
    "precision": "precision",
    "recall": "recall",
    "f1": "F1",
}


def write_markdown(options: argparse.Namespace, text: str) -> None:
    """Write the summary, if one was asked for."""
    if options.markdown is not None:
        from puremetrics.io.writing import write_text

        write_text(options.markdown, text)


def evaluation_markdown(
    result: Evaluation, title: str | None, failed: Sequence[str], gates: int
) -> str:
    """An evaluation as a table of its models, with trust and remarks."""
    known = result.prior
    prior = f"{known.value:.4g}"
    if not known.is_point:
        prior += f" ({known.low:.4g} to {known.high:.4g})"
    lines = [f"### {_safe(title or 'Evaluation')}", "", *_gates(failed, gates)]
    lines += [*(f"- {_safe(part)}" for part in result.verdict.sentences), ""]
    heads = ["model", *_HEADS.values(), "at score ≥", "trust"]
    lines += _table(heads, [_row(model) for model in result.models.values()])
    lines += [
        "",
        f"Prior {prior}, {_safe(result.prior_source)}. {_safe(_sentence(result.trust.words))}",
    ]
    if result.evidence is not None:
        lines += ["", *evidence_markdown(result.evidence), ""]
    lines.append(
        f"{100 * result.level:g}% intervals; every figure is corrected for positives among the unlabeled "
        "rows."
    )
    remarks = [("", remark) for remark in result.diagnostics]
    remarks += [(name, remark) for name, m in result.models.items() for remark in m.diagnostics]
    return "\n".join([*lines, *_remarks(remarks), "", _foot()])


def evidence_markdown(found: EvidenceTable) -> list[str]:
    """What each kind of evidence says, as a table."""
    rows = []
    columns = (found.kinds, found.value, found.low, found.high, found.without, found.assumes)
    for kind, value, low, high, without, assumes in zip(*columns, strict=True):
        rest = "–" if without != without else f"{without:.4f}"
        rows.append([_safe(kind), _told(value, low, high), rest, _safe(assumes)])
    rows.append(["**all together**", _told(*found.together), "", ""])
    heads = [f"{_safe(found.title)}: evidence", "alone", "width without it", "right if"]
    clashes = [
        f"- **{_safe(found.kinds[one])}** and **{_safe(found.kinds[other])}** contradict each other: one of "
        "them is wrong."
        for one, other in found.contradicting
    ]
    return [*_table(heads, rows), *(["", *clashes] if clashes else [])]


def _told(value: float, low: float, high: float) -> str:
    """A number with its limits, or the limits alone where it has no value."""
    span = f"{low:.4f} to {high:.4f}"
    return span if value != value else f"{value:.4f} ({span})"


def comparison_markdown(
    result: Comparison,
    title: str | None,
    assumed: str,
    failed: Sequence[str],
    gates: int,
    evidence: Sequence[EvidenceTable] = (),
) -> str:
    """A comparison as a table of its pairs."""
    lines = [f"### {_safe(title or 'Comparison')}", "", *_gates(failed, gates)]
    name = next(iter(result.estimates.values())).title
    rows = [
        [_safe(model), _figure(found.value, found.interval)]
        for model, found in result.estimates.items()
    ]
    lines += [*_table(["model", _safe(name)], rows), ""]
    pairs = [
        [
            f"{_safe(d.first)} − {_safe(d.second)}",
            f"{d.value:+.4f}",
            f"{d.interval.low:+.4f} to {d.interval.high:+.4f}",
            f"{d.adjusted_p_value:.3g}",
        ]
        for d in result.differences
    ]
    lines += _table(["difference", "value", "interval", "adjusted p"], pairs)
    lines += ["", _safe(assumed) + "."]
    if evidence:
        lines += ["", *evidence_markdown(evidence[0])]
    return "\n".join(
        [*lines, *_remarks([("", remark) for remark in result.diagnostics]), "", _foot()]
    )


def _row(model: ModelEvaluation) -> list[str]:
    if model.trust.level == "contradicted":
        return [_safe(model.name), *["–"] * (len(_FIGURES) + 1), model.grade]
    found = [model.corrected.get(key) for key in _FIGURES]
    cells = [
        "–" if e is None else _figure(e.value, e.interval, exact=model.is_told(key))
        for key, e in zip(_FIGURES, found, strict=True)
    ]
    at = next((e.threshold for e in found if e is not None and e.threshold is not None), None)
    return [_safe(model.name), *cells, "–" if at is None else f"{at:.6g}", model.grade]


def _figure(value: float, interval: Interval | None, *, exact: bool = True) -> str:
    """A figure with its interval; where only the interval is known well enough, that alone."""
    span = "" if interval is None else f"{interval.low:.4f} to {interval.high:.4f}"
    if value != value:
        return "–"
    if not exact and span:
        return span
    return f"{value:.4f}" + (f" ({span})" if span else "")


def _gates(failed: Sequence[str], gates: int) -> list[str]:
    if not gates:
        return []
    if not failed:
        return [f"**Passed**: {gates} gate{'s' if gates > 1 else ''}.", ""]
    return [*(f"- **Failed**: {_safe(text)}" for text in failed), ""]


def _table(heads: list[str], rows: list[list[str]]) -> list[str]:
    lines = [heads, ["---"] * len(heads), *rows]
    return ["| " + " | ".join(cells) + " |" for cells in lines]


def _remarks(found: list[tuple[str, Diagnostic]]) -> list[str]:
    if not found:
        return []
    told = dict.fromkeys(
        f"- {remark.code}{f' ({_safe(name)})' if name else ''}: {_safe(translated(remark.message))}"
        for name, remark in found
    )
    return ["", "<details><summary>Remarks</summary>", "", *told, "", "</details>"]


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]


def _foot() -> str:
    return f"<sub>puremetrics {__version__}</sub>\n"


def _safe(text: str) -> str:
    """Text that Markdown and HTML show as it is, on one line."""
    plain = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    return _SPECIAL.sub(r"\\\1", plain).replace("&", "&amp;")


def check_targets(options: argparse.Namespace) -> None:
    """Refuse at once a target that cannot be written, not after the work is done."""
    given = vars(options)
    if given.get("output") == "-":
        raise InputError("A report needs a file of its own. Pass a file name to -o.")
    if given.get("markdown") == "-":
        raise InputError("A summary needs a file of its own. Pass a file name to --markdown.")
    targets = list(_targets(options))
    for target in targets:
        check_target(target)
    for at, target in enumerate(targets):
        if any(same_file(target, other) for other in targets[:at]):
            raise InputError(
                f"{str(target)!r} would be written twice, with different content. Choose another file name."
            )
    if targets:
        for read in _read(options):
            for target in targets:
                if same_file(target, read):
                    raise InputError(
                        f"{str(target)!r} is an input file. Choose another file name to write to."
                    )


def _targets(options: argparse.Namespace) -> Iterator[Path]:
    given = vars(options)
    output, numbers = given.get("output"), given.get("json")
    if output is not None:
        yield Path(output)
        if given.get("action") == "plan":
            yield Path(f"{output}.plan.json")
    if numbers not in (None, "-"):
        yield Path(str(numbers))
    if given.get("markdown") is not None:
        yield Path(given["markdown"])


def _read(options: argparse.Namespace) -> Iterator[Path]:
    given = vars(options)
    names = [name for name in given.get("file") or () if name != "-"]
    yield from expand(names) if names else ()
    for name in ("audit", "audit_plan"):
        if given.get(name):
            yield Path(given[name])
    if given.get("audit"):
        yield Path(f"{given['audit']}.plan.json")
