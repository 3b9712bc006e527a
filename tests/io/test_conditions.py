"""What a condition may do, in DuckDB and on Spark: look at columns, and nothing else."""

import pyarrow.dataset as ds
import pytest

import puremetrics as pm
from puremetrics.cli import main
from puremetrics.exceptions import InputError, UnsupportedError
from puremetrics.io.spark import check_spark_condition
from tests.io.scanning import duckdb, make_rows, pq

COLUMNS = {"label": "y", "score": "p", "scenario": "case_control", "neg_label": -1}
ROWS = make_rows(300)
FORBIDDEN = [
    "country IN (SELECT content FROM read_text('{secret}'))",
    "(SELECT count(*) FROM glob('{folder}/*')) > 0",
    "(SELECT count(*) FROM read_csv('{secret}')) > 0",
    "EXISTS (FROM ROWS)",
    "p > 0 OR current_setting('home_directory') = ''",
    "getvariable('x') IS NULL",
    "random() < 0.5",
    "now() > TIMESTAMP '2020-01-01'",
    "current_date > DATE '2020-01-01'",
    "current_user = ''",
    "sleep_ms(100000) IS NULL",
    "p > 0; COPY (SELECT 1) TO '{folder}/out.csv'",
    "p > 0 FROM read_text('{secret}')",
    "p > 0 UNION SELECT true",
    "p > 0 ORDER BY 1",
    "p > $1",
    "COLUMNS(*) > 0",
    "row_number() OVER () > 5",
    "write_log('x') IS NULL",
    "load_extension('httpfs')",
]


@pytest.fixture
def secret(tmp_path):
    (tmp_path / "secret").write_text("hidden words\n")
    pq.write_table(ROWS, tmp_path / "a.parquet")
    ROWS.to_pandas().to_csv(tmp_path / "a.csv", index=False)
    return tmp_path


def sources(folder):
    yield folder / "a.parquet"
    yield folder / "a.csv"
    yield ROWS
    yield ROWS.to_reader()
    yield ds.dataset(folder / "a.parquet")
    yield duckdb.connect().from_arrow(ROWS)


@pytest.mark.parametrize("where", FORBIDDEN)
def test_what_no_condition_may_do(secret, where, capsys):
    where = where.format(secret=secret / "secret", folder=secret)
    for source in sources(secret):
        with pytest.raises(InputError) as raised:
            pm.scan(source, **COLUMNS, where=where)
        assert "hidden words" not in str(raised.value)
    argv = ["evaluate", str(secret / "a.csv"), "--label", "y", "--score", "p", "--neg-label=-1"]
    argv += ["--scenario", "case_control", "--prior", "0.1", "--where", where]
    for more in ([], ["--scan"]):
        assert main([*argv, *more]) == 2
        assert "hidden words" not in capsys.readouterr().err
    assert sorted(path.name for path in secret.iterdir()) == ["a.csv", "a.parquet", "secret"]


@pytest.mark.parametrize(
    "where",
    [
        "p > 0.5",
        "P >= 0.5 AND country IN ('nl', 'be')",
        "country LIKE 'n%' OR NOT (p BETWEEN 0.1 AND 0.2)",
        "lower(country) = 'nl' AND round(p, 1) < 0.9",
        "CASE WHEN country = 'nl' THEN p > 0.5 ELSE p > 0.1 END",
        "coalesce(country, 'x') <> 'x' AND n % 2 < 5 AND nullif(n, 7) IS NOT NULL",
        "CAST(n AS VARCHAR) <> '7' AND abs(q) > 0.1 AND DATE '2026-01-01' < DATE '2026-02-01'",
    ],
)
def test_what_every_condition_may_do(secret, where):
    expected = duckdb.connect().from_arrow(ROWS).filter(where).to_arrow_table().num_rows
    for source in sources(secret):
        assert pm.scan(source, **COLUMNS, where=where).total == expected


@pytest.mark.parametrize(
    "where",
    [
        "java_method('java.lang.System', 'getProperty', 'user.home') = ''",
        "reflect('java.lang.System', 'exit', '1') IS NULL",
        "p > 0 OR `java_method`('a', 'b') = ''",
        "p > (SELECT 1)",
        "p IN (SELECT content FROM text.`/etc/passwd`)",
        "input_file_name() = ''",
        "current_user = ''",
        "p > rand()",
        "p > 0 -- java_method(",
        "p > 0 /* x */",
        "sys.java_method('a') = 1",
        "r'\\' = java_method('a', 'b') OR '' = ''",
        "'\\' = ' OR java_method('a', 'b') OR '' = ''",
        "identifier('java_method')('a') = 1",
        "p > 0; DROP TABLE x",
        "p = :x",
        "p = ${spark.sql.warehouse.dir}",
        "country = 'open",
    ],
)
def test_what_no_condition_on_spark_may_do(where):
    with pytest.raises(InputError, match="A condition may only compare"):
        check_spark_condition(where, ["y", "p", "country"])


def test_what_conditions_on_spark_may_do():
    for where in (
        "p > 0.5 AND country = 'nl'",
        "`p` >= 1e-3 OR country IN ('java_method(', \"it's\")",
        "CASE WHEN p > 0.5 THEN true ELSE false END AND lower(country) LIKE 'n%'",
        "cast(p AS decimal(10, 2)) BETWEEN 0.1 AND 0.5 AND year(to_date('2026-01-01')) = 2026",
        "country RLIKE '\\\\d+' OR country = 'it\\'s'",
        "info.city = 'x' AND extract(month FROM day) = 3",
    ):
        check_spark_condition(where, ["y", "p", "country", "info", "day"])


def test_a_checkpoint_of_a_data_frame_is_refused(tmp_path):
    frame = type("DataFrame", (), {"__module__": "pyspark.sql"})()
    with pytest.raises(UnsupportedError, match="Leave out checkpoint"):
        pm.scan(frame, **COLUMNS, checkpoint=tmp_path)
