"""What a condition on a Spark data frame may do: the words that it may use are listed here.

Spark has functions that run code of the Java machine (``java_method``, ``reflect``), read files and settings,
or ask models. A list of what is harmless is the only safe one, so every word of a condition outside
of quotes must be a column of the frame, a word of SQL that only compares, the name of a type, or one of these
functions. The text is cut as Spark's own grammar cuts it; what cannot be cut is refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from puremetrics.checking.arguments import clean, listed, shown
from puremetrics.exceptions import InputError

__all__ = ["FUNCTIONS", "check_spark_condition"]

_HARMLESS = """
abs acos add_months and array array_contains array_distinct array_max array_min array_position
array_size ascii asin atan atan2 base64 between bigint bin binary bit_length boolean bround btrim
cardinality case cast cbrt ceil ceiling char char_length character_length chr coalesce concat
concat_ws contains conv cos cosh crc32 date date_add date_diff date_format date_from_unix_date
date_part date_sub date_trunc dateadd datediff datepart day dayofmonth dayofweek dayofyear decimal
degrees double element_at else elt endswith equal_null exp expm1 extract factorial find_in_set float
floor format_number get_json_object greatest hash hex hour hypot if ifnull in initcap instr int
isnan isnotnull isnull json_array_length last_day lcase least left length levenshtein like ln locate
log log10 log1p log2 lower lpad ltrim make_date make_timestamp map_contains_key map_keys map_values
md5 minute mod month months_between named_struct nanvl negative next_day not nullif nvl nvl2
octet_length or overlay pi pmod position positive pow power quarter radians regexp regexp_count
regexp_extract regexp_instr regexp_like regexp_replace regexp_substr repeat replace reverse right
rint rlike round rpad rtrim second sha sha1 sha2 shiftleft shiftright sign signum sin sinh size
smallint soundex split split_part sqrt startswith string struct substr substring substring_index tan
tanh then timestamp timestamp_millis timestamp_seconds tinyint to_date to_number to_timestamp
translate trim trunc try_add try_cast try_divide try_multiply try_subtract try_to_number
try_to_timestamp typeof ucase unhex unix_date unix_millis unix_seconds upper varchar weekday
weekofyear when width_bucket xxhash64 year
"""
FUNCTIONS = frozenset(_HARMLESS.split())
_SQL = """
all and any array as asc between bigint binary boolean both by byte case cast char date day days dec
decimal distinct div double else end escape exists false float for from hour hours ilike in int
integer interval is leading like long map microsecond microseconds millisecond milliseconds minute
minutes mod month months not null numeric or overlay placing quarter real regexp rlike second
seconds short smallint some string struct then timestamp timestamp_ltz timestamp_ntz tinyint to
trailing true unknown varchar void week weeks when year years
"""
_WORDS = frozenset(_SQL.split())
_TOKENS = re.compile(
    r"""(?P<space>\s+)
    | (?P<text>[rR]'[^']*'|[rR]"[^"]*"|'(?:[^'\\]|\\.|'')*'|"(?:[^"\\]|\\.|"")*")
    | (?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?(?:BD|bd|[lLsSyYfFdD])?(?!\w))
    | (?P<quoted>`(?:[^`]|``)+`)
    | (?P<word>[A-Za-z_][A-Za-z_0-9]*)
    | (?P<comment>--|/\*)
    | (?P<sign><=>|[-+*/%()=<>!,.&|^~\[\]]|::|==)""",
    re.VERBOSE | re.DOTALL,
)
_RULE = (
    "A condition may compare and compute with the columns of the frame, by common functions of numbers, text "
    "and dates, and do nothing else. For more, filter the frame itself before it is passed."
)


def check_spark_condition(where: str, columns: Sequence[str]) -> None:
    """Raise unless a condition holds nothing but columns and harmless words."""
    known = {name.lower() for name in columns}
    cut = [*_cut(where), ("end", "")]
    before = ""
    for (kind, token), (_, after) in pairwise(cut):
        called, field = after == "(", before == "."
        before = token
        if kind == "comment":
            raise InputError(f"where={shown(where)} holds a comment. Remove it. {_RULE}")
        if called and kind in ("word", "quoted") and (field or token.lower() not in FUNCTIONS):
            raise InputError(
                f"where={shown(where)} calls {clean(token, 60)}, which is not allowed. {_RULE}"
            )
        if called or field or kind not in ("word", "quoted"):
            continue
        name = token[1:-1].replace("``", "`") if kind == "quoted" else token
        if name.lower() not in known and not (kind == "word" and name.lower() in _WORDS):
            raise InputError(
                f"The condition {shown(where)} does not fit the data frame: there is no column "
                f"{shown(name)}. Its columns are: {listed(columns)}. {_RULE}"
            )


def _cut(where: str) -> Iterator[tuple[str, str]]:
    """The kinds and texts of the tokens; spaces are left out."""
    place = 0
    while place < len(where):
        found = _TOKENS.match(where, place)
        if found is None or found.lastgroup is None:
            raise InputError(
                f"where={shown(where)} cannot be understood from {shown(where[place : place + 20])} on. "
                f"{_RULE}"
            )
        place = found.end()
        if found.lastgroup != "space":
            yield found.lastgroup, found[0]
