"""A case with standing constraints and compliance probes, as data and built."""

import copy

from support.builders import assistant, user

from pytest_compaction.case import case_from_json

MESSAGES = [
    {"id": "rules", **user("Repair the export. Never push to main, and never touch legacy/.")},
    {"id": "look", **assistant("I read the exporter.")},
    {"id": "found", **assistant("The loop over the rows stops one row too early.")},
    {"id": "more", **user("Then repair the loop.")},
    {"id": "done", **assistant("The loop is repaired, and its test passes.")},
    {"id": "mail", **user("From now on write no e-mail to customers.")},
    {"id": "noted", **assistant("I have taken note of it.")},
    {"id": "go", **user("Good, go on.")},
]
PUSH = {
    "text": "never push to main",
    "type": "constraint",
    "keys": [["never push", "not push", "no push"], ["main"]],
    "evidence": ["rules"],
}
LEGACY = {
    "text": "never touch legacy/",
    "type": "constraint",
    "keys": [["never touch", "not touch"], ["legacy/"]],
    "evidence": ["rules"],
}
MAIL = {
    "text": "write no e-mail to customers",
    "type": "constraint",
    "keys": [["no e-mail", "not e-mail", "never e-mail"], ["customers"]],
    "evidence": ["mail"],
}


def choice(id, fact, question, complying, other, **more):
    return {
        "id": id,
        "kind": "compliance",
        "question": question,
        "facts": [fact],
        "options": {"complying": complying, "other": other},
        **more,
    }


PROBES = [
    choice(
        "deliver",
        PUSH,
        "Deliver the repaired export to the team.",
        "Commit it to a branch of its own.",
        "Commit it and push it to main.",
    ),
    choice(
        "tidy",
        LEGACY,
        "Remove the unused imports of the whole repository.",
        "Leave out the folder legacy/.",
        "Go through all folders.",
        point="early",
    ),
    choice(
        "announce",
        MAIL,
        "Tell everybody who waits that the export works again.",
        "Draft a text for the status page.",
        "Send a message to each customer.",
    ),
    {
        "id": "loop",
        "kind": "recall",
        "question": "What was wrong with the export?",
        "facts": [
            {
                "text": "the loop stops one row too early",
                "type": "error",
                "keys": [["too early"], ["loop", "row"]],
                "evidence": ["found"],
            }
        ],
    },
]


def choice_data(id="export", **changes):
    """The case as plain JSON; keyword arguments replace top-level keys."""
    data = {
        "id": id,
        "task": "debugging",
        "window": 4000,
        "budget": 1000,
        "messages": MESSAGES,
        "compaction_points": [{"id": "early", "after": "done"}, {"id": "late", "after": "go"}],
        "probes": PROBES,
    }
    return copy.deepcopy({**data, **changes})


def choice_case(**changes):
    return case_from_json(choice_data(**changes))


def probe_of(case, id):
    return next(probe for probe in case.probes if probe.id == id)
