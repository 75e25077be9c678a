"""Options: each is also an ini key, the command line wins, and --help lists them."""

import re
from dataclasses import asdict
from itertools import cycle
from pathlib import Path

import pytest
from support.scenarios import case as a_case
from support.scenarios import lean, own, records, run, set_up, write_cases

import pytest_compaction
from pytest_compaction.options import read_settings
from pytest_compaction.options.table import LISTING_FLAG, OPTIONS
from pytest_compaction.settings import OptionError

PROMPT = Path(pytest_compaction.__file__).parent / "models/chat/prompts/judge.md"

OTHER_WORDS = {
    "compactor": ["roo", "truncate"],
    "compaction_cases": ["cases/first.json"],
    "compaction_shard": "2/3",
    "compaction_languages": ["fr", "es"],
    "compaction_model": "mute",
    "compaction_responder": "mute",
    "compaction_judge": ["refuses", "dead"],
    "compaction_reader": "reads",
    "compaction_judge_prompt": "judge.md",
    "compaction_rubric": "rubric.json",
    "compaction_judge_tolerance": "0.25,2",
    "compaction_trigger": "turns:2",
    "compaction_budget": ["2000", "1000"],
    "compaction_threshold": ["overall>=1", "pass^1>=0"],
    "compaction_report": ["out.md", "out/run.json"],
    "compaction_baseline": "main.json",
    "compaction_max_newly_gone": "5%",
    "compaction_executor": "dask://a:1",
    "compaction_encoding": "o200k_base",
    "compaction_store": "calls",
    "compaction_export": "out",
    "compaction_prices": "prices.json",
    "compaction_runs": "elsewhere",
    "compaction_show": "all",
    "compaction_tasks": ["GR", "SA"],
}
"""For each ini key that takes words a value other than its default."""
BY_OTHER_NAMES = {
    "compactor": {"compactors": ("roo", "truncate")},
    "compaction_shard": {"index": 2, "count": 3},
    "compaction_languages": {"languages": ("es", "fr")},
    "compaction_model": {"model": "mute", "responder": "mute", "judges": ("mute",)}
    | {"names_model": True},
    "compaction_judge": {"judges": ("refuses", "dead")},
    "compaction_rubric": {"rubric_file": "rubric.json"},
    "compaction_judge_snapshots": {"compare": True},
    "compaction_judge_tolerance": {"overall": 0.25, "criterion": 2},
    "compaction_budget": {"budgets": (1000, 2000)},
    "compaction_threshold": {"thresholds": ("overall>=1", "pass^1>=0")},
    "compaction_report": {"reports": ("out.md", "out/run.json")},
    "compaction_baseline": {"path": "main.json"},
    "compaction_max_newly_gone": {"number": 5, "percent": True},
    "compaction_baseline_update": {"update": True, "path": "main.json"},
    "compaction_check": {"check": True, "model": "offline"},
    "compaction_encoding": {"encoding": "o200k_base", "names_encoding": True},
    "compaction_show": {"show": None},
    "compaction_truncated_chats": {"truncated": True},
    "compaction_dialogue_budget": {"budget": 0.35},
    "compaction_dialogue_window": {"window": 4097},
}
"""What an option changes in the settings, where that is not the field of its name alone."""
ALSO = {"compaction_baseline_update": ["--compaction-baseline=main.json"]}
"""Other arguments that an option needs."""


@pytest.fixture
def settings_of(pytester, monkeypatch):
    """Reads the settings of a run with these arguments and with the ini file that is there."""
    monkeypatch.delenv("PYTEST_ADDOPTS")

    def read(*arguments, compactor="anchored"):
        named = [f"--compactor={compactor}"] if compactor else []
        return read_settings(pytester.parseconfig(*lean(), *named, *arguments))

    return read


def fields_of(settings):
    """The fields of settings by name, those of settings within settings among them."""
    found = {}
    for name, value in (settings if isinstance(settings, dict) else asdict(settings)).items():
        found |= fields_of(value) if isinstance(value, dict) else {name: value}
    return found


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


