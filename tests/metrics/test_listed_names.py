"""Views that are mostly a list of names are told from summaries that list files among sentences."""

import pytest

from pytest_compaction.metrics import ListedNames, listed_names

NAMES = [f"src/part_{n}.py" for n in range(60)]
SUMMARY = """## Goal
The user wants the retry limit to be 5 in every client, and no new dependency.

## Files modified
- src/lease/queue.py: the limit is read from RETRY_LIMIT
- src/lease/client.py
- tests/test_queue.py
- tests/test_client.py

## State
`pytest tests/test_queue.py` fails in test_limit_is_kept: expected 5, got 3.
Timeout = 45, port = 8443, workers: 4

## Next steps
1. Rename open_queue to open_lease in src/lease/client.py.
2. Run `pytest -x`.
"""


@pytest.mark.parametrize("join", ["\n", "\n- ", ", ", " | ", "\n1. "])
def test_a_bare_list_of_names_is_marked_however_it_is_laid_out(join):
    text = "Names so far.\n" + join.join(NAMES)
    assert listed_names([text], [text]).make_the_view


def test_values_and_names_in_backticks_are_names_too():
    lines = [f"`run` {n}.5 max_{n} RetryLimit{n}" for n in range(20)]
    assert listed_names(lines, lines) == ListedNames(80, 80)


@pytest.mark.parametrize(
    "text",
    [
        SUMMARY,
        "\n".join(f"- {name} was edited" for name in NAMES),
        "\n".join(f"{name}: holds a limit" for name in NAMES),
        "\n".join(f"LIMIT_{n} = {n}" for n in range(90)),
        "```\n" + "\n".join(NAMES) + "\n```\nThe files of the change stand above.",
        "\n".join(NAMES[:30]),
        "",
    ],
    ids=["summary", "sentences", "roles", "values", "code", "short", "empty"],
)
def test_sentences_roles_code_and_short_lists_are_not_marked(text):
    assert not listed_names([text], [text]).make_the_view


def test_what_stays_of_the_log_counts_against_the_list():
    names, said = "\n".join(NAMES), "The user asked for a limit of five. " * 20
    assert listed_names([names], [names]).make_the_view
    assert not listed_names([names, said], [names]).make_the_view
    assert not listed_names([names], []).make_the_view
