import gc

import pytest
from support.scenarios import run, set_up

from pytest_compaction.gc_threshold import MORE_OBJECTS, look_less_often

SAID = """
import gc

def test_says(case, probe, compactor):
    print("threshold", gc.get_threshold()[0])
"""


@pytest.fixture(autouse=True)
def _as_it_was():
    before, enabled = gc.get_threshold(), gc.isenabled()
    yield
    gc.set_threshold(*before)
    gc.unfreeze()
    (gc.enable if enabled else gc.disable)()


def test_python_looks_less_often_until_it_is_told_to_stop():
    gc.set_threshold(700, 9, 8)
    stop = look_less_often()
    assert gc.get_threshold() == (MORE_OBJECTS, 9, 8)
    stop()
    assert gc.get_threshold() == (700, 9, 8)
    assert not gc.get_freeze_count()


def test_what_a_run_made_is_left_out_of_searches_when_the_process_ends(pytester):
    set_up(pytester, "first")
    pytester.makepyfile(test_says=SAID)
    run(pytester, "test_says.py")
    assert gc.get_freeze_count()
    look_less_often()
    assert not gc.get_freeze_count()


@pytest.mark.parametrize("chosen", [0, MORE_OBJECTS * 2])
def test_what_somebody_chose_stays(chosen):
    gc.set_threshold(chosen, 9, 8)
    look_less_often()()
    assert gc.get_threshold() == (chosen, 9, 8)


def test_a_search_that_is_switched_off_stays_so():
    gc.disable()
    look_less_often()()
    assert not gc.isenabled()


def test_a_benchmark_looks_less_often_and_leaves_no_trace(pytester):
    set_up(pytester, "first")
    pytester.makepyfile(test_says=SAID)
    gc.set_threshold(700, 10, 10)
    result = run(pytester, "test_says.py", "-s")
    result.stdout.fnmatch_lines([f"*threshold {MORE_OBJECTS}*"])
    assert gc.get_threshold()[0] == 700
