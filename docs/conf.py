"""How Sphinx builds the documentation: `make docs`, into docs/_build/html."""

from __future__ import annotations

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE / "_ext"))

from acklab import __version__  # noqa: E402  the pages are generated from the package that is installed

project = "acklab"
copyright = "the acklab developers"
release = version = __version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx.ext.githubpages", "acklab_docs"]
exclude_patterns = ["_build", "_ext", "Thumbs.db"]
source_suffix = {".md": "markdown"}

myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 4

autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_preserve_defaults = True
autodoc_type_aliases = {"ScenarioLike": "ScenarioLike"}
add_module_names = False
napoleon_numpy_docstring = False
# Docstrings of the extension are Rust's, where one backtick means code.
default_role = "code"
# A type called as an attribute is (`bytes`) has several targets; either is as good as none.
suppress_warnings = ["ref.python"]
smartquotes = False

html_theme = "furo"
html_title = f"acklab {version}"
html_show_sourcelink = False
html_copy_source = False
html_static_path = ["_static"]
html_css_files = ["acklab.css"]
html_js_files = [("acklab.js", {"defer": "defer"})]
