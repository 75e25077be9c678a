"""``NAME:prompt=FILE`` and ``NAME:instruction="…"``: what a strategy's model is told instead.

Any strategy that asks the model of the run for summaries takes them, also as a part of a
composition. A function of a user that has a parameter of that name gets it itself.
"""

from __future__ import annotations

import inspect
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final, cast

from pytest_compaction.compactors.function.signatures import takes
from pytest_compaction.compactors.own_code import MethodOf
from pytest_compaction.compactors.protocol import Context
from pytest_compaction.compactors.specs import Spec, UnknownCompactorError
from pytest_compaction.models import (
    Model,
    PromptError,
    PromptText,
    SummaryReply,
    SummaryRequest,
    frame,
    identifiers,
    read_prompt_file,
)

PROMPT: Final = "prompt"
INSTRUCTION: Final = "instruction"


@dataclass(frozen=True, slots=True)
class Told:
    """A prompt of a user, and an instruction for the one who summarises; either may be missing."""

    prompt: PromptText | None = None
    instruction: str = ""


def told_of(spec: Spec, target: Any, shipped: bool) -> tuple[Spec, Told | None]:
    """A specification without the two parameters, and what they say.

    Raises :class:`UnknownCompactorError` for a prompt file that cannot be used.
    """
    given = dict(spec.parameters)
    ours = {name for name in (PROMPT, INSTRUCTION) if name in given}
    if not shipped:
        ours = {name for name in ours if not any(takes(each, name) for each in _called(target))}
    if not ours:
        return spec, None
    typed = dict(spec.written)
    values = {n: given[n] if isinstance(given[n], str) else typed[n] for n in ours}
    rest = replace(
        spec,
        parameters=tuple(pair for pair in spec.parameters if pair[0] not in ours),
        written=tuple(pair for pair in spec.written if pair[0] not in ours),
    )
    try:
        prompt = (
            read_prompt_file(_found(values[PROMPT]), values[PROMPT]) if PROMPT in ours else None
        )
    except PromptError as error:
        raise UnknownCompactorError(
            f"the compactor {spec.text!r} cannot be made: {error}"
        ) from None
    return rest, Told(prompt, values.get(INSTRUCTION, "").strip())


def tell(spec: Spec, strategy: Any, told: Told, asks: bool) -> None:
    """Have a strategy that was just made told so.

    Raises :class:`UnknownCompactorError` for one that asks no model, or cannot use the prompt.
    """
    what = PROMPT if told.prompt else INSTRUCTION
    wrong = ""
    if not asks:
        wrong = (
            f"it asks the model of the run for no summary, so that {what}= has nothing to change"
        )
    elif told.prompt and (strategy.traits.opaque or strategy.traits.by_server):
        wrong = (
            "its endpoint writes the summary, and the prompt is the endpoint's; prompt= has "
            "nothing to change"
        )
    elif told.prompt and getattr(strategy, "reads_headings", False):
        named = identifiers(f"{told.prompt.system or ''}\n{told.prompt.user}")
        if "sections" not in named:
            wrong = (
                f"it reads the notes back by their headings, and {told.prompt.file} does not ask "
                "for them; write $sections where they are to stand"
            )
    if wrong:
        raise UnknownCompactorError(f"the compactor {spec.text!r} cannot be made: {wrong}")
    strategy.told = told


def in_context(strategy: object, context: Context) -> Context:
    """The context of a call to a strategy, in which its model is told what the user wants."""
    told: Told | None = getattr(strategy, "told", None)
    if told is None:
        return context
    said = told.instruction if getattr(strategy, "takes_instruction", True) else ""
    focus = "\n".join(text for text in (context.instructions, said) if text)
    model = context.model
    if told.prompt is not None:
        model = cast(Model, PromptedModel(model, told.prompt))
    return replace(context, instructions=focus, model=model)


@dataclass(frozen=True, slots=True)
class PromptedModel:
    """A model that is asked for summaries with the text of a user."""

    model: Model
    text: PromptText

    def __getattr__(self, name: str) -> Any:
        return getattr(self.model, name)

    def at_trial(self, trial: int) -> PromptedModel:
        return PromptedModel(self.model.at_trial(trial), self.text)

    async def summarize(self, request: SummaryRequest) -> SummaryReply:
        """The summary for the request with the text in its prompt."""
        prompt = (request.prompt or frame()).with_text(self.text)
        return await self.model.summarize(replace(request, prompt=prompt))


def _called(target: Any) -> list[Any]:
    """What of a user's strategy may take a parameter."""
    if isinstance(target, MethodOf):
        return [target.owner, getattr(target.owner, target.name)]
    methods = (inspect.getattr_static(target, name, None) for name in ("compact", "__call__"))
    return [target, *(method for method in methods if inspect.isfunction(method))]


def _found(named: str) -> Path:
    """The file of that name: in this folder, where the user's own code is, or of the package."""
    path = Path(named).expanduser()
    shipped = str(Path(__file__).with_name("prompts"))
    there = (Path(folder) / path for folder in (*sys.path, shipped) if folder)
    return path if path.is_file() else next((each for each in there if each.is_file()), path)
