"""What became of a fact at each compaction, where the log states it, and if it can be had again."""

from dataclasses import replace

import pytest
from support.builders import COUNTER, assistant, case_data, system, tool, user
from support.measured_case import measured_case, record_of

from pytest_compaction.case import case_from_json
from pytest_compaction.compactors.strategies.rag import Rag

PATH = "src/net/server.py"
READ = ("c1", "read_file", {"path": PATH})
TESTS = ("c2", "bash", {"command": "pytest -q tests/net"})
LOG = (
    system(),
    user("The gateway must listen on port 8443."),
    assistant("I look.", READ),
    tool("c1", "HANDSHAKE_LIMIT = 7261"),
    assistant("We decided on blue-green deploys because rollbacks were slow."),
    user("Now run the tests."),
    assistant("I run them.", TESTS),
    tool("c2", "E   KeyError: 'session_id'"),
    assistant("The tests failed."),
    user("Go on."),
    assistant("Done with it."),
)
POINTS = {"p1": 4, "p2": 8, "p3": 10}
FACTS = {
    "port": (["m1"], "8443"),
    "limit": (["m3"], "HANDSHAKE_LIMIT = 7261"),
    "decided": (["m4"], "blue-green"),
    "error": (["m7"], "KeyError: 'session_id'"),
}


def history_case(log=LOG, facts=FACTS, points=POINTS, point=None):
    """A case over the log with one probe for each fact."""
    at = {} if point is None else {"point": point}
    messages = [{"id": f"m{number}", **message} for number, message in enumerate(log)]
    probes = [
        {
            "id": id,
            "kind": "recall",
            "question": f"What of the {id}?",
            "facts": [{"text": text, "evidence": evidence, "keys": [[text]]}],
            **at,
        }
        for id, (evidence, text) in facts.items()
    ]
    after = [{"id": id, "after": f"m{index}"} for id, index in points.items()]
    return case_from_json(case_data(messages=messages, compaction_points=after, probes=probes))


def keep(messages, budget):
    return messages


def dropping(*texts, at=1):
    """A strategy that from its ``at``-th compaction on drops messages with one of these texts."""
    count = 0

    def compact(messages, budget):
        nonlocal count
        count += 1
        return [m for m in messages if count < at or not any(t in said(m) for t in texts)]

    return compact


def masking(messages, budget):
    """Masks all tool results."""
    return [m | {"content": "[masked]"} if m["role"] == "tool" else m for m in messages]


def summing_up(text):
    """A strategy that leaves a summary alone."""
    return lambda messages, budget: [user(text)]


def said(message):
    return str(message.get("content"))


def fact_of(compactor, id, **changes):
    (fact,) = record_of(history_case(**changes), compactor, id)["facts"]
    return fact


def test_a_fact_is_followed_from_the_first_point_at_which_the_log_had_stated_it():
    assert fact_of(keep, "port")["stated_after"] == [["p1", True], ["p2", True], ["p3", True]]
    assert fact_of(keep, "error")["stated_after"] == [["p2", True], ["p3", True]]


@pytest.mark.parametrize(
    ("at", "stated"),
    [(1, [False, False, False]), (2, [True, False, False]), (3, [True, True, False])],
)
def test_the_compaction_at_which_a_fact_was_dropped_is_known(at, stated):
    fact = fact_of(dropping("8443", at=at), "port")
    assert fact["stated_after"] == [[id, held] for id, held in zip(POINTS, stated, strict=True)]
    assert fact["survived"] is stated[-1]


def test_the_last_of_the_points_is_that_of_the_probe():
    facts = {"port": FACTS["port"]}
    fact = fact_of(dropping("8443", at=2), "port", facts=facts, point="p2")
    assert fact["stated_after"] == [["p1", True], ["p2", False]]
    assert fact["loss"] == "dropped"


def test_a_fact_of_several_messages_is_stated_with_the_first_of_them():
    facts = {"port": (["m9", "m1"], "8443")}
    log = [*LOG[:9], user("Port 8443, as I said, and nothing else at all, please."), *LOG[10:]]
    fact = fact_of(keep, "port", log=log, facts=facts)
    assert fact["stated_after"] == [["p1", True], ["p2", True], ["p3", True]]
    assert fact["evidence"] == ["m9", "m1"]
    (message,) = [m for m in history_case(log, facts).messages if m.id == "m1"]
    assert fact["source"] == {"message": "m1", "tokens": COUNTER.message(message)}


def test_a_summary_may_lose_and_hold_facts():
    compact = summing_up("Summary: the port is 8443.")
    assert fact_of(compact, "port")["stated_after"] == [[id, True] for id in POINTS]
    assert fact_of(compact, "decided")["stated_after"] == [[id, False] for id in POINTS]


def test_of_a_fact_that_is_not_lost_nothing_is_said_about_having_it_again():
    assert [fact_of(keep, id)["recoverable"] for id in FACTS] == [None] * 4


def test_what_a_masked_result_said_can_be_had_again_as_its_call_stands_there():
    assert fact_of(masking, "limit")["recoverable"] is True
    assert fact_of(masking, "error")["recoverable"] is True


