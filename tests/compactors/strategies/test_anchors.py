"""``anchors``: a list of names that says of none what it is."""

from support.builders import COUNTER, assistant, context_of, session, system, tool, user
from support.compacting import compacted, in_a_row, view_of

from pytest_compaction.compactors.strategies.said import NOTE_ID, Anchors


def noted(view):
    (note,) = [message for message in view if message.id == NOTE_ID]
    return note.text.partition("\n\n")[2].splitlines()


def talk(count=40):
    return [
        (user if n % 2 == 0 else assistant)(f"The limit of src/part_{n}.py is 4{n}. See SetLimit.")
        for n in range(count)
    ]


def test_names_alone_are_kept_each_once_on_a_line_of_its_own():
    chat = [system("s"), user("Use lib/oak.py and 45 for the shelf."), *talk()]
    lines = noted(compacted(Anchors(), chat, context_of(500))[1])
    assert len(lines) == len(set(lines)) > 8
    assert all(line.startswith(("src/part_", "4", "SetLimit", "lib/")) for line in lines)


def test_the_newest_and_the_most_frequent_names_come_first():
    lines = noted(compacted(Anchors(), [system("s"), *talk()], context_of(200))[1])
    assert {"src/part_39.py", "SetLimit"} <= set(lines)
    assert len(lines) % 8 == 0


def test_names_of_calls_and_results_count():
    chat = [
        system("s"),
        user("Read it."),
        assistant("I do.", ("c", "read_file", {"path": "conf/broker.toml"})),
        tool("c", "port_number of the broker"),
        *[user("word " * 30) for _ in range(20)],
    ]
    lines = noted(compacted(Anchors(), chat, context_of(300))[1])
    assert {"conf/broker.toml", "port_number"} <= set(lines)


def test_the_view_fits_its_budget_over_several_compactions():
    context = context_of(300)
    parts = [[system("s"), *talk(20)], talk(30), session(4)]
    for outcome in in_a_row(Anchors(), parts, context):
        assert outcome.status == "compacted"
        assert COUNTER.messages(view_of(Anchors(), outcome, context)) <= 300
