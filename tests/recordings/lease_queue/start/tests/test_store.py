import sqlite3

import pytest

from porterq.clock import ManualClock
from porterq.errors import LeaseLost, StoreBusy
from porterq.store import LeaseStore


def test_extend_moves_the_expiry(store, clock):
    store.insert("mail", "null")
    (lease,) = store.claim("w1", 1, 30)
    clock.advance(20)
    assert store.extend(lease, 30) == lease.expires_at + 20


def test_extend_of_a_lost_lease(store, clock):
    store.insert("mail", "null")
    (lease,) = store.claim("w1", 1, 30)
    clock.advance(30)
    assert store.requeue_expired() == [1]
    store.claim("w2", 1, 30)
    with pytest.raises(LeaseLost, match="job 1 is held as w2-0002, not w1-0001"):
        store.extend(lease, 30)


def test_nothing_is_requeued_before_its_time(store, clock):
    store.insert("mail", "null")
    store.claim("w1", 1, 30)
    clock.advance(29)
    assert store.requeue_expired() == []


def test_history_of_a_job(store, clock):
    store.insert("mail", "null")
    (lease,) = store.claim("w1", 1, 30)
    clock.advance(3)
    store.finish(lease)
    assert [event.what for event in store.events(1)] == ["leased as w1-0001", "done"]


def test_second_writer_gets_store_busy(tmp_path):
    path = str(tmp_path / "jobs.db")
    first = LeaseStore(path, ManualClock())
    second = LeaseStore(path, ManualClock(), busy_timeout_ms=0)
    blocker = sqlite3.connect(path, isolation_level=None)
    blocker.execute("BEGIN IMMEDIATE")
    with pytest.raises(StoreBusy, match="PQ-503 store busy during insert"):
        second.insert("mail", "null")
    blocker.execute("ROLLBACK")
    blocker.close()
    first.close()
    second.close()


def test_a_file_is_migrated_once(tmp_path):
    path = str(tmp_path / "jobs.db")
    LeaseStore(path, ManualClock()).close()
    store = LeaseStore(path, ManualClock())
    assert store.counts() == {}
    store.close()
