"""The address of an endpoint: its host, its port, and the form in which it can be sent.

Requests in the form of OpenAI go to the address of ``OPENAI_BASE_URL``, those in the form of
Anthropic to that of ``ANTHROPIC_BASE_URL``.
"""

from __future__ import annotations

import re
from typing import Final
from urllib.parse import SplitResult, urlsplit

from pytest_compaction.models.protocol import ModelError
from pytest_compaction.models.wire.call import ANTHROPIC, Operation
from pytest_compaction.secrets import own_variable
from pytest_compaction.text import printable

DEFAULT_HOST: Final = "api.openai.com"
"""The host that the openai package talks to when no base URL is set."""
ANTHROPIC_URL: Final = "https://api.anthropic.com"
"""The address that Anthropic's package talks to when no base URL is set."""

_AZURE: Final = re.compile(
    r"\.(?:openai\.azure|cognitiveservices\.azure|services\.ai\.azure)\.(?:com|us|cn)$"
)
_AZURE_V1: Final = re.compile(r"/openai/v\d")
_DEPLOYMENT: Final = re.compile(r"/deployments/([^/]+)")


def base_url_for(operation: Operation = "chat.completions", is_ours: bool = True) -> str:
    """The base URL to which requests of a kind go; empty for :data:`DEFAULT_HOST`.

    Requests of a strategy's own client (not ``is_ours``) go where ``…_API_BASE`` says if nothing
    else does: some clients read that name, though the openai package does not.
    """
    form, usual = ("ANTHROPIC", ANTHROPIC_URL) if operation in ANTHROPIC else ("OPENAI", "")
    older = "" if is_ours else own_variable(f"{form}_API_BASE")
    return own_variable(f"{form}_BASE_URL") or older or usual


def url_variable(operation: Operation) -> str:
    """The environment variable that holds the base URL for requests of a kind."""
    return "ANTHROPIC_BASE_URL" if operation in ANTHROPIC else "OPENAI_BASE_URL"


def wrong_port(variable: str) -> str | None:
    """The sentence on an address with a port that is none; ``None`` if its port can be used."""
    parts = _parts(own_variable(variable))
    try:
        _ = parts.port if parts else None
    except ValueError:
        return f"the address in {variable} cannot be used: a port is a number from 0 to 65535"
    return None


def missing_key() -> str | None:
    """Why the endpoint cannot be asked: no usable address or no key; ``None`` if it can."""
    if wrong := wrong_port("OPENAI_BASE_URL") or _classic_azure():
        return wrong
    if own_variable("OPENAI_API_KEY") or host_of(base_url_for()) != DEFAULT_HOST:
        return None
    return (
        f"no key for {DEFAULT_HOST}: set OPENAI_API_KEY, or OPENAI_BASE_URL for another "
        "endpoint; without either, --compaction-model=offline needs no key"
    )


def _classic_azure() -> str | None:
    """The sentence on an address of Azure without the v1 API; ``None`` for any other address.

    The other addresses want a version in a query, which the openai package does not send.
    """
    parts = _parts(base_url_for())
    host = (parts.hostname or "") if parts else ""
    if parts is None or not _AZURE.search(host) or _AZURE_V1.search(parts.path):
        return None
    deployment = _DEPLOYMENT.search(parts.path)
    name = printable(deployment[1], 80) if deployment else "the name of the deployment"
    return (
        f"OPENAI_BASE_URL is a classic address of Azure at {host}, to which requests cannot be "
        f"sent; set it to https://{host}/openai/v1/ and give {name} as the model"
    )


def host_of(base_url: str | None) -> str:
    """The host of a base URL, without its port; empty if the URL names none.

    Without a URL it is :data:`DEFAULT_HOST`.
    """
    if not (base_url or "").strip():
        return DEFAULT_HOST
    parts = _parts(base_url)
    return (parts.hostname or "") if parts else ""


def shown_host(base_url: str | None) -> str:
    """Host and port of a base URL for a sentence, without anything that may be a credential."""
    parts = _parts(base_url)
    try:
        port = parts.port if parts else None
    except ValueError:
        parts, port = None, None
    name = host_of(base_url) if parts else ""
    return printable(f"{name or 'an address without a host'}{f':{port}' if port else ''}", 100)


def without_credentials(base_url: str) -> str:
    """The base URL without user and password.

    A query would end up within the path of each request, so it raises :class:`ModelError`.
    """
    parts = _parts(base_url)
    if parts is None:
        return base_url
    if parts.query or parts.fragment:
        raise ModelError(
            "OPENAI_BASE_URL has a query (what follows ? or #), which cannot be sent with "
            "requests; give the address without it"
        )
    return parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl()


def _parts(base_url: str | None) -> SplitResult | None:
    try:
        return urlsplit((base_url or "").strip())
    except ValueError:
        return None
