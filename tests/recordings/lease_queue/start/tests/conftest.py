import pytest

from porterq.clock import ManualClock
from porterq.config import Settings
from porterq.handlers import Registry
from porterq.queue import JobQueue
from porterq.store import LeaseStore


@pytest.fixture
def clock():
    return ManualClock()


@pytest.fixture
def store(clock):
    store = LeaseStore(":memory:", clock)
    yield store
    store.close()


@pytest.fixture
def queue(store):
    return JobQueue(store, Settings())


@pytest.fixture
def registry():
    return Registry()
