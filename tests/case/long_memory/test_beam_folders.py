"""Conversations in the layout of BEAM: every shape that the set has, and what is none of them."""

import json
import shutil
from itertools import chain

import pytest
from support.long_conversations import SAID, replace_at, write
from support.scenarios import case

from pytest_compaction.case import (
    ABILITIES,
    CaseIndex,
    CaseSet,
    case_set,
    find_cases,
)

QUESTIONS = "probing_questions/probing_questions.json"
ODD = "\\x1b[31m" + "x" * 51 + "…"


@pytest.fixture
def folder(tmp_path):
    return write(tmp_path / "chats" / "100K" / "7", 3000)


def only_case(path, **how):
    found = find_cases([path], **how)
    assert [str(error) for error in found.errors] == []
    (entry,) = found.entries
    return found.case(entry.id)


def changed(path, change):
    data = json.loads(path.read_text("utf-8"))
    data = change(data) or data
    path.write_text(json.dumps(data), "utf-8")


def faults(path, root=None):
    found = find_cases([path], root)
    assert found.cases == ()
    return [(error.source, str(fault)) for error in found.errors for fault in error.faults]


def test_a_conversation_is_a_case_with_a_probe_for_each_question(folder):
    case = only_case(folder)
    assert (case.id, case.size, case.task) == ("100K-7", "100K", "long-memory")
    assert [probe.kind for probe in case.probes] == list(ABILITIES)
    assert [probe.id for probe in case.probes] == [f"{name}-1" for name in ABILITIES]
    assert case.points[-1].index == len(case.messages) - 1
    probe = next(each for each in case.probes if each.kind == "knowledge_update")
    (nugget,) = probe.nuggets
    texts = {message.id: message.text for message in case.messages}
    assert [texts[id] for id in nugget.evidence] == [SAID[0.05], SAID[0.85]]
    assert [fact.text for fact in probe.facts] == ["1,200 euros"]


def test_what_only_an_answer_can_do_is_no_fact_of_a_view(folder):
    case = only_case(folder)
    facts = {probe.kind: [fact.text for fact in probe.facts] for probe in case.probes}
    assert facts["abstention"] == facts["instruction_following"] == []
    assert facts["contradiction_resolution"] == [
        "You said you have never owned a bicycle",
        "your old racing bicycle is in the cellar",
    ]


def test_a_value_that_an_answer_calculates_is_a_nugget_and_no_fact_of_a_view(folder):
    probes = {probe.kind: probe for probe in only_case(folder).probes}
    assert [nugget.content for nugget in probes["temporal_reasoning"].nuggets] == ["21 days"]
    assert probes["temporal_reasoning"].facts == ()
    assert [fact.text for fact in probes["information_extraction"].facts] == [
        "March 29",
        "Miriam Okafor",
    ]


def test_markers_are_no_part_of_what_the_user_said(folder):
    assert "->->" in (folder / "chat.json").read_text("utf-8")
    assert not any("->->" in message.text for message in only_case(folder).messages)


GAP = " " * 500_000


@pytest.mark.parametrize(
    ("place", "content", "text"),
    [
        (0, "I sail. ->-> 10,N/A a note\non the plan", "I sail."),
        (0, "I sail. ->-> 4, a note\non the plan", "I sail."),
        (0, "I sail. ->->1,5) a note\non the plan", "I sail."),
        (0, "I sail. ->-> 2,22, 24 a note\non the plan", "I sail."),
        (0, f"I sail.{GAP}x ->-> 1,2", f"I sail.{GAP}x"),
        (1, f"Good.{GAP}x ->-> 1,2", f"Good.{GAP}x"),
        (1, "Write ->-> 1,2 there.\nShall I? ->-> 1,2", "Write ->-> 1,2 there.\nShall I?"),
        (0, "In Haskell ->-> is no operator, is it?", "In Haskell ->-> is no operator, is it?"),
    ],
    ids=range(8),
)
def test_markers_are_stripped_with_notes_of_a_user_behind_them(folder, place, content, text):
    changed(
        folder / "chat.json", lambda chat: replace_at(chat, f"0/turns/0/{place}/content", content)
    )
    assert only_case(folder).messages[place].text == text


