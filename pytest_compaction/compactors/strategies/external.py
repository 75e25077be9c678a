"""``external``: a program of yours compacts: messages as JSON on standard input, and back.

``external:command='my-agent compact --json'`` starts the program for each compaction, without a
shell unless you write one (``command='sh -c "…"'``), in the folder of the run and with its
environment as it is. Standard input gets ``{"messages": […], "budget": N, "window": N}``, the
messages as OpenAI chat messages. Standard output is the list of messages to go on with, or
``{"messages": […], "usage": {…}}`` with ``calls`` (1 without it), ``input_tokens``,
``cached_tokens`` and ``output_tokens`` of what the program asked a model for. A message that comes
back as it was counts as kept, any other as new.

A program that is not found, ends with another exit code than 0, writes no JSON or does not end
within ``timeout`` seconds makes the items of the case fail with a sentence, in which the last
line of its standard error stands, without keys.
"""

from __future__ import annotations

import asyncio
import json
import os
import shlex
import signal
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from pytest_compaction.compactors.base.history import unchanged
from pytest_compaction.compactors.function.compactor import FunctionCompactor
from pytest_compaction.compactors.parameters import check_whole
from pytest_compaction.compactors.protocol import CompactorError, Context, Outcome, State
from pytest_compaction.conversation import Message
from pytest_compaction.models import OwnCalls, Usage
from pytest_compaction.secrets import scrubbed
from pytest_compaction.text import printable

NO_PROGRAM: Final = "external has no program: name it, as in external:command='my-agent compact'"
USAGE: Final = ("calls", "input_tokens", "cached_tokens", "output_tokens")
_OWN_GROUP: Final = hasattr(os, "killpg")


class External(FunctionCompactor):
    """Hands the messages to a program and goes on with those that it writes.

    ``command`` is the program with its arguments, ``timeout`` the seconds that it may take.
    """

    def __init__(self, command: str = "", timeout: int = 60) -> None:
        super().__init__("external", _messages, {})
        self.description = "a program of yours: JSON in, JSON out; command='my-agent compact'"
        check_whole("timeout", timeout, 1, unit="seconds")
        try:
            self._command = shlex.split(str(command))
        except ValueError as error:
            raise ValueError(f"command cannot be split into words: {error}") from None
        self._timeout = timeout

    async def compact(self, state: State, context: Context) -> Outcome[State]:
        return (
            await super().compact(state, context) if self._command else unchanged(state, NO_PROGRAM)
        )

    def _called(
        self, state: State, own: Any, before: Sequence[Message], start: int, context: Context
    ) -> Any:
        return self._asked(self._shape.given(before[start:]), context)

    async def _asked(self, messages: Sequence[Any], context: Context) -> Any:
        """The messages that the program writes, its usage booked."""
        given = {"messages": messages, "budget": context.budget, "window": context.window}
        written, said = await self._run(json.dumps(given, ensure_ascii=False))
        try:
            reply = json.loads(written)
        except ValueError:
            shown = printable(scrubbed(written), 60) or "nothing"
            raise self._failed(f"wrote no JSON to standard output: {shown}", said) from None
        if isinstance(reply, Mapping):
            if "messages" not in reply:
                raise self._failed('wrote JSON without "messages"', said)
            await self._book(reply.get("usage"), context, said)
            reply = reply["messages"]
        return reply

    async def _run(self, given: str) -> tuple[str, str]:
        try:
            process = subprocess.Popen(
                self._command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                encoding="utf-8",
                errors="replace",
                start_new_session=_OWN_GROUP,
            )
        except OSError as error:
            reason = error.strerror or type(error).__name__
            raise self._failed(f"cannot be started: {reason}; name its path", "") from None
        try:
            out, said = await asyncio.to_thread(process.communicate, given, self._timeout)
        except subprocess.TimeoutExpired:
            _end(process)
            process.communicate()  # closes its pipes
            raise self._failed(
                f"did not end within {self._timeout} s; give it more with timeout=…", ""
            ) from None
        finally:
            _end(process)
        code = process.returncode
        if code:
            how = f"exit code {code}" if code > 0 else f"signal {-code}"
            raise self._failed(f"ended with {how}", said)
        return out, said

    async def _book(self, usage: Any, context: Context, said: str) -> None:
        """Count what the program asked a model for, where the run counts."""
        if usage is None:
            return
        figures = dict(usage) if isinstance(usage, Mapping) else {"usage": usage}
        wrong = [
            key
            for key, count in figures.items()
            if key not in USAGE or type(count) is not int or count < 0
        ]
        if wrong:
            name = printable(str(wrong[0]), 40)
            raise self._failed(
                f"wrote a usage that cannot be read ({name}); it takes the whole numbers "
                f"{', '.join(USAGE)}",
                said,
            )
        carried = getattr(context.model, "carried", None)
        used = OwnCalls(Usage(**{"calls": 1, **figures}), None)

        async def booked() -> tuple[None, OwnCalls]:
            return None, used

        if carried is not None:
            await carried(booked)

    def _failed(self, fault: str, said: str) -> CompactorError:
        lines = [line for line in said.splitlines() if line.strip()]
        last = f" (standard error: {printable(scrubbed(lines[-1].strip()), 200)})" if lines else ""
        program = printable(scrubbed(Path(self._command[0]).name), 80)
        return CompactorError(f"external: the program {program} {fault}{last}")


def _messages(messages: list[dict[str, Any]], budget: int) -> list[dict[str, Any]]:
    """The call that a program stands for."""
    raise NotImplementedError


def _end(process: subprocess.Popen[str]) -> None:
    if process.poll() is not None:
        return
    if _OWN_GROUP:
        os.killpg(process.pid, signal.SIGKILL)
    else:
        process.kill()
    process.wait()
