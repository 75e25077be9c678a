"""A passage that holds a statement's groups is compared with what the statement says and is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pytest_compaction.text.agreement import denied, difference
from pytest_compaction.text.groups import Weighed
from pytest_compaction.text.parsed import Parsed
from pytest_compaction.text.standing import closes, is_step
from pytest_compaction.text.statement import Statement, asserts


def disagreed(
    statement: Statement, passage: Parsed, weighed: Weighed, above: Sequence[str]
) -> Weighed:
    """Not stated if the passage says something else with the words of the statement.

    ``above`` are the headings and lead-ins, of which the nearest may say that all is done.
    """
    if weighed.outcome != "stated":
        return weighed
    if above and closes(above[-1]) and is_step(statement.text, statement.type):
        return replace(weighed, outcome="uncertain", why="below a heading of what is done")
    why = difference(statement.text, passage, statement.type)
    if why is None and asserts(statement):
        why = denied(statement.text, passage)
    return weighed if why is None else replace(weighed, outcome="uncertain", why=why)
