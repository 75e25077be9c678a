"""Long conversations by a model: the steps, their limits, and the files that come of them."""

import asyncio

import pytest
from support.endpoint_builders import Replies
from support.scripted_author import Author

from pytest_compaction.case import ABILITIES, find_cases
from pytest_compaction.long_conversations import DOMAINS, estimated, outline, write_out
from pytest_compaction.models import ModelError

TOKENS = 20_000


def written(author, tokens=TOKENS, domain="general", number=1):
    caller = Replies(lambda call: author(call.body))
    return asyncio.run(write_out("m", caller, domain, number, tokens))


def kinds(conversation):
    """The kinds of the user's messages, turn by turn."""
    return {
        tuple(pair.kind for pair in turn.pairs) for _, turns in conversation.parts for turn in turns
    }


def test_what_was_written_is_a_case_whose_evidence_states_the_nuggets(tmp_path):
    written(Author()).write(tmp_path / "20K" / "1")
    cases = find_cases([tmp_path])
    assert cases.errors == ()
    case = cases.case("20K-1")
    assert [probe.kind for probe in case.probes] == [a for a in ABILITIES for _ in range(2)]
    texts = {message.id: message.text for message in case.messages}
    for probe in case.probes:
        evidence = {id for nugget in probe.nuggets for id in nugget.evidence}
        assert bool(evidence) == (probe.kind != "abstention")
        assert all(probe.nuggets[0].content in texts[id] for id in evidence)


def test_below_twenty_thousand_tokens_there_is_one_question_of_each_ability():
    found = written(Author(), 10_000)
    assert [asked.ability for asked in found.questions] == list(ABILITIES)


def test_each_step_sees_the_seed_and_what_came_before():
    author = Author()
    written(author)
    for step in ("parts", "points", "messages", "needed"):
        assert all("Ines, 41, of Ghent" in str(body["messages"]) for body in author.of(step)), step
    first, second, *_ = author.of("points")
    assert "1. (fact, 2025-01-02) The oven number 1 costs 11 euros." not in str(first)
    assert "1. (fact, 2025-01-02) The oven number 1 costs 11 euros." in str(second)


def test_every_point_is_said_in_one_message_that_is_its_evidence():
    author = Author()
    found = written(author)
    said = [number for _, turns in found.parts for turn in turns for number in turn.points]
    points = [point for part, _ in found.parts for point in part.points]
    assert sorted(said) == [point.number for point in points]
    for _, turns in found.parts:
        for turn in turns:
            assert all(points[n - 1].text in turn.pairs[0].user for n in turn.points)


def test_the_user_answers_and_asks_on_at_most_twice_each():
    most = ("main_question", *2 * ("answer_ai_question",), *2 * ("followup_question",))
    assert kinds(written(Author(needed=True, words=40))) == {most}
    assert kinds(written(Author(needed=False))) == {("main_question",)}


def test_a_question_of_the_assistant_is_told_apart_from_a_wish_to_ask_on():
    def only_answers(step, found, body):
        asks = "ask the user something" in body["messages"][-1]["content"]
        return {**found, "needed": asks, "message": "In May."} if step == "needed" else found

    assert kinds(written(Author(words=60, spoil=only_answers))) == {
        ("main_question", "answer_ai_question", "answer_ai_question")
    }


def test_an_unusable_reply_is_asked_for_again_with_what_is_wrong_with_it():
    def too_few_at_first(step, found, body):
        again = "could not be used" in body["messages"][-1]["content"]
        return {"parts": found["parts"][1:]} if step == "parts" and not again else found

    author = Author(spoil=too_few_at_first)
    written(author)
    first, second = author.of("parts")
    assert "parts: there have to be 3, not 2" in second["messages"][-1]["content"]
    assert second["messages"][:-1] == first["messages"]


