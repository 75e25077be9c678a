"""Errors that the command line reports; each carries a code."""

from __future__ import annotations


class BoxleaveError(Exception):
    """Base of all errors. The code is stable, the text is not."""

    code = "D100"

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.text = text

    def __str__(self) -> str:
        return f"{self.code} {self.text}"


class MissingFileError(BoxleaveError):
    """An export that is not where it should be."""

    code = "D104"


class HeaderError(BoxleaveError):
    """A table with other columns than expected."""

    code = "D210"


class CellError(BoxleaveError):
    """A cell that cannot be read."""

    code = "D214"


class SettingsError(BoxleaveError):
    """A value in experiment.ini that is not usable."""

    code = "D305"


class OneClassError(BoxleaveError):
    """A split in which everybody stays or everybody leaves."""

    code = "D410"
