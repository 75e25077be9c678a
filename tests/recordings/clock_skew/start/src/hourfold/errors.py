"""Errors of hourfold: each has a code for the night desk and an exit code."""


class HourfoldError(Exception):
    """Base of all errors; ``str`` starts with the code."""

    code = "HF-00"
    exit_code = 1

    def __str__(self) -> str:
        return f"{self.code} {super().__str__()}"


class BadLineError(HourfoldError):
    """A line of a raw file that cannot be read."""

    code = "HF-04"
    exit_code = 2


class ShortDayError(HourfoldError):
    """A day with missing hours."""

    code = "HF-12"
    exit_code = 3


class ZoneError(HourfoldError):
    """A zone or a moment that the zone table does not know."""

    code = "HF-16"
    exit_code = 2


class RatingError(HourfoldError):
    """A level or a day outside the rating curves."""

    code = "HF-18"
    exit_code = 2


class BalanceError(HourfoldError):
    """Inflow and outflow differ by more than the limit."""

    code = "HF-21"
    exit_code = 6


class UnknownStationError(HourfoldError):
    """A station that is not in stations.ini."""

    code = "HF-30"
    exit_code = 2


class SettingError(HourfoldError):
    """A setting that is missing or out of range."""

    code = "HF-31"
    exit_code = 2


class AlreadyFiledError(HourfoldError):
    """Filed figures are never overwritten."""

    code = "HF-40"
    exit_code = 5