@pytest.mark.parametrize(
    ("step", "reply", "said"),
    [
        ("title", "no JSON", "the seed in 3 trials: the reply is no JSON object"),
        ("parts", {"parts": []}, "plan 1 in 3 trials: parts: there have to be 3, not 0"),
        ("points", {"points": 1}, "the points of “Part 0” in 3 trials: points: 1 is not of type"),
        ("messages", {"messages": []}, "what the user says about “Part 0” in 3 trials"),
        ("reply", "", "a reply of the assistant in 3 trials"),
        ("needed", {"needed": True}, "the user's next message in 3 trials"),
        ("questions", {"questions": []}, "the questions of abstention in 3 trials"),
        ("holds", {"holds": "yes", "why": ""}, "the check of a question in 3 trials"),
    ],
)
def test_a_model_that_does_not_keep_to_a_form_ends_it_with_what_it_did_not_write(step, reply, said):
    author = Author(spoil=lambda each, found, body: reply if each == step else found)
    with pytest.raises(ModelError) as raised:
        written(author, 10_000)
    assert f"m did not write {said}" in str(raised.value)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"of": 99}, "'of' names the earlier point"),
        ({"kind": "fact", "of": 1}, "'of' names the earlier point"),
        ({"date": "in May"}, "'in May' is no day such as 2025-03-14"),
    ],
)
def test_a_point_that_refers_to_nothing_or_has_no_day_is_asked_for_again(change, said):
    def changed(step, found, body):
        return (
            {"points": [{**each, **change} for each in found["points"]]}
            if step == "points"
            else found
        )

    with pytest.raises(ModelError, match=said):
        written(Author(spoil=changed), 10_000)


def test_a_question_that_the_messages_do_not_support_is_dropped_and_named():
    found = written(Author(holds=lambda text: "Question 1 of knowledge_update" not in text))
    assert found.dropped == {"Question 1 of knowledge_update?": "it is not said"}
    assert len(found.questions) == 19


@pytest.mark.parametrize(
    "author", [Author(words=60), Author(words=600), Author(words=300, needed=True)]
)
def test_the_length_is_right_whether_the_model_is_brief_or_not(author):
    found = written(author)
    assert found.tokens == pytest.approx(TOKENS, rel=0.05)
    assert len(found.questions) == 20


@pytest.mark.parametrize("domain", DOMAINS)
def test_user_and_assistant_are_asked_for_in_words_of_the_domain(domain):
    author = Author()
    written(author, 10_000, domain)
    words = DOMAINS[domain]
    assert all(words.user in str(body["messages"][0]["content"]) for body in author.of("messages"))
    assert all(words.assistant in body["messages"][0]["content"] for body in author.of("reply"))
    assert words.subjects[1] in author.of("title")[0]["messages"][-1]["content"]


def test_the_longest_conversations_have_ten_plans_each_linked_to_those_before(
    tmp_path, monkeypatch
):
    monkeypatch.setattr(outline, "PLANS_FROM", 30_000)
    author = Author()
    written(author, 30_000).write(tmp_path / "30K" / "1")
    asked = [body["messages"][-1]["content"] for body in author.of("parts")]
    assert len(asked) == 10
    assert "plan 10 of 10" in asked[9]
    assert all(f"Part {200 * number}" in asked[9] for number in range(1, 10))
    assert len(list((tmp_path / "30K" / "1").glob("plan-*/chat.json"))) == 10
    case = find_cases([tmp_path]).case("30K-1")
    texts = {message.id: message.text for message in case.messages}
    late = [n for probe in case.probes for n in probe.nuggets if n.evidence]
    assert all(nugget.content in texts[id] for nugget in late for id in nugget.evidence)


def test_the_estimate_is_near_the_calls_that_are_made():
    def once(step, found, body):
        main = "User: What now?" in body["messages"][-1]["content"]
        return {"needed": main, "message": "Yes."} if step == "needed" else found

    author = Author(words=400, spoil=once)
    written(author, 100_000)
    assert estimated(100_000).calls == pytest.approx(len(author.asked), rel=0.3)