@pytest.mark.parametrize("place", ["chats", "chats/100K", "chats/100K/7", "chats/100K/7/chat.json"])
def test_the_set_a_size_a_conversation_and_a_file_of_it_can_be_named(folder, tmp_path, place):
    assert only_case(tmp_path / place).id == "100K-7"


def test_questions_may_lie_beside_the_turns(folder):
    digest = only_case(folder).digest
    shutil.move(folder / QUESTIONS, folder / "probing_questions.json")
    assert only_case(folder).digest == digest


def test_other_files_of_a_conversation_are_not_read(folder):
    (folder / "topic.json").write_text('{"title": "a move"}', "utf-8")
    (folder / "plan-0").mkdir()
    (folder / "plan-0" / "topic.json").write_text("{", "utf-8")
    assert only_case(folder.parent).id == "100K-7"


@pytest.mark.parametrize("place", ["chats", "chats/100K"])
def test_the_topics_that_the_set_has_beside_its_conversations_are_no_case(folder, tmp_path, place):
    (folder.parent / "topics.json").write_text('[{"id": 1, "title": "A move"}]', "utf-8")
    assert only_case(tmp_path / place).id == "100K-7"


def test_topics_beside_no_conversation_are_a_broken_case(folder, tmp_path):
    (tmp_path / "topics.json").write_text('[{"id": 1, "title": "A move"}]', "utf-8")
    assert [error.source for error in find_cases([tmp_path], tmp_path).errors] == ["topics.json"]


@pytest.mark.parametrize("part", ["chat.json", "probing_questions.json"])
def test_turns_or_questions_alone_hide_no_case_beside_them(folder, part):
    found = {"chat.json": folder / "chat.json", "probing_questions.json": folder / QUESTIONS}
    cases = folder.parents[2] / "cases"
    cases.mkdir()
    shutil.copy(found[part], cases)
    (cases / "topic.json").write_text("{}", "utf-8")
    (cases / "own.json").write_text(json.dumps(case("own")), "utf-8")
    found = find_cases([cases], cases)
    assert [entry.id for entry in found.entries] == ["own"]
    assert len(found.errors) == 1


def test_a_conversation_below_another_is_read_too(folder, tmp_path):
    write(folder / "more" / "8", 3000)
    write(tmp_path / "chats" / "100K" / "9", 3000)
    for part in (folder / "chat.json", folder / QUESTIONS):
        shutil.copy(part, tmp_path / "chats")
    ids = [entry.id for entry in find_cases([tmp_path / "chats"]).entries]
    assert ids == ["100K-7", "100K-9", "8", "chats"]


def test_questions_that_lie_in_a_plan_make_no_conversation_of_it(tmp_path):
    folder = write(tmp_path / "10M" / "1", 12_000, plans=2)
    shutil.copytree(folder / "probing_questions", folder / "plan-0" / "probing_questions")
    assert only_case(folder).id == "10M-1"


@pytest.mark.parametrize("part", ["chat.json", QUESTIONS, "probing_questions"])
def test_a_conversation_and_a_part_of_it_are_one_case(folder, part):
    found = find_cases([folder / part, folder, folder.parent])
    assert [entry.id for entry in found.entries] == ["100K-7"]
    assert found.errors == ()


def test_plans_are_one_conversation_whose_ids_go_on_counting(tmp_path):
    whole = only_case(write(tmp_path / "whole", 12_000))
    parts = only_case(write(tmp_path / "parts", 12_000, plans=2))
    assert [message.id for message in parts.messages] == [message.id for message in whole.messages]
    assert parts.messages == whole.messages
    assert parts.probes == whole.probes


@pytest.mark.parametrize("gone", ["plan-1", "plan-1/chat.json"])
def test_a_plan_that_is_not_there_is_named_and_moves_no_evidence(tmp_path, gone):
    folder = write(tmp_path / "10M" / "1", 12_000, plans=3)
    (folder / "plan-1" / "chat.json").unlink()
    if gone == "plan-1":
        (folder / "plan-1").rmdir()
    ((source, said),) = faults(folder, folder)
    assert source == "plan-1/chat.json"
    assert (
        said == "/: found no such file; expected the turns of each plan from the first to the last"
    )


