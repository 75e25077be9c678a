"""Benchmarks of speed, each repeated by ``python -m tests.benchmarks NAME``."""

import sys
from pathlib import Path

# Outside pytest, what tests share in ``support`` has to be found too.
_TESTS = str(Path(__file__).parents[1])
if _TESTS not in sys.path:
    sys.path.append(_TESTS)
