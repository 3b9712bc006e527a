"""How the site is built: ``sphinx-build -W --keep-going -b html docs docs/_build/html``.

Nothing is fetched while building or reading. The examples on every page and in every docstring run
as part of the build; see ``_ext/examples.py`` for the rules.
"""

from __future__ import annotations

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE / "_ext"))

import puremetrics  # noqa: E402  (the extensions above and the package must be importable)

project = "puremetrics"
author = "The puremetrics developers"
copyright = "the puremetrics developers"
version = release = puremetrics.__version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "mathml",
    "public_names",
    "site_pages",
    "examples",
    "notebooks",
]
exclude_patterns = ["_build", "_ext"]
source_suffix = {".md": "markdown"}

myst_enable_extensions = ["dollarmath", "deflist", "colon_fence"]
myst_heading_anchors = 3
math_number_all = False

default_role = "public-name"  # `name` in a docstring: a link if it is exported
autodoc_typehints = "none"  # the numpy sections say it in words
autodoc_member_order = "bysource"
autodoc_default_options = {"members": True}
napoleon_google_docstring = False
napoleon_use_param = False  # "a, b : float" stays one entry
napoleon_custom_sections = [("Attributes", "params_style")]
napoleon_use_rtype = False
add_module_names = False
python_use_unqualified_type_names = True
suppress_warnings = ["ref.python"]  # attributes of two classes may share a name

html_theme = "furo"
html_math_renderer = "mathml"
html_title = f"puremetrics {release}"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sourcelink = False
html_show_sphinx = False
html_theme_options = {
    "light_css_variables": {
        "color-brand-primary": "#1f5a8a",
        "color-brand-content": "#1f5a8a",
        "color-api-name": "#1f5a8a",
        "color-api-pre-name": "#6b6b6b",
        "font-stack": "system-ui, -apple-system, 'Segoe UI', 'Helvetica Neue', Arial, sans-serif",
        "font-stack--monospace": "ui-monospace, SFMono-Regular, Menlo, Consolas, monospace",
    },
    "dark_css_variables": {
        "color-brand-primary": "#8cbce6",
        "color-brand-content": "#8cbce6",
        "color-api-name": "#8cbce6",
    },
}
