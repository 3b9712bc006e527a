"""Wrong command lines: every message names the flag, the column and the value, in one paragraph."""

import re
import shlex

import pytest

from puremetrics.cli import main
from puremetrics.cli.terminal import FLAGS
from tests.fuzz.checks import problem_with_sentence

GOOD = [(1, 0.9, 0.8), (0, 0.7, 0.2), (0, 0.3, 0.6), (1, 0.6, 0.9), (0, 0.1, 0.1)] * 8
FILES = {
    "s.csv": "y,p,q,who\n" + "".join(f"{y},{p},{q},id{i}\n" for i, (y, p, q) in enumerate(GOOD)),
    "words.csv": "y,p\n" + "spam,0.9\nham,0.2\n,0.4\n" * 9,
    "truth.csv": "y,p\n" + "yes,0.9\nno,0.2\n,0.4\n" * 9,
    "blank.csv": "y,p\n" + "1,0.9\n0,0.2\n,0.4\n" * 9,
    "three.csv": "y,p\n" + "1,0.9\n0,0.2\n-1,0.1\n" * 9,
    "empty_labels.csv": "y,p\n" + ",0.9\n,0.2\n" * 9,
    "comma.csv": "y;p\n" + "1;0,83\n0;0,2\n0;0,4\n" * 9,
    "percent.csv": "y,p\n" + "1,83%\n0,5%\n0,40%\n" * 9,
    "inf.csv": "y,p\n" + "1,0.9\n0,0.2\n0,0.4\n" * 9 + "0,inf\n",
    "text.csv": "y,p\n" + "1,0.9\n0,high\n0,0.4\n" * 9,
    "na.csv": "y,p\n" + "1,0.9\n0,NA\n0,0.4\n" * 9,
    "gap.csv": "y,p\n" + "1,0.9\n0,\n0,0.4\n" * 9,
    "ids.csv": "y,p,id\n" + "".join(f"{i % 2},{i / 999:.4f},k{i}\n" for i in range(999)),
    "header.csv": "y,p\n",
    "old.xls": "x",
    "data.pkl": "x",
    "scores": "y,p\n1,0.5\n",
}
IN = "s.csv --label y --score p --scenario case_control"
PQ = "s.csv --label y --score p --score q --scenario case_control"
ONE = "--label y --score p --scenario case_control --prior 0.3"