def test_plans_may_count_from_one(tmp_path):
    folder = write(tmp_path / "10M" / "1", 12_000, plans=2)
    expected = only_case(folder).messages
    (folder / "plan-1").rename(folder / "plan-2")
    (folder / "plan-0").rename(folder / "plan-1")
    assert only_case(folder).messages == expected


def test_a_linked_folder_keeps_the_name_that_it_has(folder, tmp_path):
    stored = tmp_path / "disk" / "d7"
    stored.parent.mkdir()
    folder.rename(stored)
    folder.symlink_to(stored)
    case = only_case(tmp_path / "chats")
    assert (case.id, case.size) == ("100K-7", "100K")


def by_name(folder, name):
    """The plans of a conversation in one file, as a list of them by name."""
    plans = sorted(folder.glob("plan-*"))
    batches = [json.loads((plan / "chat.json").read_text("utf-8")) for plan in plans]
    named = {plan.name: found for plan, found in zip(plans, batches, strict=True)}
    forms = {
        "a plan an object": [{key: value} for key, value in named.items()],
        "with columns of others": [
            {key: named[key] if key == one else None for key in named} for one in named
        ],
        "a mapping": named,
        "a mapping in another order": dict(reversed(named.items())),
    }
    (folder / "chat.json").write_text(json.dumps(forms[name]), "utf-8")
    for plan in plans:
        shutil.rmtree(plan)


@pytest.mark.parametrize(
    "name",
    ["a plan an object", "with columns of others", "a mapping", "a mapping in another order"],
)
def test_plans_may_stand_in_one_file(tmp_path, name):
    folder = write(tmp_path / "10M" / "1", 12_000, plans=2)
    apart = only_case(folder)
    by_name(folder, name)
    together = only_case(folder)
    assert together.size == "10M"
    assert (together.messages, together.probes) == (apart.messages, apart.probes)


def test_batches_may_be_lists_of_turns_or_of_messages(folder):
    expected = only_case(folder).messages
    changed(folder / "chat.json", lambda chat: [batch["turns"] for batch in chat])
    assert only_case(folder).messages == expected
    changed(folder / "chat.json", lambda chat: [list(chain(*turns)) for turns in chat])
    assert only_case(folder).messages == expected


def test_the_cut_variant_is_taken_on_request(folder):
    chat = json.loads((folder / "chat.json").read_text("utf-8"))
    chat[0]["turns"] = chat[0]["turns"][-3:]
    (folder / "chat_trunecated.json").write_text(json.dumps(chat), "utf-8")
    whole, cut = only_case(folder), only_case(folder, truncated=True)
    named = only_case(folder / "chat_trunecated.json")
    assert len(cut.messages) < len(whole.messages)
    assert cut.messages == named.messages == whole.messages[-len(cut.messages) :]
    assert cut.digest != whole.digest


@pytest.mark.parametrize("content", ["", "->-> 1,2"])
def test_a_message_without_text_is_no_evidence(folder, content):
    def change(chat):
        said = [message for batch in chat for turn in batch["turns"] for message in turn]
        said[2]["content"] = content

    changed(folder / "chat.json", change)
    changed(
        folder / QUESTIONS,
        lambda asked: asked["information_extraction"][0].update(source_chat_ids=[2, 4]),
    )
    case = only_case(folder)
    probe = next(p for p in case.probes if p.kind == "information_extraction")
    assert "2" not in {message.id for message in case.messages}
    assert {nugget.evidence for nugget in probe.nuggets} == {("4",)}


SOURCES = {
    "a list": ([2, 4], ("2", "4")),
    "a number": (2, ("2",)),
    "lists in a list": ([[2], 4, [[6]]], ("2", "4", "6")),
    "a mapping": ({"first": [2], "second": [4, 6]}, ("2", "4", "6")),
    "a mapping of numbers": ({"first": 2, "second": []}, ("2",)),
    "texts": (["2", ["--"], "N/A"], ("2",)),
    "nothing": (None, ()),
    "twice": ([2, 2], ("2",)),
    "an id that no message has": ([2, 99_999], ("2",)),
}


