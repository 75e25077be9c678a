import asyncio

import pytest

from pytest_compaction.models.calls import client
from pytest_compaction.models.calls.http import httpx
from pytest_compaction.models.calls.lanes import SIZE, LanedTransport


class Pool(httpx.AsyncBaseTransport):
    """Answers when it is told to, and knows how many requests are open."""

    def __init__(self, fails=False):
        self.open = self.most = self.served = 0
        self.go = asyncio.Event()
        self.closed = False
        self._fails = fails

    async def handle_async_request(self, request):
        self.open += 1
        self.most = max(self.most, self.open)
        try:
            await self.go.wait()
            if self._fails:
                raise httpx.ConnectError("refused")
        finally:
            self.open -= 1
        self.served += 1
        return httpx.Response(200, stream=Body())

    async def aclose(self):
        self.closed = True


class Body(httpx.AsyncByteStream):
    async def __aiter__(self):
        yield b"said"


def started(count, fails=False):
    """The pools after so many requests were begun, and the requests."""
    pools = []

    def new_pool():
        pools.append(Pool(fails))
        return pools[-1]

    transport = LanedTransport(new_pool)
    http = httpx.AsyncClient(mounts={"all://": transport})
    return pools, http, [asyncio.ensure_future(http.get("http://local/")) for _ in range(count)]


def test_a_pool_takes_few_requests_and_the_next_one_is_made_when_it_is_full():
    async def work():
        pools, http, requests = started(2 * SIZE + 1)
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        assert [pool.open for pool in pools] == [SIZE, SIZE, 1]
        for pool in pools:
            pool.go.set()
        assert [reply.text for reply in await asyncio.gather(*requests)] == ["said"] * len(requests)
        for _ in range(5):
            await http.get("http://local/")
        assert [pool.served for pool in pools] == [SIZE + 5, SIZE, 1]
        await http.aclose()
        assert all(pool.closed for pool in pools)

    asyncio.run(work())


def test_a_place_is_free_again_after_an_error_and_after_a_cancelled_request():
    async def work():
        pools, http, requests = started(SIZE, fails=True)
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        requests[0].cancel()
        pools[0].go.set()
        found = await asyncio.gather(*requests, return_exceptions=True)
        assert [type(error) for error in found[1:]] == [httpx.ConnectError] * (SIZE - 1)
        assert isinstance(found[0], asyncio.CancelledError)
        again = [http.get("http://local/") for _ in range(SIZE)]
        await asyncio.gather(*again, return_exceptions=True)
        assert len(pools) == 1

    asyncio.run(work())


def test_a_place_is_taken_until_the_reply_is_closed():
    async def work():
        pools, http, _ = started(0)
        streams = [
            http.send(http.build_request("GET", "http://local/"), stream=True) for _ in range(SIZE)
        ]
        waiting = [asyncio.ensure_future(stream) for stream in streams]
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        pools[0].go.set()
        replies = await asyncio.gather(*waiting)
        again = asyncio.ensure_future(http.get("http://local/"))
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        assert len(pools) == 2
        pools[1].go.set()
        await again
        for reply in replies:
            await reply.aclose()
            await reply.aclose()
        await http.get("http://local/")
        assert [pool.served for pool in pools] == [SIZE + 1, 1]

    asyncio.run(work())


@pytest.mark.parametrize(("proxies", "laned"), [({}, True), ({"all": "http://p:1"}, False)])
def test_a_proxy_for_everything_keeps_its_own_way(monkeypatch, proxies, laned):
    monkeypatch.setattr(client, "getproxies", lambda: proxies)
    assert bool(client._route()) is laned
