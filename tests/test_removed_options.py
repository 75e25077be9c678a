"""What earlier versions took is refused with what replaced it, wherever it is written."""

import pytest
from support.scenarios import flat, run, set_up

from pytest_compaction.options.names import REMOVED
from pytest_compaction.options.table import OPTIONS


@pytest.fixture
def refused(pytester, monkeypatch):
    """Runs with rows that are in no version: what a refused one says."""
    set_up(pytester, "first")
    for old in ("--compaction-made-up", "--compaction-executor=made://", "made_up="):
        monkeypatch.setitem(REMOVED, old, "use the new one")

    def said(*arguments, **how):
        result = run(pytester, "--collect-only", "-q", *arguments, **how)
        assert result.ret == pytest.ExitCode.USAGE_ERROR
        return flat(result.errlines)

    return said


@pytest.mark.parametrize(
    ("given", "old"),
    [
        ("--compaction-made-up", "--compaction-made-up"),
        ("--compaction-made-up=3", "--compaction-made-up"),
        ("--compaction-executor=made://4", "--compaction-executor=made://"),
        ("--compactor=roo:made_up=yes", "made_up="),
        ("--compactor=ledger+roo:keep=4:made_up=3", "made_up="),
    ],
)
def test_a_removed_option_value_or_parameter_is_refused_with_what_replaced_it(refused, given, old):
    assert refused(given) == f"ERROR: this version has no {old}: use the new one"


def test_a_check_refuses_a_removed_parameter_too(refused):
    said = refused("--compactor=roo:made_up=yes", "--compaction-check", compactor=None)
    assert said == "ERROR: this version has no made_up=: use the new one"


@pytest.mark.parametrize(
    ("line", "old"),
    [
        ("compaction_made_up = 3", "--compaction-made-up"),
        ("compaction_executor = made://4", "--compaction-executor=made://"),
    ],
)
def test_a_removed_key_of_the_ini_file_is_refused_with_what_replaced_it(
    pytester, refused, line, old
):
    (pytester.path / "pytest.ini").write_text(f"[pytest]\nstrict = true\n{line}\n")
    for compactor in ("keep", None):
        said = refused(compactor=compactor)
        assert said == f"ERROR: this version has no {old}: use the new one"


def test_a_parameter_of_that_name_of_a_strategy_of_ones_own_is_another_one(pytester, refused):
    assert "'strategies:keep:made_up=3'" in refused("--compactor=strategies:keep:made_up=3")


@pytest.mark.parametrize("old", [old for old in REMOVED if old.startswith("--") and "=" not in old])
def test_an_option_of_the_table_is_taken_as_long_as_it_is_registered(pytester, old):
    set_up(pytester, "first")
    result = run(pytester, "--collect-only", "-q", f"{old}=1")
    taken = old in {option.flag for option in OPTIONS}
    assert result.ret == (pytest.ExitCode.OK if taken else pytest.ExitCode.USAGE_ERROR)
    assert (REMOVED[old] in flat(result.errlines)) is not taken


@pytest.mark.parametrize("role", ["model", "responder", "judge"])
def test_the_model_of_the_reference_run_is_gone(refused, role):
    said = refused(f"--compaction-{role}=reference")
    assert f"this version has no --compaction-{role}=reference: the words of" in said
