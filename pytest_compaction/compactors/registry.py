"""Finding and making the strategy that a specification names (see :mod:`.specs`)."""

from __future__ import annotations

import difflib
import importlib
import importlib.metadata
import inspect
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from pytest_compaction.compactors.function.signatures import instance_of
from pytest_compaction.compactors.own_code import dotted_object, names_of, own_object, raised
from pytest_compaction.compactors.protocol import Compactor, State
from pytest_compaction.compactors.specs import Spec, UnknownCompactorError, parse_spec
from pytest_compaction.compactors.told import Told, tell, told_of
from pytest_compaction.models import AskedBy, frame
from pytest_compaction.text import printable

ENTRY_POINTS: Final = "pytest_compaction.compactors"
SHIPPED: Final = {
    "adk": "products.adk:Adk",
    "anchors": "strategies.said:Anchors",
    "anchored": "strategies.anchored:Anchored",
    "anthropic": "products.anthropic:Anthropic",
    "archive": "archive:Archived",
    "claude-code": "products.claude_code:ClaudeCode",
    "claude-code-micro": "products.masking:ClaudeCodeMicro",
    "cline": "products.cline:Cline",
    "codex": "products.codex:Codex",
    "continue": "products.continue_:Continue",
    "continue-prune": "products.continue_:ContinuePrune",
    "deepagents": "products.langchain:DeepAgents",
    "external": "strategies.external:External",
    "gemini-cli": "products.gemini_cli:GeminiCli",
    "goose": "products.goose:Goose",
    "hermes": "products.hermes:Hermes",
    "kimi-cli": "products.kimi_cli:KimiCli",
    "langchain": "products.langchain:LangChain",
    "last-n-observations": "products.masking:LastNObservations",
    "ledger": "strategies.ledger:Ledger",
    "light": "strategies.light:Light",
    "mask-observations": "products.masking:MaskObservations",
    "none": "strategies.plain:NoCompaction",
    "openai-compact": "products.openai_compact:OpenAICompact",
    "opencode": "products.opencode:Opencode",
    "opencode-prune": "products.masking:OpencodePrune",
    "openhands": "products.openhands:OpenHands",
    "pi": "products.pi:Pi",
    "pins": "strategies.pins:Pins",
    "rag": "strategies.rag:Rag",
    "random": "strategies.said:Random",
    "recorded": "strategies.plain:Recorded",
    "regenerate": "strategies.anchored:Regenerate",
    "roo": "products.roo:Roo",
    "said-only": "strategies.said:SaidOnly",
    "strands": "products.strands:Strands",
    "truncate": "strategies.plain:Truncate",
    "window": "strategies.plain:Window",
}
"""The class of each shipped strategy by name; a new strategy is a line here."""


