"""``--compaction-check``: one named item for each compactor and invariant."""

import importlib
import importlib.util
import re

import pytest
from support.scenarios import flat, lean, refused
from support.worker_counts import BOTH

from pytest_compaction.checking import INVARIANTS, KNOWN
from pytest_compaction.session.items.packaged import INVARIANTS as MODULE

for _name in (
    "pytest_compaction.session.check",
    "pytest_compaction.session.scheduler",
    "pytest_compaction.checking.surveys",
):
    importlib.import_module(_name)  # kept loaded over inner runs

NAMES = [invariant.name for invariant in INVARIANTS]
ALL = len(NAMES)
DRAWN = 5
"""Examples that a check here draws beside those that it knows; --compaction-check draws 200."""
OWN = '''
"""Compactors that the tests of the check name on the command line."""

import sys
import time

from planted import DropsInSilence, Sound
from pytest_compaction.compactors.protocol import Traits
from dataclasses import replace


def newest(messages, budget):
    """The newest messages, whatever they belong to."""
    kept = list(messages)
    while len(kept) > 1 and sum(len(str(m["content"])) for m in kept) > 3 * budget:
        kept.pop(0)
    return kept


def nothing(messages, budget):
    """Leaves everything as it is."""
    return messages


def raises(messages, budget):
    """Raises, with terminal escapes."""
    raise ValueError("\\x1b[2J out of order")


def exits(messages, budget):
    """Tries to end the process."""
    sys.exit(3)


def interrupts(messages, budget):
    """Raises what Ctrl-C raises."""
    raise KeyboardInterrupt


def forever(messages, budget):
    """Never returns."""
    time.sleep(3600)


class Declared(DropsInSilence):
    """Declares its violation."""
    traits = replace(Sound.traits, violations={"spans-partition": "forgets the first span"})


class Boastful(Sound):
    """Declares a violation that it does not have."""
    traits = replace(Sound.traits, violations={"never-larger": "may grow"})
'''

NATIVE = """
from pytest_compaction.conversation.messages import Message, Opaque
from pytest_compaction.models.offline.model import OfflineModel
from pytest_compaction.models.protocol import CompactReply


class Native(OfflineModel):
    name = "native"

    async def compact(self, request):
        users = tuple(m for m in request.messages if m.role == "user" and m.origin == "log")
        item = Opaque('{"encrypted_content":"0xbeef","type":"compaction"}')
        return CompactReply((*users[-1:], Message("item", "user", (item,), "synthetic")))


def pytest_compaction_models(config):
    return {"native": Native()}
"""


@pytest.fixture
def check(pytester):
    """Runs the check of some compactors on few examples; ``planted`` is a module they may name."""
    pytester.makepyfile(own=OWN)

    def run(*compactors, arguments=(), examples=DRAWN):
        named = [f"--compactor={name}" for name in compactors]
        more = [f"--compaction-examples={examples}"] if examples else []
        return pytester.runpytest_inprocess(
            *lean(), "--compaction-check", *named, *more, *arguments
        )

    return run


SEVERAL = (
    *("planted:Sound", "planted:Orphans", "own:Declared", "own:Boastful", "own:nothing"),
    *("own:Boastful:summary=0.5", "own:raises", "openai-compact", "none"),
)
CHECKED = []
"""The result of one check of several compactors, which many tests look at."""


@pytest.fixture
def checked(check):
    if not CHECKED:
        CHECKED.append(check(*SEVERAL, arguments=["-v", "-rxs"]))
    return CHECKED[0]


def of(name, ids):
    """Which of these items are those of a compactor, as names of invariants."""
    return {id.removeprefix(f"{name}-") for id in ids if id.startswith(f"{name}-")}


def statuses(result, word):
    """The ids of the items that a run with ``-v`` reported with this word."""
    lines = str(result.stdout).splitlines()
    return {line.split("[", 1)[1].split("] ")[0] for line in lines if f"] {word}" in line}


def test_a_sound_compactor_passes_every_item_and_has_one_line_at_the_end(checked):
    assert of("planted:Sound", statuses(checked, "PASSED")) == set(NAMES)
    checked.stdout.re_match_lines(
        [
            rf"compaction check: planted:Sound, .* \| {ALL} invariants, {DRAWN} drawn and "
            rf"{len(KNOWN)} known examples each \| model offline",
            rf"planted:Sound +{ALL} of {ALL} invariants hold \(\d+ compactions\)",
        ]
    )


