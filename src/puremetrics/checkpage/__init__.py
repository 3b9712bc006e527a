"""A page on this machine on which people check rows one by one, and what it keeps and says."""

from puremetrics.checkpage.live import Live, Look, look_at
from puremetrics.checkpage.page import alone, served
from puremetrics.checkpage.server import CheckServer
from puremetrics.checkpage.session import Session
from puremetrics.checkpage.sheet import Sheet, read_sheet

__all__ = [
    "CheckServer",
    "Live",
    "Look",
    "Session",
    "Sheet",
    "alone",
    "look_at",
    "read_sheet",
    "served",
]
