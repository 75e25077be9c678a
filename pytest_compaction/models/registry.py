"""Finding a model by name, and what all models behind an endpoint share."""

from __future__ import annotations

import difflib
import os
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from pytest_compaction.conversation.tokens import TokenCounter
from pytest_compaction.models.calls.accounts import Ledger
from pytest_compaction.models.calls.prices import PriceTable, prices_at
from pytest_compaction.models.calls.store import Mode, Store
from pytest_compaction.models.offline.model import NAME, OfflineModel
from pytest_compaction.models.protocol import Model
from pytest_compaction.text.words import printable

if TYPE_CHECKING:
    from pytest_compaction.models.chat.prompts import Prompts

_NEAR: Final = 0.75
"""Similarity (0 to 1) from which on a name is taken for a slip of the pen."""


class UnknownModelError(LookupError):
    """There is no such model; the text says which there are."""


@dataclass(frozen=True)
class Endpoints:
    """What the models behind an endpoint share in one process: callers, accounts, prompts."""

    caller: Store
    ledger: Ledger
    prices: PriceTable
    prompts: Prompts
    tokens: TokenCounter
    scratch: Path | None = None
    """A folder to be removed at the end, where this process made one."""

    def close(self) -> None:
        """Remove what is only needed while the run lasts."""
        if self.scratch is not None:
            shutil.rmtree(self.scratch, ignore_errors=True)

    def model(self, name: str) -> Model:
        """The model of that name behind the endpoint."""
        from pytest_compaction.models.chat.model import ChatModel

        return ChatModel(name, self.caller, self.tokens, self.prompts)


def connect(
    store: Path,
    shown: str,
    mode: Mode,
    ledger: Path | None,
    limit: float | None,
    judge_prompt: Path | None,
    tokens: TokenCounter,
    request_timeout: float | None = None,
) -> Endpoints:
    """Callers one behind the other: store, spending, endpoint. Nothing is connected to yet.

    ``shown`` is how the folder of the store is named to the user; ``limit`` is in US
    dollars, ``request_timeout`` in seconds of silence. Without a ledger of another
    process one is made in a temporary folder.
    """
    from pytest_compaction.models.calls.endpoint import READ_SECONDS, Endpoint
    from pytest_compaction.models.calls.spending_limit import Spending
    from pytest_compaction.models.chat.prompts import Prompts

    prompts = Prompts.load(judge_prompt)
    scratch = None if ledger else Path(tempfile.mkdtemp(prefix="pytest-compaction-"))
    accounts = Ledger(ledger or Path(scratch or "", "ledger.sqlite"))
    prices = prices_at(os.environ.get("OPENAI_BASE_URL"))
    endpoint = Endpoint(read=request_timeout or READ_SECONDS)
    paying = Spending(endpoint, accounts, prices, tokens, limit)
    caller = Store(store, paying, mode, accounts, shown)
    return Endpoints(caller, accounts, prices, prompts, tokens, scratch)


def is_offline(name: str) -> bool:
    """Whether a name is that of the offline model; a slip raises :class:`UnknownModelError`."""
    if name == NAME:
        return True
    if not name.isprintable() or not name.strip():
        raise UnknownModelError(f"{printable(repr(name))} is no name of a model")
    near = difflib.get_close_matches(name.casefold(), [NAME], n=1, cutoff=_NEAR)
    if near:
        raise UnknownModelError(
            f"unknown model {name!r}; did you mean {NAME!r} (deterministic rules, no network)? "
            "Any other name is asked for at the endpoint of OPENAI_BASE_URL"
        )
    return False


def create_model(name: str, tokens: TokenCounter, endpoints: Endpoints | None) -> Model:
    """The model of that name: the offline one, or one behind the endpoint."""
    if is_offline(name):
        return OfflineModel(tokens)
    if endpoints is None:
        raise UnknownModelError(f"the model {name!r} needs an endpoint, and there is none here")
    return endpoints.model(name)
