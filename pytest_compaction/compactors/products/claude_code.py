"""``claude-code``: old tool results cleared first, then a nine-section summary and recent files.

After public descriptions of Claude Code only (its documentation on the context window, issues, and
third-party analyses of 2025, 2026; read on 2026-11-29); prompts and code are our own. In this
order: the results of all but the newest five tool uses give way to a placeholder, and if the view
then fits, that is all. Otherwise the conversation, with those results cleared, becomes a summary in
nine sections: a user message that opens with a boundary. Analysis that the model wrote before its
summary is cut off. Up to five files that were modified last are shown again, not those that were
only read; of a file of more than 5,000 tokens only the path. ``focus`` is the text that a user
writes after ``/compact``.

It is due at the window minus 20,000 tokens for the summary and another 13,000 (of
200,000), until three compactions in a row have failed. The system prompt stays.
It is not public how open calls are treated; here it waits for their results.

Adapted: constants in tokens are in proportion to the case's window; files are as the
log shows them, and take at most a third of the room, so that with the summary they
stay within the budget. The last user message is not kept as such: one section
lists all user messages.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from pytest_compaction.compactors.base.cuts import pending_start
from pytest_compaction.compactors.base.file_contents import Contents, followed, modified
from pytest_compaction.compactors.base.history import (
    load,
    rewritten,
    unchanged,
)
from pytest_compaction.compactors.base.product import (
    NINE_SECTIONS,
    ProductCompactor,
    ToolUseClearing,
    product_prompt,
    scaled,
)
from pytest_compaction.compactors.base.summaries import (
    SUMMARY_OVERHEAD,
    WHOLE,
    read_limits,
    without_analysis,
    without_preamble,
    write_summary,
)
from pytest_compaction.compactors.parameters import whole
from pytest_compaction.compactors.protocol import Context, Outcome, State, Traits
from pytest_compaction.conversation import Message, leading_system, pending_calls, text_message
from pytest_compaction.models import AskedBy

PRODUCT_WINDOW: Final = 200_000
SUMMARY_RESERVE: Final = 20_000
MARGIN: Final = 13_000
KEPT_RESULTS: Final = 5
FILE_TOKENS: Final = 5_000
MAX_FAILURES: Final = 3
_FOLLOWED_FILES: Final = 50
PREAMBLE: Final = (
    "[conversation compacted here]\n"
    "This session goes on from an earlier conversation that did not fit the context any more. "
    "What follows sums it up; carry on with the last task without asking again."
)
FILES_PREAMBLE: Final = "Files that were in use before compaction, as they were last seen:"


@dataclass(eq=False)
class ClaudeCode(ProductCompactor):
    """Clears old tool results, and if that is not enough summarises and shows recent files.

    ``focus`` is added to the instructions for the summary; ``files`` is how many of the files
    modified last are shown again. ``read_results`` and ``read_arguments`` are the characters
    that the summariser may read of a result and of each argument, or ``all``.
    """

    name = "claude-code"
    asks = "claude-code"
    sections = NINE_SECTIONS
    preamble = PREAMBLE
    traits = Traits(needs_model=True, prompt_only=("focus",))
    takes_instruction = True
    description = "Claude Code: tool results cleared, then nine sections and five recent files"

    focus: str = ""
    files: int = whole(5, 0)
    read_results: int | str = WHOLE
    read_arguments: int | str = WHOLE

    def __post_init__(self) -> None:
        super().__post_init__()
        self.limits = read_limits(WHOLE, self.read_results, self.read_arguments)
        self.clearing = ToolUseClearing(KEPT_RESULTS)

    def prompts(self) -> list[AskedBy]:
        return [AskedBy(product_prompt(self.asks), NINE_SECTIONS, str(self.focus))]

    def observe(self, state: State, new: Sequence[Message], context: Context) -> State:
        before = load(state["messages"])
        recent = (*before[pending_start(before) :], *new)
        files = followed(state.get("files", {}), recent, _FOLLOWED_FILES)
        changed = modified(state.get("modified", ()), recent, _FOLLOWED_FILES)
        return {**super().observe(state, new, context), "files": files, "modified": changed}

    def due(self, state: State, context: Context) -> str | None:
        return None if state.get("failures", 0) >= MAX_FAILURES else super().due(state, context)

    def due_at(self, context: Context) -> int:
        reserve = scaled(SUMMARY_RESERVE, PRODUCT_WINDOW, context)
        return context.window - reserve - scaled(MARGIN, PRODUCT_WINDOW, context)

    async def compact(self, state: State, context: Context) -> Outcome[State]:
        if not self.is_needed(state, context):
            return unchanged(state)
        before = load(state["messages"])
        cleared = self.clearing.cleared(before, context)
        if cleared != before and context.tokens.messages(cleared) <= context.budget:
            return rewritten(state, before, cleared, failures=0)
        return await self._summarised(state, before, cleared, context)

    async def _summarised(
        self, state: State, before: Sequence[Message], read: Sequence[Message], context: Context
    ) -> Outcome[State]:
        first = leading_system(before)
        if first >= len(before):
            return unchanged(state)
        if pending_calls(before):
            return self._failed(
                state, "a tool call is still without result; nothing was summarised"
            )
        room = context.budget - context.tokens.messages(before[:first]) - SUMMARY_OVERHEAD
        cycle = self.cycle(state)
        known = {path: state["files"].get(path) for path in state["modified"]}
        files, shown = self._files(known, room // 3, cycle, context)
        room -= context.tokens.messages(files)
        conversation = without_preamble(read[first:], PREAMBLE)
        written = await write_summary(
            context,
            conversation,
            NINE_SECTIONS,
            room,
            None,
            str(self.focus),
            limits=self.limits,
            prompt=product_prompt(self.asks),
        )
        written = without_analysis(written, NINE_SECTIONS)
        if written.error:
            return self._failed(state, written.error)
        message = self.summary(cycle, written.text)
        after = (*before[:first], message, *files)
        if context.tokens.messages(after) >= context.tokens.messages(before):
            return self._failed(state, "the summary is not smaller than the conversation")
        noted: State = {"files": shown, "modified": list(shown), "cycle": cycle, "failures": 0}
        return rewritten(state, before, after, message.id, **noted)

    def _failed(self, state: State, error: str) -> Outcome[State]:
        return unchanged({**state, "failures": int(state.get("failures", 0)) + 1}, error)

    def _files(
        self, files: Contents, room: int, cycle: int, context: Context
    ) -> tuple[tuple[Message, ...], Contents]:
        """A message with the newest files that fit ``room`` tokens, and these files.

        The newest come first. Of a file that is too long, or whose contents are unknown,
        only the path is shown.
        """
        most = scaled(FILE_TOKENS, PRODUCT_WINDOW, context)
        newest = list(files.items())[::-1][: self.files]
        id = f"claude-code-files-{cycle}"
        message: tuple[Message, ...] = ()
        text = FILES_PREAMBLE
        shown: dict[str, str | None] = {}
        for path, content in newest:
            blocks = [f"\n\n`{path}` (not shown, read it again if it is needed)"]
            if content is not None and context.tokens.text(content) <= most:
                blocks.insert(0, f"\n\n`{path}`:\n```\n{content}\n```")
            for block in blocks:
                longer = text_message(id, "user", text + block, "synthetic")
                if context.tokens.message(longer) <= room:
                    text, message = text + block, (longer,)
                    shown[path] = content
                    break
        return message, dict(list(shown.items())[::-1])
