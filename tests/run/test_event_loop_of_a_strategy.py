"""A strategy has one thread and one event loop for its whole life, and both end with it."""

import asyncio
import gc
import threading
from functools import partial

import pytest
from support.builders import COUNTER, build_case, context_of
from support.measuring import offline_settings

from pytest_compaction.compactors import (
    CompactorError,
    Composition,
    FunctionCompactor,
    Traits,
    View,
)
from pytest_compaction.compactors.base.history import HistoryCompactor, unchanged
from pytest_compaction.models import OfflineModel
from pytest_compaction.run import (
    Arm,
    CaseFeeder,
    Engine,
    Method,
    PlannedProbe,
    Roles,
    StrategyThread,
    TimeLimitError,
    Trigger,
    WorkLoop,
    parse_trigger,
)
from pytest_compaction.run.strategy_thread import SharedLoop

ENOUGH = 30.0


class Connected(HistoryCompactor):
    """Keeps a connection, as an HTTP client does: a task that lives on its first event loop."""

    name = "connected"
    traits = Traits()

    def __init__(self):
        self.requests = None
        self.loops, self.threads = [], []

    async def _serve(self):
        while True:
            reply = await self.requests.get()
            reply.set_result("pong")

    async def compact(self, state, context):
        loop = asyncio.get_running_loop()
        self.loops.append(loop)
        if self.requests is None:
            self.requests = asyncio.Queue()
            self.server = asyncio.create_task(self._serve())
        reply = loop.create_future()
        self.requests.put_nowait(reply)
        await asyncio.wait_for(reply, 5)
        return unchanged(state)

    def render(self, state, context, probe=None):
        self.threads.append(threading.current_thread())
        return View(super().render(state, context).messages)


CLIENTS = {}


async def compact(messages, budget):
    """Keeps everything, after asking the client of this module."""
    await CLIENTS["compact"].compact({"messages": []}, None)
    return messages


async def compact_too(messages, budget):
    """As ``compact``, and with the same client."""
    return await compact(messages, budget)


def engine_of(create, timeout=ENOUGH):
    model = OfflineModel(COUNTER)
    roles = Roles(model, model, (model,), COUNTER)
    work = WorkLoop(8)
    return work, Engine(
        Method(roles, create, Trigger("case"), offline_settings(timeout=timeout), work)
    )


@pytest.fixture
def left_behind():
    """The threads that were started since the test began, once they had time to end."""
    before = set(threading.enumerate())

    def left():
        started = set(threading.enumerate()) - before
        for thread in started:
            thread.join(0 if thread.name == "compaction-engine" else 10)
        return [thread.name for thread in started if thread.is_alive()]

    return left


def test_a_connection_that_is_kept_is_there_at_the_second_compaction(left_behind):
    connected, case = Connected(), build_case()
    work, engine = engine_of(lambda name: connected)
    compaction = engine.compaction(case, Arm("connected"))
    assert [(step.status, step.error) for step in compaction.steps] == [("noop", None)] * 2
    assert compaction.view() == case.messages
    work.close()
    assert len(set(connected.loops)) == 1
    assert left_behind() == []
    assert connected.loops[0].is_closed()


def test_what_is_async_and_made_anew_for_each_case_gets_a_loop_of_its_own(left_behind):
    async def local(messages, budget):
        return messages

    class Callable:
        async def __call__(self, messages, budget):
            return messages

    loops = SharedLoop()
    own = (local, Callable(), Callable().__call__, lambda messages, budget: messages)
    assert [loops.of(FunctionCompactor("own", each, {})) for each in own] == [None] * 4
    assert loops.of(Connected()) is None
    shared = loops.of(FunctionCompactor("compact", compact, {}))
    assert shared is loops.of(FunctionCompactor("again", compact, {})) is not None
    parts = [FunctionCompactor("a", compact, {}), FunctionCompactor("b", local, {})]
    assert loops.of(Composition("a+b", parts)) is shared
    loops.close()
    assert left_behind() == []


async def current_loop():
    return asyncio.get_running_loop()


