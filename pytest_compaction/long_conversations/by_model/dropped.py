"""Which questions a conversation in the words of a model no longer answers, and why."""

from __future__ import annotations

from collections.abc import Mapping

from pytest_compaction.long_conversations.assemble import Conversation, Draft
from pytest_compaction.long_conversations.questions.probing import Probing
from pytest_compaction.long_conversations.truths import is_overtaken, speaks_of, untrue


def dropped_questions(
    made: Draft, conversation: Conversation, spoilt: Mapping[str, str]
) -> dict[str, str]:
    """Why questions are not answered by the conversation, or not by it alone; by question.

    ``spoilt`` says why what a message says is not clear, by its key.
    """
    texts, ids = conversation.texts(), conversation.ids
    updates = {update.said[-1].key: update for update in made.plan.updates}
    absent = _spoken_of(made, conversation)
    dropped: dict[str, str] = {}
    for probing in made.probings:
        missing = untrue(probing, texts, ids)
        unclear = _unclear(made, probing, ids, spoilt)
        changed = [updates[key] for key in probing.keys if key in updates]
        if missing:
            dropped[probing.question] = f"no message states {missing!r}"
        elif unclear:
            dropped[probing.question] = unclear
        elif any(is_overtaken(update, texts, ids) for update in changed):
            dropped[probing.question] = "an older value is said again, or the newest one before"
        elif probing.ability == "abstention" and probing.question in absent:
            dropped[probing.question] = "a message speaks of it"
    return dropped


def _unclear(
    made: Draft, probing: Probing, ids: Mapping[str, int], spoilt: Mapping[str, str]
) -> str:
    """Why the evidence of a question, or what it names, is not clear; empty if both are."""
    why = [spoilt[key] for key in probing.keys if key in spoilt]
    for each in made.plan.undertakings:
        if any(name in probing.question for name in each.names):
            why += [spoilt[each.key]] if each.key in spoilt else []
            why += [f"no message names {each.asked}"] if each.key not in ids else []
    return why[0] if why else ""


def _spoken_of(made: Draft, conversation: Conversation) -> set[str]:
    """The questions on what is never to be said, of which a turn speaks all the same."""
    turns = [
        " ".join(text for pair in turn for text in (pair.user, pair.assistant))
        for batch in conversation.batches
        for turn in batch.turns
    ]
    return {
        each.attribute.asked.format(it=each.about.asked)
        for each in made.plan.absences
        if speaks_of(each, turns)
    }
