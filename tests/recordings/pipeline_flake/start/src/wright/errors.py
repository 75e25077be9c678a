"""Errors that the tool reports; each carries a code that scripts can rely on."""

from __future__ import annotations


class WrightError(Exception):
    """Base of all errors of the tool. ``code`` is stable, the text is not."""

    code = "E400"

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.text = text

    def __str__(self) -> str:
        return f"{self.code} {self.text}"


class VersionError(WrightError):
    """A version that is not three numbers with an optional pre-release."""

    code = "E401"


class MissingFileError(WrightError):
    """A file that the tree should have."""

    code = "E404"


class NotABundleError(WrightError):
    """A file that cannot be opened as a bundle, or that has no manifest."""

    code = "E409"


class UnknownCodecError(WrightError):
    """A codec that nobody registered."""

    code = "E412"


class VersionMismatchError(WrightError):
    """The bundle was stamped with another version than the tree has."""

    code = "E417"


class ContentMismatchError(WrightError):
    """A payload file differs between the bundle and the tree."""

    code = "E422"


class ChangelogError(WrightError):
    """The change log cannot be read or lacks a section."""

    code = "E430"


class SettingsError(WrightError):
    """A value in wright.ini or in the environment is not usable."""

    code = "E440"