@pytest.mark.parametrize("name", SOURCES)
def test_evidence_of_every_form_is_read(folder, name):
    named, expected = SOURCES[name]
    changed(
        folder / QUESTIONS,
        lambda asked: asked["information_extraction"][0].update(source_chat_ids=named),
    )
    probe = next(p for p in only_case(folder).probes if p.kind == "information_extraction")
    assert probe.nuggets[0].evidence == expected


@pytest.mark.parametrize(
    "key", ["answer", "ideal_answer", "ideal_response", "ideal_summary", "expected_compliance"]
)
def test_without_a_rubric_the_answer_is_the_only_nugget(folder, key):
    def change(asked):
        asked["summarization"] = [{"question": "What happened?", key: "The movers came."}]

    changed(folder / QUESTIONS, change)
    probe = next(p for p in only_case(folder).probes if p.kind == "summarization")
    assert [nugget.text for nugget in probe.nuggets] == ["The movers came."]


@pytest.mark.parametrize(
    ("answer", "texts"), [(14, ["14"]), (0, ["0"]), (["a", 2.5], ["a", "2.5"])]
)
def test_an_answer_may_be_a_number_or_a_list(folder, answer, texts):
    def change(asked):
        asked["temporal_reasoning"] = [{"question": "How many days?", "answer": answer}]

    changed(folder / QUESTIONS, change)
    probe = next(p for p in only_case(folder).probes if p.kind == "temporal_reasoning")
    assert [nugget.text for nugget in probe.nuggets] == texts


def test_a_conversation_in_no_folder_of_a_size_is_named_by_its_own_length(tmp_path):
    case = only_case(write(tmp_path / "my talk", 21_000))
    assert (case.id, case.size) == ("my_talk", "20K")


WRONG_CHATS = {
    "an object": ({"turns": []}, "/: found an object with turns; expected a list of batches"),
    "no plan": ({}, "/: found an empty object; expected a list of batches, or of plans by name"),
    "a plan": (
        {"plan-0": [{"turns": 3}]},
        "/plan-0/0/turns: found int 3; expected a list of turns",
    ),
    "a plan of a list": (
        [{"plan-0": [{"turns": 3}]}],
        "/0/plan-0/0/turns: found int 3; expected a list of turns",
    ),
    "turns": ([{"turns": 3}], "/0/turns: found int 3; expected a list of turns"),
    "no turns": ([{"batch": 1}], "/0: found an object with batch; expected an object with the key"),
    "a role": ([[[{"role": "system", "id": 0}]]], "/0/0/0/role: found str 'system'; expected"),
    "a content": (
        [[[{"role": "user", "id": 0, "content": 7}]]],
        "/0/0/0/content: found int 7; expected the text of the message",
    ),
    "an id": (
        [[[{"role": "user", "id": "x", "content": "a"}]]],
        "/0/0/0/id: found str 'x'; expected a whole number from 0 on",
    ),
    "an id twice": (
        [[[{"role": "user", "id": 1, "content": "a"}, {"role": "user", "id": 1, "content": "b"}]]],
        "/0/0/1/id: found the id 1 a second time; expected an id for each message",
    ),
    "a turn": ([{"turns": ["hello"]}], "/0/turns/0: found str 'hello'; expected a turn"),
    "no message": ([], "/: found no message; expected at least one message with text"),
}


@pytest.mark.parametrize("name", WRONG_CHATS)
def test_turns_of_another_shape_are_named_by_file_and_place(folder, name):
    data, sentence = WRONG_CHATS[name]
    (folder / "chat.json").write_text(json.dumps(data), "utf-8")
    ((source, said),) = faults(folder, folder)
    assert source == "chat.json"
    assert said.startswith(sentence)