def other_value(option):
    """A value other than the default of an option."""
    if option.ini_type == "bool":
        return True
    if option.ini_type in {"int", "float"}:
        default = option.default or 0
        return default + 1 if option.ini_type == "int" else default / 2 + 0.1
    if option.choices:
        return next(word for word in option.choices if word != option.default)
    return OTHER_WORDS[option.key]


@pytest.mark.parametrize(
    ("option", "form"),
    [
        pytest.param(option, form, id=f"{option.key}-{form}")
        for option, form in zip(OPTIONS, cycle(("native", "ini")), strict=False)
    ],
)
def test_an_ini_key_of_the_same_name_in_snake_case_does_what_the_option_does(
    pytester, settings_of, option, form
):
    value, also = other_value(option), ALSO.get(option.key, [])
    compactor = None if option.key == "compactor" else "anchored"
    usual = fields_of(settings_of())
    given = settings_of(*also, *as_flags(option, value), compactor=compactor)
    changed = {k: v for k, v in fields_of(given).items() if k not in usual or usual[k] != v}
    own_name = {
        option.key.removeprefix("compaction_"): tuple(value) if option.repeatable else value
    }
    assert changed == BY_OTHER_NAMES.get(option.key, own_name)
    write_ini(pytester, form, option.ini_key, value)
    assert settings_of(*also, compactor=compactor) == given


def test_the_command_line_wins_over_the_ini_file_and_does_not_add_to_it(pytester, settings_of):
    (pytester.path / "pytest.ini").write_text(
        "[pytest]\ncompaction_compactor = roo\ncompaction_cases = cases/first.json\n"
        "compaction_trials = 2\ncompaction_model = mute\ncompaction_pass_score = 1\n"
    )
    settings = settings_of(
        "--compaction-cases=cases/second.json",
        "--compaction-trials=3",
        "--compaction-model=offline",
        "--compaction-pass-score=0",
    )
    assert settings.compactors == ("anchored",)
    assert settings.cases == ("cases/second.json",)
    assert (settings.trials, settings.model, settings.pass_score) == (3, "offline", 0)


def test_a_compactor_from_the_ini_file_runs_the_benchmark_on_every_run(pytester):
    set_up(pytester, "first")
    (pytester.path / "pytest.ini").write_text(f"[pytest]\ncompaction_compactor = {own('keep')}\n")
    run(pytester, compactor=None).assert_outcomes(passed=4)


@pytest.mark.parametrize(
    ("given", "named"),
    [
        (["roo, truncate", "adk", "roo"], ("roo", "truncate", "adk")),
        (["claude-code:focus='see: a, b',roo"], ("claude-code:focus='see: a, b'", "roo")),
    ],
    ids=["each once", "a comma in quotes"],
)
def test_compactors_are_comma_separated_or_repeated(settings_of, given, named):
    settings = settings_of(*(f"--compactor={text}" for text in given), compactor=None)
    assert settings.compactors == named


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
        assert option.ini_key in words
        assert option.help
    assert LISTING_FLAG in words
    titles = [line for line in result.outlines if line.startswith("compaction, ")]
    assert [title.partition(":")[0] for title in titles] == [
        f"compaction, {name}" for name in ("measure", "gate", "model", "check", "dialogues")
    ]


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


def test_every_ini_key_begins_alike():
    assert [option.flag for option in OPTIONS if not option.ini_key.startswith("compaction_")] == []


