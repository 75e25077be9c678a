from porterq.clock import ManualClock
from porterq.throttle import TickGate


def test_one_tick_per_interval():
    clock = ManualClock()
    gate = TickGate(clock, 10)
    assert gate.ready("a")
    clock.advance(9)
    assert not gate.ready("a")
    clock.advance(1)
    assert gate.ready("a")


def test_keys_are_independent():
    gate = TickGate(ManualClock(), 10)
    assert gate.ready("a")
    assert gate.ready("b")


def test_forget():
    gate = TickGate(ManualClock(), 10)
    assert gate.ready("a")
    gate.forget("a")
    assert gate.ready("a")
