"""Finds a model by its name, and holds what all models behind an endpoint share."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final

from pytest_compaction.cache import KeptResults
from pytest_compaction.conversation import TokenCounter
from pytest_compaction.folders import TemporaryFolder
from pytest_compaction.models.calls.accounts import Accounts
from pytest_compaction.models.calls.address import base_url_for
from pytest_compaction.models.calls.prices import PriceTable, prices_at
from pytest_compaction.models.calls.store import Mode, Store
from pytest_compaction.models.offline.model import OFFLINE, OfflineModel
from pytest_compaction.models.protocol import Model
from pytest_compaction.models.recorded.archive import RECORDED_WORDS
from pytest_compaction.models.usage import OwnTokens
from pytest_compaction.rubric import CRITERIA, Rubric
from pytest_compaction.text import printable

if TYPE_CHECKING:
    from pytest_compaction.models.calls.check import Checked, EndpointCheck
    from pytest_compaction.models.calls.endpoint import AdaptingCaller, Endpoint
    from pytest_compaction.models.chat.prompts import Prompts

_OWN: Final = {
    OFFLINE: "deterministic rules, no network",
    RECORDED_WORDS: "summaries that a model wrote once, no network",
}
"""The names that no endpoint is asked for."""
_NEAR: Final = 0.75
"""From this similarity (0 to 1) on, a name is taken for a misspelling of another."""


class UnknownModelError(LookupError):
    """There is no model of this name; the text says what to name instead."""


@dataclass(frozen=True)
class Endpoints:
    """Callers, accounts and prompts that the models behind an endpoint share in one process."""

    caller: Store
    adapting: AdaptingCaller
    accounts: Accounts
    prices: PriceTable
    prompts: Prompts
    tokens: TokenCounter
    kept: KeptResults = field(default_factory=KeptResults)
    """Results of rules on logs, kept from run to run."""
    temporary: TemporaryFolder | None = None
    """A folder that this process made and removes at the end, if it made one."""
    check: EndpointCheck | None = None
    """Made before the first paid call of a run."""
    own_tokens: OwnTokens = ()
    """The tokens that earlier runs counted of the models."""

    def check_of(self, models: Iterable[str], judges: Iterable[str]) -> EndpointCheck:
        """The check of the models that answer or summarize, and of those that judge.

        What it finds is noted in the accounts, if it is new or anything is adapted.
        """
        from pytest_compaction.models.calls.check import FOLDER, EndpointCheck, check_calls

        store = self.caller.within(FOLDER)

        def tell(found: Checked) -> None:
            if not found.problem and (found.is_new or found.adapted):
                self.accounts.note_check("\n".join(found.lines(self.prices)))

        calls = check_calls(models, judges)
        return EndpointCheck(store, self.adapting, calls, tell)

    def close(self) -> None:
        """Write what is to be written, and remove the files that only a run needs."""
        self.accounts.close()
        if self.temporary is not None:
            self.temporary.close()

    def model(self, name: str) -> Model:
        """The model of that name behind the endpoint."""
        from pytest_compaction.models.chat.model import ChatModel

        return ChatModel(name, self.caller, self.tokens, self.prompts, kept=self.kept)


def connect(
    store: Path,
    shown: str,
    mode: Mode,
    accounts: Path | None,
    limit: float | None,
    judge_prompt: Path | None,
    tokens: TokenCounter,
    request_timeout: float | None = None,
    prices: PriceTable | None = None,
    rubric: Rubric = CRITERIA,
) -> Endpoints:
    """Callers one behind the other, from the store to the endpoint. Nothing is connected to yet.

    ``shown`` is how the folder of the store is named to the user; ``limit`` is in US
    dollars, ``request_timeout`` in seconds, ``prices`` are list prices if not given.
    ``accounts`` is the file of another process of the run; without one a file is made in a
    temporary folder.
    """
    from pytest_compaction.models.chat.prompts import Prompts

    prompts = Prompts.load(judge_prompt, rubric)
    temporary = None if accounts else TemporaryFolder()
    shared = Accounts(accounts or (temporary.path if temporary else Path()) / "accounts.sqlite")
    prices = prices_at(base_url_for()) if prices is None else prices
    adapting = adapting_to(endpoint_within(request_timeout), shared, prices, tokens, limit)
    caller = Store(store, adapting, mode, shared, shown)
    return Endpoints(caller, adapting, shared, prices, prompts, tokens, temporary=temporary)


def endpoint_within(request_timeout: float | None) -> Endpoint:
    """The endpoint with this bound on a request in seconds, or the usual one."""
    from pytest_compaction.models.calls.endpoint import READ_SECONDS, Endpoint

    return Endpoint(read=request_timeout or READ_SECONDS)


def adapting_to(
    endpoint: Endpoint,
    accounts: Accounts,
    prices: PriceTable,
    tokens: TokenCounter,
    limit: float | None = None,
) -> AdaptingCaller:
    """Callers from what a model refuses to the endpoint; ``limit`` is in US dollars."""
    from pytest_compaction.models.calls.endpoint import AdaptingCaller, RetryingCaller
    from pytest_compaction.models.calls.spending_limit import SpendingLimit

    paying = SpendingLimit(endpoint, accounts, prices, tokens, limit)
    return AdaptingCaller(RetryingCaller(paying, endpoint.total), endpoint.total)


def is_offline(name: str) -> bool:
    """Whether a name is that of the offline model.

    A misspelling of it, or a name that cannot be shown, raises
    :class:`UnknownModelError`.
    """
    if name in _OWN:
        return name == OFFLINE
    if not name.isprintable() or not name.strip():
        raise UnknownModelError(f"{printable(repr(name))} is not the name of a model")
    near = difflib.get_close_matches(name.casefold(), _OWN, n=1, cutoff=_NEAR)
    if near:
        raise UnknownModelError(
            f"unknown model {name!r}; did you mean {near[0]!r} ({_OWN[near[0]]})? "
            "Any other name is looked for at the endpoint of OPENAI_BASE_URL"
        )
    return False


def create_model(
    name: str, tokens: TokenCounter, endpoints: Endpoints | None, kept: KeptResults
) -> Model:
    """The model of that name: the offline one, or one behind the endpoint.

    ``kept`` keeps the replies of the offline one.
    """
    if is_offline(name):
        return OfflineModel(tokens, kept)
    if endpoints is None:
        raise UnknownModelError(f"the model {name!r} needs an endpoint, and there is none here")
    return endpoints.model(name)
