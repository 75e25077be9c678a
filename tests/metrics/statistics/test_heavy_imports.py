"""numpy is loaded by the first figure that draws samples, and scipy by no figure of a run."""

import subprocess
import sys

LOAD_ALL = """
import sys
import pytest_compaction.plugin, pytest_compaction.session.end.finish
import pytest_compaction.reports.summary, pytest_compaction.reports.tables
from pytest_compaction.metrics import cluster_interval, proportion_interval, t_quantile
proportion_interval({"a": [1.0], "b": [0.0]})
t_quantile(0.975, 9)
before = {"numpy", "scipy"} & sys.modules.keys()
cluster_interval({case: [1.0] for case in "abcde"} | {"f": [2.0]})
print(sorted(before), "numpy" in sys.modules, "scipy" in sys.modules)
"""


def test_numpy_and_scipy_are_not_loaded_where_no_figure_needs_them():
    command = [sys.executable, "-c", LOAD_ALL]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert said.split() == ["[]", "True", "False"]