def stuck():
    return pytest.raises(CompactorError, match="did not return within")


class Endless:
    """Sleeps until it is cancelled, and says so."""

    def __init__(self):
        self.begun, self.cancelled = threading.Event(), threading.Event()

    async def __call__(self):
        self.begun.set()
        try:
            await asyncio.sleep(3600)
        except asyncio.CancelledError:
            self.cancelled.set()
            raise


def test_functions_that_share_a_global_have_one_loop_in_whatever_strategy_they_are(left_behind):
    client = CLIENTS["compact"] = Connected()
    first = FunctionCompactor("a", compact, {})
    second = FunctionCompactor("b", compact_too, {})
    strategies = [first, second, Composition("a+b", [first, second])]
    for mentioned in (strategies, strategies[::-1]):
        loops = SharedLoop()
        assert len({id(loops.of(each)) for each in mentioned}) == 1
        loops.close()
    remaining = iter(strategies)
    work, engine = engine_of(lambda name: next(remaining))
    for name in ("a", "b", "a+b"):
        compaction = engine.compaction(build_case(), Arm(name))
        assert [(step.status, step.error) for step in compaction.steps] == [("noop", None)] * 2
        assert compaction.view() == build_case().messages
    work.close()
    assert len(set(client.loops)) == 1
    assert left_behind() == []
    assert client.loops[0].is_closed()


def test_calls_of_one_async_function_run_at_once_and_a_stuck_one_leaves_the_loop(left_behind):
    shared, meeting, endless = SharedLoop("function"), [], Endless()

    async def meet():
        meeting.append(asyncio.get_running_loop())
        while len(meeting) < 2:
            await asyncio.sleep(0.001)
        return len(meeting)

    async def both():
        threads = [StrategyThread(name, shared) for name in "ab"]
        found = await asyncio.gather(*(each.call(meet, ENOUGH, "meet") for each in threads))
        with stuck():
            await threads[0].call(endless, 0.05, "stuck")
        meeting.append(await threads[0].call(current_loop, ENOUGH, "loop"))
        for each in threads:
            each.close()
        return found

    assert asyncio.run(both()) == [2, 2]
    assert meeting[0] is meeting[1] is meeting[2]
    assert endless.cancelled.is_set()
    shared.close()
    assert left_behind() == []


@pytest.mark.parametrize("where", ["own", "shared"])
def test_a_coroutine_ends_with_its_time_or_with_whoever_waits_for_it(where, left_behind):
    shared = SharedLoop("function") if where == "shared" else None
    thread = StrategyThread("spending", shared)
    late, waited, dropped = Endless(), Endless(), Endless()

    async def calls():
        before = await thread.call(current_loop, ENOUGH, "loop")
        with stuck():
            await thread.call(late, 0.05, "late")
        assert late.cancelled.is_set()
        assert await thread.call(current_loop, ENOUGH, "loop") is before
        with pytest.raises(TimeLimitError):
            await asyncio.to_thread(thread.ended, waited, 0.05)
        assert waited.cancelled.is_set()
        assert await thread.call(current_loop, ENOUGH, "loop") is before
        task = asyncio.create_task(thread.call(dropped, ENOUGH, "dropped"))
        await asyncio.to_thread(dropped.begun.wait)
        task.cancel()
        await asyncio.wait([task])

    asyncio.run(calls())
    assert dropped.cancelled.wait(ENOUGH)
    thread.close()
    if shared is not None:
        shared.close()
    assert left_behind() == []


def test_a_coroutine_that_is_made_after_its_time_is_never_begun(left_behind):
    gate, endless = threading.Event(), Endless()
    thread = StrategyThread("late")

    def make():
        gate.wait()
        return endless()

    with pytest.raises(TimeLimitError):
        thread.ended(make, 0.05)
    gate.set()
    assert left_behind() == []
    assert not endless.begun.is_set()


def test_all_loops_end_even_if_the_caller_cannot_be_closed(left_behind):
    class Broken:
        async def close(self):
            raise OSError("no route")

    work = WorkLoop(8, Broken())
    shared = work.function_loop.of(FunctionCompactor("compact", compact, {}))
    own, loop = work.wait(current_loop()), shared.current()
    with pytest.raises(OSError, match="no route"):
        work.close()
    assert left_behind() == []
    assert own.is_closed()
    assert loop.is_closed()