def test_a_broken_invariant_fails_its_item_alone_and_is_explained(checked):
    assert checked.ret == pytest.ExitCode.TESTS_FAILED
    assert of("planted:Orphans", statuses(checked, "FAILED")) == {"results-follow-calls"}
    said = flat(checked.outlines)
    for piece in (
        "planted:Orphans breaks results-follow-calls: the tool result for",
        "The invariant: Each tool result follows the assistant message that made its call",
        "Why it matters: Endpoints refuse such a request with status 400",
        f"of {DRAWN + len(KNOWN)} examples break it; this is the smallest that was found:",
        "= compaction 1: compacted,",
        "view: anchored-summary (user, new)",
        "Run it again: pytest --compactor=planted:Orphans --compaction-check "
        f"--compaction-examples={DRAWN} '::test_invariant[planted:Orphans-results-follow-calls]'",
    ):
        assert piece in said
    assert "Traceback" not in said
    assert f"{ALL - 1} of {ALL} invariants hold, 1 failed" in said


@pytest.mark.exhaustive
def test_the_same_example_is_shown_at_every_run(check):
    one = "::test_invariant[own:newest-starts-with-user]"
    first, second = (check("own:newest", arguments=["-q", one]) for _ in range(2))
    assert any("this is the smallest" in line for line in first.outlines)
    assert first.outlines[:-1] == second.outlines[:-1]


@pytest.mark.exhaustive
def test_two_workers_report_what_one_process_reports(check):
    names = "planted:Orphans,planted:Sound"
    alone = check(names, arguments=["-v"])
    shared = check(names, arguments=["-v", "-n2"])
    found = set(re.findall(r"FAILED \S*::test_invariant\[(\S+)\]", str(shared.stdout)))
    assert found == statuses(alone, "FAILED") == {"planted:Orphans-results-follow-calls"}
    ends = [line for line in alone.outlines if "invariants hold" in line]
    assert [line for line in shared.outlines if "invariants hold" in line] == ends


def test_a_declared_violation_is_an_expected_failure_with_its_clause(checked):
    assert not of("own:Declared", statuses(checked, "FAILED"))
    assert of("own:Declared", statuses(checked, "XFAIL")) == {"spans-partition"}
    assert len(of("own:Declared", statuses(checked, "PASSED"))) == ALL - 1
    assert "known violation of own:Declared: forgets the first span" in flat(checked.outlines)
    checked.stdout.re_match_lines(
        [rf"own:Declared +{ALL - 1} of {ALL} invariants hold, 1 known violations .*"]
    )


def test_a_rare_violation_of_a_shipped_strategy_shows_whatever_is_drawn(check):
    result = check("cline:mode=basic", examples=1, arguments=["-v"])
    assert result.ret == pytest.ExitCode.OK
    assert statuses(result, "XFAIL") == {
        "cline:mode=basic-log-order-and-text",
        "cline:mode=basic-never-larger",
        "cline:mode=basic-turns-alternate",
        "cline:mode=basic-within-budget",
    }


def test_a_declared_violation_that_does_not_show_fails_its_item_unless_there_are_parameters(
    checked,
):
    failed = statuses(checked, "FAILED")
    assert of("own:Boastful:summary=0.5", failed) == set()
    assert of("own:Boastful", failed) == {"never-larger"}
    assert (
        "declared but not found: own:Boastful says of never-larger that it does something else "
        f"(may grow), and no example of {DRAWN + len(KNOWN)} shows it; correct the declaration"
    ) in flat(checked.outlines)


def test_a_composition_may_mend_what_a_part_declares(check):
    result = check("own:Boastful+ledger", "kimi-cli+window", examples=1, arguments=["-v"])
    assert not statuses(result, "FAILED")
    assert "kimi_cli+window-within-budget" in statuses(result, "PASSED")
    assert "kimi_cli+window-summary-is-a-summary" in statuses(result, "XFAIL")


def test_a_compactor_that_never_compacts_or_always_raises_passes_nothing(checked):
    passed, said = statuses(checked, "PASSED"), flat(checked.outlines)
    assert of("own:nothing", passed) == of("own:raises", passed) == set()
    nothing = f"nothing was checked: own:nothing compacted none of {DRAWN + len(KNOWN)} examples"
    assert nothing in said
    assert "most frequent reasons: compact raised ValueError: \\x1b[2J out of order" in said
    assert "\x1b" not in str(checked.stdout)


@pytest.mark.parametrize(
    ("name", "said"),
    [("exits", "compact raised SystemExit: 3"), ("interrupts", "compact raised KeyboardInterrupt")],
)
def test_a_compactor_that_wants_to_end_the_process_fails_in_a_sentence(check, name, said):
    result = check(f"own:{name}", examples=3, arguments=["-v", "-k", "never-larger or due-after"])
    assert statuses(result, "FAILED") == {f"own:{name}-never-larger", f"own:{name}-not-due-after"}
    assert f"most frequent reasons: {said} (" in flat(result.outlines)
    assert "Traceback" not in str(result.stdout)


def test_a_compactor_that_never_returns_fails_in_time(check):
    result = check("own:forever", arguments=["-v", "--compaction-timeout=0.3"])
    assert not statuses(result, "PASSED")
    assert "nothing was checked: own:forever did not return within 0.3 s" in flat(result.outlines)


