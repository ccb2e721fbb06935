"""Settings of the site: ``bash .ci/docs FOLDER`` builds it.

The repository itself is the folder of sources, so that links between README, the pages of ``docs``
and those of ``results`` lead on the site where they lead in a clone.
"""

import sys
from pathlib import Path

import matplotlib

import boostbench

sys.path.insert(0, str(Path(__file__).parent / "_ext"))
matplotlib.use("agg")

project = "boostbench"
author = "The boostbench developers"
copyright = author
release = boostbench.__version__
version = ".".join(release.split(".")[:2])

root_doc = "docs/index"
source_suffix = {".rst": "restructuredtext", ".md": "markdown"}
include_patterns = [
    "README.md",
    "CONTRIBUTING.md",
    "CHANGELOG.md",
    "docs/**",
    "results/**.md",
]
# What sphinx-gallery reads, and what it writes for downloads, are no pages.
exclude_patterns = [
    "docs/_templates",
    "docs/examples",
    "docs/gallery/*.ipynb",
    "docs/gallery/*.py",
    "docs/gallery/*.json",
]

extensions = [
    "generated_reference",
    "result_pages",
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx_copybutton",
    "sphinx_gallery.gen_gallery",
]
myst_enable_extensions = ["deflist"]
myst_heading_anchors = 3
# Options such as --jobs keep both of their dashes.
smartquotes = False

# Absolute, as autosummary looks below the sources and Sphinx beside this file.
templates_path = [str(Path(__file__).parent / "_templates")]
autosummary_generate = True
autodoc_typehints = "none"
numpydoc_show_class_members = False

sphinx_gallery_conf = {
    "examples_dirs": "docs/examples",
    "gallery_dirs": "docs/gallery",
    "backreferences_dir": "docs/gallery/backreferences",
    "doc_module": ("boostbench",),
    "reference_url": {"boostbench": None},
    "within_subsection_order": "FileNameSortKey",
    "remove_config_comments": True,
    "show_memory": False,
    "capture_repr": ("_repr_html_",),
    "abort_on_example_error": True,
}

html_theme = "pydata_sphinx_theme"
html_title = "boostbench"
html_static_path = ["_static"]
html_css_files = ["site.css"]
# The page at the root of the site leads to the first page of docs.
html_extra_path = ["_extra"]
html_show_sourcelink = False
# Pages without others below them need no menu at their side.
_ALONE = ["README", "CHANGELOG", "CONTRIBUTING", "docs/index", "docs/findings", "results/**"]
html_sidebars = {name: [] for name in _ALONE}
html_theme_options = {
    "github_url": "https://github.com/boostbench/boostbench",
    "show_toc_level": 2,
    "navigation_with_keys": False,
    "back_to_top_button": True,
    "header_links_before_dropdown": 6,
    "footer_start": ["copyright"],
    "footer_end": [],
}
