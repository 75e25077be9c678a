"""The prompts of the chat model: templates in files beside this one, read and checked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from importlib import resources
from pathlib import Path
from string import Template
from typing import Any, Final

from pytest_compaction.models.summary_prompt import (
    PromptError,
    SummaryPrompt,
    divided,
    identifiers,
    prompt_text,
)
from pytest_compaction.rubric import CRITERIA, Rubric

FIELDS: Final[Mapping[str, frozenset[str]]] = {
    "judge": frozenset(
        {"mark", "question", "form", "facts", "traps", "log", "response", "criteria", "reply"}
    ),
    "nuggets": frozenset({"mark", "question", "nuggets", "response", "reply"}),
    "read": frozenset({"mark", "claims", "view", "reply"}),
    "repair": frozenset({"problem"}),
    "summarize": frozenset({"mark", "sections", "words", "focus", "previous", "messages"}),
    "answer": frozenset({"question", "form"}),
    "choose": frozenset({"question", "form"}),
}
"""The fields of each template. All must occur, because the model needs each of them."""


@dataclass(frozen=True, slots=True)
class Prompt:
    """One template: the system message, which may be empty, and the user message."""

    system: str
    user: str

    def messages(self, fields: Mapping[str, str]) -> list[dict[str, Any]]:
        """Chat messages with the fields filled in."""
        said = [("system", self.system), ("user", self.user)]
        return [
            {"role": role, "content": Template(text).substitute(fields)}
            for role, text in said
            if text
        ]


@dataclass(frozen=True, slots=True)
class Prompts:
    """All templates of the chat model.

    ``criteria`` are those, by id, in words other than the rubric's.
    """

    judge: Prompt
    nuggets: Prompt
    read: Prompt
    repair: Prompt
    answer: Prompt
    choose: Prompt
    criteria: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def load(cls, judge: Path | None = None, rubric: Rubric = CRITERIA) -> Prompts:
        """The packaged templates; with ``judge`` the judge's prompt from that file.

        Raises :class:`PromptError` for a file that cannot be read, a ``$`` without the name
        of a field, or a field that is missing.
        """
        prompts = {name: packaged_prompt(name) for name in FIELDS if name != "summarize"}
        if judge is not None:
            prompts["judge"] = parse(
                "judge", prompt_text(judge, f"the judge prompt {judge}"), str(judge)
            )
        usual = {criterion.line for criterion in CRITERIA}
        changed = {each.id: each.line for each in rubric if each.line not in usual}
        templates: dict[str, Any] = {**prompts, "criteria": changed}
        return cls(**templates)


def frame() -> SummaryPrompt:
    """The prompt of a strategy that has none of its own."""
    packaged = packaged_prompt("summarize")
    return SummaryPrompt(packaged.system, packaged.user)


@lru_cache(maxsize=8)
def packaged_prompt(name: str) -> Prompt:
    """The template of that name that comes with the package."""
    text = resources.files(__name__).joinpath(f"{name}.md").read_text("utf-8")
    return parse(name, text, f"{name}.md")


def parse(name: str, text: str, source: str) -> Prompt:
    """Check a template and divide it in two; ``source`` names it in the error."""
    template = Template(text)
    if not template.is_valid():
        raise PromptError(
            f"the {name} prompt {source} has a $ that names no field; write $$ for the sign itself"
        )
    found = identifiers(text)
    wanted = FIELDS[name]
    if wanted - found:
        raise PromptError(
            f"the {name} prompt {source} lacks {_listed(wanted - found)}; "
            f"it needs {_listed(wanted)}"
        )
    if found - wanted:
        raise PromptError(
            f"the {name} prompt {source} names {_listed(found - wanted)}, which nothing fills; "
            f"the fields are {_listed(wanted)}"
        )
    return Prompt(*divided(text))


def _listed(names: frozenset[str]) -> str:
    return ", ".join(f"${name}" for name in sorted(names))