def test_the_control_and_native_compaction_that_the_model_lacks_are_skipped(
    checked, check, pytester
):
    skipped = statuses(checked, "SKIPPED")
    assert of("openai_compact", skipped) == of("none", skipped) == set(NAMES)
    assert "the offline model has no native compaction" in flat(checked.outlines)
    checked.stdout.re_match_lines([rf"none +0 of {ALL} invariants hold, {ALL} not applicable"])
    pytester.makeconftest(NATIVE)
    native = check("openai-compact", arguments=["--compaction-model=native", "-v"])
    assert "openai_compact-payloads-intact" in statuses(native, "PASSED")


def test_without_hypothesis_a_sentence_says_how_to_install_it(check, monkeypatch):
    found = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util,
        "find_spec",
        lambda name, *more: None if name == "hypothesis" else found(name, *more),
    )
    assert "needs the package hypothesis, which is not installed; pip install" in refused(
        check("anchored")
    )


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ([], "--compaction-check needs --compactor=NAME"),
        (["--compactor=anchord"], "did you mean 'anchored'"),
        (
            ["--compactor=anchored", "--compaction-model=gpt-5"],
            "asks the model thousands of times",
        ),
        (
            ["--compactor=anchored", "--compaction-examples=0"],
            "--compaction-examples=0 is not a whole number from 1 to 100000",
        ),
    ],
)
def test_what_cannot_be_checked_is_a_usage_error(check, arguments, sentence):
    assert sentence in refused(check(arguments=arguments, examples=None))


def test_the_module_of_the_invariants_is_skipped_without_the_flag(pytester):
    result = pytester.runpytest_inprocess(*lean(), str(MODULE), "-rs", "-n0")
    result.assert_outcomes(skipped=1)
    assert "needs --compactor=NAME --compaction-check" in str(result.stdout)


@pytest.mark.parametrize("given", ["threshold=overall>=3", "baseline=last", "proxy"])
def test_what_has_no_effect_on_a_check_is_refused_on_the_command_line(check, given):
    result = check("planted:Sound", arguments=[f"--compaction-{given}"])
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    said = f"--compaction-{given.partition('=')[0]} has no effect on --compaction-check: a check"
    assert said in flat(result.errlines)


@BOTH
def test_gates_of_the_configuration_are_left_out_of_a_check_and_named(check, pytester, workers):
    pytester.makeini("[pytest]\ncompaction_threshold = overall>=3\ncompaction_baseline = last\n")
    one = ("-k", "never-larger", "--compaction-examples=1", workers)
    result = check("planted:Sound", arguments=one)
    assert result.ret == pytest.ExitCode.OK
    named = "compaction_threshold, compaction_baseline of the configuration"
    assert f"compaction: {named} has no effect: a check gives no" in flat(result.outlines)
    assert "GATE" not in str(result.stdout)
    assert not (pytester.path / ".pytest_compaction").exists()
    result = check("planted:Sound", arguments=[*one, "--compaction-threshold=none"])
    assert "compaction: compaction_baseline of the configuration" in flat(result.outlines)


@BOTH
def test_a_check_says_that_calls_outside_are_not_counted_and_a_configured_proxy_is_left_out(
    check, pytester, workers
):
    pytester.makeini("[pytest]\ncompaction_proxy = true\n")
    one = ("-k", "never-larger", "--compaction-examples=1", workers)
    result = check("own:newest", "truncate", arguments=one)
    said = flat(result.outlines)
    assert "compaction: compaction_proxy of the configuration has no effect: a check" in said
    count = 1 + len(KNOWN)
    assert f"own:newest: a check compacts at least {count} generated conversations; what" in said
    result = check("truncate", arguments=[*one, "-o", "compaction_proxy=false"])
    said = flat(result.outlines)
    assert "is not counted" not in said
    assert "compaction_proxy" not in said


TRIGGER = """
def at_four_thousand(messages):
    if sum(len(str(message)) for message in messages) < 16_000:
        return messages
    return [message for message in messages if message["role"] == "system"] + messages[-1:]


TIMES = []


def once(messages, budget):
    TIMES.append(1)
    return messages[-1:] if len(TIMES) == 1 else messages
"""


def test_conversations_grow_to_the_trigger_of_a_strategy(pytester):
    pytester.makepyfile(own=TRIGGER)
    named = ["--compactor=own:at_four_thousand", "--compaction-check", "--compaction-examples=3"]
    result = pytester.runpytest_inprocess(*lean(), *named, "::test_invariant", "-q")
    result.stdout.fnmatch_lines(["*compactions, in conversations that grew by 6,000 tokens*"])


def test_what_held_over_next_to_no_compaction_is_not_green(pytester):
    pytester.makepyfile(own=TRIGGER)
    named = ["--compactor=own:once", "--compaction-check", "--compaction-examples=5"]
    result = pytester.runpytest_inprocess(*lean(), *named, "-q")
    result.stdout.fnmatch_lines(["* held over 1 compaction of own:once: proves nothing*"])
    assert result.ret == 1
