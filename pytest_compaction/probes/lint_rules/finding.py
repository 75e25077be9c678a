"""What ``lint`` can find: levels, and every rule with the sentence that explains it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

from pytest_compaction.case.case import Case
from pytest_compaction.text import printable

Level = Literal["error", "warning", "info"]

RULES: Final[Mapping[str, str]] = {
    "unusable": "The loader refuses the file.",
    "leak": "The question gives a fact away.",
    "duplicate-question": "Two probes ask the same at the same point.",
    "duplicate-fact": "A probe lists the same fact twice.",
    "duplicate-trap": "A probe lists the same trap twice.",
    "overlapping-fact": "One fact of a probe states another one.",
    "duplicate-facts": "Another probe at the same point asks for all facts of this one.",
    "trap-is-true": "The facts of the probe themselves fall into its trap.",
    "keys-disagree": "The text of a fact or trap does not state what its own keys ask for.",
    "keys-too-loose": "A trap of the probe states the fact, so its keys cannot tell them apart.",
    "keys-missing": "A whole sentence without keys is read by its wording alone.",
    "small-number": "A small number is the only key, and it stands everywhere in a log.",
    "no-counterpart": "The log gives another value for the same subject, and no trap names it.",
    "fragment": "The text of a fact is the middle of a sentence.",
    "one-group": "One ordinary word is all that the keys of a statement or value ask for.",
    "one-of-many": "The question asks for one of many lines or names that an edit brought in.",
    "not-the-user": "The question quotes a text of the program or of a patch as the user's.",
    "half-held": "The question asks for a request that no fact holds, or only part of it.",
    "incomplete": "The log shows more files of the kind that the question asks for.",
    "not-the-first": "An earlier error of the same output is the first one.",
    "vague": "The question quotes words that point at what only earlier messages name.",
    "half-told": "The question tells every exact value that its fact holds.",
    "not-the-last": "A later request or check is the last one.",
    "removed-since": "A later edit removed what the question says was added.",
    "gone-since": "The code or commit that the question asks for does not stand any more.",
    "list-unsure": "A command, a subagent or the user may have changed files that no call names.",
    "second-home": "The log declares the name that the question asks for in another file too.",
    "filler-key": "A word that a right answer easily leaves out is a key of its own.",
    "fits-budget": "The whole log fits the budget, so that nothing has to be compacted.",
    "said-fits-budget": "All that was said fits the budget, so that keeping it is enough.",
    "said-states-most": "Too few facts stand only in tool calls and their output.",
    "empty-dimension": "No fact of the case counts for one of the dimensions.",
    "kept-by-tail": "The tail before the question states the fact.",
    "not-in-log": "The full log does not state the fact at the point where it is asked for.",
    "not-standing": "The user lifted the constraint of a compliance probe before it is asked.",
    "not-given": "No turn of the user or system states the constraint of a compliance probe.",
    "same-options": "Both options of a compliance probe say the same.",
    "option-tells": "An option of a compliance probe names the constraint that it rests on.",
    "unanswerable": "The offline answer from the full log does not state the fact.",
}
"""Every rule by its name, which does not change, and one sentence about it."""


@dataclass(frozen=True, slots=True)
class LintFinding:
    """One fault (``error``) or weakness (``warning``) of a case, or a hint (``info``).

    ``source`` is the file (and line), ``pointer`` the JSON pointer in it, ``rule`` the
    name of the check, one of :data:`RULES`.
    """

    source: str
    pointer: str
    level: Level
    rule: str
    text: str


def finding(case: Case, pointer: str, level: Level, rule: str, text: str) -> LintFinding:
    """A finding of a rule in a case."""
    return LintFinding(case.source, pointer, level, rule, text)


def quoted(text: str) -> str:
    """A text for a finding: printable and short, in quotation marks."""
    return f"“{printable(text, 80)}”"
