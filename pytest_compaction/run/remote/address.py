"""Where cases are to run: the value of ``--compaction-executor``, taken apart."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit

from pytest_compaction.settings import OptionError
from pytest_compaction.text.words import printable

_SHOWN: Final = 100
MAX_PROCESSES: Final = 1024


@dataclass(frozen=True, slots=True)
class ExecutorAddress:
    """A kind of executor and where it is: ``place`` is ``host:port``, or a number of processes."""

    scheme: str
    place: str

    def __str__(self) -> str:
        return f"{self.scheme}://{self.place}"


def parse_address(text: str) -> ExecutorAddress:
    """Read ``dask://host:port`` or ``processes://N``; raises :class:`OptionError`."""
    shown = printable(text, _SHOWN)
    try:
        parts = urlsplit(text)
        port = parts.port
    except ValueError as error:
        raise _unusable(shown, f"is no address ({printable(str(error), _SHOWN)})") from None
    if parts.username is not None or parts.password is not None:
        raise OptionError(
            "--compaction-executor names a user or a password, which would be shown; let Dask take "
            "credentials from its own configuration"
        )
    if parts.scheme not in ("dask", "processes"):
        raise _unusable(shown, "names no known kind of executor")
    if parts.path not in ("", "/") or parts.query or parts.fragment:
        raise _unusable(shown, "has more than a host and a port")
    if parts.scheme == "dask":
        if not parts.hostname or port is None:
            raise _unusable(shown, "lacks the host or the port of the scheduler")
        host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
        return ExecutorAddress("dask", f"{host}:{port}")
    count = int(parts.netloc) if parts.netloc.isdecimal() and len(parts.netloc) < 10 else 0
    if not 1 <= count <= MAX_PROCESSES:
        raise _unusable(shown, f"does not name a number from 1 to {MAX_PROCESSES}")
    return ExecutorAddress("processes", str(count))


def _unusable(shown: str, why: str) -> OptionError:
    return OptionError(
        f"--compaction-executor={shown} {why}; write dask://HOST:PORT, the address of the "
        "scheduler of a Dask cluster, or processes://N for processes of this machine"
    )
