"""The prompts of each step, with words of their own for code and for mathematics."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from pytest_compaction.case import Ability, Pair

Chat = list[dict[str, Any]]
REPLY_WORDS: Final = 260
"""About how long a reply of the assistant is."""


@dataclass(frozen=True, slots=True)
class Domain:
    """How talk about something differs: its subjects, what its user sends, and what comes back."""

    subjects: tuple[str, ...]
    user: str
    assistant: str


DOMAINS: Final = {
    "general": Domain(
        (
            *("a move to another town", "a wedding", "a small business", "a long illness"),
            *("a house that is renovated", "a year abroad", "a change of profession"),
            *("a novel", "a school reform", "a sports season", "an inheritance", "a festival"),
        ),
        "They tell what happened, with names, days, sums and doubts, and ask for advice.",
        "Give concrete advice that builds on what the user has said.",
    ),
    "code": Domain(
        (
            *("a web shop", "a data pipeline", "a mobile app", "a compiler", "a game engine"),
            *("a migration to another database", "a scheduler", "firmware of a sensor"),
            *("a chat service", "a machine-learning service", "a command-line tool"),
        ),
        "They describe tasks and decisions of a software project and often paste code, "
        "configuration, test output or error messages, with versions, ports and limits.",
        "Explain briefly and show working code in fenced blocks that fits the user's versions.",
    ),
    "mathematics": Domain(
        (
            *("linear algebra", "probability", "number theory", "real analysis", "geometry"),
            *("combinatorics", "differential equations", "graph theory", "statistics"),
            *("optimisation", "abstract algebra"),
        ),
        "They study a field: they state problems in full with their numbers, show attempts that "
        "may hold an error, and say which method they want and where they got stuck.",
        "Derive the result step by step, with every formula written out, and check it.",
    ),
}
ABILITIES: Final[dict[Ability, str]] = {
    "abstention": "asks for a detail that sounds likely here and that no point holds. The only "
    "nugget says that the conversation has no information on it. 'points' is empty.",
    "contradiction_resolution": "asks about something of which two points say what cannot both "
    "be. The nuggets: that there is a contradiction, what each side says, and that the user is "
    "asked which is right.",
    "event_ordering": "asks in which order three to eight things were brought up. Each nugget is "
    "one of them, in the right order.",
    "information_extraction": "asks for exact details that are said once. Each nugget is one.",
    "instruction_following": "is a request to which a standing instruction of the user applies, "
    "without naming it. The nuggets are what an answer that keeps to it shows.",
    "knowledge_update": "asks for a value that was changed. The nugget is the newest value.",
    "multi_session_reasoning": "can be answered only by putting together points of different "
    "days: a count, a sum, a comparison. The nuggets are the result and what it is made of.",
    "preference_following": "asks for a recommendation to which a preference of the user "
    "applies, without naming it. The nuggets are what an answer that respects it shows.",
    "summarization": "asks for a summary of how one matter went. The nuggets are three to eight "
    "things that it has to have.",
    "temporal_reasoning": "asks how much time lies between two dated points, or which came "
    "first. The nuggets are the result and the two days.",
}


def _chat(system: str, user: str) -> Chat:
    return [{"role": "system", "content": system}, {"role": "user", "content": user}]


def seed(domain: str, number: int, tokens: int) -> Chat:
    subjects = DOMAINS[domain].subjects
    subject = subjects[number % len(subjects)]
    return _chat(
        "You invent the frame of a long conversation between one person and an AI assistant. It "
        "has to be particular and consistent: no famous people, no placeholder names.",
        f"The conversation is about {subject} (version {number}) and about {tokens:,} tokens "
        "long. Reply with one JSON object: 'title'; 'theme', a few sentences on what the person "
        "wants and what stands in the way; 'user' with 'name', 'age', 'home', 'work' and three "
        "to six 'traits' of character; 'people', five to ten, each with 'name', 'relation' to "
        "the user, whose age and role fit together, and 'about'; 'timeline', six to fifteen "
        "events from the first to the last day, each with 'date' as in 2025-03-14 and 'event'.",
    )


def plan(seed: str, number: int, plans: int, parts: int, before: Sequence[str]) -> Chat:
    linked = ""
    if plans > 1:
        linked = (
            f"This is plan {number} of {plans} that follow each other in one life: the same "
            "user and people, a new undertaking that grows out of the last one. "
            f"It takes place in stretch {number} of {plans} of the time line.\n"
        )
    told = "What the plans before this one held:\n" + "\n".join(before) + "\n\n" if before else ""
    return _chat(
        "You plan a long conversation: you divide it into parts, each with a subject of its own.",
        f"{seed}\n\n{told}{linked}Divide it into exactly {parts} parts in order of time. "
        "Reply with one JSON object: 'parts', each with 'title', 'start' (its first day, as in "
        "2025-03-14) and 'summary', three to five sentences on what happens.",
    )


def points(seed: str, part: str, count: int, first: int, before: Sequence[str]) -> Chat:
    told = "Points so far:\n" + "\n".join(before) + "\n\n" if before else ""
    return _chat(
        "You plan what a user tells an assistant in one part of a long conversation. Each point "
        "is one atomic statement of the user in a sentence, with exact names, numbers and days. "
        "Kinds: 'fact', said once; 'event', something that happens on its date; 'update', a new "
        "value in place of one that an earlier point gave; 'contradiction', a statement that "
        "cannot hold beside an earlier point, without a word on the change; 'preference', what "
        "the user likes or dislikes; 'instruction', a standing rule for the assistant's answers.",
        f"{seed}\n\nThe part: {part}\n\n{told}Write exactly {count} points, numbered from "
        f"{first} on, in order of date, of all kinds where that is possible. No value stands in "
        "two points unless one updates the other. Reply with one JSON object: 'points', each with "
        "'kind', 'date' (as in 2025-03-14), 'text', and 'of': the number of the earlier point "
        "that an update or a contradiction is about, and 0 for all other kinds.",
    )


def user_turns(
    domain: str, seed: str, part: str, points: Sequence[str], count: int, before: str
) -> Chat:
    carried = (
        "Between them the messages say every point below, each in exactly one message, in the "
        "user's own words but with its names, numbers and days unchanged, often in passing. They "
        "never say that something is an update or a contradiction.\nPoints:\n" + "\n".join(points)
        if points
        else "They go on about the part, and bring no new names, numbers, days or wishes."
    )
    earlier = f"The user's last message was:\n{before}\n\n" if before else ""
    return _chat(
        "You write what the user of an AI assistant sends, in the first person and in the voice "
        f"that fits the user's traits. {DOMAINS[domain].user}",
        f"{seed}\n\nThe part: {part}\n\n{earlier}Write exactly {count} messages of 40 to 120 "
        f"words (more where code or formulas need it), each of which asks for something. {carried}"
        "\n\nReply with one JSON object: 'messages', each with 'text' and 'points', the numbers "
        "of the points that it says.",
    )


def assistant_turn(domain: str, before: Sequence[Pair], user: str) -> Chat:
    earlier = [
        {"role": role, "content": text}
        for pair in before
        for role, text in (("user", pair.user), ("assistant", pair.assistant))
    ]
    system = (
        "You are a helpful assistant in a conversation that goes on for months. Reply in about "
        f"{REPLY_WORDS} words. {DOMAINS[domain].assistant} Where something that you need is "
        "missing, ask the user for it at the end."
    )
    return [
        {"role": "system", "content": system},
        *earlier,
        {"role": "user", "content": user},
    ]


def answer_to_assistant(seed: str, part: str, pair: Pair) -> Chat:
    return _next_message(
        seed,
        part,
        pair,
        "Does the assistant's reply ask the user something that it needs to know, and not only "
        "offer more help? If so, write the user's answer.",
    )


def follow_up(seed: str, part: str, pair: Pair) -> Chat:
    return _next_message(
        seed,
        part,
        pair,
        "Does the reply leave this user with something to ask on about: a step that is unclear, a "
        "claim to doubt, an option to weigh? If so, write the follow-up.",
    )


def _next_message(seed: str, part: str, pair: Pair, asked: str) -> Chat:
    return _chat(
        "You are the user of an AI assistant and decide whether to write again.",
        f"{seed}\n\nThe part: {part}\n\nUser: {pair.user}\n\nAssistant: {pair.assistant}\n\n"
        f"{asked} It has 15 to 60 words and brings no new names, sums, days, wishes or rules. "
        "Reply with one JSON object: 'needed', true or false, and 'message', empty if not needed.",
    )


def questions(ability: Ability, count: int, points: Sequence[str]) -> Chat:
    return _chat(
        "You write questions that test what a memory still knows of a long conversation. A "
        "question does not give its answer away and says what it is about, so that it can mean "
        "one thing only. The nuggets are atomic things that a good answer does, each judged by "
        "itself; each begins with 'LLM response should state:', or with 'mention:' or 'contain:' "
        "in place of 'state:'.",
        "What the user said, by number:\n" + "\n".join(points) + f"\n\nWrite exactly {count} "
        f"question(s) of the kind {ability}. Such a question {ABILITIES[ability]}\nReply with one "
        "JSON object: 'questions', each with 'question', 'answer' (a model answer), 'nuggets' and "
        "'points', the numbers of the points that the answer needs.",
    )


def check(question: str, answer: str, nuggets: Sequence[str], evidence: str) -> Chat:
    listed = "\n".join(f"- {nugget}" for nugget in nuggets)
    return _chat(
        "You check questions about a conversation before they are used in a test.",
        f"Parts of the conversation:\n\n{evidence}\n\nQuestion: {question}\nModel answer: "
        f"{answer}\nWhat a good answer does:\n{listed}\n\nDo these parts support the answer and "
        "all of these? Of a question that has no answer: do they really hold none? Reply with "
        "one JSON object: 'holds', true or false, and 'why', one sentence.",
    )
