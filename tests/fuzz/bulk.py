"""Files and command lines by number: seed 7 is the same case everywhere, and any seed is a fresh one.

``python benchmarks/fuzz_bulk.py files --first 1 --count 5000`` runs many, in a process that may die.
"""

import random
import tempfile
from pathlib import Path

from tests.fuzz.files import LABELS, SCORES, encoded, run, sound_rows

ENDINGS = (".csv", ".tsv", ".parquet", ".jsonl", ".json", ".csv.gz", ".arrow", ".txt", ".feather")
NAMES = (
    "y",
    "s",
    "g",
    "q",
    "",
    "y,s",
    "\x1b[2J",
    "é",
    "a\nb",
    "p" * 300,
    "Y",
    'a"b',
    "--",
    "\u202e",
    "1",
)
WHERE = (
    "s > 0.5", "s >= 0", "y = 1 OR s < 2", "g = 'a'", "s > (SELECT 1)", "read_text('/etc/passwd') = ''",
    "s > 1; DROP TABLE x", "random() > 0.5", "", "--", "s = s", "1", "NULL", "s > 'x'", "Y = 0",
    "getenv('HOME') = ''", "s in (SELECT content FROM glob('*'))", "'", '"', "s/0 > 1", "sqrt(-s) > 0",
    "CASE WHEN s THEN 1 END", "cast(s AS VARCHAR) LIKE '0%'", "current_setting('x') = 1", "(" * 500,
    "s > 0.1 AND s < 0.9", "len(repeat('x', 10)) = 10", "error('x') = 1", "\u2603 = 1", "s IS NOT NULL",
)  # fmt: skip
NUMBERS = (
    "0.4", "0.35:0.5", "nan", ":", "2", "-1", "inf", "1e-320", "1e400", "0", "1", "0.5:0.4", "0x10", "",
    "0.9999999999999999", "１", "1_0", "--", "0.3:0.4:0.5", "1e-17",
)  # fmt: skip
VALUES = {
    "--prior": NUMBERS, "--purity": NUMBERS, "--level": NUMBERS, "--threshold": NUMBERS,
    "--label-bias": NUMBERS, "--where": WHERE, "--score": NAMES, "--label": NAMES, "--by": NAMES,
    "--propensity": NAMES, "--pos-label": LABELS, "--unlabeled-label": (*LABELS, "missing"),
    "--neg-label": (*LABELS, "missing"), "--objective": ("mcc", "f1", "x", ""),
    "--statistic": ("f1", "roc_auc", "average_precision", "x"), "--method": ("slope", "combined", "x"),
    "--title": ("<b>", "\udcff", "x" * 5000), "--scenario": ("case_control", "single_training_set", "x"),
    "--label-bias-side": ("high", "low", "x"), "--json": ("-",), "--scan": (None,),
    "--sequential": (None,), "--until-width": NUMBERS, "--audit": ("none.csv", "/dev/null"),
}  # fmt: skip


def file_case(seed: int):
    """A command, the ending and the bytes of a file, and further options."""
    draw = random.Random(seed)
    ending = draw.choice(ENDINGS)
    kind = ".arrow" if ending == ".feather" else ending
    how = draw.choice(
        ["random", "sound", "odd", "odd", "changed", "changed", "changed", "cut", "doubled"]
    )
    if how == "random":
        content = draw.randbytes(draw.randrange(300))
    else:
        rows = sound_rows(draw.choice([6, 12, 60]))
        if how == "odd":
            cells = [
                *LABELS,
                *SCORES,
                "0x10",
                "1_000",
                "\0",
                '"',
                "é",
                "\x1b[2J",
                "9" * 400,
                "-",
                "2026-01-01",
            ]
            for _ in range(draw.randrange(1, 8)):
                rows.insert(draw.randrange(len(rows)), (draw.choice(cells), draw.choice(cells)))
        content = encoded(rows, kind)
        if how == "cut":
            content = content[: draw.randrange(len(content))]
        if how == "doubled":
            at = draw.randrange(len(content))
            content = content[:at] + content[at // 2 :]
        if how == "changed":
            changed = bytearray(content)
            for _ in range(draw.randrange(1, 12)):
                at = draw.randrange(len(changed))
                changed[at] = draw.choice(
                    [draw.randrange(256), 0, 255, changed[at] ^ 1 << draw.randrange(8)]
                )
            content = bytes(changed)
    extra = [("--prior", "0.45")]
    command = draw.choice(["evaluate", "evaluate", "prior", "compare"])
    if command == "evaluate" and draw.random() < 0.5:
        extra.append(draw.choice([("--scan",), ("--by", "y"), ("--by", "s")]))
    if draw.random() < 0.3:
        extra.append(("--where", draw.choice(WHERE)))
    if draw.random() < 0.3:
        extra.append(("--json", "-"))
    if command == "prior":
        extra = extra[1:]
    return command, ending, content, extra


def command_case(seed: int):
    """A command on a sound file with options of all kinds, sensible ones and others."""
    draw = random.Random(-seed)
    ending = draw.choice([".csv", ".parquet", ".jsonl", ".arrow"])
    command = draw.choice(["evaluate", "evaluate", "evaluate", "prior", "compare"])
    extra = [("--prior", "0.45")] if command != "prior" else []
    for name in draw.choices(sorted(VALUES), k=draw.randrange(1, 5)):
        value = draw.choice(VALUES[name])
        extra.append((name,) if value is None else (name, value))
    return command, ending, encoded(sound_rows(draw.choice([12, 40])), ending), extra


def run_case(kind: str, seed: int) -> int:
    """Run a case and check what is owed; the exit code."""
    return run(*(file_case if kind == "files" else command_case)(seed))


def target_case(seed: int) -> int:
    """A sound command whose targets are odd; nothing may be left behind but what was asked for."""
    from puremetrics.cli import main
    from puremetrics.cli.gates import NO_FIGURES

    draw = random.Random(seed)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "a.csv").write_bytes(encoded(sound_rows(40), ".csv"))
        places = [
            "a.csv",
            "r.html",
            "n.json",
            "no/r.html",
            ".",
            "é.html",
            "r.html/",
            "x" * 300,
            "\udcff",
        ]
        argv = [
            "evaluate",
            str(folder / "a.csv"),
            "--label",
            "y",
            "--score",
            "s",
            "--prior",
            "0.45",
        ]
        argv += ["--scenario", "single_training_set"]
        for option in draw.choice([["-o"], ["--json"], ["-o", "--json"]]):
            argv += [option, str(folder / draw.choice(places))]
        before = (folder / "a.csv").read_bytes()
        code = main(argv)
        assert code in (0, 2, NO_FIGURES)
        assert (folder / "a.csv").read_bytes() == before
        left = {path.name for path in folder.iterdir()} - {"a.csv", "r.html", "n.json", "é.html"}
        assert not {name for name in left if not name.startswith("\udcff")}, left
    return code
