"""The encoding in which a run counts tokens: that of its model, where tiktoken knows one.

It is decided once, by the process that controls the workers. A store has one encoding, because
budgets are said in requests: calls that were made before are found again on a machine without a
network, and older stores stay those of the offline encoding.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from threading import Thread
from typing import Final

from pytest_compaction.conversation import (
    DEFAULT_ENCODING,
    EncodingUnavailableError,
    TokenCounter,
)
from pytest_compaction.models import Store, tiktoken_encoding
from pytest_compaction.settings import Settings

FILE: Final = "encoding"
"""The file of a store that names its encoding, if that is not the offline one."""
SECONDS: Final = 10.0
"""How long tiktoken may take to fetch a vocabulary."""


def with_encoding(settings: Settings, root: Path, real: Sequence[str]) -> Settings:
    """The settings with an encoding, and with the sentence of the header that says why.

    ``real`` are the models at an endpoint. The responder's encoding counts, because it reads the
    views; else that of the model that summarises. Recorded words and rules keep the offline one,
    because words answer requests that were cut by it.
    """
    if settings.model not in real:
        return settings
    asked = [name for name in (settings.responder, settings.model) if name in real]
    known = [(name, own) for name in asked if (own := tiktoken_encoding(name))]
    model, own = known[0] if known else (asked[0], None)
    here = settings.encoding
    if settings.names_encoding:
        is_own = own is None or own == here.removesuffix("_offline")
        why = "" if is_own else f"as --compaction-encoding says; {model} has tokens of {own}"
    elif own is None:
        why = f"because tiktoken knows no encoding of {model}"
    else:
        here, why = _chosen(settings, root, model, own)
    counted = f"tokens are counted in {here}{', ' if why else ''}{why}"
    return replace(settings, encoding=here, names_encoding=True, counted=counted)


def _chosen(settings: Settings, root: Path, model: str, own: str) -> tuple[str, str]:
    """The encoding of a run that names none, and why it is that."""
    calls = settings.calls
    if settings.executor:
        return DEFAULT_ENCODING, "because cases run elsewhere, where others may be missing"
    noted = root / calls.store / FILE
    with suppress(OSError, UnicodeDecodeError):
        own = noted.read_text("utf-8").strip() or own
    if own == DEFAULT_ENCODING.removesuffix("_offline"):
        return DEFAULT_ENCODING, f"the encoding of {model}"
    if not noted.is_file() and not Store(root / calls.store, None).is_empty:
        return DEFAULT_ENCODING, (
            f"as the calls in {calls.store} were; --compaction-encoding={own} counts in the "
            f"encoding of {model} and makes them anew"
        )
    fault = _fault(own)
    if fault:
        return DEFAULT_ENCODING, f"because {own}, the encoding of {model}, is not here: {fault}"
    if not (noted.is_file() or calls.replay or calls.estimate):
        with suppress(OSError):
            noted.parent.mkdir(parents=True, exist_ok=True)
            noted.write_text(f"{own}\n", "utf-8")
    return own, f"the encoding of {model}"


def _fault(name: str) -> str:
    """Why an encoding cannot be used; empty if it can. Takes some seconds at most."""
    TokenCounter().text("")  # before the other, because tiktoken locks while it fetches
    faults: list[str] = []

    def fetch() -> None:
        try:
            TokenCounter(name).text("")
        except EncodingUnavailableError as error:
            faults.append(str(error))

    thread = Thread(target=fetch, daemon=True)
    thread.start()
    thread.join(SECONDS)
    return f"it took longer than {SECONDS:g} s to fetch" if thread.is_alive() else "".join(faults)
