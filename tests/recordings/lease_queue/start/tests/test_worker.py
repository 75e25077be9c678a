from porterq.reaper import Reaper
from porterq.worker import Worker


def test_runs_a_batch(queue, registry):
    seen = []
    registry.on("mail")(seen.append)
    for n in range(3):
        queue.put("mail", n)
    metrics = Worker(queue, registry, "w1").run_until_idle()
    assert seen == [0, 1, 2]
    assert metrics.line() == "leased=3 started=3 done=3 failed=0 lost=0"


def test_failing_job_is_retried(queue, registry, clock):
    outcomes = iter([ValueError("boom"), None])

    @registry.on("mail")
    def mail(payload):
        outcome = next(outcomes)
        if outcome:
            raise outcome

    queue.put("mail")
    worker = Worker(queue, registry, "w1")
    assert worker.run_until_idle()["failed"] == 1
    clock.advance(4)
    assert worker.run_until_idle()["done"] == 1


def test_unknown_kind_counts_as_failure(queue, registry):
    queue.put("fax")
    assert Worker(queue, registry, "w1").run_until_idle()["failed"] == 1


def test_long_job_keeps_its_lease(queue, registry, clock):
    @registry.on("report")
    def report(payload):
        for _ in range(20):
            clock.advance(5)
            yield

    queue.put("report")
    metrics = Worker(queue, registry, "w1").run_until_idle()
    assert metrics.line() == "leased=1 started=1 done=1 failed=0 lost=0"


def test_lost_lease_is_counted(queue, registry, clock):
    @registry.on("sleepy")
    def sleepy(payload):
        clock.advance(31)
        Reaper(queue.store).sweep()

    queue.put("sleepy")
    worker = Worker(queue, registry, "w1")
    next(worker.steps())
    assert worker.metrics["lost"] == 1


def test_reaper_rests_between_sweeps(store, clock):
    store.insert("mail", "null")
    store.claim("w1", 1, 30)
    reaper = Reaper(store, every=5)
    assert reaper.sweep() == []
    clock.advance(4)
    assert reaper.sweep() == []
    clock.advance(26)
    assert reaper.sweep() == [1]
    assert reaper.requeued == 1
