"""Which failures are printed whole."""

import pytest
from support.scenarios import run, set_up


def sections(result):
    """The failure sections, by the names of their items."""
    return [line for line in result.outlines if line.startswith("_") and "test_probe" in line]


def listed(result):
    return [line for line in result.outlines if line.startswith("FAILED ")]


@pytest.mark.parametrize("workers", ["-n0", "-n2"])
def test_the_five_lowest_failures_are_printed_and_each_has_its_line(pytester, workers):
    set_up(pytester)
    result = run(pytester, workers, compactor="forget")
    assert len(sections(result)) == 5
    assert len(listed(result)) == 8
    said = "3 further failures are not printed; --compaction-show=all or -v prints all"
    assert said in result.outlines


@pytest.mark.parametrize(
    ("arguments", "printed"),
    [
        (["--compaction-show=0"], 0),
        (["--compaction-show=7"], 7),
        (["--compaction-show=all"], 8),
        (["-v"], 8),
    ],
)
def test_as_many_failures_are_printed_as_are_asked_for(pytester, arguments, printed):
    set_up(pytester)
    result = run(pytester, *arguments, compactor="forget")
    assert len(sections(result)) == printed
    assert len(listed(result)) == 8


def test_what_failed_for_another_reason_is_always_printed(pytester):
    place = set_up(pytester, "first")
    place.joinpath("test_own.py").write_text(
        "def test_probe(case, probe, compactor, judge):\n"
        "    judge(probe, compactor(case).ask(probe)).check()\n"
        "def test_other():\n"
        "    assert 1 == 2\n"
    )
    result = run(pytester, "--compaction-show=0", compactor="forget")
    assert sections(result) == []
    result.stdout.fnmatch_lines(["*_ test_other _*"])
