"""What a model is told when it writes a summary: a text with placeholders, and its shape.

A prompt is data: a system text, a user text, how the conversation is shown to the model, and
how the reply is read. A file of a user (``NAME:prompt=FILE``) replaces the text alone; the shape
stays that of the strategy. See ``docs/prompts.md``.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from string import Template
from typing import Final, Literal

from pytest_compaction.conversation import canonical_json, short_hash
from pytest_compaction.models.structured_summary import Section

SEPARATOR: Final = "---"
"""The line that ends the system message; without it the whole template is the user message."""

Shape = Literal["serialised", "conversation"]
"""The conversation as one fenced text, or as messages of their own."""
Reply = Literal["sections", "text"]
"""A reply is read heading by heading, or taken as it was written."""

PLACEHOLDERS: Final[Mapping[str, str]] = {
    "messages": "the conversation as one text",
    "previous": "the summary so far, where a strategy updates one",
    "sections": "the headings that the strategy asks for, and what belongs under each",
    "words": "the most words that fit the budget",
    "focus": "what instruction= asks for",
    "mark": "the mark of the lines around quoted material",
}
"""The placeholders of a prompt, each written as ``$name``, with what fills it."""

_CARRY_OVER: Final = (
    "The notes so far. Carry over what still holds, bring it up to date with the messages, and "
    "lose nothing that is not outdated:"
)


class PromptError(ValueError):
    """A prompt template cannot be used; the text says which, why and what it needs."""


def identifiers(text: str) -> frozenset[str]:
    """The names of the fields of a template."""
    return frozenset(Template(text).get_identifiers())


def divided(text: str) -> tuple[str, str]:
    """The system message of a template, empty without a separator, and the user message."""
    lines = text.strip().split("\n")
    if SEPARATOR not in lines:
        return "", "\n".join(lines)
    place = lines.index(SEPARATOR)
    return "\n".join(lines[:place]).strip(), "\n".join(lines[place + 1 :]).strip()


@dataclass(frozen=True, slots=True)
class PromptText:
    """The text of a prompt file; ``system`` is ``None`` unless a line ``---`` ends one."""

    file: str
    system: str | None
    user: str


@dataclass(frozen=True, slots=True)
class SummaryPrompt:
    """How a model is asked for a summary.

    The conversation stands between ``system`` and ``user``, or as text where ``$messages`` is.
    ``focus`` and ``previous`` are said around an instruction and around an earlier summary, and
    only where there is one; with an earlier summary ``update``, if it is given, takes the place of
    ``user``. A text of a user takes the place of ``user``, or of ``system`` if ``in_system``. Where
    ``before`` or ``after`` has turns (role and text), they say an earlier summary in its place: at
    the beginning or at the end of a conversation of messages.

    ``image`` stands in place of an image, with its ``$type`` and ``$hash``, and ``linked`` in
    place of one with an address, ``$url``; an empty text leaves it out.
    ``lines`` are templates for what is said by each role, for a call and for a result, for a
    conversation as text without fences. Of a reply that is taken as it was written, elements named
    in ``dropped`` go, and of one named ``inside`` the content alone is taken.
    """

    system: str
    user: str
    shape: Shape = "serialised"
    reply: Reply = "sections"
    focus: str = "\nAbove all: $focus\n"
    previous: str = f"\n{_CARRY_OVER}\n$previous\n"
    in_system: bool = False
    update: str = ""
    lines: tuple[tuple[str, str], ...] = ()
    dropped: tuple[str, ...] = ()
    inside: str = ""
    before: tuple[tuple[str, str], ...] = ()
    after: tuple[tuple[str, str], ...] = ()
    image: str = "[image]"
    linked: str | None = None

    def filled(self, name: str, text: str) -> SummaryPrompt:
        """This prompt with a field filled beforehand, in its user text and its turns before."""
        name, text = f"${name}", text.replace("$", "$$")
        before = tuple((role, said.replace(name, text)) for role, said in self.before)
        return replace(self, user=self.user.replace(name, text), before=before)

    @property
    def text(self) -> str:
        """The text as a file of a user would have it."""
        return "\n".join([self.system, SEPARATOR, self.user] if self.system else [self.user])

    def with_text(self, text: PromptText) -> SummaryPrompt:
        """This prompt with the text of a user; without headings its reply is taken as it is."""
        if text.system is not None:
            new = replace(self, system=text.system, user=text.user)
        elif self.in_system:
            new = replace(self, system=text.user)
        else:
            new = replace(self, user=text.user)
        named = identifiers(f"{new.system}\n{new.user}")
        if "previous" in named:
            new = replace(new, before=(), after=())
        wanted = ("focus",) if new.before or new.after else ("focus", "previous")
        rest = [f"${name}" for name in wanted if name not in named]
        if new.shape == "serialised" and "messages" not in named:
            rest.append("Messages:\n$messages")
        user = "\n".join([new.user, *rest]).strip()
        return replace(
            new,
            user=user,
            update="",
            shape="serialised" if "messages" in named else new.shape,
            reply=new.reply if "sections" in named else "text",
        )


def prompt_digest(
    prompt: SummaryPrompt, sections: Sequence[Section], instructions: str = ""
) -> str:
    """The hash of a prompt without what it is filled with."""
    return short_hash(
        canonical_json([asdict(prompt), [asdict(each) for each in sections], instructions])
    )


@dataclass(frozen=True, slots=True)
class AskedBy:
    """A prompt by which a strategy asks for summaries: its sections, and what it adds itself."""

    prompt: SummaryPrompt
    sections: tuple[Section, ...]
    instructions: str = ""

    @property
    def digest(self) -> str:
        """The hash by which recorded words know it."""
        return prompt_digest(self.prompt, self.sections, self.instructions)

    @property
    def texts(self) -> tuple[str, str]:
        """The system and the user text, with the sections in their place."""
        headings = "\n".join(f"## {each.title}\n{each.asks}" for each in self.sections)
        fields = {"sections": headings}
        if self.instructions:
            fields["focus"] = Template(self.prompt.focus).safe_substitute(focus=self.instructions)
        update = f"{SEPARATOR}\n{self.prompt.update}" if self.prompt.update else ""
        user = "\n".join(filter(None, [self.prompt.user, update]))
        system, user = (
            Template(text).safe_substitute(fields).strip() for text in (self.prompt.system, user)
        )
        return system, user


def digest_of(digests: Iterable[str]) -> str:
    """The hash of all prompts by which a strategy asks, from theirs."""
    return short_hash(canonical_json(sorted(set(digests))))


HEAD: Final = "+++"
"""The line before and after the head of a prompt that comes with the package."""


def parsed_prompt(text: str) -> SummaryPrompt:
    """The prompt of a product: a head in TOML, then system, user, and update text.

    They are parted by lines ``---``. A fourth text takes the place of ``$form`` in user and update
    text. ``source``, ``version`` and ``read`` of the head are for people.
    """
    _, head, body = text.split(f"{HEAD}\n", 2)
    said = tomllib.loads(head)
    parts = [part.strip() for part in f"\n{body}".split(f"\n{SEPARATOR}\n")]
    system, user, update, form = (*parts, "", "", "")[:4]
    return SummaryPrompt(
        system,
        user.replace("$form", form),
        said["shape"],
        "text",
        said.get("focus", "$focus"),
        said.get("previous", "$previous"),
        said.get("in_system", False),
        update.replace("$form", form),
        tuple(said.get("lines", {}).items()),
        tuple(said.get("dropped", ())),
        said.get("inside", ""),
        tuple((turn["role"], turn["text"]) for turn in said.get("before", ())),
        tuple((turn["role"], turn["text"]) for turn in said.get("after", ())),
        said.get("image", "[image]"),
        said.get("linked"),
    )


def prompt_text(path: Path, named: str) -> str:
    """The text of a file; raises :class:`PromptError` if it cannot be read."""
    try:
        return path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise PromptError(f"{named} is not UTF-8 text (byte {error.start})") from None
    except OSError as error:
        raise PromptError(f"{named} cannot be read: {error.strerror or error}") from None


def read_prompt_file(path: Path, named: str) -> PromptText:
    """The text of a prompt file, ``named`` as the user wrote it.

    Raises :class:`PromptError` if it cannot be read, is empty, or has a placeholder that
    nothing fills.
    """
    text = prompt_text(path, f"the prompt {named}")
    if not text.strip():
        raise PromptError(f"the prompt {named} is empty; write what the model is to be told")
    there = ", ".join(f"${name} ({what})" for name, what in PLACEHOLDERS.items())
    if not Template(text).is_valid():
        raise PromptError(
            f"the prompt {named} has a $ that names no placeholder; write $$ for the sign itself. "
            f"The placeholders are {there}"
        )
    unknown = sorted(identifiers(text) - PLACEHOLDERS.keys())
    if unknown:
        raise PromptError(
            f"the prompt {named} names ${', $'.join(unknown)}, which nothing fills; the "
            f"placeholders are {there}; write $$ for the sign itself"
        )
    has_system = SEPARATOR in text.strip().split("\n")
    system, user = divided(text)
    return PromptText(named, system if has_system else None, user)
