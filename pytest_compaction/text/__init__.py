"""Reads texts: whether a text states a fact, where it does, and why.

Other rooms import from here alone. A :class:`Statement` goes in, a :class:`Reading` comes out::

    TextIndex(text).read(Statement("the lease is 45 s", keys=(("lease",), ("45 s",))))

``TextIndex`` reads one text, ``SharedTexts`` makes the indexes of views that have messages in
common, ``LogIndex`` reads each message of a log as if alone. The other names are what the reader is
made of and others use too: tokens and stems, sentences, values, claims, ranking, and text that is
safe to print. What takes long to import is loaded when it is first used.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any, Final

from pytest_compaction.text.statement import Outcome as Outcome
from pytest_compaction.text.statement import Reading as Reading
from pytest_compaction.text.statement import Statement as Statement

if TYPE_CHECKING:  # "as" exports a name to type checkers
    from pytest_compaction.text.bm25 import BM25 as BM25
    from pytest_compaction.text.claim import Claim as Claim
    from pytest_compaction.text.claim import LogTokens as LogTokens
    from pytest_compaction.text.claim import answer_proper as answer_proper
    from pytest_compaction.text.claim import claims as claims
    from pytest_compaction.text.index import LogIndex as LogIndex
    from pytest_compaction.text.index import SharedTexts as SharedTexts
    from pytest_compaction.text.index import TextIndex as TextIndex
    from pytest_compaction.text.numbers import NumberError as NumberError
    from pytest_compaction.text.numbers import Range as Range
    from pytest_compaction.text.numbers import told_apart as told_apart
    from pytest_compaction.text.sentence_splitting import is_definition as is_definition
    from pytest_compaction.text.sentence_splitting import sentences as sentences
    from pytest_compaction.text.values import Value as Value
    from pytest_compaction.text.values import equal as equal
    from pytest_compaction.text.values import values_of as values_of
    from pytest_compaction.text.words import STOPWORDS as STOPWORDS
    from pytest_compaction.text.words import canonical_number as canonical_number
    from pytest_compaction.text.words import clipped as clipped
    from pytest_compaction.text.words import content_stems as content_stems
    from pytest_compaction.text.words import is_path as is_path
    from pytest_compaction.text.words import normalize as normalize
    from pytest_compaction.text.words import path_suffixes as path_suffixes
    from pytest_compaction.text.words import printable as printable
    from pytest_compaction.text.words import raw_tokens as raw_tokens
    from pytest_compaction.text.words import segments as segments
    from pytest_compaction.text.words import stem as stem
    from pytest_compaction.text.words import visible as visible

_NAMES: Final = {
    "bm25": "BM25",
    "claim": "Claim LogTokens answer_proper claims",
    "numbers": "NumberError Range told_apart",
    "values": "Value equal values_of",
    "sentence_splitting": "is_definition sentences",
    "index": "LogIndex SharedTexts TextIndex",
    "words": (
        "STOPWORDS canonical_number clipped content_stems is_path normalize path_suffixes "
        "printable raw_tokens segments stem visible"
    ),
}
"""Names that are loaded when first used, by the module that defines them."""
_HOMES: Final = {name: module for module, names in _NAMES.items() for name in names.split()}

if not TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        if name not in _HOMES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        module = importlib.import_module(f"{__name__}.{_HOMES[name]}")
        found = globals()[name] = getattr(module, name)
        return found
