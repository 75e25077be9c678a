"""The client of the openai package that sends the calls.

It is imported when the first call is made, because it loads that package. Replies are
read up to a bound. A redirect is followed within the host that was asked alone. The
address carries no password, because the HTTP package writes the address to its log with
every request. The client repeats nothing by itself, because each repetition must first
pass the limit on costs.
"""

from __future__ import annotations

import importlib
import logging
import zlib
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Any, Final

import openai

from pytest_compaction.models.calls.address import shown_host, without_credentials
from pytest_compaction.secrets import credentials_of

if TYPE_CHECKING:
    import httpx2 as httpx
else:
    # httpx2, or httpx before openai 3: errors and transports must be those of its package.
    _packages = (
        base.__module__.partition(".")[0] for base in openai.DefaultAsyncHttpxClient.__mro__
    )
    httpx = importlib.import_module(next(name for name in _packages if name.startswith("httpx")))

__all__ = ["httpx"]

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
    user, password = credentials_of(base_url)
    return openai.AsyncOpenAI(
        base_url=without_credentials(base_url) or None,
        api_key=key,
        timeout=timeout,
        max_retries=0,
        default_headers={"Accept-Encoding": "identity"},
        http_client=openai.DefaultAsyncHttpxClient(
            timeout=timeout,
            limits=httpx.Limits(max_connections=None, max_keepalive_connections=None),
            transport=transport,
            auth=httpx.BasicAuth(user, password) if user or password else None,
            event_hooks={"response": [refuse_other_hosts, bound]},
        ),
    )


_USUAL_PORTS: Final = {"http": 80, "https": 443}


class RedirectedError(Exception):
    """An endpoint redirects to another host; the text goes on after "model … at …"."""


async def refuse_other_hosts(response: Any) -> None:
    """A response hook of the HTTP client, which runs before a redirect is followed.

    A request holds a conversation, which goes to the host that the user named alone. Raises
    :class:`RedirectedError` for another host or port, and for the way from HTTPS to HTTP.
    """
    if not response.has_redirect_location:
        return
    sent = response.request.url
    location = response.headers["location"]
    try:
        target = sent.join(location)
    except (httpx.InvalidURL, ValueError):
        target = None
    if target is None or not _is_same(sent, target):
        host = shown_host(location if target is None else str(target))
        raise RedirectedError(f"redirects to another host, {host}")


def _is_same(sent: Any, target: Any) -> bool:
    """Whether the target is the server that was asked, or the same one over HTTPS."""
    if sent.host != target.host:
        return False
    ports = [url.port or _USUAL_PORTS.get(url.scheme) for url in (sent, target)]
    if sent.scheme == target.scheme:
        return ports[0] == ports[1]
    return (sent.scheme, target.scheme) == ("http", "https") and ports == [80, 443]


_ENCODING: Final = "content-encoding"
_INFLATED: Final = frozenset({"gzip", "x-gzip", "deflate"})


class Bounded:
    """A response hook of the HTTP client that ends reading at ``limit`` bytes.

    A longer reply gets ``mark`` among its extensions. It raises no error, because an error
    while reading looks like a lost connection, after which the request would be repeated.
    The bound on a compressed reply is on what it unpacks to.
    """

    def __init__(self, limit: int, mark: str) -> None:
        self._limit = limit
        self._mark = mark

    async def __call__(self, response: Any) -> None:
        """Bound a response that is about to be read."""
        # Without the header the client does not unpack the reply a second time.
        inflate = response.headers.get(_ENCODING, "").strip().lower() in _INFLATED
        if _ENCODING in response.headers:
            del response.headers[_ENCODING]
        response.stream = _BoundedStream(response, self._limit, self._mark, inflate)


class _BoundedStream(httpx.AsyncByteStream):
    def __init__(self, response: Any, limit: int, mark: str, inflate: bool) -> None:
        self._response = response
        self._inner = response.stream
        self._left = limit
        self._mark = mark
        self._inflater = zlib.decompressobj(zlib.MAX_WBITS | 32) if inflate else None

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for data in self._inner:
            chunk = data if self._inflater is None else self._inflated(self._inflater, data)
            if len(chunk) > self._left:
                self._response.extensions[self._mark] = True
                return
            self._left -= len(chunk)
            yield chunk

    def _inflated(self, inflater: Any, data: bytes) -> bytes:
        try:
            unpacked: bytes = inflater.decompress(data, self._left + 1)
        except zlib.error as error:
            raise httpx.DecodingError(f"the reply is badly compressed ({error})") from error
        return unpacked

    async def aclose(self) -> None:
        await self._inner.aclose()
