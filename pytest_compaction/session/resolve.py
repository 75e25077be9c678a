"""From settings to a session: find and check every name before the first item runs."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from pytest_compaction.cache import KeptResults
from pytest_compaction.case import CaseIndex, CaseSet
from pytest_compaction.compactors import (
    Registry,
    Spec,
    UnknownCompactorError,
    asks_model,
    named_strategies,
    parse_spec,
)
from pytest_compaction.conversation import DEFAULT_ENCODING, EncodingUnavailableError, TokenCounter
from pytest_compaction.dialogues import DialogueSet, UnknownTaskError, load_dialogues
from pytest_compaction.gate import (
    ThresholdError,
    check_answers,
    check_scopes,
    parse_threshold,
    scopes_of,
)
from pytest_compaction.judges import read_rubric
from pytest_compaction.models import (
    OFFLINE,
    RECORDED_WORDS,
    ArchiveError,
    Model,
    PromptError,
    UnknownModelError,
    create_model,
    is_offline,
)
from pytest_compaction.options import refuse_removed
from pytest_compaction.run import Roles, TriggerError, parse_trigger
from pytest_compaction.session.encoding import with_encoding
from pytest_compaction.session.endpoints import endpoints_of, with_prompt
from pytest_compaction.session.items import packaged
from pytest_compaction.session.named_files import case_places, find_named
from pytest_compaction.session.prompts import with_own_prompts, with_prompts
from pytest_compaction.session.recorded_words import RunWords, found_words
from pytest_compaction.session.session import BenchmarkSession, shipped_cases
from pytest_compaction.settings import RECORDED, OptionError, Settings

_AT_BUDGET: Final = re.compile(r"-b(?:[0-9]+|recorded)$")
"""What follows a strategy in a scope that names it at one budget."""
USAGE_ERRORS: Final = (
    OptionError,
    UnknownCompactorError,
    UnknownModelError,
    ThresholdError,
    TriggerError,
    EncodingUnavailableError,
    UnknownTaskError,
    PromptError,
    ArchiveError,
)
"""Errors that end a session before it starts; each text is a sentence for the user."""


def resolve_session(
    settings: Settings,
    root: Path,
    invocation: Path,
    use_shipped: bool,
    added_compactors: Mapping[str, Any],
    added_models: Mapping[str, Model],
    accounts_file: str | None = None,
    index_folder: Path | None = None,
    found_cases: str | None = None,
    results_file: Path | None = None,
    leave_out_rules: bool = False,
) -> BenchmarkSession:
    """Resolve every name in the settings; raises one of ``USAGE_ERRORS``.

    ``accounts_file`` and ``found_cases`` are what the controller shares with an xdist worker.
    ``index_folder`` keeps what was found in case files, and ``results_file`` the results of rules.
    ``leave_out_rules`` leaves out thresholds for strategies that are not in the run.
    """
    make_importable(invocation, root)
    registry, specs = resolve_strategies(settings.arms, added_compactors)
    real = [
        name
        for name in settings.models
        if name not in added_models and name != RECORDED_WORDS and not is_offline(name)
    ]
    settings = with_encoding(settings, root, real)
    tokens = TokenCounter(settings.encoding)
    if settings.encoding != DEFAULT_ENCODING:
        tokens.text("")  # its vocabulary may have to be fetched, which may fail
    if settings.rubric_file:
        rubric = read_rubric(root / settings.rubric_file, settings.rubric_file)
        settings = replace(settings, rubric=rubric)
    settings = with_prompts(settings, registry, specs, settings.model in added_models)
    kept = KeptResults(results_file)
    endpoints = endpoints_of(settings, real, root, tokens, accounts_file, kept)
    if endpoints is not None and real:
        settings = with_prompt(settings, endpoints)

    def model(name: str) -> Model:
        if name in added_models:
            return added_models[name]
        if name == RECORDED_WORDS:  # until it is known what is recorded of the cases
            return create_model(OFFLINE, tokens, None, kept)
        return create_model(name, tokens, endpoints, kept)

    roles = Roles(
        model(settings.model),
        model(settings.responder),
        tuple(map(model, settings.judges)),
        tokens,
        settings.answers,
        reader=None if settings.read_by_rules else model(settings.reader),
    )
    _check_roles(settings, roles)
    rules_left_out = _for_others(settings, registry) if leave_out_rules else ()
    if rules_left_out:
        kept_rules = (text for text in settings.thresholds if text not in rules_left_out)
        settings = replace(settings, thresholds=tuple(kept_rules))
    thresholds = tuple(parse_threshold(text) for text in settings.thresholds)
    check_scopes(thresholds, settings.with_budgets)
    check_answers(thresholds, roles.answers)
    trigger = parse_trigger(settings.trigger)
    places = case_places(settings.cases, root, use_shipped)
    index = CaseIndex(index_folder)
    ways = settings.long_memory.truncated, settings.next_actions
    found = find_named(places.paths, root, index, found_cases, *ways)
    case_set = found.case_set
    left_out: tuple[str, ...] = ()
    if settings.at_recorded_budget:
        case_set, left_out = _with_records(case_set)
    dialogues = DialogueSet()
    if found.dialogue_files:
        chosen = settings.dialogues
        dialogues = load_dialogues(found.dialogue_files, root).chosen(chosen.tasks, chosen.limit)
    words = RunWords()
    if settings.model == RECORDED_WORDS:
        words = found_words(
            settings,
            case_set,
            {spec.text: asks_model(registry.example(spec)) for spec in specs},
            {part.text for part, _, _ in registry.told(specs)},
            shipped_cases() if places.shipped else root,
            places.paths,
            bool(dialogues.dialogues),
        )
        settings, roles = _with_words(settings, roles, words)
    settings = with_own_prompts(settings, registry, specs, words, settings.model in real)
    session = BenchmarkSession(
        words=words,
        settings=settings,
        case_set=case_set,
        specs=specs,
        registry=registry,
        roles=roles,
        trigger=trigger,
        thresholds=thresholds,
        folders=found.folders,
        named=places.paths,
        shipped=places.shipped,
        not_read=places.notes if found_cases is None else (),
        dialogue_set=dialogues,
        endpoints=endpoints,
        left_out=left_out,
        rules_left_out=rules_left_out,
        kept=kept,
    )
    index.save()
    return session


def _check_roles(settings: Settings, roles: Roles) -> None:
    """Refuse models that cannot do what the options ask of them."""
    if roles.reader is not None and not hasattr(roles.reader, "read"):
        raise OptionError(
            f"--compaction-reader={settings.reader}: this model has no method read; name one at an "
            "endpoint, or leave the option out and have rules read"
        )
    if settings.next_actions and roles.responder.name == OFFLINE:
        raise OptionError(
            "--compaction-next-actions asks a model which call comes next, and rules answer in "
            "this run; name a model with --compaction-model=NAME or --compaction-responder=NAME"
        )
    if settings.cycles and settings.trigger == "case":
        raise OptionError(
            "--compaction-cycles continues cases after their last point, and the trigger 'case' "
            "compacts only at points; add --compaction-trigger=window:F, tokens:N or growth:N"
        )
    if settings.cycles and settings.names_model and settings.model == RECORDED_WORDS:
        raise OptionError(
            "--compaction-cycles: no words are recorded for continued cases; name a model that can "
            "be asked (--compaction-model=NAME), or rules: --compaction-model=offline"
        )


def _with_words(settings: Settings, roles: Roles, words: RunWords) -> tuple[Settings, Roles]:
    settings = replace(settings, words=tuple(words.strategies.items()))
    if not (words.archives or settings.names_model):
        return replace(settings, model=OFFLINE), roles
    from pytest_compaction.models import RecordedModel  # takes long to import

    recorded = RecordedModel(words.recorded, roles.tokens)
    return settings, replace(roles, recorded=recorded, by_rules=frozenset(words.by_rules))


def resolve_strategies(
    texts: Iterable[str], added: Mapping[str, Any]
) -> tuple[Registry, tuple[Spec, ...]]:
    """The strategies that a session names, and their registry."""
    try:
        return named_strategies(texts, added)
    except UnknownCompactorError as error:
        names = (f"{name.rpartition(':')[2]}=" for name in error.untaken)
        refuse_removed([*names, *(f"{name}=" for name in error.untaken)])
        raise


def _for_others(settings: Settings, registry: Registry) -> tuple[str, ...]:
    """The thresholds for strategies that are not in the run.

    One for a name that no strategy has is not among them, because it is a mistake.
    """
    names, found = scopes_of(settings.with_budgets), []
    for text in settings.thresholds:
        scope = parse_threshold(text).scope
        if scope is None or scope in names:
            continue
        with suppress(UnknownCompactorError):
            spec = parse_spec(_AT_BUDGET.sub("", scope))
            targets = [part.target for part in spec.parts or (spec,)]
            if all(target in registry.names() or ":" in target for target in targets):
                found.append(text)
    return tuple(found)


def _with_records(found: CaseSet) -> tuple[CaseSet, tuple[str, ...]]:
    there = {entry for entry in found.entries if any(point.recorded for point in entry.points)}
    left_out = tuple(entry.id for entry in found.entries if entry not in there)
    if left_out and not there:
        raise OptionError(
            f"--compaction-budget={RECORDED}: none of the {len(left_out)} cases holds a "
            "compaction on record; name cases imported from transcripts of agents that compacted"
        )
    return found.only(there.__contains__), left_out


def make_importable(*folders: Path) -> None:
    """Let the user's own strategies be imported from these folders, the last one first.

    A strategy is named by its module while pytest configures, before pytest puts the
    folders of tests on ``sys.path`` itself; each xdist worker does the same.
    """
    for folder in folders:
        if str(folder) not in sys.path:
            sys.path.insert(0, str(folder))


def collection_arguments(folders: Sequence[Path], with_dialogues: bool = False) -> list[str]:
    """The paths to collect: case folders that hold a test module, or the packaged modules."""
    own = [folder for folder in folders if folder.is_dir() and any(folder.rglob("test_*.py"))]
    found = own or ([packaged.PROBES] if folders else [])
    if with_dialogues and not any(any(folder.rglob(packaged.DIALOGUES.name)) for folder in own):
        found.append(packaged.DIALOGUES)
    return [str(path) for path in found]
