"""An evaluation as one self-contained HTML page, and as a compact table for notebooks."""

from __future__ import annotations

from puremetrics.report.notebook import notebook
from puremetrics.report.page import render

__all__ = ["notebook", "render"]
