"""The endpoint of a run: its store, its prices, its key, and the limit on what it may cost."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pytest_compaction.cache import KeptResults
from pytest_compaction.conversation import TokenCounter, canonical_json, short_hash
from pytest_compaction.models import (
    OFFLINE,
    RECORDED_WORDS,
    Endpoints,
    Model,
    OwnTokens,
    PriceTable,
    Prompts,
    base_url_for,
    connect,
    is_offline,
    missing_key,
    new_relay,
    prices_at,
    with_file,
    wrong_port,
)
from pytest_compaction.records import own_tokens_in
from pytest_compaction.run import Door, RecordingEndpoint
from pytest_compaction.session.header_lines import OPTION
from pytest_compaction.settings import OptionError, Settings
from pytest_compaction.text import printable

if TYPE_CHECKING:
    from pytest_compaction.session.session import BenchmarkSession


def open_door(config: pytest.Config, settings: Settings) -> Door | None:
    """Point clients of strategies to a port of this process, before any of them is imported.

    ``None`` without the option, in an estimate, and in the controller of workers, which have ports
    of their own; clients are then refused. The environment is put back when the run ends.
    """
    if not settings.calls.proxy:
        return None
    for given, flag in (
        (settings.executor, "--compaction-executor"),
        (settings.calls.export, "--compaction-export"),
    ):
        if given:
            raise OptionError(
                f"{OPTION} serves the strategies of this machine while it measures them, and "
                f"{flag} has them run elsewhere or asks nothing; leave one of the two out"
            )
    door = Door()
    config.add_cleanup(door.close)
    put_back = door.point_clients()
    config.add_cleanup(put_back)
    distributes = getattr(config.option, "dist", "no") != "no" and not hasattr(
        config, "workerinput"
    )
    if distributes or settings.calls.estimate or config.getoption("collectonly"):
        # A module may make its client on import, which fails where there is no key.
        door.close()
        config.pluginmanager.register(_OwnEnvironment(put_back), "compaction-own-environment")
        return None
    return door


class _OwnEnvironment:
    """Gives the environment back before workers start, which inherit it."""

    def __init__(self, put_back: Callable[[], None]) -> None:
        self._put_back = put_back

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_setupnodes(self) -> None:
        self._put_back()


def serve(
    session: BenchmarkSession, door: Door, with_file: Callable[[PriceTable], PriceTable]
) -> None:
    """Answer those who come to the door, on the loop of the session."""
    endpoints, calls = session.endpoints, session.settings.calls
    if endpoints is None:
        return
    relay = new_relay(
        endpoints.caller,
        endpoints.accounts,
        endpoints.tokens,
        with_file(prices_at(base_url_for(is_ours=False))),
        with_file(prices_at(base_url_for("messages", is_ours=False))),
        calls.max_cost,
        calls.request_timeout,
    )
    loop = session.work_loop
    endpoint = RecordingEndpoint(door, relay, loop.limit, endpoints.accounts)
    loop.wait(endpoint.serve())
    loop.close_too(endpoint)


def endpoints_of(
    settings: Settings,
    real: Sequence[str],
    root: Path,
    tokens: TokenCounter,
    accounts_file: str | None,
    kept: KeptResults,
) -> Endpoints | None:
    """What the models at the endpoint share; ``None`` if none is asked.

    Unusable files of prices and prompts are refused even if nothing reads them.
    """
    calls, endpoints = settings.calls, None
    prices = with_prices_of_user(prices_at(base_url_for()), settings, root)
    prompt = root / calls.judge_prompt if calls.judge_prompt else None
    if real or calls.proxy:
        accounts = Path(accounts_file) if accounts_file else None
        known: OwnTokens = ()
        if accounts is None:
            known = own_tokens_in(root / settings.runs, real, settings.encoding)
        connected = connect(
            root / calls.store,
            calls.store,
            "replay" if calls.replay else "refresh" if calls.refresh else "normal",
            accounts,
            calls.max_cost,
            prompt,
            tokens,
            calls.request_timeout,
            prices,
            settings.rubric,
        )
        endpoints = replace(connected, kept=kept, own_tokens=known)
        if not (calls.replay or calls.export or settings.executor):
            check = endpoints.check_of(
                [name for name in (settings.model, settings.responder) if name in real],
                [name for name in (*settings.judges, settings.reader) if name in real],
            )
            endpoints = replace(endpoints, check=check)
            endpoints.caller.before_paid = check.before
    elif prompt is not None:
        Prompts.load(prompt)
    if calls.max_cost is not None and not (calls.replay or calls.export):
        for name in settings.models:
            asked = name in real and endpoints is not None
            if name in {OFFLINE, RECORDED_WORDS} or (asked and prices.knows(name)):
                continue
            where = f"at {prices.host} " if asked else ""
            raise OptionError(
                f"--compaction-max-cost={calls.max_cost:g} cannot be kept: there is no price for "
                f"the model {name!r} {where}in the price table; leave the limit out, take a model "
                "with a price, or name its price in a file (--compaction-prices)"
            )
    return endpoints


def with_prices_of_user(table: PriceTable, settings: Settings, root: Path) -> PriceTable:
    named = settings.calls.prices
    return with_file(table, root / named if named else None, named)


def with_prompt(settings: Settings, endpoints: Endpoints) -> Settings:
    prompt = endpoints.prompts.judge
    digest = short_hash(canonical_json([prompt.system, prompt.user]))
    return replace(settings, calls=replace(settings.calls, judge_prompt_hash=digest))


def need_key(settings: Settings, added_models: Mapping[str, Model]) -> None:
    """Raise :class:`OptionError` if an endpoint is to be asked and has no usable address or key.

    Elsewhere, on the machines of an executor, there may be one.
    """
    calls = settings.calls
    if calls.replay or calls.estimate or calls.export or settings.executor:
        return
    asked = [
        name
        for name in settings.models
        if name not in added_models and name != RECORDED_WORDS and not is_offline(name)
    ]
    if asked and (missing := missing_key()):
        raise OptionError(
            f"{missing} (asked for {', '.join(map(printable, asked))}; what is in the store is "
            "read without one, with --compaction-replay)"
        )
    for variable in ("OPENAI_BASE_URL", "ANTHROPIC_BASE_URL") if calls.proxy else ():
        if wrong := wrong_port(variable):
            raise OptionError(wrong)
