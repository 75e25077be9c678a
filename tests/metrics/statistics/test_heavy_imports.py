"""numpy and scipy are loaded by the first figure that needs them, and by nothing before."""

import subprocess
import sys

LOAD_ALL = """
import sys
import pytest_compaction.plugin, pytest_compaction.session.end.finish
import pytest_compaction.reports.summary, pytest_compaction.reports.tables
from pytest_compaction.metrics import cluster_interval
before = {"numpy", "scipy"} & sys.modules.keys()
cluster_interval({case: [1.0] for case in "abcde"} | {"f": [2.0]})
print(sorted(before), "numpy" in sys.modules, "scipy.stats" in sys.modules)
"""


def test_numpy_and_scipy_are_not_loaded_before_a_figure_needs_them():
    command = [sys.executable, "-c", LOAD_ALL]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert said.split() == ["[]", "True", "False"]
