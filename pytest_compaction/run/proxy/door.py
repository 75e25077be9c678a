"""Where clients of strategies come in: a port of this machine, and what they are told of it.

Only this machine can reach it, and it wants a random token as the key, so that no other user of
the machine can spend the money of this one. The real key stays in this process.
"""

from __future__ import annotations

import os
import secrets
import socket
from collections.abc import Callable, Mapping
from typing import Final
from urllib.request import getproxies

from pytest_compaction.run.proxy.owners import HOST
from pytest_compaction.secrets.own_environment import point

_BACKLOG: Final = 512
_TOKEN_BYTES: Final = 24


class Door:
    """Takes connections from when it is made; whoever serves ``socket`` answers them."""

    def __init__(self) -> None:
        self.socket = socket.create_server((HOST, 0), backlog=_BACKLOG)
        self.port: int = self.socket.getsockname()[1]
        self._token = secrets.token_urlsafe(_TOKEN_BYTES)

    def point_clients(self) -> Callable[[], None]:
        """Point clients that read the environment to this port. The result takes it back."""
        url = f"http://{HOST}:{self.port}"
        variables: dict[str, str | None] = {
            "OPENAI_BASE_URL": f"{url}/v1",
            "OPENAI_API_BASE": f"{url}/v1",
            "OPENAI_API_KEY": self._token,
            "ANTHROPIC_BASE_URL": url,
            "ANTHROPIC_API_BASE": url,
            "ANTHROPIC_API_KEY": self._token,
            "ANTHROPIC_AUTH_TOKEN": None,
        }
        if getproxies():
            for name in ("no_proxy", "NO_PROXY"):
                direct = os.environ.get(name, "")
                variables[name] = f"{direct},{HOST}" if direct else HOST
        return point(variables)

    def admits(self, headers: Mapping[str, str]) -> bool:
        """Whether the headers of a request, by names in lower case, hold the token."""
        bearer = headers.get("authorization", "").removeprefix("Bearer ").strip()
        keys = (bearer, headers.get("x-api-key", "").strip())
        return any(secrets.compare_digest(key.encode(), self._token.encode()) for key in keys)

    def close(self) -> None:
        """Take no more connections."""
        self.socket.close()
