"""The endpoint for strategies with clients of their own."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

from pytest_compaction.models.calls.address import base_url_for
from pytest_compaction.models.calls.prices import PriceTable, prices_at
from pytest_compaction.models.relay.relay import new_relay
from pytest_compaction.run.proxy.endpoint import Door, RecordingEndpoint
from pytest_compaction.session.header_lines import OPTION
from pytest_compaction.settings import OptionError, Settings

if TYPE_CHECKING:
    from pytest_compaction.session.session import BenchmarkSession


def open_door(config: pytest.Config, settings: Settings) -> Door | None:
    """Point clients of strategies to a port of this process, before any of them is imported.

    ``None`` without the option, and where no strategy runs: in the controller of workers, which
    have their own. The environment is put back when the run ends. Raises :class:`OptionError`
    with an option that has no place for it.
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
    distributes = getattr(config.option, "dist", "no") != "no" and not hasattr(
        config, "workerinput"
    )
    if distributes or settings.calls.estimate or config.getoption("collectonly"):
        return None
    door = Door()
    config.add_cleanup(door.close)
    config.add_cleanup(door.point_clients())
    return door


def serve(
    session: BenchmarkSession, door: Door, with_file: Callable[[PriceTable], PriceTable]
) -> None:
    """Answer those who come to the door, on the loop of the session.

    ``with_file`` adds the prices that the user gave to a table.
    """
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
