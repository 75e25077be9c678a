"""LIGHT in whole runs: its ablation side by side, and its calls at an endpoint."""

import re

import pytest
from support.endpoint_project import billed
from support.endpoint_replies import Answer, completion, is_check, sensible
from support.endpoint_server import serving
from support.long_conversations import write
from support.scenarios import lean, records

BUDGET = "--compaction-budget=1500"
PARTS = ("episodic", "working", "scratchpad", "filter")


@pytest.fixture
def folder(pytester):
    return write(pytester.path / "chats" / "100K" / "1", 6000)


def run(pytester, folder, strategies, *more):
    arguments = (f"--compactor={strategies}", f"--compaction-cases={folder}", BUDGET)
    return pytester.runpytest_inprocess(*lean(), *arguments, "--compaction-show=0", *more)


def test_the_ablation_and_the_number_of_pairs_are_strategies_of_one_run(pytester, folder):
    named = ["light", *(f"light:{part}=off" for part in PARTS), "light:k=1", "rag:unit=pair"]
    shown = run(pytester, folder, ",".join(named), "-n0", "-k", "knowledge_update").stdout.str()
    assert "Abilities by size of the conversation" in shown
    found = {record["compactor"]: record for record in records(pytester).records}
    assert sorted(found) == sorted(named)
    views = {name: record["hashes"]["prompt"] for name, record in found.items()}
    assert len({views["light"], *(views[f"light:{part}=off"] for part in PARTS)}) == 5


def yes_or_no(asked):
    """Says yes to every chunk of notes, and writes a note of each pair by the hash of its text."""
    prompt = asked.body["messages"][-1]["content"]
    if "Reply with yes or no" in prompt:
        return Answer(completion("Yes"))
    if "## Summary" in prompt:
        said = re.search(r"[Ss]tep (\d+)", prompt)
        fact = f"step {said[1]}: it was planned" if said else "a fact: it was said"
        return Answer(completion(f"## Key entities and values\n- {fact}"))
    return sensible(asked)


def calls_by_role(shown):
    """The calls of each row of the table of models that has some."""
    rows = re.findall(r"(?m)^(compaction|view|responder|judge|total) +([\d,]+) ", shown)
    return {role: int(calls.replace(",", "")) for role, calls in rows if calls != "0"}


def test_what_was_asked_about_a_question_is_booked_where_it_then_has_no_answer(
    pytester, monkeypatch, folder
):
    def decide(asked):
        if re.search("yes or no|## Summary", asked.body["messages"][-1]["content"]):
            return yes_or_no(asked)
        return Answer({"error": {"message": "no more"}}, 400)

    with serving(decide) as endpoint:
        monkeypatch.setenv("OPENAI_BASE_URL", endpoint.url)
        model = ("--compaction-model=gpt-4o-mini", "--compaction-judge=offline", "-n0")
        run(pytester, folder, "light", *model, "-k", "knowledge_update")
    (record,) = records(pytester).records
    assert record["status"] == "unscored"
    assert record["usage"]["view"] == {**record["usage"]["view"], "calls": 1, "input_tokens": 10}


def test_at_an_endpoint_each_pair_is_noted_once_and_a_replay_makes_no_call(
    pytester, monkeypatch, folder
):
    with serving(yes_or_no) as endpoint:
        monkeypatch.setenv("OPENAI_BASE_URL", endpoint.url)
        model = ("--compaction-model=gpt-4o-mini", "--compaction-judge=offline", "-n0")
        first = run(pytester, folder, "light", *model, "-k", "knowledge_update or temporal")
        prompts = [body["messages"][-1]["content"] for body in endpoint.bodies]
        chunks = [body for body in endpoint.bodies if "yes or no" in str(body["messages"][-1])]
        notes = [prompt for prompt in prompts if "## Summary" in prompt]
        assert len(notes) == len(set(notes)) > 20
        assert len({str(body["messages"][:-1]) for body in chunks}) * 2 == len(chunks) > 0
        checks = sum(map(is_check, endpoint.bodies))
        assert len(prompts) == checks + len(notes) + len(chunks) + 2
        assert billed(first.stdout.str()) == len(prompts) - checks
        assert calls_by_role(first.stdout.str()) == {
            "compaction": len(notes),
            "view": len(chunks),
            "responder": 2,
            "total": len(prompts) - checks,
        }
        run(pytester, folder, "light", *model, "--compaction-replay", "-k", "temporal")
        assert len(endpoint.bodies) == len(prompts)
    (record,) = records(pytester).records
    assert (record["status"], record["score"]) == ("skipped", None), "rules judge no answer"


def test_a_reply_that_is_empty_costs_its_pair_its_notes_and_not_the_conversation(
    pytester, monkeypatch, folder
):
    refused = []

    def decide(asked):
        if "## Summary" in asked.body["messages"][-1]["content"] and not refused:
            refused.append(asked)
            return Answer(completion(""))
        return yes_or_no(asked)

    with serving(decide) as endpoint:
        monkeypatch.setenv("OPENAI_BASE_URL", endpoint.url)
        model = ("--compaction-model=gpt-4o-mini", "--compaction-judge=offline", "-n0")
        shown = run(pytester, folder, "light", *model, "-k", "knowledge_update").stdout.str()
        assert refused
        assert billed(shown) == sum(not is_check(body) for body in endpoint.bodies)
    assert [record["score"] is None for record in records(pytester).records] == [False]
