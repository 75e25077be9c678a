"""Errors that the command line reports; each carries a code."""

from __future__ import annotations


class QuayError(Exception):
    """Base of all errors. The code is stable, the text is not."""

    code = "QL10"

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.text = text

    def __str__(self) -> str:
        return f"{self.code} {self.text}"


class CorpusError(QuayError):
    """A text that is not there or has nothing in it."""

    code = "QL22"


class ConfigError(QuayError):
    """A setting that is missing, unknown or out of its range."""

    code = "QL31"


class SealedError(QuayError):
    """Somebody wants to score the held-out split without saying so twice."""

    code = "QL44"


class VocabularyError(QuayError):
    """A vocabulary that is smaller than its alphabet."""

    code = "QL52"
