"""The file of half of the calls of a log."""

import pytest
from support.probe_logs import Log

from pytest_compaction.case_making import ProbeLog
from pytest_compaction.case_making.code_probes import files_by_name

CHANGE = "*** Update File: {}\n@@\n-a\n+b\n"
PATCH = f"*** Begin Patch\n{CHANGE}{CHANGE}*** End Patch"


@pytest.mark.parametrize("number", range(8))
def test_of_two_files_that_all_calls_touch_the_first_by_name_is_taken(number):
    first, second = f"src/a{number}.py", f"lib/b{number}.py"
    log = Log()
    for _ in range(8):
        log.call("apply_patch", input=PATCH.format(first, second))
    made = ProbeLog(log.messages, [len(log.messages) - 1])
    assert files_by_name(made, {})[1] == second
