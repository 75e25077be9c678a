"""The mock endpoint counts what is in flight, and its replies can be used."""

import asyncio
import json

import pytest

from tests.benchmarks.mock_endpoint import Connection, MockEndpoint
from tests.benchmarks.sender import bare_client, openai_client, send_all

LATENCY = 0.15
"""Seconds: long enough for all requests of a test to be there before the first reply."""
BODY = {"model": "some-name", "messages": [{"role": "user", "content": "What is the limit?"}]}
REQUESTS = [json.dumps({**BODY, "seed": seed}).encode() for seed in range(5)]


async def figures(client, in_flight, count=5):
    """The figures after so many requests, at most ``in_flight`` at a time."""
    endpoint = MockEndpoint(LATENCY)
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: Connection(endpoint), "127.0.0.1", 0)
    async with server:
        url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
        async with client(url) as send:
            await send_all(send, REQUESTS[:count], in_flight)
    assert endpoint.figures.flying == 0
    found = json.loads(endpoint.taken())
    assert json.loads(endpoint.taken())["calls"] == 0
    return found


@pytest.mark.parametrize("client", [bare_client, openai_client])
@pytest.mark.parametrize("in_flight", [1, 2, 5])
def test_requests_in_flight_are_counted(client, in_flight):
    count = max(in_flight, 2)
    found = asyncio.run(figures(client, in_flight, count))
    assert (found["calls"], found["most"]) == (count, in_flight)


def test_busy_adds_up_the_seconds_of_all_requests():
    endpoint = MockEndpoint(LATENCY)
    times = iter([10.0, 11.0, 14.0, 15.0])
    counted = endpoint.figures
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("tests.benchmarks.mock_endpoint.time.perf_counter", lambda: next(times))
        for step in (1, 1, -1, -1):
            counted.change(step)
    said = counted.as_json()
    assert said.pop("cpu") >= 0
    assert said == {"calls": 2, "seconds": 5.0, "most": 2, "busy": 1 + 2 * 3 + 1}
