"""The evidence that flags name: label columns of several sources, columns of answers, what is stated.

What cannot go together is refused before any file is read (`check_evidence`); `evidence_of` makes the list
that functions of the library take.
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from puremetrics.checking.arguments import listed
from puremetrics.checking.columns import unsigned
from puremetrics.cli.arguments import number
from puremetrics.exceptions import InputError, PriorError, UnsupportedError

if TYPE_CHECKING:
    from puremetrics.auditing import Audit
    from puremetrics.cli.reading import Rows
    from puremetrics.evidence import Evidence

__all__ = ["ANSWERS", "check_evidence", "evidence_of", "given_flags", "has_evidence", "of_columns"]

ANSWERS = ("checked", "second", "judge")  # flags that name columns of answers
_OF_CHECKERS = ("sensitivity", "specificity")
_WHOLE = {
    "by": "Evidence covers all rows together, not segments",
    "scan": "Evidence from columns needs the rows in memory, which a scan does not keep",
    "checkpoint": "Evidence from columns needs the rows in memory, which a scan does not keep",
    "until_width": "Several kinds of evidence are put together for a single look at the answers",
    "sequential": "Several kinds of evidence are put together for a single look at the answers",
    "top": "Evidence does not tell what checking the first rows would find",
    "method": "Evidence gives the prior by its own likelihood",
}


def of_columns(options: argparse.Namespace) -> list[str]:
    """The flags that name columns of evidence, in words for a message; without them rows may be scanned."""
    given = ["several --label"] if _several(options) else []
    return [*given, *(f"--{name}" for name in ANSWERS if _of(options, name) is not None)]


def given_flags(options: argparse.Namespace) -> list[str]:
    """The flags of evidence beside an audit; empty if there is none."""
    stated = ["--published-prior"] if _of(options, "published_prior") is not None else []
    audited = _of(options, "audit") is not None
    errs = [f"--{name}" for name in _OF_CHECKERS if audited and _of(options, name) is not None]
    return [*of_columns(options), *stated, *errs]


def has_evidence(options: argparse.Namespace) -> bool:
    """Whether figures are to rest on evidence; random labels alone are what is assumed without any."""
    return bool(given_flags(options))


def check_evidence(options: argparse.Namespace) -> None:
    """Refuse at once what cannot go together."""
    if _of(options, "random_labels"):
        bias = _of(options, "label_bias")
        if bias not in (None, 1):
            raise InputError(
                f"--random-labels states a label bias of 1, but --label-bias {bias:g} was given as well. "
                "Pass one of them."
            )
        options.label_bias = 1.0
    _check_needs(options)
    _check_published(options)
    if not has_evidence(options):
        return
    for name, why in _WHOLE.items():
        if name in ("scan", "checkpoint") and not of_columns(options):
            continue
        if name == "top" and options.command != "evaluate":
            continue
        if name == "method" and _of(options, name) == "combined":
            continue
        if _of(options, name) is not None:
            flag = f"--{name.replace('_', '-')}"
            raise UnsupportedError(
                f"{why}, so {flag} cannot go with {listed(given_flags(options))}. Leave out {flag}."
            )
    if _of(options, "label_bias_side") not in (None, "either"):
        raise UnsupportedError(
            "Beside other evidence labels may be biased to either side. Leave out --label-bias-side."
        )
    if _several(options) and _of(options, "label_bias") is not None:
        raise InputError(
            "Several label columns say themselves how labels depend on the score, so --random-labels or "
            "--label-bias would count the same rows twice. Leave it out."
        )
    _check_columns(options)


def _of(options: argparse.Namespace, name: str) -> Any:
    return getattr(options, name, None)


def _several(options: argparse.Namespace) -> bool:
    return len(_of(options, "sources") or ()) > 1


def _check_needs(options: argparse.Namespace) -> None:
    """A flag that says something about another one needs that."""
    checked, audited = _of(options, "checked") is not None, _of(options, "audit") is not None
    for name in ("judge", "second", "selection_bias"):
        if _of(options, name) is not None and not checked:
            flag = f"--{name.replace('_', '-')}"
            raise InputError(
                f"{flag} says nothing without answers of people. Name their column as well: --checked COL."
            )
    for name in _OF_CHECKERS:
        if _of(options, name) is None:
            continue
        if not checked and not audited:
            also = " or --audit FILE" if options.command == "evaluate" else ""
            raise InputError(
                f"--{name} is about whoever checked rows, but no answers were passed. Pass --checked COL"
                f"{also}, or leave it out."
            )
        if _of(options, "second") is not None:
            raise InputError(
                f"--second tells how often first answers are wrong, so --{name} cannot be stated as well. "
                "Leave one of them out."
            )
    if _of(options, "dependence") is not None and not _several(options):
        raise InputError(
            "--dependence is about sources of labels, but there is only one. Pass --label once for each, or "
            "leave it out."
        )
    if _several(options) and _of(options, "neg_label") is not None:
        raise InputError(
            "--neg-label belongs to a single label column. Leave it out, or pass one --label."
        )


def _check_published(options: argparse.Namespace) -> None:
    value = _of(options, "published_prior")
    error, interval = _of(options, "prior_error"), _of(options, "prior_interval")
    if value is None:
        if error is not None or interval is not None:
            flag = "--prior-error" if interval is None else "--prior-interval"
            raise InputError(
                f"{flag} belongs to a published prior. Pass --published-prior P as well."
            )
        return
    if (error is None) == (interval is None):
        raise InputError(
            "--published-prior needs either --prior-error E, its standard error, or --prior-interval "
            "LOW:HIGH, its 95% interval. A prior that is known without error is --prior P."
        )
    if not 0 <= value <= 1:
        raise PriorError(f"--published-prior {value:g} must be a share between 0 and 1.")
    if error is not None and not error > 0:
        raise InputError(f"--prior-error {error:g} must be a standard error above 0.")
    if interval is not None:
        low, high = parse_range("--prior-interval", interval)
        if not 0 <= low <= value <= high <= 1 or low == high:
            raise InputError(
                f"--prior-interval {interval} must lie between 0 and 1 and hold the prior {value:g}."
            )


def _check_columns(options: argparse.Namespace) -> None:
    """A column of answers is neither a label nor a score; a judge's may be a score."""
    taken = dict.fromkeys(options.sources, "--label")
    taken |= {unsigned(name): "--score" for name in options.score}
    for name in ANSWERS:
        column = _of(options, name)
        if column is None:
            continue
        if column in taken and not (name == "judge" and taken[column] == "--score"):
            raise InputError(
                f"{taken[column]} and --{name} both name the column {column!r}. Name different columns."
            )
        taken.setdefault(column, f"--{name}")


