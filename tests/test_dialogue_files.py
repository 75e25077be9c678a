"""Dialogue files: recognised by content, read in two shapes, and a broken line hides no other."""

import json
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scenarios import case
from talks import chat, talk, write

from pytest_compaction.dialogues.dialogue import CHAT, TASKS, Dialogue, Turn
from pytest_compaction.dialogues.files import (
    UnknownTaskError,
    digest,
    is_dialogue_file,
    load_dialogues,
)

DATA = Path(__file__).parents[2] / "shared/data"
MT_BENCH = DATA / "mt-bench-101/mtbench101.jsonl"
TAU = DATA / "tau-bench/gpt-4o-airline-tasks-0-9.json"


def loaded(path):
    found = load_dialogues([path], path.parent)
    assert not found.errors, found.errors
    return found.dialogues


def test_a_line_of_mt_bench_is_a_dialogue_with_its_task_and_turns(tmp_path):
    (dialogue,) = loaded(write(tmp_path, talk(7, 2, "GR")))
    history = talk(7, 2, "GR")["history"]
    assert (dialogue.id, dialogue.task, dialogue.source) == ("GR_7", "GR", "talks.jsonl:1")
    assert dialogue.turns == tuple(Turn(turn["user"], turn["bot"]) for turn in history)


@pytest.mark.skipif(not MT_BENCH.exists(), reason=f"the public data is not at {MT_BENCH}")
def test_all_of_mt_bench_101_is_read_with_its_thirteen_tasks():
    dialogues = loaded(MT_BENCH)
    assert is_dialogue_file(MT_BENCH)
    assert len(dialogues) == len({dialogue.id for dialogue in dialogues}) == 1388
    assert sum(len(dialogue.turns) for dialogue in dialogues) == 4208
    counts = Counter(dialogue.task for dialogue in dialogues)
    assert set(counts) == set(TASKS)
    assert [counts[task] for task in ("SA", "AR", "CR", "FR", "MR")] == [73, 153, 136, 74, 108]


text = st.text(st.characters(exclude_categories=("Cs",)), min_size=1).filter(str.strip)


@given(st.lists(st.tuples(text, text), min_size=2, max_size=5), st.sampled_from(sorted(TASKS)))
def test_what_was_said_is_read_as_it_stands(tmp_path_factory, history, task):
    data = {"task": task, "id": 1, "history": [{"user": u, "bot": b} for u, b in history]}
    (dialogue,) = loaded(write(tmp_path_factory.mktemp("talk"), data))
    assert [(turn.user, turn.reference) for turn in dialogue.turns] == history


@pytest.mark.parametrize(
    ("name", "value", "is_one"),
    [
        ("a.jsonl", talk(), True),
        ("a.jsonl", chat(), True),
        ("a.json", chat(), True),
        ("a.json", [chat(), chat()], True),
        ("a.json", chat()["messages"], True),
        ("a.jsonl", chat()["messages"], True),
        ("a.json", case(), False),
        ("a.jsonl", case(), False),
        ("a.json", {"messages": [], "probes": []}, False),
        ("a.json", [], False),
        ("a.json", {}, False),
        ("a.json", 7, False),
        ("a.jsonl", {"type": "session", "id": "x"}, False),
    ],
)
def test_a_dialogue_file_is_recognised_by_its_content(tmp_path, name, value, is_one):
    assert is_dialogue_file(write(tmp_path, value, name=name)) is is_one


def test_a_broken_first_line_does_not_hide_what_a_file_is(tmp_path):
    assert is_dialogue_file(write(tmp_path, "{broken", talk()))


def test_a_folder_or_nothing_is_no_dialogue_file(tmp_path):
    write(tmp_path, talk())
    assert not is_dialogue_file(tmp_path)
    assert not is_dialogue_file(tmp_path / "absent.jsonl")


def without(key, data):
    return {name: value for name, value in data.items() if name != key}


