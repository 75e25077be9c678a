"""The languages that texts are read in, each in one file as data.

*Measured* languages were compared with people's readings; *experimental* ones are read only where
:func:`read_also` names them. Of any other language names, numbers and paths are found, and what is
said of them is uncertain.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cache, lru_cache
from importlib import import_module
from typing import Any, Final

from pytest_compaction.text.ideographs import KANA, SIGN
from pytest_compaction.text.languages.language import Language

MEASURED: Final = ("en", "zh", "de")
EXPERIMENTAL: Final = ("fr", "es", "ja", "pt", "ru")
NAMES: Final = {
    "en": "English",
    "zh": "Chinese",
    "de": "German",
    "fr": "French",
    "es": "Spanish",
    "ja": "Japanese",
    "pt": "Portuguese",
    "ru": "Russian",
}
_LATIN: Final = ("en", "de", "fr", "es", "pt")
OTHER: Final = "other"
"""A language of another script, which no file describes."""

_read: set[str] = {*MEASURED}


class LanguageError(ValueError):
    """A language that no file describes was named; the message says which there are."""


def read_also(codes: Iterable[str]) -> tuple[str, ...]:
    """Read these experimental languages in this process, and no others of them."""
    named = [code.strip().lower() for code in codes if code.strip()]
    for code in named:
        if code not in NAMES:
            known = ", ".join(f"{each} ({NAMES[each]})" for each in EXPERIMENTAL)
            raise LanguageError(f"{code} is no language that can be read; name some of {known}")
    _read.clear()
    _read.update(MEASURED, named)
    return tuple(sorted({*named} - {*MEASURED}))


def is_read(code: str) -> bool:
    """Whether sentences of a language are read with their polarity."""
    return code in _read


def name_of(code: str) -> str:
    """The English name of a language."""
    return NAMES.get(code, "another language")


def why_not_read(code: str) -> str:
    """The reason why nothing is read of a conversation in a language, in a clause."""
    if code not in NAMES:
        return "the conversation is in a language that cannot be read"
    return (
        f"the conversation is in {NAMES[code]}, which is experimental: "
        f"--compaction-languages={code} has it read"
    )


@cache
def language(code: str) -> Language:
    """The rules of a language other than English."""
    found: Language = import_module(f"{__name__}.{code}").LANGUAGE
    return found


_QUOTED: Final = re.compile(r"`[^`\n]*`|\"[^\"\n]*\"|“[^“”\n]*”|「[^「」\n]*」")
_WORD: Final = re.compile(r"(?<![\w/\\.=<>{}(-])[^\W\d_]++(?![\w/\\=<>{}(-]|\.\w)")
"""A word that is no part of a name, a path or code."""
_OTHER_SCRIPT: Final = re.compile(
    "[\u0370-\u03ff\u0590-\u06ff\u0900-\u0dff\u0e00-\u0eff\u10a0-\u10ff\u1100-\u11ff\uac00-\ud7af]"
)
_CYRILLIC: Final = re.compile("[\u0400-\u04ff]")
_FEWEST: Final = 2
"""Function words of a language that a sentence must hold to be in it."""
_SHORT: Final = 40
"""Characters of words up to which function words tell more than letters."""


@cache
def _letters() -> Any:
    """The model of py3langid, which is loaded where a text might not be in English."""
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    found = LanguageIdentifier.from_pickled_model(MODEL_FILE)
    found.set_languages(list(_LATIN))
    return found


def _by_letters(words: str, among: Sequence[str] = _LATIN) -> str:
    """Which language of Latin script words without code are in, by their letters."""
    ranked: list[tuple[str, float]] = _letters().rank(words)
    return next(code for code, _ in ranked if code in among)


@lru_cache(maxsize=8192)
def language_of(text: str, home: str = "en") -> str:
    """The code of the language of a sentence, from what is neither code nor quoted.

    The script decides first. Between languages of Latin script letters decide, in few words
    function words, and only English and ``home``, the language of the conversation, come into
    question: a name or a line of a log is no sentence of a third language. What tells nothing is
    in ``home``.
    """
    if text.isascii() and home == "en":
        return "en"
    prose = _QUOTED.sub(" ", text)
    found = language_by_script(prose) or language_by_script(text)
    if found == "zh" and home == "ja":
        found = "ja"
    if found or home == "en":
        return found or "en"
    words = _WORD.findall(prose)
    if home not in _LATIN:
        return "en" if words else home
    if len(said := " ".join(words)) > _SHORT:
        return _by_letters(said, ("en", home))
    words = said.lower().split()
    told = [word for word in words if not is_common(word, "en") or not is_common(word, home)]
    return "en" if _common(told, "en") > _common(told, home) else home


def has_function_word(normal: str, code: str) -> bool:
    """Whether a sentence holds a word that tells the language."""
    return _common(_WORD.findall(normal), code) > 0


def language_by_script(text: str) -> str:
    """The language that a script tells, unless English words stand around a few signs of it."""
    if text.isascii():
        return ""
    for pattern, code in ((SIGN, "zh"), (_CYRILLIC, "ru"), (_OTHER_SCRIPT, OTHER)):
        signs = len(pattern.findall(text))
        if signs and not (_common(_WORD.findall(text.lower()), "en") >= _FEWEST and signs < 8):
            return "ja" if code == "zh" and KANA.search(text) else code
    return ""


def is_common(word: str, code: str) -> bool:
    """Whether a word is a function word of a language."""
    return word in import_module(f"{__name__}.{code}").COMMON


def _common(words: Iterable[str], code: str) -> int:
    """How many of the words are function words of a language."""
    return sum(is_common(word, code) for word in words)


_FENCED: Final = re.compile(r"```.*?(?:```|\Z)", re.S)
_MOST: Final = 12_000
"""Characters of a conversation that are looked at."""
_SCRIPTS: Final = (
    (KANA, "ja", 0.1),
    (SIGN, "zh", 0.3),
    (_CYRILLIC, "ru", 0.3),
    (_OTHER_SCRIPT, OTHER, 0.3),
)
"""Scripts with the share of letters from which on a conversation is in their language."""


def language_of_conversation(texts: Iterable[str]) -> str:
    """The code of the language in which most is said; English where nothing else is clear."""
    said = _FENCED.sub(" ", "\n".join(texts)[:_MOST])
    prose = _QUOTED.sub(" ", said)
    words = _WORD.findall(prose.lower())
    if not prose.isascii():
        letters = sum(map(len, words))
        for pattern, code, share in _SCRIPTS:
            if len(pattern.findall(prose)) > share * letters:
                return code
    counts = {code: _common(words, code) for code in _LATIN}
    english = counts.pop("en")
    best = max(counts, key=lambda code: counts[code])
    if english > 2 * counts[best]:
        return "en"
    if len(told := " ".join(words)) > _SHORT:
        best = _by_letters(told)
        return best if counts.get(best, 0) > _FEWEST else "en"
    return best if counts[best] > max(1.5 * english, _FEWEST) else "en"
