"""Where clients of strategies come in: a port of this machine, and what they are told of it.

Only this machine can reach it, and it wants a random token as the key, so that no other user of
the machine can spend the money of this one. The real key stays in this process.
"""

from __future__ import annotations

import secrets
import socket
from collections.abc import Callable, Mapping
from typing import Final
from urllib.request import getproxies

from pytest_compaction.run.proxy.owners import HOST
from pytest_compaction.secrets.own_environment import point

_TOKEN_BYTES: Final = 24


class Door:
    """Has a port of its own; who serves ``socket`` takes connections, which are refused before.

    Code that asks while a strategy is still imported so gets an error at once, and does not wait
    for a reply that cannot come.
    """

    def __init__(self) -> None:
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        self.socket.bind((HOST, 0))
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
        found = getproxies()
        # Of the two spellings one hides the other, and "*" means all hosts only if it is alone.
        direct = found.get("no", "").strip()
        if found and direct != "*":
            direct = f"{direct},{HOST}" if direct else HOST
            variables |= {"no_proxy": direct, "NO_PROXY": direct}
        return point(variables)

    def admits(self, headers: Mapping[str, str]) -> bool:
        """Whether the headers of a request, by names in lower case, hold the token."""
        scheme, _, bearer = headers.get("authorization", "").partition(" ")
        keys = (
            bearer.strip() if scheme.lower() == "bearer" else "",
            headers.get("x-api-key", "").strip(),
        )
        return any(secrets.compare_digest(key.encode(), self._token.encode()) for key in keys)

    def close(self) -> None:
        """Take no more connections."""
        self.socket.close()
