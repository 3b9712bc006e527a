"""One function per command, named like it: read, estimate, deliver. Each returns the exit code."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from puremetrics.cli.arguments import number
from puremetrics.cli.delivering import (
    check_targets,
    comparison_markdown,
    deliver,
    evaluation_markdown,
    in_flags,
    next_command,
    short_page,
    write_markdown,
    write_report,
)
from puremetrics.cli.evidence import evidence_of
from puremetrics.cli.gates import (
    FAILED,
    NO_FIGURES,
    check_baseline,
    failures,
    parse_rules,
    worse_models,
)
from puremetrics.cli.reading import Counted, check_segments, counted, read_rows, single_label
from puremetrics.cli.terminal import Bar, bar, say
from puremetrics.exceptions import InputError, PriorError, UnsupportedError
from puremetrics.io.files import read_columns

if TYPE_CHECKING:
    from puremetrics.auditing import Audit
    from puremetrics.comparing import Comparison, TippingPoint
    from puremetrics.evidence import Evidence, EvidenceTable
    from puremetrics.results import Estimate
    from puremetrics.tables.joint import JointTable

__all__ = ["audit", "compare", "demo", "evaluate", "labels", "prior"]


def evaluate(options: argparse.Namespace) -> int:
    """One honest picture of the scores in a file."""
    if options.audit is not None and options.by is not None:
        raise InputError("An audit covers all rows together, not segments: leave out --by.")
    check_segments(options)
    from puremetrics.cli.audits import check_following, follow_sheet
    from puremetrics.evaluation import evaluate

    check_following(options)
    given, purity = _parse_share(options, "prior"), _parse_share(options, "purity")
    rules = parse_rules(options.fail_if, options.score)
    check_targets(options)
    with bar(wanted=not options.no_progress) as shown:
        found, checked, by_two = counted(options, shown), None, None
        if options.audit is not None:
            checked, by_two = _audit_of(options, found, shown)
        evidence = evidence_of(options, found.rows, checked, by_two)
        shown.step("evaluating")
        result = evaluate(
            found.tables,
            evidence=evidence,
            audit=None if evidence else checked,
            prior=given,
            purity=purity,
            threshold=options.threshold,
            objective=options.objective,
            top=options.top,
            confidence_level=options.level,
            label_bias=None if evidence else options.label_bias,
            label_bias_side=options.label_bias_side,
            also=options.also or (),
        )
        followed = None
        if options.until_width is not None and checked is not None:
            followed = follow_sheet(options, found.tables, checked, purity)
        failed = failures(rules, result)
        write_report(options, result, [options.settings_used])
        write_markdown(options, evaluation_markdown(result, options.title, failed, len(rules)))
    page = (
        result.details() if options.verbose else short_page(result, next_command(options, result))
    )
    deliver(options, result.to_dict(), page)
    if followed is not None:
        say(followed.words, error=options.json == "-")
    _told_where(options)
    code = _gated(failed, len(rules))
    return NO_FIGURES if code == 0 and result.verdict.best is None else code


def audit(options: argparse.Namespace) -> int:
    """Write a sheet of rows to check, or check them on a page."""
    guess = _parse_share(options, "prior")
    if options.action == "check":
        from puremetrics.cli.checks import check_rows

        return check_rows(options, guess)
    from puremetrics.cli.audits import check_sheet, write_sheet

    single_label(options)
    check_sheet(options)
    check_targets(options)
    planned = argparse.Namespace(**{**vars(options), "score": options.score[:1]})
    with bar(wanted=not options.no_progress) as shown:
        found = counted(planned, shown)
        _without_propensities(found.marks)
        table = found.tables[options.score[0]]
        said = write_sheet(options, table, found.marks, guess, shown)
    say(said)
    return 0


def _audit_of(
    options: argparse.Namespace, found: Counted, shown: Bar
) -> tuple[Audit, Evidence | None]:
    """The audit whose answers were read, and what two people said of the same rows."""
    from puremetrics.cli.audits import read_answers

    _without_propensities(found.marks)
    return read_answers(options, found, shown)


def _without_propensities(marks: dict[str, Any]) -> None:
    if "propensity" in marks:
        raise UnsupportedError("An audit needs no propensities: leave out --propensity.")


def prior(options: argparse.Namespace) -> int:
    """Estimate the share of positives."""
    from puremetrics.evidence import Joined, joint_prior
    from puremetrics.priors import estimate_prior

    purity = _parse_share(options, "purity")
    check_targets(options)
    with bar(wanted=not options.no_progress) as shown:
        read = counted(options, shown)
        evidence = evidence_of(options, read.rows)
        results, tables = {}, {}
        for name, table in getattr(read.tables, "tables", read.tables).items():
            shown.step(f"estimating from {name}")
            if evidence is None:
                results[name] = estimate_prior(
                    table, method=options.method, purity=purity, confidence_level=options.level
                )
                continue
            joined = Joined.stated(table, evidence, purity=purity, level=options.level, model=name)
            results[name] = joint_prior(joined)
            tables[name] = results[name].evidence
    content: dict[str, Any] = {"schema_version": 1}
    content["priors"] = {name: e.to_dict() for name, e in results.items()}
    if tables:
        content["evidence"] = {name: told.to_dict() for name, told in tables.items()}
    lines = []
    for name, estimate in results.items():
        lines.append(f"{name}: {estimate}")
        lines += [f"{tables[name]}"] if name in tables else []
    deliver(options, content, "\n".join(lines))
    return 0


def labels(options: argparse.Namespace) -> int:
    """Check whether labels can be random, by a prior or by populations."""
    from puremetrics.priors import check_labelling
    from puremetrics.tables.populations import Populations

    if (options.prior is None) == (options.by is None):
        raise InputError(
            "labels needs either --prior P, the share of positives from elsewhere, or --by COL, a column "
            "such as a month whose values differ in it."
        )
    given, purity = _parse_share(options, "prior"), _parse_share(options, "purity")
    single_label(options)
    check_segments(options)
    check_targets(options)
    with bar(wanted=not options.no_progress) as shown:
        results: dict[str, Any] = {}
        if options.by is None:
            tables = counted(options, shown).tables
            for name, table in getattr(tables, "tables", tables).items():
                shown.step(f"checking {name}")
                results[name] = check_labelling(
                    table, prior=given, purity=purity, confidence_level=options.level
                )
        else:
            rows = read_rows(options, shown)
            for flag, known in (("propensity", rows.marks.get("propensity")), ("purity", purity)):
                if known is not None:
                    raise InputError(f"--by takes labels as they are: leave out --{flag}.")
            parted = read_columns(options.file, [options.by], where=options.where)[options.by]
            for name, column in rows.scores.items():
                shown.step(f"checking {name}")
                populations = Populations.from_arrays(
                    rows.labels,
                    column,
                    population=parted,
                    scenario=options.scenario,
                    by=options.by,
                    **rows.marks,
                )
                results[name] = check_labelling(populations, confidence_level=options.level)
    content = {"schema_version": 1, "labels": {name: r.to_dict() for name, r in results.items()}}
    deliver(options, content, "\n".join(f"{name}: {r}" for name, r in results.items()))
    return 0


def compare(options: argparse.Namespace) -> int:
    """Compare models on the same rows."""
    from puremetrics.comparing import compare
    from puremetrics.priors import estimate_prior
    from puremetrics.tables.joint import JointTable

    used, purity = _parse_share(options, "prior"), _parse_share(options, "purity")
    if len(set(options.score)) < 2:
        raise InputError(
            f"compare needs at least two models, but --score names only {', '.join(options.score)}. Pass "
            "--score once for each model."
        )
    check_baseline(options.fail_if_worse_than, options.score)
    check_targets(options)
    with bar(wanted=not options.no_progress) as shown:
        rows = read_rows(options, shown)
        shown.step("comparing")
        how = {"scenario": options.scenario, **rows.marks}
        joint = JointTable.from_arrays(rows.labels, rows.scores, **how)
        evidence = evidence_of(options, rows)
        first, table = next(iter(joint.tables.items()))
        said = None
        if used is None and table.total_unl > 0 and not evidence:
            used = estimate_prior(table, purity=purity, confidence_level=options.level)
            said = f"prior estimated from {first}: {used}"
        result = compare(
            joint,
            statistic=options.statistic,
            prior=used,
            purity=None if said else purity,
            threshold=options.threshold,
            top=options.top,
            confidence_level=options.level,
            label_bias=1.0 if evidence else options.label_bias or 1.0,
            label_bias_side=options.label_bias_side,
            evidence=evidence,
        )
        tipping = None
        if not evidence:  # what evidence says of labels leaves no bias open
            tipping = _tipping(options, joint, result, used, None if said else purity)
        assumed = _assumed(options, result, used, first if said else None)
        tables = _evidence_tables(options, joint, result, evidence, used, purity)
        gated = options.fail_if_worse_than is not None
        failed = worse_models(result, options.fail_if_worse_than) if gated else []
        if options.output is not None:
            shown.step("writing the report")
            at = (used, None if said else purity, evidence)
            _write_comparison(options, joint, result, at, assumed)
        write_markdown(
            options,
            comparison_markdown(result, options.title, assumed, failed, int(gated), tables),
        )
    if said:
        say(in_flags(said), error=True)
    content = {
        "schema_version": 1,
        "statistic": result.statistic,
        "estimates": result.estimates,
        "differences": result.differences,
        "tipping": tipping,
    }
    if tables:
        content["evidence"] = tables[0]
        content["evidence_by_model"] = dict(zip(joint, tables[1:], strict=True))
    told = "" if tipping is None else f"\n{tipping.words}"
    told += "".join(f"\n{table}" for table in tables[:1])
    deliver(options, content, f"{joint}\n{assumed}\n{result}{told}")
    _told_where(options)
    return _gated(failed, int(gated))


def _evidence_tables(
    options: argparse.Namespace, joint: JointTable, result: Comparison, evidence: Any, prior: Any,
    purity: Any,
) -> list[EvidenceTable]:  # fmt: skip
    """What each kind of evidence says of the prior, and of what each model is compared by."""
    if not evidence:
        return []
    from puremetrics.evidence import Joined, joint_prior

    name, table = next(iter(joint.tables.items()))
    joined = Joined.stated(
        table, evidence, prior=prior, purity=purity, level=options.level, model=name
    )
    return [
        joint_prior(joined).evidence,
        *(estimate.evidence for estimate in result.estimates.values()),
    ]


def _assumed(
    options: argparse.Namespace, result: Comparison, prior: Any, source: str | None
) -> str:
    """One line: what models are compared by, where, and at which prior."""
    estimate = next(iter(result.estimates.values()))
    at = ""
    if estimate.threshold is not None:
        at = f" at score >= {estimate.threshold:g}"
    elif estimate.top is not None:
        at = f" in the first {estimate.top:.6g} rows"
    told = f"Compared by {estimate.title}{at}"
    if estimate.method == "evidence":
        return f"{told}, from the evidence that was passed"
    if estimate.prior is None:
        return f"{told}, which needs no prior"
    span = f"{estimate.prior:.4g}"
    if isinstance(prior, tuple):
        span = f"{prior[0]:.4g} to {prior[1]:.4g}"
    elif source is not None and prior.interval is not None:
        span += f" ({prior.interval.low:.4g} to {prior.interval.high:.4g})"
    if prior is None:
        return f"{told}; every row is labelled, so the prior is known: {span}"
    how = "given" if source is None else f"estimated from the scores of {source!r}"
    return f"{told}; prior {span}, {how}"


def _write_comparison(
    options: argparse.Namespace,
    joint: JointTable,
    result: Comparison,
    at: tuple[Any, Any, Any],
    assumed: str,
) -> None:
    """The report of all models at a prior, purity and evidence, with what was compared below its title."""
    from puremetrics.evaluation import evaluate

    prior, purity, evidence = at
    whole = evaluate(
        joint,
        prior=prior,
        purity=purity,
        evidence=evidence,
        threshold=options.threshold,
        confidence_level=options.level,
        label_bias=None if evidence else options.label_bias,
        label_bias_side=options.label_bias_side,
    )
    notes = [f"{assumed}.", *(f"{difference}." for difference in result.differences)]
    write_report(options, whole, [*notes, options.settings_used])


def _told_where(options: argparse.Namespace) -> None:
    if options.output:
        say(f"The report is in {options.output}", error=True)
    if options.markdown:
        say(f"The summary is in {options.markdown}", error=True)


def _gated(failed: list[str], gates: int) -> int:
    """Say how the gates went; return the exit code."""
    for text in failed:
        say(f"gate failed: {text}", error=True)
    if gates and not failed:
        say(f"{gates} gate{'s' if gates > 1 else ''} passed", error=True)
    return FAILED if failed else 0


def _tipping(
    options: argparse.Namespace, joint: JointTable, result: Comparison, prior: Any, purity: Any
) -> TippingPoint | None:
    """How biased labels must be for the better of two models not to be; None for more, or without a prior."""
    from puremetrics.comparing import tipping_point
    from puremetrics.exceptions import PuremetricsError

    if len(joint) != 2:
        return None
    names = list(joint)
    for first, second in (names, names[::-1]):
        try:
            found = tipping_point(
                joint, result.statistic, prior=prior, purity=purity, threshold=options.threshold,
                top=options.top, first=first, second=second, confidence_level=options.level,
            )  # fmt: skip
        except PuremetricsError:
            return None
        if found.label_bias > 1:
            return found
    return None


def demo(options: argparse.Namespace) -> int:
    """Run the main job on the demo data, beside the hidden truth."""
    if options.audit:
        from puremetrics.cli.checks import check_demo

        return check_demo(options)
    from puremetrics.datasets.loading import DEMO_SCENARIO, load_demo
    from puremetrics.evaluation import evaluate
    from puremetrics.tables.joint import JointTable
    from puremetrics.tables.score_table import ScoreTable

    check_targets(options)
    data = load_demo()
    scores = {name: data[name] for name in ("forest", "words")}
    joint = JointTable.from_arrays(data["reported"], scores, scenario=DEMO_SCENARIO)
    result = evaluate(joint, prior=float(data["spam"].mean()))
    alone = evaluate(joint)
    truth = {}
    for name, model in result.models.items():
        hidden = ScoreTable.from_arrays(
            data["spam"], data[name], scenario=DEMO_SCENARIO
        ).unlabeled_as_negative()
        at = model.corrected["precision"].threshold
        known = evaluate(hidden, threshold=at).models["model"].corrected
        truth[name] = {key: known[key].value for key in model.corrected}
    write_report(options, result, title="Spam nobody reported", truth=truth)
    say("Spam nobody reported: 4,601 messages; a random 30% of the spam is labelled.\n")
    say(short_page(result))
    say("\nCompared with the hidden truth, with the prior known and with nothing known:")
    say(f"  {'':<8}{'':<19}{'naive':>6}{'prior known':>24}{'nothing known':>24}{'truth':>8}")
    for name, model in result.models.items():
        for key in ("roc_auc", "average_precision", "precision", "recall", "f1"):
            title = model.corrected[key].title.split(" (")[0]
            both = [_with_interval(found.models[name].corrected[key]) for found in (result, alone)]
            say(
                f"  {name:<8}{title:<19}{model.naive[key].value:>6.3f}{both[0]:>24}{both[1]:>24}"
                f"{truth[name][key]:>8.3f}"
            )
    if options.output:
        say(f"\nThe report, with sliders for the assumptions: {options.output}")
    return 0


def _with_interval(estimate: Estimate) -> str:
    """A figure with its interval."""
    ends = estimate.interval
    return f"{estimate.value:.3f}" + (f" ({ends.low:.3f}–{ends.high:.3f})" if ends else "")


def _parse_share(options: argparse.Namespace, name: str) -> Any:
    """A share or a range of shares, as LOW:HIGH; None if it was left out."""
    text = getattr(options, name)
    if text is None:
        return None
    if text.endswith("%") or "," in text:
        try:
            number(text)
        except argparse.ArgumentTypeError as error:
            raise PriorError(f"--{name} {error}") from None
    try:
        parts = [float(part) for part in text.split(":")]
    except ValueError:
        parts = []
    if len(parts) == 1:
        return parts[0]
    if len(parts) == 2:
        return (parts[0], parts[1])
    raise PriorError(
        f"--{name} {text} is neither a number such as 0.12 nor a range such as 0.1:0.15."
    )
