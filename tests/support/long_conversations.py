"""Conversations of any length in the layout of BEAM, of our own making, with known answers.

A user plans a move, a course and a garden over some months. Facts stand at fixed shares of the
conversation; the rest is talk about other things, no two turns alike.
"""

import random

from pytest_compaction.case import Batch, Pair, Question, write_conversation

CHARACTERS = 4
"""Of a token, about."""
WORDS = """anchor basket cellar dinner engine fabric garden hammer island jacket kettle ladder
market needle orchard pencil quarry ribbon saddle tunnel umbrella valley window yarn zipper
bridge candle drawer feather glove hinge ink juniper knot lantern mirror nest oar pillow quilt
rope sponge tray urn vase wheel bicycle chimney doorway envelope fiddle grain hedge iron jug
""".split()
VERBS = "paint repair move sell clean order measure carry store sketch borrow return".split()
ANCHORS = ("January-08-2024", "February-12-2024", "March-15-2024", "April-19-2024", "May-20-2024")
SAID = {
    0.05: "I signed the lease for the flat in Harbour Street, and the deposit is 1,450 euros.",
    0.15: "Always give me prices with the tax included when I ask what something costs.",
    0.25: "The first course day with Miriam Okafor is on March 29, in the library.",
    0.35: "I have never owned a bicycle, so I go to work by tram.",
    0.45: "I prefer plants that need little water for the balcony.",
    0.55: "The movers now come on 14 May and not on 7 May any more.",
    0.65: "My old racing bicycle is in the cellar; I bought it in Ghent.",
    0.75: "The final exam of the course is on April 19, in the town hall.",
    0.85: "The landlord lowered the deposit to 1,200 euros after I had complained.",
}
"""What the user says, by the share of the conversation at which it stands."""


def conversation(tokens, seed=1):
    """Batches of about as many tokens, and the questions on them."""
    rng = random.Random(seed)
    size, said, batches, turns = 0, dict(SAID), [], []
    ids = {}
    id = 0
    while size < tokens * CHARACTERS:
        share = size / (tokens * CHARACTERS)
        due = [at for at in said if at <= share]
        user = said.pop(due[0]) if due else _chat(rng, 2, id)
        if due:
            ids[due[0]] = id
        pairs = [Pair(user, _chat(rng, 10, id + 1))]
        if rng.random() < 0.2:
            pairs.append(Pair(_chat(rng, 1, id + 2), _chat(rng, 4, id + 3), "followup_question"))
        turns.append(pairs)
        size += sum(len(pair.user) + len(pair.assistant) for pair in pairs)
        id += 2 * len(pairs)
        if len(turns) == 40:
            batches.append(Batch(turns, ANCHORS[len(batches) % len(ANCHORS)]))
            turns = []
    last = [[Pair(text, "Noted.")] for text in said.values()]
    ids |= {at: id + 2 * number for number, at in enumerate(said)}
    batches.append(Batch([*turns, *last], ANCHORS[len(batches) % len(ANCHORS)]))
    return batches, list(_questions(ids))


def _chat(rng, sentences, number):
    return " ".join(
        f"For step {number + n} I would {rng.choice(VERBS)} the {rng.choice(WORDS)} "
        f"beside the {rng.choice(WORDS)} before we {rng.choice(VERBS)} the {rng.choice(WORDS)}."
        for n in range(sentences)
    )


def _questions(ids):
    yield Question(
        "abstention",
        "What colour did I choose for the curtains?",
        "There is no information on curtains.",
        ["Based on the provided chat, there is no information related to the colour of curtains"],
    )
    yield Question(
        "contradiction_resolution",
        "Have I ever owned a bicycle?",
        "You said both. Which is correct?",
        [
            "LLM response should state: there is contradictory information",
            "LLM response should mention: You said you have never owned a bicycle",
            "LLM response should mention: your old racing bicycle is in the cellar",
            "LLM response should mention: which statement is correct?",
        ],
        {"first_statement": [ids[0.35]], "second_statement": [ids[0.65]]},
    )
    yield Question(
        "event_ordering",
        "In which order did I bring up the lease, the course and the movers?",
        "1) the lease, 2) the course, 3) the movers",
        ["Lease for the flat in Harbour Street", "First course day in the library", "Movers"],
        [[ids[0.05]], ids[0.25], [ids[0.55]]],
    )
    yield Question(
        "information_extraction",
        "When is my first course day, and with whom?",
        "On March 29, with Miriam Okafor.",
        ["LLM response should state: March 29", "LLM response should mention: Miriam Okafor"],
        [ids[0.25]],
    )
    yield Question(
        "instruction_following",
        "What does the washing machine cost?",
        "The price with the tax included.",
        ["LLM response should contain: the price with the tax included"],
        [ids[0.15]],
    )
    yield Question(
        "knowledge_update",
        "How much is the deposit for the flat?",
        "1,200 euros",
        ["LLM response should state: 1,200 euros"],
        {"original_info": [ids[0.05]], "updated_info": [ids[0.85]]},
    )
    yield Question(
        "multi_session_reasoning",
        "Where do the course days and the exam take place?",
        "In the library and in the town hall.",
        ["LLM response should state: the library", "LLM response should state: the town hall"],
        [ids[0.25], ids[0.75]],
    )
    yield Question(
        "preference_following",
        "Which plants would you buy for my balcony?",
        "Plants that need little water.",
        [
            "LLM response should contain: plants that need little water",
            "LLM response should contain: avoids recommending ferns",
        ],
        [ids[0.45]],
    )
    yield Question(
        "summarization",
        "Please sum up how the move went.",
        "The lease was signed, the movers come on 14 May, the deposit was lowered.",
        [
            "LLM response should contain: the lease for the flat in Harbour Street was signed",
            "LLM response should contain: the movers come on 14 May",
            "LLM response should contain: the landlord lowered the deposit",
        ],
        [ids[0.05], ids[0.55], ids[0.85]],
    )
    yield Question(
        "temporal_reasoning",
        "How many days lie between the first course day and the final exam?",
        "21 days, from March 29 to April 19.",
        ["LLM response should state: 21 days"],
        {"first_event": [ids[0.25]], "second_event": [ids[0.75]]},
    )


def write(folder, tokens, seed=1, plans=1):
    """A conversation of about as many tokens in a folder, which is returned."""
    batches, questions = conversation(tokens, seed)
    write_conversation(folder, batches, questions, plans)
    return folder


def replace_at(data, path, value):
    """Put a value at a place such as ``qa/0/answer``; ``...`` removes what stands there."""
    *way, last = [int(key) if key.isdigit() else key for key in path.split("/")]
    for key in way:
        data = data[key]
    if value is ...:
        del data[last]
    else:
        data[last] = value
