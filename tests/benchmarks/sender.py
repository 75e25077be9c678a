"""Sends given bodies without the project: what client and server can do at best.

``python -m tests.benchmarks.sender openai|bare BODIES URL IN_FLIGHT`` prints the figures of the
mock endpoint, and the CPU seconds of this process to load the client (``load_cpu``) and to send
(``sent_cpu``). BODIES is a file with one request a line. ``openai`` is the asynchronous client of
that package; ``bare`` writes the same requests to its own connections and does nothing else, so
that it measures the mock endpoint.
"""

import asyncio
import json
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from urllib.parse import urlsplit

from tests.benchmarks.mock_process import figures_at

PATH = "/chat/completions"
HEAD = (
    "POST {} HTTP/1.1\r\nHost: mock\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n"
)

Send = Callable[[bytes], Awaitable[None]]


@asynccontextmanager
async def openai_client(url: str) -> AsyncIterator[Send]:
    """Sends as the project does: the package writes the JSON and hands out the response."""
    import openai

    from pytest_compaction.models.calls.client import httpx

    async with openai.AsyncOpenAI(base_url=url, api_key="none", max_retries=0) as client:

        async def send(body: bytes) -> None:
            response = await client.post(PATH, body=json.loads(body), cast_to=httpx.Response)
            response.json()

        yield send


@asynccontextmanager
async def bare_client(url: str) -> AsyncIterator[Send]:
    """Sends over connections that wait in a pool, and reads the reply without its JSON."""
    address = urlsplit(url)
    idle: list[tuple[asyncio.StreamReader, asyncio.StreamWriter]] = []

    async def send(body: bytes) -> None:
        if not idle:
            idle.append(await asyncio.open_connection(address.hostname, address.port))
        reader, writer = idle.pop()
        writer.write(HEAD.format(address.path + PATH, len(body)).encode() + body)
        head = await reader.readuntil(b"\r\n\r\n")
        await reader.readexactly(int(head.lower().partition(b"content-length:")[2].split()[0]))
        idle.append((reader, writer))

    yield send
    for _, writer in idle:
        writer.close()


CLIENTS = {"openai": openai_client, "bare": bare_client}


async def send_all(send: Send, bodies: Sequence[bytes], in_flight: int) -> None:
    """Send all bodies, always as many at a time as are allowed."""
    waiting = iter(bodies)

    async def one_after_the_other(left: Iterator[bytes]) -> None:
        for body in left:
            await send(body)

    await asyncio.gather(*(one_after_the_other(waiting) for _ in range(in_flight)))


async def measured(
    kind: str, bodies: Sequence[bytes], url: str, in_flight: int
) -> dict[str, float]:
    """The figures of all calls, and the CPU times of loading the client and of sending them.

    One call a connection is made before, and counts as loading.
    """
    started = time.process_time()
    async with CLIENTS[kind](url) as send:
        await send_all(send, bodies[:in_flight], in_flight)
        await asyncio.to_thread(figures_at, url)
        ready = time.process_time()
        await send_all(send, bodies, in_flight)
        times = {"load_cpu": ready - started, "sent_cpu": time.process_time() - ready}
        return {**await asyncio.to_thread(figures_at, url), **times}


if __name__ == "__main__":
    kind, file, url, in_flight = sys.argv[1:]
    lines = Path(file).read_bytes().splitlines()
    found = asyncio.run(measured(kind, lines, url, int(in_flight)))
    sys.stdout.write(f"{json.dumps(found)}\n")