BROKEN = {
    "no task": (without("task", talk()), "/: found no 'task'"),
    "no history": (without("history", talk()), "an object with the keys 'id', 'task'"),
    "empty history": (talk(history=[]), "/history: found list []; expected at least 1 item"),
    "one turn": (
        talk(history=talk()["history"][:1]),
        "/history: found 1 turn; expected at least 2",
    ),
    "empty answer": (
        talk(history=[*talk()["history"], {"user": "a", "bot": ""}]),
        "/history/4/bot",
    ),
    "blank answer": (
        talk(history=[*talk()["history"], {"user": "a", "bot": " \n"}]),
        "/history/4/bot: found only white space; expected text",
    ),
    "no user text": (
        talk(history=[{"user": "", "bot": "b"}, *talk()["history"]]),
        '/history/0/user: found str ""; expected text that is not empty',
    ),
    "user is no text": (
        talk(history=[{"user": 3, "bot": "b"}] * 2),
        "/history/0/user: found int 3",
    ),
    "no user": (talk(history=[{"bot": "b"}] * 2), "/history/0: found no 'user'"),
    "unknown task": (talk(task="XX"), "/task: found 'XX'; expected one of AR, CC, CM, CR, FR, GR"),
    "hostile task": (talk(task="\x1b[2J"), "/task: found"),
    "no JSON": ('{"task": "GR", ', "expected valid JSON"),
    "no object": ("[1, 2]", 'found the type list; expected an object with "history"'),
    "a key twice": ('{"task": "GR", "task": "SA"}', "the key 'task' twice"),
    "something else": ({"question": "a"}, "an object with the keys 'question'"),
    "chat of one turn": (chat(turns=1), "/messages: found 1 user turn; expected at least 2 turns"),
    "chat without users": (
        {"messages": [{"role": "assistant", "content": "a"}]},
        "/messages: found 0 user turns",
    ),
    "chat without user text": (
        {"messages": [{"role": "user", "content": ""}, *chat()["messages"]][:1] * 2},
        "user turn 1 (message 'm0') without text",
    ),
    "chat with a wrong role": ({"messages": [{"role": "bot"}]}, "/messages/0/role"),
    "chat with wrong content": (
        {"messages": [{"role": "user", "content": 5}] * 2},
        "/messages: found",
    ),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_dialogue_is_named_by_its_line_and_the_others_are_read(tmp_path, name):
    value, said = BROKEN[name]
    path = write(tmp_path, talk(1), value, talk(2))
    found = load_dialogues([path], tmp_path)
    assert [dialogue.id for dialogue in found.dialogues] == ["CM_1", "CM_2"]
    (error,) = found.errors
    assert str(error).startswith("dialogue talks.jsonl:2 cannot be used:\n  /")
    assert said in str(error)
    assert all(line.isprintable() for line in str(error).split("\n"))


def test_an_id_that_two_dialogues_have_is_an_error_of_the_second(tmp_path):
    found = load_dialogues([write(tmp_path, talk(1), talk(1, 3))], tmp_path)
    assert [len(dialogue.turns) for dialogue in found.dialogues] == [4]
    assert "the id 'CM_1', which talks.jsonl:1 has too" in str(found.errors[0])


def test_a_file_named_twice_is_read_once(tmp_path):
    path = write(tmp_path, talk(1))
    assert len(load_dialogues([path, tmp_path / "." / "talks.jsonl"]).dialogues) == 1


def test_a_dialogue_without_id_is_named_after_its_line(tmp_path):
    path = write(tmp_path, without("id", talk()), without("id", talk()))
    assert [dialogue.id for dialogue in loaded(path)] == ["talks_1", "talks_2"]


@pytest.mark.parametrize("name", ["one.json", "one.jsonl"])
def test_a_conversation_in_chat_shape_has_the_same_turns(tmp_path, name):
    (dialogue,) = loaded(write(tmp_path, chat(), name=name))
    (recorded,) = loaded(write(tmp_path, talk()))
    assert dialogue.turns == recorded.turns
    assert dialogue.task == CHAT


def test_a_list_of_conversations_is_several_dialogues(tmp_path):
    path = write(
        tmp_path, [chat(), chat(id="second", task="travel"), chat()["messages"]], name="a.json"
    )
    dialogues = loaded(path)
    assert [(dialogue.id, dialogue.task) for dialogue in dialogues] == [
        ("a_0", CHAT),
        ("second", "travel"),
        ("a_2", CHAT),
    ]
    assert dialogues[0].turns == dialogues[2].turns


def call(id, name):
    return {"id": id, "type": "function", "function": {"name": name, "arguments": "{}"}}


def test_of_tool_calls_the_names_are_kept_in_order(tmp_path):
    messages = [
        {"role": "system", "content": "You book flights."},
        {"role": "assistant", "content": "Hello!"},
        {"role": "user", "content": "Find a flight."},
        {"role": "user", "content": "To Perth."},
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [call("1", "search"), call("2", "rank")],
        },
        {"role": "tool", "tool_call_id": "1", "content": "three"},
        {"role": "tool", "tool_call_id": "2", "content": "ranked"},
        {"role": "assistant", "content": "Flight 7?", "tool_calls": [call("3", "hold")]},
        {"role": "tool", "tool_call_id": "3", "content": "held"},
        {"role": "user", "content": "Yes, book it."},
    ]
    (dialogue,) = loaded(write(tmp_path, {"messages": messages}, name="a.json"))
    assert dialogue.system == "You book flights."
    assert dialogue.turns == (
        Turn("Find a flight.\nTo Perth.", "Flight 7?", ("search", "rank", "hold")),
        Turn("Yes, book it.", ""),
    )