def parse_range(flag: str, text: str) -> tuple[float, float]:
    """A number or a range LOW:HIGH."""
    parts = []
    for part in text.split(":"):
        try:
            parts.append(number(part))
        except argparse.ArgumentTypeError as error:
            raise InputError(f"{flag} {error} A range is written as LOW:HIGH.") from None
    if len(parts) > 2:
        raise InputError(
            f"{flag} {text} is neither a number such as 0.9 nor a range such as 0.8:1."
        )
    return parts[0], parts[-1]


def evidence_of(
    options: argparse.Namespace,
    rows: Rows | None,
    audit: Audit | None = None,
    by_two: Evidence | None = None,
) -> list[Any] | None:
    """All evidence that the flags name; None if there is none beside an audit.

    ``rows`` are those in memory, which columns of evidence are taken from. ``by_two`` is the audit with what
    a second person said of some of its rows, which tells how often people err unless that is stated.
    """
    if not has_evidence(options):
        return None if by_two is None else [by_two]
    from puremetrics.evidence import (
        Investigated,
        Judged,
        LabelSources,
        PublishedPrior,
        RandomLabels,
    )
    from puremetrics.evidence.checked import as_checked

    def span(name: str) -> Any:
        text = _of(options, name)
        if text is None:
            return 1.0
        low, high = parse_range(f"--{name}", text)
        return (low, high) if ":" in text else low

    found: list[Evidence] = []
    if rows is not None and rows.sources is not None:
        found.append(
            LabelSources.from_arrays(rows.scores, rows.sources, dependence=span("dependence"))
        )
    errs = {name: span(name) for name in _OF_CHECKERS}
    if rows is not None and "checked" in rows.answers:
        own = {name: column[rows.unlabeled] for name, column in rows.arrays.items()}
        answers = {name: column[rows.unlabeled] for name, column in rows.answers.items()}
        more = {
            **errs,
            "second": answers.get("second"),
            "selection_bias": 1.0 if options.selection_bias is None else options.selection_bias,
        }
        if "judge" in answers:
            found.append(Judged.from_arrays(own, answers["judge"], answers["checked"], **more))
        else:
            found.append(Investigated.from_arrays(own, answers["checked"], **more))
    if audit is not None:
        stated = any(_of(options, name) is not None for name in _OF_CHECKERS)
        found.append(as_checked(audit, **errs) if by_two is None or stated else by_two)
    if options.published_prior is not None:
        given = options.prior_interval
        found.append(
            PublishedPrior(
                options.published_prior,
                error=options.prior_error,
                interval=None if given is None else parse_range("--prior-interval", given),
            )
        )
    if _of(options, "label_bias") is not None:
        found.append(RandomLabels(options.label_bias))
    return found
