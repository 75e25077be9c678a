"""Redirects: a request holds a conversation, which goes to the host that the user named alone."""

from __future__ import annotations

from typing import Any, Final

from pytest_compaction.models.calls.address import shown_host
from pytest_compaction.models.calls.http import httpx

_USUAL_PORTS: Final = {"http": 80, "https": 443}


class RedirectedError(Exception):
    """An endpoint redirects to another host; the text goes on after "model … at …"."""


async def refuse_other_hosts(response: Any) -> None:
    """A response hook of the HTTP client, which runs before a redirect is followed.

    Raises :class:`RedirectedError` for another host or port, and for the way from HTTPS to HTTP.
    """
    if not response.has_redirect_location:
        return
    asked = response.request.url
    location = response.headers["location"]
    try:
        target = asked.join(location)
    except (httpx.InvalidURL, ValueError):
        target = None
    if target is None or not _is_same(asked, target):
        host = shown_host(location if target is None else str(target))
        raise RedirectedError(f"redirects to another host, {host}")


def _is_same(asked: Any, target: Any) -> bool:
    """Whether the target is the server that was asked, or the same one over HTTPS."""
    if asked.host != target.host:
        return False
    ports = [url.port or _USUAL_PORTS.get(url.scheme) for url in (asked, target)]
    if asked.scheme == target.scheme:
        return ports[0] == ports[1]
    return (asked.scheme, target.scheme) == ("http", "https") and ports == [80, 443]
