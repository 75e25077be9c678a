"""The endpoint of the user, asked in the place of the client of a strategy."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from pytest_compaction.models.calls.address import (
    ANTHROPIC_URL,
    DEFAULT_HOST,
    base_url_for,
    host_of,
)
from pytest_compaction.models.calls.attempt import AttemptError, excerpt_of, sentence_on
from pytest_compaction.models.calls.endpoint import EXCEEDED, NO_KEY, Endpoint
from pytest_compaction.models.protocol import ModelError
from pytest_compaction.models.relay.routes import PATHS, is_anthropic, passed_headers
from pytest_compaction.models.usage import Usage
from pytest_compaction.models.wire.call import Call
from pytest_compaction.models.wire.events import KEY, failure_in, is_whole, read_events
from pytest_compaction.models.wire.relayed_usage import relayed_usage
from pytest_compaction.secrets.own_environment import own_variable

MAX_REPLY_BYTES: Final = 64 * 1024 * 1024
"""A stream takes many times the bytes of what it says."""
_PATH_OF: Final = {operation: path for path, operation in PATHS.items()}
_VERSION: Final = "/v1"


class Upstream(Endpoint):
    """Sends each call once to the address, and with the key, that the user set.

    With ``anthropic`` it takes requests in the form of Anthropic, else those in that of OpenAI.
    """

    def __init__(self, read: float, anthropic: bool, transport: Any = None) -> None:
        super().__init__(read=read, max_reply_bytes=MAX_REPLY_BYTES, transport=transport)
        self._anthropic = anthropic

    def _address(self) -> tuple[str, str]:
        if not self._anthropic:
            base_url = base_url_for(is_ours=False)
            if host_of(base_url) == DEFAULT_HOST:
                return super()._address()
            return base_url, own_variable("OPENAI_API_KEY") or NO_KEY
        base_url = base_url_for("messages", is_ours=False)
        key = own_variable("ANTHROPIC_API_KEY") or own_variable("ANTHROPIC_AUTH_TOKEN")
        if not key and host_of(base_url) == host_of(ANTHROPIC_URL):
            raise ModelError(
                f"no key for {host_of(ANTHROPIC_URL)}: set ANTHROPIC_API_KEY, or "
                "ANTHROPIC_BASE_URL for another endpoint"
            )
        return base_url, key or NO_KEY

    async def _sent(self, client: Any, call: Call) -> Any:
        from pytest_compaction.models.calls.http import httpx

        asked = {"headers": self._headers(call)}
        if "path" in call.body:
            path = self._path(str(call.body["path"]))
            return await client.get(path, cast_to=httpx.Response, options=asked)
        body = dict(call.body if call.sent is None else call.sent)
        path = self._path(_PATH_OF[call.operation])
        return await client.post(path, body=body, cast_to=httpx.Response, options=asked)

    def _path(self, path: str) -> str:
        """The path behind the base URL, which for OpenAI has the version in it."""
        return path if self._anthropic else path.removeprefix(_VERSION)

    def _headers(self, call: Call) -> dict[str, Any]:
        headers: dict[str, Any] = passed_headers(call)
        key = own_variable("ANTHROPIC_API_KEY")
        if is_anthropic(call) and key:
            from openai import Omit

            headers |= {"x-api-key": key, "Authorization": Omit()}
        return headers

    def _usage(self, call: Call, parsed: Mapping[str, Any]) -> Usage:
        return relayed_usage(call.operation, parsed)

    def _parsed(self, call: Call, response: Any) -> dict[str, Any]:
        """The JSON object of a reply, or the events of its stream."""
        kind = response.headers.get("content-type", "")
        if not kind.startswith("text/event-stream") or response.extensions.get(EXCEEDED):
            return super()._parsed(call, response)
        events = read_events(response.content)
        failed = failure_in(events)
        if failed is not None or not is_whole(call.operation, events):
            said = "its end is missing" if failed is None else excerpt_of(str(failed))
            raise AttemptError(
                sentence_on(call, f"broke off its stream: {said}"), charged=True, passing=True
            )
        return {KEY: events}