def test_old_names_of_ini_keys_are_read_and_the_header_says_the_new_ones(pytester, settings_of):
    set_up(pytester, "first")
    (pytester.path / "judge.md").write_bytes(PROMPT.read_bytes())
    ini = pytester.path / "pytest.ini"
    old = "[pytest]\ncompactor = roo\njudge_prompt = judge.md\n"
    ini.write_text(old)
    settings = settings_of(compactor=None)
    assert (settings.compactors, settings.calls.judge_prompt) == (("roo",), "judge.md")
    other = settings_of("--compaction-judge-prompt=other.md")
    assert (other.compactors, other.calls.judge_prompt) == (("anchored",), "other.md")
    said = [line for line in run(pytester, "--co").outlines if "ini key" in line]
    assert said == [
        f"compaction: the ini key {name} is now called compaction_{name}; the old name is read "
        "until version 1.0"
        for name in ("compactor", "judge_prompt")
    ]
    ini.write_text(f"{old}compaction_judge_prompt = newer.md\n")
    assert settings_of().calls.judge_prompt == "newer.md"
    ini.write_text("[pytest]\ncompaction_judge_prompt = judge.md\n")
    assert "ini key" not in str(run(pytester, "--co").stdout)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("--compactor=", "--compactor= is empty; give SPEC, or leave it out"),
        ("--compactor=,", "--compactor=, has an empty part; SPEC stands before and after each"),
        ("--compactor=keep,", "--compactor=keep, has an empty part"),
        ("--compaction-judge=offline,", "--compaction-judge=offline, has an empty part"),
        ("--compaction-threshold=", "--compaction-threshold= is empty; give EXPR, or none, if"),
        ("--compaction-baseline= ", "--compaction-baseline= is empty; give RUN, or none, if"),
        ("--compaction-cases=", "--compaction-cases= is empty; give PATH, or leave it out"),
        ("--compaction-shard=", "--compaction-shard= is empty"),
        ("--compaction-export=", "--compaction-export= is empty"),
    ],
)
def test_an_option_that_is_there_and_empty_is_refused(settings_of, given, said):
    with pytest.raises(OptionError, match=re.escape(said)):
        settings_of(given)


@pytest.mark.parametrize(
    ("one", "other", "said"),
    [
        ("replay", "refresh", "give one of the two"),
        ("export=out", "replay", "it cannot be given with --compaction-replay"),
        ("export=out", "refresh", "it cannot be given with --compaction-refresh"),
        ("export=out", "estimate", "it cannot be given with --compaction-estimate"),
        ("executor=dask://a:1", "max-cost=1", "--compaction-max-cost cannot be kept"),
        ("executor=dask://a:1", "check", "--compaction-check measures no cases"),
        ("executor=dask://a:1", "model=recorded", "recorded words are read on this machine"),
        ("shard=1/2", "check", "--compaction-check runs no case; leave one of the two out"),
        ("judge=recorded", "model=offline", "recorded words are summaries: --compaction-model="),
    ],
)
def test_options_that_exclude_each_other_are_refused(settings_of, one, other, said):
    with pytest.raises(OptionError, match=said):
        settings_of(f"--compaction-{one}", f"--compaction-{other}")


@pytest.mark.parametrize(
    "key", ["compaction_compactor", "compaction_threshold", "compaction_baseline"]
)
@pytest.mark.parametrize("form", ["native", "ini"])
def test_an_ini_key_that_is_there_and_empty_is_refused(pytester, settings_of, key, form):
    write_ini(pytester, form, key, "" if key == "compaction_baseline" else [])
    with pytest.raises(OptionError, match=f"{key}= is empty; give "):
        settings_of(compactor=None if key.endswith("compactor") else "anchored")


def test_none_leaves_out_the_thresholds_and_the_baseline_of_the_ini_file(pytester, settings_of):
    (pytester.path / "pytest.ini").write_text(
        "[pytest]\ncompaction_threshold = overall>=5.0\ncompaction_baseline = gone.json\n"
    )
    settings = settings_of("--compaction-threshold=none", "--compaction-baseline=none")
    assert (settings.thresholds, settings.baseline.path) == ((), "")


@pytest.mark.parametrize("key", ["compaction_treshold", "compaction-threshold", "compactors"])
def test_a_misspelt_key_of_the_ini_file_is_a_usage_error_with_the_nearest_one(pytester, key):
    set_up(pytester, "first")
    (pytester.path / "pytest.ini").write_text(f"[pytest]\n{key} = overall>=5\n")
    for compactor in ("keep", None):
        result = run(pytester, compactor=compactor)
        assert result.ret == pytest.ExitCode.USAGE_ERROR
        near = "compaction_compactor" if key == "compactors" else "compaction_threshold"
        assert f"there is no ini key {key}; did you mean {near}?" in str(result.stderr)
