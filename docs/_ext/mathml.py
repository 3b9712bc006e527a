"""Formulas as MathML: no script and no network, neither when building nor when reading.

docutils brings the converter and every current browser draws the result; MathJax would need a script
from elsewhere, and pictures of formulas a TeX installation.
"""

from __future__ import annotations

from typing import Any

from docutils import nodes
from docutils.utils.math import MathError
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.application import Sphinx
from sphinx.util import logging

_log = logging.getLogger(__name__)


def _mathml(node: Any, *, block: bool) -> str:
    try:
        return tex2mathml(node.astext().strip(), as_block=block)
    except MathError as error:
        _log.warning("cannot convert formula: %s", error, location=node)
        return f"<code>{node.astext()}</code>"


def _inline(self: Any, node: nodes.math) -> None:
    self.body.append(_mathml(node, block=False))
    raise nodes.SkipNode


def _block(self: Any, node: nodes.math_block) -> None:
    self.body.append(f'<div class="formula">{_mathml(node, block=True)}</div>')
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the renderer that conf.py names."""
    app.add_html_math_renderer("mathml", (_inline, None), (_block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