@dataclass
class Registry:
    """The strategies that can be named: shipped, from entry points, and added by hooks."""

    added: dict[str, Any] = field(default_factory=dict)
    _examples: dict[str, Compactor[State]] = field(default_factory=dict)

    def names(self) -> list[str]:
        """All names, sorted."""
        return sorted({*SHIPPED, *self._entry_points(), *self.added})

    def descriptions(self) -> list[tuple[str, str]]:
        """Each name with its one line, and how often a shipped one overran its budget."""
        lines: list[tuple[str, str]] = []
        for name in self.names():
            try:
                lines.append((name, describe(self._resolve(name)) + self._over_budget(name)))
            except Exception as error:
                lines.append((name, f"cannot be loaded: {raised(error.__cause__ or error)}"))
        return lines

    def _over_budget(self, name: str) -> str:
        """How often the views of a shipped strategy are over the budget, and why; or nothing.

        Those that need an endpoint, a program or recorded views are not measured.
        """
        from pytest_compaction.compactors.base.summaries import data_tables

        measured = data_tables("over_budget")
        if name not in measured["over"] or name in self.added:
            return ""
        over = measured["over"][name]
        why = self.traits(parse_spec(name)).violations.get("within-budget") if over else None
        said = f"; over its budget at {over} of {measured['points']} shipped points"
        return f"{said}: {why}" if why else said

    def create(self, spec: Spec) -> Compactor[State]:
        """A fresh instance of the strategy, with its parameters.

        Raises :class:`UnknownCompactorError` with what exists and the nearest name.
        """
        if spec.parts:
            from pytest_compaction.compactors.archive import composed
            from pytest_compaction.compactors.composition import CompositionError

            try:
                return composed(spec.text, [self.create(part) for part in spec.parts])
            except CompositionError as error:
                raise UnknownCompactorError(
                    f"the parts cannot be composed: {printable(str(error))}"
                ) from None
        target, shipped = self._resolve(spec.target), self.is_shipped(spec)
        rest, told = told_of(spec, target, shipped)
        strategy: Compactor[State]
        if shipped:
            strategy = instance_of(rest, target)
        else:
            from pytest_compaction.compactors.function.user_strategy import strategy_of

            strategy = strategy_of(rest, target)
        if told is not None:
            from pytest_compaction.compactors.archive import asks_model

            tell(spec, strategy, told, asks=strategy is not target and asks_model(strategy))
        return strategy

    def named(self, text: str) -> Compactor[State]:
        """The strategy with this text; one of this package keeps no state and is made once.

        Raises :class:`UnknownCompactorError` as :meth:`create` does.
        """
        known = self._examples.get(text)
        return known if known and is_own(known) else self.create(parse_spec(text))

    def example(self, spec: Spec) -> Compactor[State]:
        """An instance that is only looked at, made once for each strategy.

        Raises :class:`UnknownCompactorError` as :meth:`create` does.
        """
        if spec.text not in self._examples:
            self._examples[spec.text] = self.create(spec)
        return self._examples[spec.text]

    def traits(self, spec: Spec) -> Any:
        """The traits of a strategy; ``None`` without any.

        Raises :class:`UnknownCompactorError` as :meth:`create` does.
        """
        return getattr(self.example(spec), "traits", None)

    def is_shipped(self, spec: Spec) -> bool:
        """Whether the code of a strategy is that of this package, which waits for nothing."""
        targets = {part.target for part in spec.parts or (spec,)}
        return targets <= SHIPPED.keys() - self.added.keys()

    def without_model(self, specs: Iterable[Spec]) -> list[str]:
        """The strategies, by name, that are not of this package and take no model of the run."""
        from pytest_compaction.compactors.archive import asks_model

        own = (part for part in _parts(specs) if not self.is_shipped(part))
        return list(dict.fromkeys(part.text for part in own if not asks_model(self.example(part))))

    def without_budget(self, specs: Iterable[Spec]) -> list[str]:
        """The strategies, by name, that are given no budget: what they keep is their own matter."""
        made = ((part, self.example(part)) for part in _parts(specs))
        found = (part.text for part, each in made if not getattr(each, "takes_budget", True))
        return list(dict.fromkeys(found))

    def prompt_only(self, specs: Iterable[Spec]) -> list[tuple[str, str]]:
        """The parameters given that only change what a model is told, each with its strategy."""
        found: dict[tuple[str, str], None] = {}
        for part in _parts(specs):
            names = getattr(self.traits(part), "prompt_only", ())
            found.update(((part.target, key), None) for key, _ in part.parameters if key in names)
        return list(found)

    def told(self, specs: Iterable[Spec]) -> list[tuple[Spec, Told, bool]]:
        """The strategies, parts of compositions among them, that a user gave a prompt or an
        instruction, what these say, and whether the product takes an instruction."""
        found: dict[str, tuple[Spec, Told, bool]] = {}
        for part in _parts(specs):
            made = self.example(part)
            told: Told | None = getattr(made, "told", None)
            if told is not None:
                found[part.text] = part, told, getattr(made, "takes_instruction", True)
        return list(found.values())

    def prompts(self, part: Spec) -> list[AskedBy]:
        """The prompts of a strategy of this package; empty where the endpoint or nobody writes."""
        made, traits = self.example(part), self.traits(part)
        asks = is_own(made) and traits.needs_model and not (traits.opaque or traits.by_server)
        found: list[AskedBy] = made.prompts() if asks and hasattr(made, "prompts") else []
        return found

    def own_prompt(self, part: Spec) -> str:
        """The text that a strategy tells a model where no user says otherwise."""
        first = next(iter(self.prompts(part)), None)
        return (first.prompt if first else frame()).text

    def understood(self, specs: Iterable[Spec]) -> list[str]:
        """How each function is called, and what a strategy has the header say."""
        found: dict[str, None] = {}
        for part in _parts(specs):
            told = getattr(self.example(part), "understood", "")
            found |= {f"{part.target} {told}": None} if told else {}
        return list(found)

    def _resolve(self, target: str) -> Any:
        if target in self.added:
            return self.added[target]
        if target in SHIPPED:
            module, _, name = SHIPPED[target].partition(":")
            return getattr(importlib.import_module(f"{__package__}.{module}"), name)
        points = self._entry_points()
        if target in points:
            try:
                return points[target].load()
            except KeyboardInterrupt:
                raise
            except BaseException as error:  # also SystemExit, and what skips a test
                raise UnknownCompactorError(
                    f"cannot load the compactor {target!r} from its entry point: {raised(error)}"
                ) from error
        if ":" in target and not target.endswith(".py"):
            return own_object(target)
        listed = names_of(target)
        if listed:
            raise UnknownCompactorError(f"{target!r} is a module; name what is in it: {listed}")
        found = dotted_object(target)
        if found is not None:
            return found
        near = difflib.get_close_matches(target, self.names(), n=1, cutoff=0.4)
        hint = f"did you mean {near[0]!r}? " if near else ""
        raise UnknownCompactorError(
            f"unknown compactor {target!r}; {hint}the compactors are {', '.join(self.names())}; "
            "name your own as module:function or path/file.py:function"
        )

    def _entry_points(self) -> Mapping[str, importlib.metadata.EntryPoint]:
        found = importlib.metadata.entry_points(group=ENTRY_POINTS)
        return {point.name: point for point in found}


def _parts(specs: Iterable[Spec]) -> Iterator[Spec]:
    return (part for spec in specs for part in spec.parts or (spec,))


_OWN: Final = (f"{__package__}.strategies.", f"{__package__}.products.")


def is_own(strategy: Any) -> bool:
    """Whether the code of a strategy, or of each part of a composition, is of this package."""
    module = type(strategy).__module__
    if module == f"{__package__}.composition":
        return all(map(is_own, strategy.parts))
    if module == f"{__package__}.archive":
        return is_own(strategy.inner)
    return module.startswith(_OWN)


def named_strategies(
    texts: Iterable[str], added: Mapping[str, Any]
) -> tuple[Registry, tuple[Spec, ...]]:
    """The strategies that a session names, and their registry; each is made once as a test.

    Raises :class:`UnknownCompactorError`.
    """
    registry = Registry(dict(added))
    specs = tuple(parse_spec(text) for text in texts)
    for spec in specs:
        registry.traits(spec)
    return registry, specs


def describe(target: Any) -> str:
    """One line about a strategy: its ``description``, or the first line of its docstring.

    That of a null says so.
    """
    text = getattr(target, "description", None) or (inspect.getdoc(target) or "").strip()
    line = printable(str(text).splitlines()[0]) if text else "(no description)"
    null = getattr(getattr(target, "traits", None), "null", False)
    return f"null: {line}" if null else line