SOURCE_IDS = "temporal_reasoning/0/source_chat_ids"
WRONG_QUESTIONS = [
    ("knowledge_updates", [], "@: found the ability 'knowledge_updates'; expected knowledge_"),
    ("\x1b[31m" + "x" * 5000, [], f"/{ODD}: found the ability '{ODD}'; expected one of"),
    ("abstention", "none", "@: found str 'none'; expected a list of questions"),
    ("summarization/0/question", "a" * 4_001, "@: found 4,001 characters; expected the text of a "
     "question of at most 4,000 characters"),
    ("summarization/0/rubric", ["b" * 4_001], "@/0: found 4,001 characters; expected a nugget, a "
     "text of at most 4,000 characters"),
    ("summarization/0/question", ..., "@: found null; expected the text"),
    ("abstention/0/rubric", [], "@: found a list of 0; expected a list of nuggets, each a text"),
    ("abstention/0/rubric", ["a", {"b": 1}], "@/1: found an object with b; expected a nugget, a"),
    ("abstention", [{"question": "Who?", "ideal_response": {"a": 1}}],
     "@/0/ideal_response: found an object with a; expected a list of nuggets"),
    (SOURCE_IDS, "9" * 5000, "@: found str '999"),
    ("abstention", [{"question": "Who?"}], "@/0: found neither 'rubric' nor an answer; expected "
     "'rubric', or one of answer"),
    (SOURCE_IDS, {"a": [1, "turn x"]}, "@/a/1: found str 'turn x'; expected the id"),
    ("", [1], "@: found a list of 1; expected an object of questions by ability"),
]  # fmt: skip


@pytest.mark.parametrize(("path", "value", "fault"), WRONG_QUESTIONS)
def test_questions_of_another_shape_are_named_by_file_and_place(folder, path, value, fault):
    changed(folder / QUESTIONS, lambda asked: replace_at(asked, path, value) if path else value)
    ((source, said),) = faults(folder, folder)
    assert source == QUESTIONS
    assert said.startswith(fault.replace("@", f"/{path}"))


def test_a_broken_conversation_takes_no_other_one_with_it(folder, tmp_path):
    write(folder.parent / "8", 3000)
    (folder / QUESTIONS).write_text("{", "utf-8")
    found = find_cases([tmp_path])
    assert [entry.id for entry in found.entries] == ["100K-8"]
    (error,) = found.errors
    assert error.source.endswith(f"100K/7/{QUESTIONS}")


def test_turns_or_questions_that_are_not_there_are_named(folder):
    (folder / "chat.json").rename(folder / "chat.pickle")
    ((source, said),) = faults(folder, folder)
    assert (source, "plan-*/chat.json" in said) == ("chat.json", True)
    (folder / "chat.pickle").rename(folder / "chat.json")
    shutil.rmtree(folder / "probing_questions")
    ((source, said),) = faults(folder, folder)
    assert (source, said.startswith("/: found No such file")) == (QUESTIONS, True)


def test_what_the_index_knows_is_not_parsed_again(folder, tmp_path, monkeypatch):
    index = CaseIndex(tmp_path / "index")
    first = find_cases([folder], index=index)
    index.save()
    monkeypatch.setattr(case_set, "conversations", lambda *_: pytest.fail("it was parsed"))
    known = CaseIndex(tmp_path / "index")
    again = find_cases([folder], index=known)
    known.save()
    assert again.entries == first.entries
    assert again.entries[0].size == "100K"


@pytest.mark.parametrize("place", ["", "chats/100K/7", "chats/100K/7/chat.json"])
def test_other_processes_find_the_same_conversation(folder, tmp_path, place):
    named = [tmp_path / place]
    found = find_cases(named)
    sent = json.loads(json.dumps(found.as_json(named)))
    received = CaseSet.from_json(sent, named)
    assert received.case("100K-7") == found.case("100K-7")


@pytest.mark.parametrize("place", ["plan-0", "probing_questions"])
def test_other_processes_find_the_conversation_of_which_a_folder_was_named(tmp_path, place):
    folder = write(tmp_path / "10M" / "1", 6000, plans=2)
    (folder / place / "topic.json").write_text("{}", "utf-8")
    named = [folder / place]
    found = find_cases(named)
    received = CaseSet.from_json(json.loads(json.dumps(found.as_json(named))), named)
    assert received.case("10M-1") == found.case("10M-1")


def test_a_conversation_that_changes_while_a_run_lasts_is_refused(folder):
    found = find_cases([folder])
    changed(folder / "chat.json", lambda chat: chat[0]["turns"].pop())
    with pytest.raises(Exception, match="another content than when the items were collected"):
        found.case("100K-7")