@pytest.mark.skipif(not TAU.exists(), reason=f"the public data is not at {TAU}")
def test_real_conversations_with_tool_calls_are_read(tmp_path):
    data = [{"messages": item["traj"]} for item in json.loads(TAU.read_text())]
    dialogues = loaded(write(tmp_path, data, name="tau.json"))
    assert len(dialogues) == 40
    assert all(dialogue.system for dialogue in dialogues)
    names = {name for dialogue in dialogues for turn in dialogue.turns for name in turn.calls}
    assert {"get_user_details", "get_reservation_details"} <= names


def some(tmp_path):
    values = [talk(n, 2, task) for n, task in enumerate(("GR", "SA", "GR", "SC", "GR", "SA"))]
    return load_dialogues([write(tmp_path, *values)])


@pytest.mark.parametrize(
    ("tasks", "limit", "ids"),
    [
        ((), 0, ["GR_0", "SA_1", "GR_2", "SC_3", "GR_4", "SA_5"]),
        ((), 1, ["GR_0", "SA_1", "SC_3"]),
        (("GR",), 2, ["GR_0", "GR_2"]),
        (("sa", "GR"), 0, ["GR_0", "SA_1", "GR_2", "GR_4", "SA_5"]),
    ],
)
def test_tasks_and_a_limit_for_each_of_them_choose_in_file_order(tmp_path, tasks, limit, ids):
    chosen = some(tmp_path).chosen(tasks, limit)
    assert [dialogue.id for dialogue in chosen.dialogues] == ids


def test_an_unknown_task_says_which_there_are(tmp_path):
    with pytest.raises(UnknownTaskError) as caught:
        some(tmp_path).chosen(["G\x1bR"], 0)
    assert "there are GR (General Reasoning, 3), SA (Self-affirmation, 2)" in str(caught.value)
    assert str(caught.value).isprintable()


def test_a_digest_is_that_of_the_content():
    one = Dialogue("a", "GR", (Turn("u", "r"),), source="x.jsonl:1")
    assert digest(one) == digest(Dialogue("a", "GR", (Turn("u", "r"),), source="y.jsonl:9"))
    assert digest(one) != digest(Dialogue("a", "GR", (Turn("u", "s"),)))
    assert digest(one) != digest(Dialogue("a", "GR", (Turn("u", "r", ("search",)),)))
