"""A passage that holds a statement's groups is compared with what the statement says and is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pytest_compaction.text.contradiction.agreement import difference
from pytest_compaction.text.contradiction.denials import group_denied, said_of_others, word_denied
from pytest_compaction.text.contradiction.rejections import ban_rejected, idea_rejected
from pytest_compaction.text.contradiction.standing import closes, is_step
from pytest_compaction.text.contradiction.verbs import verb_affirmed, verb_denied
from pytest_compaction.text.sentences.groups import Found, Weighed
from pytest_compaction.text.sentences.parsed import Parsed
from pytest_compaction.text.statement import Statement
from pytest_compaction.text.statement_keys import asserts


def disagreed(
    statement: Statement,
    passage: Parsed,
    groups: Sequence[Sequence[Found]],
    weighed: Weighed,
    above: Sequence[str],
    around: Parsed | None = None,
) -> Weighed:
    """Not stated if the passage says something else with the words of the statement.

    ``above`` are the headings and lead-ins, of which the nearest may say that all is done.
    ``around`` is the passage with the clauses beside it.
    """
    if weighed.outcome != "stated":
        return weighed
    text = statement.text
    if above and closes(above[-1]) and is_step(text, statement.type):
        return replace(weighed, outcome="uncertain", why="below a heading of what is done")
    why = (
        difference(text, passage, statement.type)
        or said_of_others(text, groups, passage)
        or ban_rejected(groups, passage)
        or verb_denied(text, passage)
        or verb_affirmed(text, passage)
        or idea_rejected(text, around or passage, groups)
    )
    if why is None and asserts(statement):
        why = group_denied(text, groups, passage) or word_denied(text, passage, around)
    return weighed if why is None else replace(weighed, outcome="uncertain", why=why)
