"""Dialogue files are recognised by content; a broken line hides no other, and ids stay apart."""

import re
from collections import Counter

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from support.paths import public_data
from support.scenarios import case
from support.talks import chat, loaded, talk, write

from pytest_compaction.dialogues import (
    TASKS,
    Dialogue,
    UnknownTaskError,
    is_dialogue_file,
    load_dialogues,
)
from pytest_compaction.dialogues.dialogue import RecordedCall, UserTurn
from pytest_compaction.dialogues.files import digest


def test_a_line_of_mt_bench_is_a_dialogue_with_its_task_and_turns(tmp_path):
    (dialogue,) = loaded(write(tmp_path, talk(7, 2, "GR")))
    history = talk(7, 2, "GR")["history"]
    assert (dialogue.id, dialogue.task, dialogue.source) == ("GR_7", "GR", "talks.jsonl:1")
    assert dialogue.turns == tuple(UserTurn(turn["user"], turn["bot"]) for turn in history)


def test_all_of_mt_bench_101_is_read_with_its_thirteen_tasks():
    path = public_data("mt-bench-101/mtbench101.jsonl")
    dialogues = loaded(path)
    assert is_dialogue_file(path)
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


FIRST_LINES = {
    "no JSON": "{broken",
    "no history": '{"task": "GR", "id": 1}',
    "a text": '"x"',
    "a key twice": '{"task": "GR", "task": "GR"}',
    "a value that is not a number": '{"task": NaN}',
    "a list": "[1, 2]",
    "nothing": "null",
    "a case": '{"messages": [], "probes": []}',
}


@pytest.mark.parametrize("first", FIRST_LINES.values(), ids=FIRST_LINES)
def test_a_broken_first_line_does_not_hide_what_a_file_is(tmp_path, first):
    path = write(tmp_path, first, *(talk(number) for number in range(5)))
    assert is_dialogue_file(path)
    found = load_dialogues([path], tmp_path)
    assert len(found.dialogues) == 5
    assert [error.source for error in found.errors] == ["talks.jsonl:1"]


def test_a_broken_case_among_cases_does_not_make_a_file_one_of_dialogues(tmp_path):
    one = {"messages": chat()["messages"]}
    assert not is_dialogue_file(write(tmp_path, one, case(), case(), name="cases.jsonl"))


def test_a_broken_message_does_not_hide_that_a_list_is_a_conversation(tmp_path):
    path = write(tmp_path, ["x", *chat()["messages"]], name="a.json")
    assert is_dialogue_file(path)
    (error,) = load_dialogues([path], tmp_path).errors
    assert "/messages/0: found str" in str(error)


def test_the_records_of_a_run_are_no_dialogues(tmp_path):
    record = {"type": "dialogue", "item": "x", "history": "recorded", "comparison": None}
    assert not is_dialogue_file(write(tmp_path, {"format": 1}, record, record))


def test_a_folder_or_nothing_is_no_dialogue_file(tmp_path):
    write(tmp_path, talk())
    assert not is_dialogue_file(tmp_path)
    assert not is_dialogue_file(tmp_path / "absent.jsonl")


def without(key, data):
    return {name: value for name, value in data.items() if name != key}


BROKEN = {
    "no task": (without("task", talk()), "/task: found no 'task'; expected one of AR, CC, CM, CR"),
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
    assert "the id '1' in the task 'CM', which talks.jsonl:1 has too" in str(found.errors[0])


ids = st.text(st.characters(exclude_categories=("Cs",)), min_size=1, max_size=100)
given_ids = st.lists(ids.map(str.strip).filter(bool), min_size=2, max_size=5, unique=True)


@given(given_ids)
@example(["对话一", "对话二", "对话三", "__"])
@example(["a-b", "a b", "a_b", "a/b"])
@example(["x" * 81, "x" * 82])
def test_ids_that_differ_in_the_file_are_different_items_that_any_id_can_name(
    tmp_path_factory, named
):
    folder = tmp_path_factory.mktemp("ids")
    paths = [
        write(folder, *(talk(id) for id in named), name="turns.jsonl"),
        write(folder, *(chat(id=id) for id in named), name="chat.jsonl"),
    ]
    for path in paths:
        found = loaded(path)
        assert [dialogue.named for dialogue in found] == named
        assert len({dialogue.id for dialogue in found}) == len(named)
        assert all(re.fullmatch(r"[A-Za-z0-9_.-]{1,80}", dialogue.id) for dialogue in found)


def test_an_id_that_an_item_can_carry_stays_as_it_is(tmp_path):
    path = write(tmp_path, talk("对话一"), talk("a-b"), chat(id="3f2a-77"), talk(7))
    first, *others = [dialogue.id for dialogue in loaded(path)]
    assert re.fullmatch(r"CM_[0-9a-f]{8}", first)
    assert others == ["CM_a-b", "3f2a-77", "CM_7"]


def test_an_id_is_quoted_as_the_file_has_it(tmp_path):
    found = load_dialogues([write(tmp_path, talk("对话一"), talk("对话一"))], tmp_path)
    assert "the id '对话一' in the task 'CM', which talks.jsonl:1 has too" in str(found.errors[0])


def test_dialogues_without_an_id_in_files_of_one_name_are_all_read(tmp_path):
    folders = [tmp_path / name for name in ("a", "b")]
    for folder in folders:
        folder.mkdir()
    paths = [write(folder, without("id", talk()), without("id", talk())) for folder in folders]
    found = load_dialogues(paths, tmp_path)
    assert not found.errors
    assert len({dialogue.id for dialogue in found.dialogues}) == 4


def test_a_file_named_twice_is_read_once(tmp_path):
    path = write(tmp_path, talk(1))
    assert len(load_dialogues([path, tmp_path / "." / "talks.jsonl"]).dialogues) == 1


def test_a_dialogue_without_id_is_named_after_its_line(tmp_path):
    path = write(tmp_path, without("id", talk()), without("id", talk()))
    assert [dialogue.id for dialogue in loaded(path)] == ["talks_1", "talks_2"]


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
    one = Dialogue("a", "GR", (UserTurn("u", "r"),), source="x.jsonl:1")
    assert digest(one) == digest(Dialogue("a", "GR", (UserTurn("u", "r"),), source="y.jsonl:9"))
    assert digest(one) != digest(Dialogue("a", "GR", (UserTurn("u", "s"),)))
    others = [
        Dialogue("a", "GR", (UserTurn("u", "r", ((RecordedCall("search", arguments, result),),)),))
        for arguments, result in (("{}", ""), ("{}", "three"), ('{"to": 1}', ""))
    ]
    assert len({digest(dialogue) for dialogue in (one, *others)}) == 4
