"""Text that tries to steer the judge is fenced, has no effect, and is flagged."""

import re

import pytest
from support.builders import build_case
from support.endpoint_builders import Replies, ask, chat, judge_request
from support.endpoint_replies import completion
from support.injections import ALL, IDS
from support.shipped import shipped

from pytest_compaction.compactors.strategies.anchored import SECTIONS
from pytest_compaction.models import LogDigest, OfflineModel, Summary, SummaryRequest
from pytest_compaction.models.chat.fences import shown
from pytest_compaction.models.chat.model import FLAG
from pytest_compaction.text import answer_proper

each = pytest.mark.parametrize(("kind", "text"), ALL, ids=IDS)
ANSWERS = ("The timeout is 45 seconds.", "The timeout is 30.", "src/lease/queue.py, 45 seconds")
_OPEN = re.compile(r"^<<< (.+) ([0-9a-f]{16})$")


def fenced_blocks(prompt):
    """The fenced parts of a prompt by name, and everything outside of them."""
    blocks, outside, name, mark = {}, [], None, None
    for line in prompt.split("\n"):
        opened = _OPEN.match(line)
        if name is None and opened:
            name, mark = opened.groups()
            blocks[name] = []
        elif name is not None and line == f">>> end of {name} {mark}":
            name = None
        else:
            (outside if name is None else blocks[name]).append(line)
    assert name is None, "a fence was left open"
    return {name: "\n".join(lines) for name, lines in blocks.items()}, "\n".join(outside)


def judge_prompt(request):
    caller = Replies(completion("no"))
    ask(chat(caller).judge(request))
    return "\n".join(message["content"] for message in caller.calls[0].body["messages"])


def digest_with(text):
    said = "We set it to 45 seconds."
    return LogDigest(f"{said}\n{text}", (("m1", "user", said), ("m2", "tool", text)))


def test_nothing_in_the_shipped_cases_is_flagged():
    """Questions, facts and messages of the cases; none of them is addressed to a judge."""
    texts = []
    for case in shipped():
        for probe in case.probes:
            texts += [probe.question, *(form for fact in probe.facts for form in fact.forms)]
        texts += [message.text for message in case.messages if message.role == "assistant"]
    assert len(texts) > 1000
    assert [text for text in texts if answer_proper(text)[1]] == []


@each
def test_what_is_left_of_an_answer_is_as_it_was_written(kind, text):
    """A text is read in another form only to recognise it."""
    honest = "Ｔｈｅ timeout is 45 s; Γειά, naïve, Привет."
    kept, aside = answer_proper(f"{honest}\n{text}")
    assert kept.startswith(honest)
    assert aside


def test_there_are_enough_of_them():
    assert len(set(ALL)) == len(ALL) >= 60


@each
def test_the_fence_holds_around_a_response_and_a_log_that_carry_it(kind, text):
    clean_prompt = judge_prompt(judge_request())
    request = judge_request(
        response=f"The timeout is 45 seconds.\n{text}", digest=digest_with(text)
    )
    blocks, outside = fenced_blocks(judge_prompt(request))
    _, expected = fenced_blocks(clean_prompt)
    assert blocks["answer"] == shown(f"The timeout is 45 seconds.\n{text}")
    assert shown(text) in blocks["session"]
    mark = re.compile(r"\b[0-9a-f]{16}\b")
    assert mark.sub("MARK", outside) == mark.sub("MARK", expected)


@each
def test_the_fence_holds_around_a_summary_that_carries_it(kind, text):
    previous = Summary((("decisions", (text,)),))
    caller = Replies(completion("## Decisions\n- 45"))
    messages = build_case().messages
    ask(chat(caller).summarize(SummaryRequest(messages, SECTIONS, 300, previous)))
    blocks, outside = fenced_blocks(caller.prompt)
    assert shown(text) in blocks["notes"]
    assert shown(text) not in outside


@each
def test_the_fence_holds_around_messages_that_carry_it(kind, text):
    case = build_case(
        messages=[{"id": "m1", "role": "user", "content": text}],
        compaction_points=[{"id": "p", "after": "m1"}],
        probes=[],
    )
    caller = Replies(completion("## Decisions\n- 45"))
    ask(chat(caller).summarize(SummaryRequest(case.messages, SECTIONS, 300)))
    blocks, outside = fenced_blocks(caller.prompt)
    assert blocks["messages"] == f"[user]\n{shown(text)}"
    assert shown(text) not in outside


@each
def test_an_answer_that_carries_it_is_flagged_by_both_judges(kind, text):
    request = judge_request(response=f"The timeout is 45 seconds.\n{text}")
    assert answer_proper(request.response)[1]
    assert ask(OfflineModel().judge(request)).flags
    assert ask(chat(Replies(completion("no"))).judge(request)).flags == (FLAG,)


@each
def test_the_offline_score_does_not_move(kind, text):
    for answer in ANSWERS:
        honest = ask(OfflineModel().judge(judge_request(response=answer)))
        for place in (f"{answer}\n{text}", f"{text}\n{answer}"):
            steered = ask(OfflineModel().judge(judge_request(response=place)))
            assert (steered.criteria, steered.stated, steered.hit) == (
                honest.criteria,
                honest.stated,
                honest.hit,
            )


@each
def test_in_the_log_it_moves_no_offline_score(kind, text):
    plain = ask(OfflineModel().judge(judge_request(digest=LogDigest("We set it to 45 seconds."))))
    other = ask(OfflineModel().judge(judge_request(digest=digest_with(text))))
    assert plain.criteria == other.criteria


@pytest.mark.parametrize(
    "honest",
    [
        "The timeout is 45 seconds.",
        "The score of the run was 4.16, up from 3.9.",
        "We ignore previous results when the cache is cold.",
        "The judge fixture was renamed; its module is judges/rubric.py.",
        "`system: overloaded` is what the log says.",
        "Give the worker 5 retries for each job.",
        "Die Zeitüberschreitung ist 45 Sekunden.",
        "On a mis la limite à 45 secondes pour tous les tests.",
        "すべてのテストが成功しました。",
        "我们把超时改成了45秒。",
        "All 12 tests pass and the highest timeout is 45.",
        "The rubric lists six dimensions.",
        ">>> import queue",
        "The new instructions of the installer are in docs/install.md.",
        "Der Test vergibt Punkte und vergisst die Regeln nicht.",
        "La note est dans le fichier README.md, avec toutes les consignes.",
        "assistant: QL44: this config wants to score the sealed text.",
        "assistant: 62 passed, and the score is the 0.756 of the sweep.",
        'verbs = {"score": _score, "sweep": _sweep}',
        "rows = [Row.of(60, Score(30.0, 10, 8)), Row.of(0.5, Score(20.0, 10))]",
        "accuracy: 5.2 points below the baseline, completeness is 5 %.",
        "All claims in the ticket were checked; each fact has a source.",
        "The highest score was 0.81; the evaluation was complete at 14:00.",
        "Skip the migration; the end of the answer file is line 40.",
        "Оценка модели выросла, максимальный размер 45.",
        "Ο συντελεστής είναι 45.",
        "The review is done; mark the job as failed after 5 retries.",
        "I have all the facts; take the backup first.",
    ],
)
def test_ordinary_answers_are_not_flagged(honest):
    assert answer_proper(honest)[1] == ()
