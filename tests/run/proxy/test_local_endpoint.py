"""The local endpoint over bare connections: what is no usual request gets an answer too."""

import asyncio
import json
import os

import pytest

from pytest_compaction.models import CallReply, OwnCalls
from pytest_compaction.run import Door, RecordingEndpoint, RequestLimit

BODY = json.dumps({"model": "m", "messages": []}).encode()
CHUNKED = b"%x\r\n%s\r\n0\r\n\r\n" % (len(BODY), BODY)


class Said:
    """A relay with one reply for all calls, or a failure of its own."""

    def __init__(self, error=None):
        self.error = error

    async def call(self, call):
        await asyncio.sleep(0.05)
        if self.error is not None:
            raise self.error
        return CallReply({"said": call.model})

    def used(self, call, reply):
        return OwnCalls()

    async def close(self):
        pass


class Notes:
    """Accounts that hold notes alone."""

    def __init__(self):
        self.kept = []

    def post(self, transaction):
        transaction()

    def note(self, text):
        self.kept.append(text)


def answered(*lines, data=b"", relay=None, notes=None):
    """Status and body of the answer to a request of these lines, in which TOKEN is the key."""

    async def over_a_connection():
        door = Door()
        take_back = door.point_clients()
        token = os.environ["OPENAI_API_KEY"].encode()
        take_back()
        endpoint = RecordingEndpoint(door, relay or Said(), RequestLimit(2), notes or Notes())
        await endpoint.serve()
        reader, writer = await asyncio.open_connection("127.0.0.1", door.port)
        asked = b"\r\n".join([*lines, b"", data]).replace(b"TOKEN", token)
        writer.write(asked)
        got = await asyncio.wait_for(reader.read(), 60)
        writer.close()
        await writer.wait_closed()
        await endpoint.close()
        door.close()
        return got

    head, _, body = asyncio.run(over_a_connection()).rpartition(b"\r\n\r\n")
    return head.split(b"\r\n\r\n")[-1].split()[1].decode(), body.decode()


CHAT = b"POST /v1/chat/completions HTTP/1.1"
USUAL = (b"host: x", b"authorization: Bearer TOKEN")
LENGTH = b"content-length: %d" % len(BODY)


@pytest.mark.parametrize(
    ("more", "data"),
    [
        ((LENGTH,), BODY),
        ((b"transfer-encoding: chunked",), CHUNKED),
        ((LENGTH, b"x-user: \xe9\xff"), BODY),
        ((LENGTH,), BODY + b"\r\n"),
    ],
    ids=["whole", "chunked", "bytes in a header", "a line end behind it"],
)
def test_every_form_of_a_request_is_answered(more, data):
    assert answered(CHAT, *USUAL, *more, data=data) == ("200", '{"said": "m"}')


def test_what_is_no_request_is_refused_in_a_sentence():
    status, body = answered(b"no request at all")
    assert status == "400"
    assert "not an HTTP request" in json.loads(body)["error"]["message"]
    length = b"content-length: 2"
    for data in (b"[]", b"x{", b"{}"):
        assert answered(CHAT, *USUAL, length, data=data)[0] == "400"
    assert answered(CHAT, b"host: x", LENGTH, data=BODY)[0] == "401"


def test_a_relay_that_fails_says_so_to_the_client_and_at_the_end_of_the_run():
    notes = Notes()
    relay = Said(OSError("disk full"))
    status, body = answered(CHAT, *USUAL, LENGTH, data=BODY, relay=relay, notes=notes)
    said = "--compaction-proxy could not pass on a request to m (OSError: disk full)"
    assert (status, json.loads(body)["error"]["message"]) == ("502", said)
    assert said in notes.kept[0]
