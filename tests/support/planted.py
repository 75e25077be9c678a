"""Strategies with one planted fault each, and a sound one, to test the check of invariants.

Each is ``anchored`` or something simpler with a single fault. ``PLANTED`` maps the name
of an invariant to the strategies that break it and no other.
"""

from support.planted_conduct import (
    AddsReminders,
    AlwaysDue,
    CountsQuestions,
    FailsHalfway,
    GivesUpInSilence,
    KeepsSets,
    KeepsToItself,
    Loops,
    Mutates,
    Piles,
    Raises,
    ReadsTwice,
    ReadsWithoutEnd,
    ReturnsList,
    SendsImages,
    SharesSummaries,
)
from support.planted_views import (
    Calls,
    CutsImages,
    DropsInSilence,
    DropsLatestThinking,
    EditsThinking,
    EndsWithAssistant,
    ForgesResults,
    ForgetsPending,
    ForgetsUser,
    Grows,
    Halves,
    JoinsTurns,
    Leaks,
    LeavesEmpty,
    Muses,
    Orphans,
    OverBudget,
    Recites,
    Reorders,
    RewritesSystem,
    SpeaksAsSystem,
    SpeaksAsUser,
    StartsWithAssistant,
    Throws,
    Unmarked,
    WritesNothing,
)

from pytest_compaction.compactors.strategies.anchored import Anchored


class Sound(Anchored):
    """Keeps every invariant."""


PLANTED = {
    "results-follow-calls": [Orphans],
    "parallel-calls-whole": [Halves],
    "pending-call-kept": [ForgetsPending],
    "starts-with-user": [StartsWithAssistant],
    "turns-alternate": [JoinsTurns],
    "ends-on-user-or-tool": [EndsWithAssistant],
    "no-empty-message": [LeavesEmpty],
    "payloads-intact": [EditsThinking, DropsLatestThinking],
    "system-unchanged": [RewritesSystem],
    "images-valid": [CutsImages, SendsImages],
    "log-order-and-text": [Reorders],
    "masks-are-placeholders": [ForgesResults],
    "spans-partition": [DropsInSilence],
    "last-user-kept": [ForgetsUser],
    "summary-marked": [Unmarked, SpeaksAsSystem, Leaks],
    "notes-named": [SpeaksAsUser],
    "own-log": [SharesSummaries],
    "summary-not-empty": [WritesNothing],
    "summary-is-a-summary": [Recites, Calls, Muses],
    "never-larger": [Grows],
    "within-budget": [OverBudget, GivesUpInSilence],
    "not-due-after": [AlwaysDue],
    "progress-or-stop": [Loops],
    "summariser-input-bounded": [ReadsWithoutEnd],
    "returns-an-outcome": [Raises, ReturnsList],
    "inputs-not-mutated": [Mutates],
    "failure-changes-nothing": [FailsHalfway],
    "not-due-is-identity": [AddsReminders],
    "state-is-json": [KeepsSets],
    "one-live-summary": [Piles],
    "summarised-once": [ReadsTwice],
    "deterministic": [Throws],
    "render-is-pure": [CountsQuestions],
    "earlier-state-restores": [KeepsToItself],
}
