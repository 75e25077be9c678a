import pytest

from porterq.errors import LeaseLost, PayloadTooLarge


def test_jobs_come_in_order(queue):
    for n in range(3):
        queue.put("mail", n)
    assert [lease.payload for lease in queue.lease("w1", 2)] == [0, 1]
    assert [lease.payload for lease in queue.lease("w2", 2)] == [2]


def test_delayed_job_is_not_leased_early(queue, clock):
    queue.put("mail", delay=5)
    assert queue.lease("w1") == []
    clock.advance(5)
    assert len(queue.lease("w1")) == 1


def test_ack_ends_a_job(queue):
    queue.put("mail")
    (lease,) = queue.lease("w1")
    queue.ack(lease)
    assert queue.stats() == {"ready": 0, "leased": 0, "done": 1, "dead": 0}


def test_ack_twice_is_lease_lost(queue):
    queue.put("mail")
    (lease,) = queue.lease("w1")
    queue.ack(lease)
    with pytest.raises(LeaseLost, match="PQ-409 lease lost: job 1 is done, not w1-0001"):
        queue.ack(lease)


def test_nack_waits_and_gives_up_in_the_end(queue, clock):
    queue.put("mail")
    for attempt in range(1, 6):
        clock.advance(400)
        (lease,) = queue.lease("w1")
        assert lease.attempt == attempt
        assert queue.nack(lease, "boom") is (attempt < 5)
    assert queue.stats()["dead"] == 1


def test_limit_must_be_positive(queue):
    with pytest.raises(ValueError, match="got 0"):
        queue.lease("w1", 0)


def test_large_payload_is_refused(queue):
    with pytest.raises(PayloadTooLarge, match="PQ-413"):
        queue.put("mail", "x" * 70_000)
