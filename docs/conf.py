"""The site: Sphinx reads the Markdown pages of this folder, and a reference that is generated before."""

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

import equipoise  # noqa: E402 - the path has to be set first
from recipes.reference import write_reference  # noqa: E402

write_reference(HERE)

project = "Equipoise"
author = "The Equipoise authors"
version = release = equipoise.__version__

extensions = ["myst_parser", "sphinx_copybutton"]
myst_enable_extensions = ["colon_fence", "deflist", "attrs_inline"]
myst_heading_anchors = 4
suppress_warnings = ["misc.highlighting_failure"]
exclude_patterns = ["_build"]
nitpicky = True
highlight_language = "none"

html_theme = "furo"
html_title = f"Equipoise {release}"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_copy_source = html_show_sourcelink = False
html_theme_options = {"navigation_with_keys": True}
