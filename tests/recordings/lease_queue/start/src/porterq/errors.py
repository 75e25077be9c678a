"""Errors of the queue. Each has a code that log searches rely on."""


class PorterError(Exception):
    """Base of all errors; the code stands in front of the message."""

    code = "PQ-500"

    def __init__(self, message: str) -> None:
        super().__init__(f"{self.code} {message}")


class UnknownHandler(PorterError):
    """No handler is registered for the kind of a job."""

    code = "PQ-405"


class LeaseLost(PorterError):
    """The token of a lease is not the current one of its job."""

    code = "PQ-409"


class PayloadTooLarge(PorterError):
    """The encoded payload is above the limit."""

    code = "PQ-413"


class ConfigError(PorterError):
    """A setting is missing, unknown or out of range."""

    code = "PQ-422"


class StoreBusy(PorterError):
    """SQLite could not get the write lock within the busy timeout."""

    code = "PQ-503"
