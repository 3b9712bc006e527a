"""One function per command, named like it: read, estimate, deliver. Each returns the exit code."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from puremetrics.cli.labels import label_values
from puremetrics.cli.progress import Bar, bar
from puremetrics.cli.targets import check_targets
from puremetrics.cli.terminal import say
from puremetrics.exceptions import UnsupportedError
from puremetrics.scenarios import check_scenario

if TYPE_CHECKING:
    from puremetrics.comparing import Comparison, TippingPoint
    from puremetrics.evaluation import Evaluation
    from puremetrics.tables.joint import JointTable

__all__ = ["audit", "compare", "demo", "evaluate", "prior"]

_LOADED = 2**31  # bytes of files that are read whole


def evaluate(options: argparse.Namespace) -> int:
    """One honest picture of the scores in a file."""
    from puremetrics.cli.audits import check_following, follow_sheet
    from puremetrics.evaluation import evaluate

    check_following(options)
    given, purity = _parse_share(options, "prior"), _parse_share(options, "purity")
    check_targets(options)
    with bar(wanted=not options.no_progress) as shown:
        checked = None
        if options.audit is not None:
            tables, checked = _audited_tables(options, shown)
        else:
            tables = _tables(options, shown)
        shown.step("evaluating")
        result = evaluate(
            tables,
            audit=checked,
            prior=given,
            purity=purity,
            threshold=options.threshold,
            objective=options.objective,
            top=options.top,
            confidence_level=options.level,
            label_bias=options.label_bias,
            label_bias_side=options.label_bias_side,
        )
        followed = None
        if options.until_width is not None and checked is not None:
            followed = follow_sheet(options, tables, checked, purity)
        _write_report(options.output, result, title=options.title)
    _deliver(options, result.to_dict(), str(result))
    if followed is not None:
        say(followed.words, error=options.json == "-")
    if options.output:
        say(f"The report is in {options.output}", error=True)
    return 0


def audit(options: argparse.Namespace) -> int:
    """Write a sheet of rows to check."""
    from puremetrics.cli.audits import check_sheet, write_sheet

    guess = _parse_share(options, "prior")
    check_sheet(options)
    check_targets(options)
    planned = argparse.Namespace(**{**vars(options), "score": options.score[:1]})
    with bar(wanted=not options.no_progress) as shown:
        tables, marks = _counted(planned, shown)
        _without_propensities(marks)
        said = write_sheet(options, tables[options.score[0]], marks, guess, shown)
    say(said)
    return 0


def _audited_tables(options: argparse.Namespace, shown: Bar) -> tuple[Any, Any]:
    """The tables, and the audit whose answers were read."""
    from puremetrics.cli.audits import read_sheet
    from puremetrics.exceptions import InputError

    if options.by is not None:
        raise InputError("An audit is about all rows together, not about segments: leave out --by.")
    tables, marks = _counted(options, shown)
    _without_propensities(marks)
    return tables, read_sheet(options, marks, shown)


def _without_propensities(marks: dict[str, Any]) -> None:
    if "propensity" in marks:
        raise UnsupportedError("An audit needs no propensities: leave out --propensity.")


def prior(options: argparse.Namespace) -> int:
    """Estimate the share of positives."""
    from puremetrics.priors import estimate_prior

    purity = _parse_share(options, "purity")
    check_targets(options)
    with bar(wanted=not options.no_progress) as shown:
        tables = _tables(options, shown)
        results = {}
        for name, table in tables.items():
            shown.step(f"estimating from {name}")
            results[name] = estimate_prior(
                table, method=options.method, purity=purity, confidence_level=options.level
            )
    content = {"schema_version": 1, "priors": {name: e.to_dict() for name, e in results.items()}}
    _deliver(options, content, "\n".join(f"{name}: {e}" for name, e in results.items()))
    return 0


def compare(options: argparse.Namespace) -> int:
    """Compare models on the same rows."""
    from puremetrics.comparing import compare
    from puremetrics.priors import estimate_prior
    from puremetrics.tables.joint import JointTable

    used, purity = _parse_share(options, "prior"), _parse_share(options, "purity")
    check_targets(options)
    with bar(wanted=not options.no_progress) as shown:
        labels, columns, marks = _columns(options, shown)
        shown.step("comparing")
        joint = JointTable.from_arrays(labels, columns, scenario=options.scenario, **marks)
        first, table = next(iter(joint.tables.items()))
        said = None
        if used is None and table.total_unl > 0:
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
            label_bias=options.label_bias,
            label_bias_side=options.label_bias_side,
        )
        tipping = _tipping(options, joint, result, used, None if said else purity)
    if said:
        say(said, error=True)
    content = {
        "schema_version": 1,
        "statistic": result.statistic,
        "estimates": result.estimates,
        "differences": result.differences,
        "tipping": tipping,
    }
    told = "" if tipping is None else f"\n{tipping.words}"
    _deliver(options, content, f"{joint}\n{result}{told}")
    return 0


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
                first=first, second=second, confidence_level=options.level,
            )  # fmt: skip
        except PuremetricsError:
            return None
        if found.label_bias > 1:
            return found
    return None


def demo(options: argparse.Namespace) -> int:
    """Run the main job on the demo data, beside the hidden truth."""
    from puremetrics.datasets import load_demo
    from puremetrics.evaluation import evaluate
    from puremetrics.tables.score_table import ScoreTable

    check_targets(options)
    data = load_demo()
    tables = {
        name: ScoreTable.from_arrays(data["reported"], data[name], scenario="single_training_set")
        for name in ("forest", "words")
    }
    result = evaluate(tables, prior=float(data["spam"].mean()))
    truth = {}
    for name, model in result.models.items():
        hidden = ScoreTable.from_arrays(
            data["spam"], data[name], scenario="single_training_set"
        ).unlabeled_as_negative()
        at = model.corrected["precision"].threshold
        known = evaluate(hidden, threshold=at).models["model"].corrected
        truth[name] = {key: known[key].value for key in model.corrected}
    _write_report(options.output, result, title="Spam nobody reported", truth=truth)
    say("Spam nobody reported: 4 601 messages, a random 30 % of the spam carries a label.")
    say("What the labels say of two spam filters:\n")
    say(result)
    say("\nThe hidden truth beside it:")
    say(f"  {'':<10}{'':<24}{'naive':>8}{'corrected':>11}   {'95 % interval':<19}{'truth':>7}")
    for name, model in result.models.items():
        for key, estimate in model.corrected.items():
            ends = estimate.interval
            span = f"{ends.low:.4f} to {ends.high:.4f}" if ends else ""
            say(
                f"  {name:<10}{estimate.title.split(' (')[0]:<24}{model.naive[key].value:>8.4f}"
                f"{estimate.value:>11.4f}   {span:<19}{truth[name][key]:>7.4f}"
            )
    if options.output:
        say(f"\nThe report, with sliders for what is assumed: {options.output}")
    return 0


def _tables(options: argparse.Namespace, shown: Bar) -> Any:
    """A table per score column, or segments of one; counted from the files when they are large."""
    return _counted(options, shown)[0]


def _counted(options: argparse.Namespace, shown: Bar) -> tuple[Any, dict[str, Any]]:
    """The tables, and what else they took: label values, and propensities."""
    from puremetrics.io.files import expand, read_columns
    from puremetrics.tables.score_table import ScoreTable

    files = expand(options.file)
    wants = [getattr(options, name, None) for name in ("by", "scan", "checkpoint")]
    if not any(wants) and sum(file.stat().st_size for file in files) <= _LOADED:
        labels, columns, marks = _columns(options, shown)
        return {
            name: ScoreTable.from_arrays(labels, column, scenario=options.scenario, **marks)
            for name, column in columns.items()
        }, marks
    from puremetrics.io.scan import scan

    if options.propensity is not None:
        raise UnsupportedError(
            "Propensities belong to rows, which a scan does not keep. Leave out --propensity, or --by, "
            "--scan and --checkpoint, with files of up to 2 GB."
        )
    seen = read_columns(files[0], [options.label], where=options.where, limit=100_000)
    marks = label_values(seen[options.label], options)
    shown.step("counting")
    return scan(
        files,
        label=options.label,
        score=options.score,
        scenario=options.scenario,
        by=wants[0],
        groups=options.groups,
        where=options.where,
        checkpoint=wants[2],
        progress=shown.update,
        **marks,
    ), marks


def _columns(
    options: argparse.Namespace, shown: Bar
) -> tuple[Any, Mapping[str, Any], dict[str, Any]]:
    """The labels, the score columns, and what else a table takes: label values, propensities, groups."""
    from puremetrics.io.files import read_columns

    check_scenario(options.scenario)
    wanted = [options.label, *options.score]
    for name in (options.propensity, options.groups):
        if name is not None and name not in wanted:
            wanted.append(name)
    columns = read_columns(
        options.file, wanted, scores=options.score, where=options.where, progress=shown.update
    )
    labels = columns[options.label]
    more = label_values(labels, options)
    if options.propensity is not None:
        more["propensity"] = columns[options.propensity]
    if options.groups is not None:
        more["groups"] = columns[options.groups]
    return labels, {name: columns[name] for name in options.score}, more


def _write_report(target: str | None, result: Evaluation, **options: Any) -> None:
    if target is not None:
        from puremetrics.io.writing import write_text

        write_text(target, result.to_html(**options))


def _deliver(options: argparse.Namespace, content: dict[str, Any], page: str) -> None:
    """Write the JSON whole or not at all, and print the page unless JSON goes to standard output."""
    if options.json is not None:
        from puremetrics.results import json_ready

        text = json.dumps(json_ready(content), indent=1, allow_nan=False) + "\n"
        if options.json == "-":
            sys.stdout.write(text)
            return
        from puremetrics.io.writing import write_text

        write_text(options.json, text)
    say(page)


def _parse_share(options: argparse.Namespace, name: str) -> Any:
    """A share or a range of shares, as LOW:HIGH; None if it was left out."""
    from puremetrics.exceptions import PriorError

    text = getattr(options, name)
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
        f"--{name} {text} is neither a number such as 0.12 nor a range such as 0.1:0.15."
    )
