"""The client of the openai package that sends the calls.

It is imported when the first call is made, because it loads that package. Replies are
read up to a bound. A redirect is followed within the host that was asked alone. The
address carries no password, because the HTTP package writes the address to its log with
every request. The client repeats nothing by itself, because each repetition must first
pass the limit on costs.
"""

from __future__ import annotations

import logging
from typing import Any
from urllib.request import getproxies

import openai

from pytest_compaction.models.calls.address import without_credentials
from pytest_compaction.models.calls.http import httpx
from pytest_compaction.models.calls.lanes import LanedTransport
from pytest_compaction.models.calls.redirects import refuse_other_hosts
from pytest_compaction.models.calls.size_limit import Bounded
from pytest_compaction.secrets.keys import credentials_of

NEVER_SENT = (
    httpx.ConnectError,
    httpx.ConnectTimeout,
    httpx.PoolTimeout,
    httpx.ProxyError,
    httpx.UnsupportedProtocol,
)
"""Errors of a request that did not reach the endpoint, so that nothing is charged for it."""

# At DEBUG the package writes whole requests to the log, keys within cases included.
logging.getLogger("openai._base_client").setLevel(logging.INFO)


def new_client(
    base_url: str, key: str, timeout: httpx.Timeout, bound: Bounded, transport: Any
) -> openai.AsyncOpenAI:
    """A client for an address, or for the package's default one if it is empty.

    User and password of the address go into a header. An address with a query raises
    :class:`~pytest_compaction.models.protocol.ModelError`.
    """
    more = _route() if transport is None else {"transport": transport}
    user, password = credentials_of(base_url)
    if user or password:
        more["auth"] = httpx.BasicAuth(user, password)
    return openai.AsyncOpenAI(
        base_url=without_credentials(base_url) or None,
        api_key=key,
        timeout=timeout,
        max_retries=0,
        default_headers={"Accept-Encoding": "identity"},
        http_client=openai.DefaultAsyncHttpxClient(
            timeout=timeout, event_hooks={"response": [refuse_other_hosts, bound]}, **more
        ),
    )


def _route() -> dict[str, Any]:
    """Where requests go that no proxy of the environment takes."""
    if "all" in getproxies():
        return {}
    context = httpx.create_ssl_context()
    limits = httpx.Limits(max_connections=None, max_keepalive_connections=None)
    return {
        "mounts": {
            "all://": LanedTransport(
                lambda: httpx.AsyncHTTPTransport(verify=context, limits=limits)
            )
        }
    }
