"""Reads texts: whether a text states a fact, where it does, and why.

Other rooms import from here alone. A :class:`Statement` goes in, a :class:`Reading` comes out::

    TextIndex(text).read(Statement("the lease is 45 s", keys=(("lease",), ("45 s",))))

``TextIndex`` reads one text, ``SharedTexts`` makes the indexes of views that have messages in
common, ``LogIndex`` reads each message of a log as if alone. The other names are what the reader is
made of and others use too: tokens and stems, sentences, values, claims, ranking, and text that is
safe to print. What takes long to import is loaded when it is first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pytest_compaction.facade import lazy
from pytest_compaction.text.statement import Keys as Keys
from pytest_compaction.text.statement import Outcome as Outcome
from pytest_compaction.text.statement import Reading as Reading
from pytest_compaction.text.statement import Statement as Statement

if TYPE_CHECKING:  # a star exports to type checkers what the modules define
    from pytest_compaction.text.bm25 import *
    from pytest_compaction.text.claim import *
    from pytest_compaction.text.index import *
    from pytest_compaction.text.languages import *
    from pytest_compaction.text.numbers import *
    from pytest_compaction.text.sentence_splitting import *
    from pytest_compaction.text.values import *
    from pytest_compaction.text.words import *

_NAMES: Final = {
    "bm25": "BM25",
    "claim": "Claim LogTokens answer_proper claims",
    "languages": (
        "EXPERIMENTAL LanguageError NAMES is_read language_of language_of_conversation name_of "
        "read_also why_not_read"
    ),
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

if not TYPE_CHECKING:
    __getattr__ = lazy(__name__, _NAMES)
