"""What stays loaded in this process, so that the runs of pytester in it need not load it again.

pytester forgets every module that a run in this process was the first to import, and each of
some thousand runs would import and build the tables of the matcher, or a client for endpoints.
"""

import importlib
from pkgutil import walk_packages

import pytest_compaction

LEFT_OUT = "pytest_compaction.benchmark"
"""Test modules, which each run has to collect itself, and a folder of cases."""
OTHERS = (
    "jinja2",
    "jsonschema",
    "openai.resources.responses",
    "scipy.special",
    "syrupy.extensions.json",
    "xdist.dsession",
    "xdist.remote",
)
"""What the package imports, or pytest for it, when it is needed. numpy cannot be loaded twice."""


def load_for_good():
    """Import all modules of the package, and what they import only when it is needed."""
    for found in walk_packages(pytest_compaction.__path__, "pytest_compaction."):
        if not found.name.startswith(LEFT_OUT):
            importlib.import_module(found.name)
    for name in OTHERS:
        importlib.import_module(name)
