"""The hypergeometric law in decimals of sixty digits."""

from __future__ import annotations

import math
from decimal import Decimal, localcontext

PI = Decimal("3.14159265358979323846264338327950288419716939937510582097494459230781640628620899")


STIRLING = [(1, 12), (-1, 360), (1, 1260), (-1, 1680), (1, 1188), (-691, 360360), (1, 156)]


Point = tuple[int, int, int, int]  # x, total, marked, drawn


# Independent values: exact integers for small tables, decimals and 220-bit fixed point for large
def log_factorial(value: int) -> Decimal:
    if value < 2000:
        return Decimal(math.factorial(value)).ln()
    y = Decimal(value)
    result = (y + Decimal("0.5")) * y.ln() - y + (2 * PI).ln() / 2
    for i, (top, bottom) in enumerate(STIRLING):
        result += Decimal(top) / (bottom * y ** (2 * i + 1))
    return result


def decimal_log_pmf(x: int, total: int, marked: int, drawn: int) -> Decimal:
    with localcontext() as context:
        context.prec = 60
        above = sum(map(log_factorial, (marked, total - marked, drawn, total - drawn)), Decimal(0))
        cells = (total, x, marked - x, drawn - x, total - marked - drawn + x)
        return above - sum(map(log_factorial, cells), Decimal(0))


def decimal_log_lower_tail(x: int, total: int, marked: int, drawn: int) -> Decimal:
    unit = 1 << 220
    a, b, c, d = x, marked - x, drawn - x, total - marked - drawn + x
    term = ways = unit
    while term > ways >> 90 and a > 0 and d > 0:
        term = term * (a * d) // ((b + 1) * (c + 1))
        ways += term
        a, b, c, d = a - 1, b + 1, c + 1, d - 1
    with localcontext() as context:
        context.prec = 60
        return decimal_log_pmf(x, total, marked, drawn) + (Decimal(ways) / unit).ln()
