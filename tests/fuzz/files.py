"""Bytes that pretend to be a file of scores, and the command line run on them."""

import contextlib
import io
import json
import tempfile
from pathlib import Path

from hypothesis import strategies as st

from puremetrics.cli import main
from puremetrics.cli.gates import NO_FIGURES
from tests.fuzz.checks import no_hang, problem_with_sentence

LABELS = ("1", "0", "-1", "", "true", "spam", "NaN", "1.0")
SCORES = (
    "0.9",
    "0.5",
    "0.1",
    "1e308",
    "-0",
    "",
    "nan",
    "inf",
    "x",
    "5e-324",
    "12345678901234567890",
)
ENDINGS = (".csv", ".tsv", ".parquet", ".jsonl", ".json", ".csv.gz", ".arrow", ".txt", ".xlsx")


def sound_rows(n: int = 12) -> list[tuple[str, str]]:
    return [("1" if i % 3 == 0 else "0", f"{(7 * i % n) / n:.3f}") for i in range(n)]


def number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def encoded(rows, ending: str) -> bytes:
    """The rows in the format of the ending; Parquet and Arrow hold floats."""
    if ending.startswith((".csv", ".txt", ".xlsx", ".tsv")):
        text = "y,s\n" + "".join(f"{y},{s}\n" for y, s in rows)
        content = text.encode("utf-8", "replace")
        if ending.endswith(".gz"):
            import gzip

            return gzip.compress(content, mtime=0)
        return content
    if ending in (".jsonl", ".json"):
        cells = [
            [number(cell) if number(cell) is not None else cell for cell in row] for row in rows
        ]
        return "\n".join(json.dumps({"y": y, "s": s}) for y, s in cells).encode()
    import pyarrow as pa
    import pyarrow.parquet as pq

    table = pa.table({"y": [number(y) for y, _ in rows], "s": [number(s) for _, s in rows]})
    out = io.BytesIO()
    if ending == ".parquet":
        pq.write_table(table, out)
    else:
        with pa.ipc.new_file(out, table.schema) as writer:
            writer.write_table(table)
    return out.getvalue()


@st.composite
def files(draw):
    """An ending and the bytes: random, or a sound file with odd cells, changed bytes or a lost tail."""
    ending = draw(st.sampled_from(ENDINGS))
    how = draw(st.sampled_from(["random", "sound", "odd", "changed", "changed", "cut"]))
    if how == "random":
        return ending, draw(st.binary(max_size=200))
    rows = sound_rows()
    if how == "odd":
        cell = st.one_of(st.sampled_from(LABELS + SCORES), st.text(max_size=5))
        rows = rows + draw(st.lists(st.tuples(cell, cell), max_size=6))
    content = encoded(rows, ending)
    if how == "cut":
        return ending, content[: draw(st.integers(0, len(content)))]
    if how == "changed":
        changed = bytearray(content)
        for _ in range(draw(st.integers(1, 8))):
            changed[draw(st.integers(0, len(content) - 1))] = draw(st.integers(0, 255))
        content = bytes(changed)
    return ending, content


options = st.lists(
    st.sampled_from([
        ("--prior", "0.4"), ("--prior", "0.35:0.5"), ("--prior", "nan"), ("--prior", ":"),
        ("--prior", "2"), ("--purity", "0.9"), ("--purity", "inf"), ("--level", "0.9"),
        ("--level", "95"), ("--pos-label", "spam"), ("--pos-label", ""), ("--neg-label", "-1"),
        ("--unlabeled-label", "missing"), ("--json", "-"), ("--score", "s"), ("--score", "other"),
        ("--threshold", "0.5"), ("--threshold", "nan"), ("--objective", "mcc"), ("--method", "slope"),
        ("--statistic", "f1"), ("--label", "s"), ("--label", "\u2603"), ("--score", 'a"b'),
    ]),
    max_size=2,
).map(lambda given: [("--prior", "0.45"), *given])  # fmt: skip
commands = st.sampled_from(["evaluate", "prior", "compare"])


def run(command: str, ending: str, content: bytes, extra) -> int:
    """Run the command line on the bytes and check what it owes; return the exit code."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"rows{ending}"
        path.write_bytes(content)
        argv = [command, str(path), "--label", "y", "--score", "s", "--scenario"]
        argv += ["single_training_set", *(word for pair in extra for word in pair)]
        out, err = io.StringIO(), io.StringIO()
        with no_hang(60), contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            try:
                code = main(argv)
            except SystemExit as stop:  # argparse: a usage error
                return int(stop.code or 0)
        assert path.read_bytes() == content
        assert sorted(Path(folder).iterdir()) == [path]
    if code in (0, NO_FIGURES):
        if ("--json", "-") in extra:
            text = out.getvalue()
            assert "NaN" not in text
            json.loads(text)
        assert out.getvalue().strip()
        return 0  # a page without figures is a page
    assert code == 2
    assert not out.getvalue()
    message = err.getvalue()
    assert message.startswith("puremetrics: "), message
    problem = problem_with_sentence(message)
    assert problem is None, f"{message}  {problem}"
    return 2