def test_a_function_that_wants_the_process_to_end_does_not_end_the_loop(left_behind):
    shared = SharedLoop("function")
    thread = StrategyThread("strategy", shared)

    async def end():
        raise SystemExit(3)

    async def end_in_a_task():
        await asyncio.create_task(end())

    async def calls():
        for function in (end, end_in_a_task):
            with pytest.raises(CompactorError, match="call raised SystemExit: 3"):
                await thread.call(function, ENOUGH, "call")
        return await thread.call(lambda: asyncio.sleep(0, "well"), ENOUGH, "call")

    assert asyncio.run(calls()) == "well"
    thread.close()
    shared.close()
    assert left_behind() == []


def test_the_views_of_probes_are_rendered_in_the_thread_of_the_strategy():
    connected, case, arm = Connected(), build_case(), Arm("connected")
    work, engine = engine_of(lambda name: connected)
    engine.select(PlannedProbe(case.id, arm, probe.id) for probe in case.probes)
    compaction = engine.compaction(case, arm)
    for probe in case.probes:
        engine.verdict(compaction.ask(probe))
    work.close()
    assert len(connected.threads) > len(case.probes)
    assert len(set(connected.threads)) == 1


def test_a_call_that_outlives_the_loop_that_waited_for_it_ends_in_silence(left_behind):
    """The loop may be closed between being looked at and being called."""

    class Closing(asyncio.SelectorEventLoop):
        gone = False

        def call_soon_threadsafe(self, *args, **more):
            if self.gone:
                raise RuntimeError("Event loop is closed")
            return super().call_soon_threadsafe(*args, **more)

    loop, gate = Closing(), threading.Event()
    thread = StrategyThread("slow")
    with pytest.raises(CompactorError, match="did not return"):
        loop.run_until_complete(thread.call(gate.wait, 0.05, "slow"))
    loop.gone = True
    gate.set()
    assert left_behind() == []
    loop.close()


def test_a_thread_ends_with_the_object_that_owns_it_and_after_a_call_that_was_left_behind(
    left_behind,
):
    gate = threading.Event()
    thread = StrategyThread("forgotten")
    with pytest.raises(TimeLimitError, match=r"did not return within 0\.05 s"):
        thread.ended(gate.wait, 0.05)
    assert thread.ended(lambda: 3, ENOUGH) == (3, None)
    gate.set()
    del thread
    gc.collect()
    assert left_behind() == []


def test_a_call_after_the_end_has_a_thread_of_its_own(left_behind):
    thread = StrategyThread("late")
    thread.close()
    call = partial(thread.call, threading.current_thread, ENOUGH, "late")
    first, second = asyncio.run(call()), asyncio.run(call())
    assert first is not second
    assert left_behind() == []


def test_a_call_waits_its_turn_and_its_time_begins_with_it():
    """The first call lasts longer than the limit of the second, which waits for it."""
    thread, gate, begun = StrategyThread("busy"), threading.Event(), threading.Event()
    limit = 2.0

    def first():
        begun.set()
        return gate.wait(ENOUGH)

    async def both():
        long = asyncio.create_task(thread.call(first, 2 * ENOUGH, "first"))
        await asyncio.to_thread(begun.wait)
        short = asyncio.create_task(thread.call(lambda: "in time", limit, "second"))
        await asyncio.sleep(limit + 0.2)
        assert not short.done()
        gate.set()
        return await asyncio.gather(long, short)

    assert asyncio.run(both()) == [True, "in time"]
    thread.close()


def test_the_trigger_asks_in_the_same_thread():
    connected = Connected()
    feeder = CaseFeeder(build_case(), connected, context_of(), parse_trigger("tokens:1"), ENOUGH)
    fed = asyncio.run(feeder.feed())
    feeder.close()
    assert fed.steps
    assert len(set(connected.threads)) == 1
