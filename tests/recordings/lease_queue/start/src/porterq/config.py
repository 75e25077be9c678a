"""Settings: defaults, then ``porterq.toml``, then ``PORTERQ_…`` environment variables."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path

from porterq.errors import ConfigError

DEFAULT_LEASE_SECONDS = 30
MIN_LEASE_SECONDS = 25
MAX_LEASE_SECONDS = 3600
MAX_BATCH = 32
ENV_PREFIX = "PORTERQ_"


@dataclass(frozen=True)
class Settings:
    """All settings of a worker; every value is an integer."""

    lease_seconds: int = DEFAULT_LEASE_SECONDS
    batch_size: int = 8
    poll_seconds: int = 2
    busy_timeout_ms: int = 250
    max_attempts: int = 5
    backoff_base: int = 4
    backoff_cap: int = 300

    @property
    def renew_every(self) -> int:
        """Seconds between two heartbeats of a lease: a third of its length."""
        return max(1, self.lease_seconds // 3)

    def checked(self) -> Settings:
        """These settings, or a ConfigError that names the first wrong value."""
        _between("lease_seconds", self.lease_seconds, MIN_LEASE_SECONDS, MAX_LEASE_SECONDS)
        _between("batch_size", self.batch_size, 1, MAX_BATCH)
        _between("poll_seconds", self.poll_seconds, 1, 60)
        _between("busy_timeout_ms", self.busy_timeout_ms, 0, 10_000)
        _between("max_attempts", self.max_attempts, 1, 50)
        _between("backoff_base", self.backoff_base, 1, 60)
        _between("backoff_cap", self.backoff_cap, self.backoff_base, 86_400)
        return self


def load_settings(
    path: Path | None = None, environ: Mapping[str, str] | None = None
) -> Settings:
    """Read the file (when there is one) and the environment on top of the defaults."""
    values: dict[str, int] = {}
    if path is not None and path.exists():
        values |= _from_table(tomllib.loads(path.read_text(encoding="utf-8")), str(path))
    values |= _from_environ(environ or {})
    return replace(Settings(), **values).checked()


def _from_table(data: Mapping[str, object], source: str) -> dict[str, int]:
    table = data.get("porterq", {})
    if not isinstance(table, dict):
        raise ConfigError(f"[porterq] in {source} must be a table")
    known = {field.name for field in fields(Settings)}
    for name, value in table.items():
        if name not in known:
            raise ConfigError(f"unknown setting {name!r} in {source}")
        if not isinstance(value, int) or isinstance(value, bool):
            raise ConfigError(f"{name} in {source} must be an integer, got {value!r}")
    return dict(table)


def _from_environ(environ: Mapping[str, str]) -> dict[str, int]:
    values: dict[str, int] = {}
    for field in fields(Settings):
        text = environ.get(ENV_PREFIX + field.name.upper())
        if text is None:
            continue
        try:
            values[field.name] = int(text)
        except ValueError:
            name = ENV_PREFIX + field.name.upper()
            raise ConfigError(f"{name} must be an integer, got {text!r}") from None
    return values


def _between(name: str, value: int, low: int, high: int) -> None:
    if not low <= value <= high:
        raise ConfigError(f"{name} must be between {low} and {high}, got {value}")