@pytest.mark.parametrize(
    ("summary", "limit", "error"),
    [
        ("The port is open.", False, False),
        (f"Read {PATH}.", True, False),
        ("Files: /home/me/src/net/server.py", True, False),
        ("Look at net/server.py again.", True, False),
        ("Look at server.py again.", False, False),
        ("Look at src/net/server.pyc and subnet/server.py.", False, False),
        ("Ran `pytest -q tests/net`: red.", False, True),
        ("Ran `pytest -q tests/network`.", False, False),
    ],
)
def test_a_summary_that_names_file_or_command_leads_to_what_it_dropped(summary, limit, error):
    compact = summing_up(summary)
    assert fact_of(compact, "limit")["recoverable"] is limit
    assert fact_of(compact, "error")["recoverable"] is error


def test_what_was_only_said_is_gone():
    compact = summing_up(f"Read {PATH}, ran `pytest -q tests/net`.")
    assert fact_of(compact, "port")["recoverable"] is False
    assert fact_of(compact, "decided")["recoverable"] is False


def test_what_was_said_and_read_can_be_had_again():
    log = [*LOG[:3], tool("c1", "listen: 8443"), *LOG[4:]]
    facts = {"port": (["m1", "m3"], "8443")}
    fact = fact_of(summing_up(f"Read {PATH}."), "port", log=log, facts=facts)
    assert fact["recoverable"] is True


def touching(name, **arguments):
    """The log with a later call that does something to a file."""
    later = (assistant("So.", ("c3", name, arguments)), tool("c3", "done"))
    return [*LOG[:9], *later, *LOG[9:]]


LATER = {"p1": 4, "p2": 8, "p3": 12}


@pytest.mark.parametrize(
    ("call", "recoverable"),
    [
        (("delete_file", {"path": PATH}), False),
        (("bash", {"command": f"rm {PATH}"}), False),
        (("delete_file", {"path": "src/net/client.py"}), True),
        (("rename_file", {"old_path": PATH, "new_path": "src/net/gateway.py"}), False),
        (("read_file", {"path": PATH}), True),
    ],
    ids=["deleted", "removed-in-a-shell", "another-deleted", "renamed", "read-again"],
)
def test_a_file_that_is_no_longer_there_cannot_be_read_again(call, recoverable):
    name, arguments = call
    log = touching(name, **arguments)
    fact = fact_of(summing_up(f"Read {PATH}."), "limit", log=log, points=LATER)
    assert fact["recoverable"] is recoverable


def test_a_renamed_file_is_read_again_under_its_new_name():
    log = touching("rename_file", old_path=PATH, new_path="src/net/gateway.py")
    fact = fact_of(summing_up("See src/net/gateway.py."), "limit", log=log, points=LATER)
    assert fact["recoverable"] is True


def test_a_file_that_is_deleted_after_the_question_was_still_there():
    log = touching("delete_file", path=PATH)
    facts = {"limit": FACTS["limit"]}
    compact = summing_up(f"Read {PATH}.")
    fact = fact_of(compact, "limit", log=log, facts=facts, points=LATER, point="p2")
    assert fact["recoverable"] is True


@pytest.mark.parametrize(
    ("arguments", "text", "recoverable"),
    [
        ({"content": "RETRIES = 9917"}, "So.", True),
        ({"old_text": "RETRIES = 9917", "new_text": "RETRIES = 1"}, "So.", False),
        ({"content": "RETRIES = 1"}, "RETRIES = 9917 is what I would not take.", False),
    ],
    ids=["written", "replaced", "said-beside-it"],
)
def test_what_the_agent_wrote_to_a_file_can_be_read_there(arguments, text, recoverable):
    call = ("c3", "edit_file", {"path": PATH, **arguments})
    log = [*LOG[:9], assistant(text, call), tool("c3", "ok"), *LOG[9:]]
    facts = {"retries": (["m9"], "RETRIES = 9917")}
    fact = fact_of(summing_up(f"Edited {PATH}."), "retries", log=log, facts=facts, points=LATER)
    assert fact["survived"] is False
    assert fact["recoverable"] is recoverable


def test_views_that_depend_on_the_question_are_those_of_the_same_question():
    """What was retrieved for another question, or for none, would not hold the port."""
    talk = [user(f"Remark {number} about the weather and the garden. " * 8) for number in range(30)]
    log = [system(), user("The gateway must listen on port 8443."), *talk]
    facts = {"port": (["m1"], "8443")}
    case = history_case(log, facts, {"p1": 15, "p2": 31})
    question = replace(case.probes[0], question="On which port must the gateway listen?")
    weather = replace(case.probes[0], id="weather", question="What of the weather and the garden?")
    object.__setattr__(case, "probes", (question, weather))
    found = measured_case(case, Rag())
    stated = {id: record["facts"][0]["stated_after"] for id, (_, record) in found.items()}
    assert stated == {
        "port": [["p1", True], ["p2", True]],
        "weather": [["p1", False], ["p2", False]],
    }


def test_a_case_that_names_no_evidence_has_no_source():
    case = history_case(facts={"port": ([], "8443")})
    (fact,) = record_of(case, keep, "port")["facts"]
    assert fact["source"] is None
    assert fact["stated_after"] == [[id, True] for id in POINTS]
