"""What models are told: prompts and instructions of users, and the prompts of the strategies.

Those of users are read before the run, and refused where no model reads them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from pytest_compaction.case import CaseSet
from pytest_compaction.compactors import Registry, Spec
from pytest_compaction.conversation import canonical_json, short_hash
from pytest_compaction.models import AskedBy, digest_of, is_offline
from pytest_compaction.session.recorded_words import RunWords
from pytest_compaction.session.session import BenchmarkSession
from pytest_compaction.settings import NAMES_FACTS, OptionError, PromptSettings, Settings
from pytest_compaction.text import printable

_SHOWN: Final = 3
_TELLING: Final = 2
"""Fewer words name a fact by chance."""


def with_prompts(
    settings: Settings, registry: Registry, specs: Sequence[Spec], has_model: bool
) -> Settings:
    """The settings with what the users' prompts and instructions say."""
    told = registry.told(specs)
    if told and not has_model and is_offline(settings.model):
        named = ", ".join(dict.fromkeys(part.text for part, _, _ in told))
        raise OptionError(
            printable(
                f"{named}: prompt= and instruction= change what a model is told, and no model is "
                "asked here: rules write the summaries and read no prompt; name one that can be "
                "asked: --compaction-model=NAME"
            )
        )
    parts = {part.text: said for part, said, _ in told}
    found: list[PromptSettings] = []
    for spec in specs:
        for part in spec.parts or (spec,):
            if (said := parts.get(part.text)) is None:
                continue
            text = said.prompt
            system, user = (text.system or "", text.user) if text else ("", "")
            digest = short_hash(canonical_json([system, user, said.instruction]))
            file = text.file if text else ""
            own = registry.own_prompt(part) if text else ""
            if text is None:
                system, user = _shown_texts(registry.prompts(part))
            found.append(
                PromptSettings(spec.text, digest, file, system, user, said.instruction, own)
            )
    return replace(settings, prompts=tuple(found))


def with_own_prompts(
    settings: Settings, registry: Registry, specs: Sequence[Spec], words: RunWords, asks: bool
) -> Settings:
    """The settings with the prompts of the strategies that ask, or of which words are recorded.

    Recorded words tell the hash of all requests that they answered.
    """
    told = {part.text for part, _, _ in registry.told(specs)}
    found = []
    for spec in specs:
        recorded = words.strategies.get(spec.text) == "recorded"
        parts = [part for part in spec.parts or (spec,) if part.text not in told]
        asked = [each for part in parts for each in registry.prompts(part)]
        if not asked or not (asks or recorded):
            continue
        digest, date = digest_of(each.digest for each in asked), ""
        known = dict.fromkeys(words.prompts_of(spec.text)) if recorded else {}
        if known and [each.digest for each in known] != [digest]:
            digest, date = "+".join(p.digest for p in known), ", ".join(p.date for p in known)
        system, user = _shown_texts(asked)
        found.append(PromptSettings(spec.text, digest, "", system, user, date=date))
    return replace(settings, prompts=(*settings.prompts, *found))


def _shown_texts(asked: Sequence[AskedBy]) -> tuple[str, str]:
    """The system text of the first prompt, and all user texts."""
    texts = [each.texts for each in asked]
    users = [user for _, user in texts]
    return (texts[0][0] if texts else ""), "\n---\n".join(dict.fromkeys(users))


_OWN_TEXT: Final = "; a text of your own is given with prompt=FILE"


def prompt_lines(session: BenchmarkSession) -> Iterator[str]:
    """The lines of the header on prompts and instructions: their hashes, and what is odd."""
    for part, said, takes_instruction in session.registry.told(session.specs):
        if said.instruction and not takes_instruction:
            traits = session.registry.traits(part)
            prompted = "" if traits.opaque or traits.by_server else _OWN_TEXT
            yield (
                f"{part.text}: the product's own command takes no instruction, so that "
                f"instruction= has no effect{prompted}"
            )
    own = [each for each in session.settings.prompts if not (each.file or each.instruction)]
    recorded = session.words.strategies
    if asked := [f"{p.strategy} {p.digest}" for p in own if p.strategy not in recorded]:
        yield f"prompts of the strategies: {', '.join(asked)}"
    for each in session.settings.prompts:
        if each in own:
            continue
        what = [f"prompt {each.file}"] if each.file else []
        what += ["an instruction"] if each.instruction else []
        yield f"{each.strategy}: {' and '.join(what)} ({each.digest})"
        text = f"{each.system}\n{each.user}\n{each.instruction}"
        if named := _named_facts(text, session.case_set):
            facts = "1 fact" if len(named) == 1 else f"{len(named)} facts"
            some = "; ".join(f"{case}: {fact}" for case, fact in named[:_SHOWN])
            yield (
                f"{each.strategy}: {NAMES_FACTS} {facts} of the cases, so that its scores say "
                f"nothing about other sessions ({some})"
            )


def _named_facts(text: str, cases: CaseSet) -> list[tuple[str, str]]:
    from pytest_compaction.case_making import given_away  # takes long to import

    return [
        (entry.id, fact.text)
        for entry in cases.entries
        for probe in cases.case(entry.id).probes
        for fact in probe.facts
        if len(" ".join(group[0] for group in fact.keys).split() or fact.text.split()) >= _TELLING
        and given_away(text, fact.keys, fact.text)
    ]
