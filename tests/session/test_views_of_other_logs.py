"""Strategies whose views are not of the log that they were given: no gate passes them."""

import copy

import pytest
from support.scenarios import case, last_line, records, run, run_files, set_up_with

from pytest_compaction.cli import main

OK, FAILED = pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED
NAMES = ("src/{0}_queue.py", "lib/{0}_broker.py", "{0}_retries", "open_{0}", "docs/{0}.md")
PASSES = "--compaction-threshold=overall>=0"
STRATEGIES = '''
from functools import lru_cache

REMEMBERED = []


def noted(text):
    return [{"role": "user", "content": "[Summary of the conversation]\\n" + text}]


def summed(messages):
    return noted("\\n".join(str(m["content"]) for m in messages if m["role"] == "assistant"))


def own(messages, budget):
    """A summary of its own log."""
    return summed(messages)


def one_for_all(messages, budget):
    """The same text for each log, which states what all of them ask for."""
    said = "We decided to use 45 because the broker restarts slowly. src/queue.py was edited. "
    names = [f"src/{id}_queue.py lib/{id}_broker.py {id}_retries open_{id}" for id in "abcd"]
    return noted(said + "Next step: update docs/retries.md. " + " ".join(names))


def of_another(messages, budget):
    """What the first log got."""
    REMEMBERED.append(summed(messages))
    return REMEMBERED[0]


@lru_cache
def cached(budget):
    return []


def by_budget(messages, budget):
    """A view that is kept by the budget alone."""
    kept = cached(budget)
    kept.extend([] if kept else summed(messages))
    return list(kept)
'''


def a_case(id):
    """A case whose log names things by its own id."""
    made = copy.deepcopy(case(id))
    named = ", ".join(NAMES).format(id)
    made["messages"][3]["content"] += f" I also read {named}."
    return made


def project(pytester):
    set_up_with(pytester, *map(a_case, ("alpha", "beta", "gamma")))
    pytester.makepyfile(mine=STRATEGIES)


@pytest.mark.parametrize("name", ["one_for_all", "of_another", "by_budget"])
def test_a_view_of_another_log_is_red_whatever_it_scores(pytester, name, capsys):
    project(pytester)
    result = run(pytester, PASSES, f"--compactor=mine:{name}", compactor=None)
    assert result.ret == FAILED
    result.stdout.fnmatch_lines([f"FAILED compaction::own-log@mine:{name} - *"])
    assert "mostly what the log never said" in last_line(result)
    marked = [record["foreign"] for record in records(pytester).records if "foreign" in record]
    assert marked
    assert all(found["count"] >= 5 and 2 * found["count"] > found["of"] for found in marked)
    capsys.readouterr()
    assert main(["gate", str(run_files(pytester)[-1]), "--threshold=overall>=0"]) == 1
    assert "mostly what the log never said" in capsys.readouterr().out


CHEATS = '''
import json
from pathlib import Path


def read(messages, budget):
    """Returns what the case files ask for, and nothing that was said."""
    cases = [json.loads(path.read_text()) for path in Path("cases").rglob("*.json")]
    facts = [fact["text"] for case in cases for probe in case["probes"] for fact in probe["facts"]]
    return [{"role": "user", "content": "[Summary]\\n" + "\\n".join(facts)}]
'''


def worded_case(id):
    """A case with facts that are worded otherwise than its log."""
    made = copy.deepcopy(case(id))
    queues = [f"queue {number} holds {number + 20} jobs" for number in range(1, 7)]
    made["messages"][3]["content"] += f" As counted: {'; '.join(queues)}."
    made["probes"][0]["facts"] += [
        {
            "text": f"there are {number + 20} jobs waiting in queue {number}",
            "keys": [[f"queue {number}"], [f"{number + 20} jobs"]],
            "evidence": [made["messages"][3]["id"]],
        }
        for number in range(1, 7)
    ]
    return made


@pytest.mark.parametrize("gate", [[], [PASSES]], ids=["without a gate", "with a gate"])
def test_a_strategy_that_reads_the_case_files_is_red_and_its_wordings_are_named(pytester, gate):
    set_up_with(pytester, worded_case("alpha"))
    pytester.makepyfile(mine=STRATEGIES + CHEATS)
    result = run(pytester, *gate, "--compactor=mine:read", compactor=None)
    assert result.ret == FAILED
    result.stdout.fnmatch_lines(
        [
            "  alpha-*: there are 21 jobs waiting in queue 1; *",
            "FAILED compaction::own-words@mine:read - *",
        ]
    )
    assert "1 view has the case file's wordings of facts" in last_line(result)
    marked = [r["worded"] for r in records(pytester).records if "worded" in r]
    assert len(marked) >= 3
    assert all(found["count"] >= 6 and 2 * found["count"] >= found["of"] for found in marked)


def test_a_summary_of_its_own_log_is_not_marked(pytester):
    set_up_with(pytester, *map(a_case, ("alpha", "beta", "gamma")), worded_case("delta"))
    pytester.makepyfile(mine=STRATEGIES)
    assert run(pytester, PASSES, "--compactor=mine:own", compactor=None).ret == OK
    assert not any({"foreign", "worded"} & record.keys() for record in records(pytester).records)
