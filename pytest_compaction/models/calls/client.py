"""The client of the openai package, as calls are sent with it.

Imported when the first call is made, because it loads that package. Replies are read up
to a bound; the address carries no password, which the HTTP package would write to its
log with every request; and whatever may be charged for is noted.
"""

from __future__ import annotations

import logging
from typing import Any
from urllib.parse import SplitResult, urlsplit

import httpx2
import openai

from pytest_compaction.models.calls.charges import UNDER_WAY
from pytest_compaction.models.calls.size_limit import Bounded
from pytest_compaction.models.protocol import ModelError
from pytest_compaction.secrets.keys import credentials_of

_NEVER_SENT = (
    httpx2.ConnectError,
    httpx2.ConnectTimeout,
    httpx2.PoolTimeout,
    httpx2.ProxyError,
    httpx2.UnsupportedProtocol,
)


# At DEBUG the package writes whole requests to the log, keys within cases included.
logging.getLogger("openai._base_client").setLevel(logging.INFO)


class _Noting(openai.DefaultAsyncHttpxClient):
    """Notes for each request that it sends whether it may be charged for."""

    async def send(self, request: httpx2.Request, **how: Any) -> httpx2.Response:
        charge = UNDER_WAY.get()
        if charge is None:
            return await super().send(request, **how)
        await charge.sending()
        try:
            response = await super().send(request, **how)
        except _NEVER_SENT:
            charge.free()
            raise
        if not response.is_success:
            charge.free()
        return response


def new_client(
    base_url: str, key: str, timeout: httpx2.Timeout, retries: int, bound: Bounded, transport: Any
) -> openai.AsyncOpenAI:
    """A client for an address, the package's default one where it is empty.

    User and password of the address go into a header. A query there would end up within
    the path of each request, and raises :class:`ModelError`.
    """
    more: dict[str, Any] = {} if transport is None else {"transport": transport}
    user, password = credentials_of(base_url)
    if user or password:
        more["auth"] = httpx2.BasicAuth(user, password)
    return openai.AsyncOpenAI(
        base_url=_without_credentials(base_url) or None,
        api_key=key,
        timeout=timeout,
        max_retries=retries,
        default_headers={"Accept-Encoding": "identity"},
        http_client=_Noting(timeout=timeout, event_hooks={"response": [bound]}, **more),
    )


def _without_credentials(base_url: str) -> str:
    try:
        parts: SplitResult = urlsplit(base_url)
    except ValueError:
        return base_url
    if parts.query or parts.fragment:
        raise ModelError(
            "OPENAI_BASE_URL has a query (what follows ? or #), which cannot be sent with "
            "requests; give the address without it"
        )
    return parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl()