LINES = [
    # ------------------------------------------------------------ commands and flags
    ("evalute s.csv", "'evalute'", "Did you mean evaluate?"),
    ("report s.csv", "'report'", "commands are: evaluate, audit, prior, compare, labels, demo"),
    ("evaluate", "name of a file"),
    ("audit", "an action, such as plan"),
    ("audit paln s.csv", "'paln'", "Did you mean plan?"),
    (f"evaluate {IN} --threshhold 0.5", "--threshhold", "Did you mean --threshold?"),
    (f"evaluate s.csv --lable y {IN[14:]}", "--lable", "Did you mean --label?"),
    (f"prior {IN} --objective f1", "no flag --objective"),
    (f"compare {PQ} --by month", "no flag --by"),
    (f"labels {IN}", "either --prior P", "or --by COL"),
    (f"labels {IN} --prior 0.2 --by who", "either --prior P", "or --by COL"),
    (f"labels {IN} --by who --purity 0.9", "leave out --purity"),
    (f"evaluate {IN} --prior", "--prior needs a value"),
    (f"evaluate {IN} more.csv", "'more.csv' does not belong to a flag", "right after the command"),
    ("evaluate {file} --label y --score p q", "'q' does not belong to a flag", "--score a --score b"),
    # ------------------------------------------------------------ what is missing
    ("evaluate s.csv", "--label COL", "--score COL", "--scenario S", "columns of 's.csv' are: y, p, q, who"),
    ("evaluate s.csv --label y --score p", "needs --scenario S", "case_control", "single_training_set"),
    ("prior s.csv --score p --scenario case_control", "needs --label COL", "y, p, q, who"),
    (f"audit plan {IN}", "--budget N", "-o FILE"),
    (f"compare {IN} --prior 0.3", "at least two models", "--score names only p"),
    ("evaluate s.csv --label y --score y --scenario case_control", "--label and --score", "'y'"),
    # ------------------------------------------------------------ values of flags
    (f"evaluate {IN[:-12]}case_contrl", "--scenario", "'case_contrl'", "Did you mean case_control?"),
    (f"evaluate {IN} --objective f11", "--objective", "'f11'", "Did you mean f1?"),
    (f"compare {PQ} --statistic rocauc", "--statistic", "'rocauc'", "Did you mean roc_auc?"),
    (f"prior {IN} --method combind", "--method", "'combind'", "Did you mean combined?"),
    (f"audit plan {IN} --target auc --budget 5 -o x.csv", "--target", "'auc'", "roc_auc"),
    (f"evaluate {IN} --label-bias-side upper", "--label-bias-side", "'upper'", "either, high, low"),
    (f"evaluate {IN} --threshold 0,5", "--threshold", "'0,5'", "Use 0.5"),
    (f"evaluate {IN} --threshold half", "--threshold", "'half' is not a number"),
    (f"evaluate {IN} --prior 5%", "--prior", "'5%'", "Use 0.05"),
    (f"evaluate {IN} --prior 0,12", "--prior", "'0,12'", "Use 0.12"),
    (f"evaluate {IN} --prior a:b", "--prior a:b", "0.1:0.15"),
    (f"evaluate {IN} --prior 12", "--prior 12", "divide by 100"),
    (f"evaluate {IN} --prior 0.3 --purity 1.5", "--purity 1.5", "[0, 1]"),
    (f"evaluate {IN} --prior 0.3 --purity 0.2", "--purity 0.2", "--prior 0.3"),
    (f"evaluate {IN} --prior 0.3 --level 95", "--level 95", "0.95"),
    (f"evaluate {IN} --prior 0.3 --label-bias 0.5", "--label-bias 0.5", "Did you mean 2?"),
    (f"evaluate {IN} --prior 0.3 --top 0", "--top 0"),
    (f"evaluate {IN} --prior 0.3 --top 1e9", "--top"),
    (f"compare {PQ} --prior 0.3 --statistic f1", "'f1'", "pass --threshold T"),
    (f"compare {PQ} --prior 0.3 --statistic roc_auc --threshold 0.5", "'roc_auc'", "threshold"),
    (f"compare {PQ} --prior 0.3 --statistic enrichment_factor", "pass --top K"),
    (f"audit plan {IN} --budget many -o x.csv", "--budget", "'many' is not a whole number"),
    (f"audit plan {IN} --budget 5 -o x.csv --prior 0.3", "--target f1", "pass --threshold T"),
    # ------------------------------------------------------------ files
    (f"evaluate S.csv {ONE}", "'S.csv'", "Did you mean 's.csv'?"),
    (f"evaluate 'no*.csv' {ONE}", "No file matches 'no*.csv'"),
    (f"evaluate folder {ONE}", "'folder' is a folder without a file of scores"),
    (f"evaluate s3://bucket/s.csv {ONE}", "aws s3 cp 's3://bucket/s.csv'"),
    (f"evaluate https://a.org/s.csv {ONE}", "curl -LO 'https://a.org/s.csv'"),
    (f"evaluate old.xls {ONE}", "'old.xls'", "save it as .xlsx"),
    (f"evaluate data.pkl {ONE}", "'data.pkl'", "to_parquet"),
    (f"evaluate scores {ONE}", "'scores'", ".csv"),
    (f"evaluate header.csv {ONE}", "no rows in 'header.csv'"),
    # ------------------------------------------------------------ columns
    (f"evaluate s.csv {ONE} --score P1", "no column 'P1'", "Did you mean 'p'?", "y, p, q, who"),
    (f"evaluate s.csv {ONE} --groups whom", "no column 'whom'", "Did you mean 'who'?"),
    (f"evaluate s.csv {ONE} --score who", "Column 'who'", "'id0' in row 1", "Name another column"),
    (f"evaluate comma.csv {ONE}", "Column 'p'", "'0,83' in row 1", "decimal comma", "(0.83)"),
    (f"evaluate percent.csv {ONE}", "Column 'p'", "'83%' in row 1", "percent sign", "0.83"),
    (f"evaluate inf.csv {ONE}", "Column 'p'", "(inf) in row 28", "Drop such rows"),
    (f"evaluate text.csv {ONE}", "Column 'p'", "'high' in row 2", "text"),
    (f"evaluate na.csv {ONE} --scan", "Column 'p'", "'NA' in row 2", "missing score"),
    (f"evaluate gap.csv {ONE}", "Column 'p'", "no value in row 2"),
    (f"evaluate ids.csv {ONE} --by id", "--by id", "999 different values", "'k0'"),
    (f"evaluate s.csv {ONE} --where 'p > 2'", "No rows are left after --where 'p > 2'"),
    (f"evaluate s.csv {ONE} --where 'r > 2'", "'r > 2'", "no column 'r'", "y, p, q, who"),
    # ------------------------------------------------------------ labels
    (f"evaluate s.csv {ONE} --pos-label yes", "--pos-label yes", "'y'", "0 (24 rows), 1 (16 rows)"),
    (f"evaluate words.csv {ONE}", "--pos-label is not given", "'spam' (9 rows)", "empty cells (9 rows)"),
    (f"evaluate words.csv {ONE} --pos-label Spamm", "--pos-label Spamm", "Pass --pos-label spam"),
    (f"evaluate words.csv {ONE} --pos-label spam", "'ham' (9 rows)", "--unlabeled-label ham"),
    (f"evaluate truth.csv {ONE}", "empty cells (9 rows)", "--unlabeled-label missing --neg-label false"),
    (f"evaluate blank.csv {ONE}", "empty cells (9 rows)", "--unlabeled-label missing --neg-label 0"),
    (f"evaluate three.csv {ONE}", "-1 (9 rows)", "--neg-label -1", "--unlabeled-label 0"),
    (f"evaluate three.csv {ONE} --neg-label missing", "--neg-label missing", "empty cells"),
    (f"evaluate empty_labels.csv {ONE}", "'y' is empty in all rows", "--label"),
    (f"evaluate s.csv {ONE} --unlabeled-label 1", "--unlabeled-label", "1"),
    # ------------------------------------------------------------ what does not go together
    ("evaluate s.csv --label y --score p --scenario single_training_set --prior 0.1", "--prior 0.1",
     "already labelled positive", "--scenario case_control"),
    (f"evaluate {IN} --sequential", "--sequential", "--audit FILE"),
    (f"evaluate {IN} --propensity q --scan", "--propensity", "--scan"),
    (f"evaluate {IN} --by q --groups who", "--by q", "--groups who"),
    (f"evaluate {IN} -o no/where.html", "no folder", "where.html"),
    (f"evaluate {IN} -o -", "-o"),
    (f"evaluate {IN} --json s.csv", "'s.csv' is an input file"),
    (f"evaluate {IN} --fail-if 'roc_auc.low'", "--fail-if 'roc_auc.low'", "a comparison and a number"),
    (f"evaluate {IN} --fail-if 'rocauc < 0.8'", "'rocauc'", "Did you mean 'roc_auc'?"),
    (f"evaluate {IN} --fail-if 'r:roc_auc < 0.8'", "model 'r'", "--score names: p"),
    (f"evaluate {IN} --fail-if 'roc_auc < high'", "'high'", "not a number"),
    (f"compare {PQ} --fail-if-worse-than r", "--fail-if-worse-than 'r'", "p, q"),
]  # fmt: skip
PYTHON = re.compile(
    r"ScoreTable|from_arrays|JointTable|Setting\b|Traceback|\w+Error\b|\bNone\b|\bTrue\b|\bFalse\b|estimate_prior"
    rf"|(?<!-)\b(?:{'|'.join(FLAGS)})=|pos_label|neg_label|unlabeled_label|confidence_level"
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("wrong")
    for name, content in FILES.items():
        (place / name).write_text(content)
    (place / "folder").mkdir()
    return place


def test_there_are_enough_lines():
    assert len({line for line, *_ in LINES}) >= 60


@pytest.mark.parametrize(("line", "named"), [(line, named) for line, *named in LINES], ids=str)
def test_a_wrong_line_is_told_in_one_paragraph(line, named, folder, monkeypatch, capsys):
    monkeypatch.chdir(folder)
    before = sorted(folder.iterdir())
    code = main(shlex.split(line))
    out, err = capsys.readouterr()
    assert code == 2, out or err
    assert out == ""
    assert err.startswith("puremetrics: ")
    assert err.count("\n") == 1
    assert problem_with_sentence(err) is None
    for text in named:
        assert text in err
    assert not PYTHON.search(err), err
    assert sorted(folder.iterdir()) == before
