"""Jobs of a small lease queue run twice under load; the leases that wait are never renewed.

The claim query looks like a race and is none. What is wrong is a commit that coalesced
heartbeats per worker: only the first lease of a batch is renewed. The first repair
writes too much, a single update for the whole batch replaces it, and a check before
each start covers handlers without safe points.
"""

from __future__ import annotations

from recorder import Play, Recorder, bash, edit_file, ends, read_file, write_file
from repository import Repository

HISTORY = [
    (
        "Cap lease batches at 16",
        "src/porterq/config.py",
        "MAX_BATCH = 32",
        "MAX_BATCH = 16",
    ),
    (
        "Allow payloads up to 64 KiB",
        "src/porterq/serializers.py",
        "MAX_PAYLOAD_BYTES = 32 * 1024",
        "MAX_PAYLOAD_BYTES = 64 * 1024",
    ),
    (
        "Coalesce heartbeats per worker\n\n"
        "At month end the hosts logged PQ-503 'store busy during heartbeat' about 40 times\n"
        "an hour, because every lease of a batch wrote on its own. One heartbeat per worker\n"
        "and interval is enough.",
        "src/porterq/worker.py",
        "self._gate.ready(lease.token)",
        "self._gate.ready(self.worker_id)",
    ),
    (
        "Say when the reaper runs",
        "docs/leases.md",
        "whose lease has expired back to *ready*.",
        "whose lease has expired back to *ready*. Each\n"
        "   worker sweeps before it leases a batch, at most once per second.",
    ),
]

STRESS = '''\
"""Do two workers ever lease the same job? Four threads, one file, own connections."""

import tempfile
import threading
from collections import Counter
from pathlib import Path

from porterq.clock import ManualClock
from porterq.store import LeaseStore

JOBS, THREADS = 400, 4
leased = Counter()
start = threading.Barrier(THREADS)


def claim_all(path, name):
    store = LeaseStore(path, ManualClock(), busy_timeout_ms=20_000)
    start.wait()
    while leases := store.claim(name, 3, 30):
        leased.update(lease.job_id for lease in leases)
    store.close()


with tempfile.TemporaryDirectory() as folder:
    path = str(Path(folder) / "jobs.db")
    store = LeaseStore(path, ManualClock())
    for n in range(JOBS):
        store.insert("stress", str(n))
    store.close()
    threads = [threading.Thread(target=claim_all, args=(path, f"t{n}")) for n in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
print(f"{len(leased)} jobs leased, {sum(n > 1 for n in leased.values())} leased more than once")
'''

RENEWAL_TEST = '''\
"""What keeps the leases of a batch alive while its jobs run."""

from porterq.worker import Worker


def slow(clock, seen, seconds=12):
    """A handler with a safe point every second."""

    def handler(payload):
        seen.append(payload)
        for _ in range(seconds):
            clock.advance(1)
            yield

    return handler


def until_idle(worker):
    for step in worker.steps():
        if step == "idle":
            return
        yield step


def test_waiting_leases_outlive_a_slow_batch(queue, registry, clock):
    seen = []
    registry.on("invoice")(slow(clock, seen))
    for n in range(4):
        queue.put("invoice", n)
    worker = Worker(queue, registry, "w1")
    other = Worker(queue, registry, "w2")
    for _ in until_idle(worker):
        assert other.reaper.sweep() == []
    assert seen == [0, 1, 2, 3]
    assert worker.metrics["lost"] == 0
'''

TAKEN_BACK_TEST = """

def test_a_waiting_lease_that_is_gone_does_not_stop_the_running_job(queue, registry, clock):
    seen = []
    registry.on("invoice")(slow(clock, seen))
    for n in range(2):
        queue.put("invoice", n)
    worker = Worker(queue, registry, "w1")
    steps = until_idle(worker)
    next(steps)
    queue.nack(worker.held[1], "taken back by hand")
    for _ in steps:
        pass
    assert seen == [0, 1]
    assert worker.metrics.line() == "leased=3 started=2 done=2 failed=0 lost=1"
"""

ONE_WRITE_TEST = """

def test_a_batch_is_renewed_in_one_write(queue, registry, clock):
    seen = []
    registry.on("invoice")(slow(clock, seen, seconds=12))
    for n in range(8):
        queue.put("invoice", n)
    for _ in until_idle(Worker(queue, registry, "w1")):
        pass
    assert seen == list(range(8))
    assert queue.store.writes["heartbeat"] == 9
"""

STORE_TEST = """

def test_renewal_of_a_batch_tells_what_is_still_held(store, clock):
    for _ in range(3):
        store.insert("mail", "null")
    batch = store.claim("w1", 3, 30)
    store.release(batch[1], 0)
    clock.advance(20)
    assert store.extend_many(batch, 30) == {"w1-0001", "w1-0003"}
    clock.advance(29)
    assert store.requeue_expired() == []
    clock.advance(1)
    assert store.requeue_expired() == [1, 3]
"""

BUSY_TEST = """

def test_a_busy_store_puts_the_renewal_off(queue, registry, clock, monkeypatch):
    seen, tries = [], []
    renew_all = queue.renew_all

    def busy_once(leases):
        tries.append(clock.now())
        if len(tries) == 1:
            raise StoreBusy("store busy during heartbeat: database is locked")
        return renew_all(leases)

    monkeypatch.setattr(queue, "renew_all", busy_once)
    registry.on("invoice")(slow(clock, seen))
    queue.put("invoice", 0)
    worker = Worker(queue, registry, "w1")
    due = clock.now() + queue.settings.renew_every
    for _ in until_idle(worker):
        pass
    assert worker.metrics["failed"] == 0
    assert tries == [due, due + 1]
"""

SKIP_TESTS = """

def test_a_job_that_waited_too_long_is_skipped(queue, registry, clock):
    seen = []

    @registry.on("invoice")
    def invoice(payload):
        seen.append((payload, "w1"))
        clock.advance(40)

    for n in range(2):
        queue.put("invoice", n)
    worker = Worker(queue, registry, "w1")
    steps = worker.steps()
    assert next(steps) == "finished"
    other = Worker(queue, registry, "w2")
    other.reaper.sweep()
    (stolen,) = queue.lease("w2")
    assert next(steps) == "idle"
    assert seen == [(0, "w1")]
    assert worker.metrics["skipped"] == 1
    queue.ack(stolen)


def test_start_of_a_lease_that_is_gone(queue, clock):
    queue.put("invoice")
    (lease,) = queue.lease("w1")
    clock.advance(40)
    queue.store.requeue_expired()
    with pytest.raises(LeaseExpired, match="PQ-410 not started: job 1 is ready, not w1-0001"):
        queue.start(lease)
"""

RECOVERY_TEST = '''\
"""Recovery of expired leases."""

import logging

import pytest

from porterq.recovery import Reaper


def test_sweep_logs_under_the_old_name(store, clock, caplog):
    store.insert("mail", "null")
    store.claim("w1", 1, 30)
    clock.advance(30)
    with caplog.at_level(logging.WARNING):
        Reaper(store).sweep()
    assert caplog.record_tuples == [
        ("porterq.reaper", logging.WARNING, "requeued 1 expired leases: [1]")
    ]


@pytest.mark.xfail(strict=True, reason="expires_at is cut to whole seconds; needs schema step 4")
def test_a_lease_lasts_its_full_length(store, clock):
    clock.advance(0.9)
    store.insert("mail", "null")
    store.claim("w1", 1, 30)
    clock.advance(29.5)
    assert store.requeue_expired() == []
'''

DECISION = """\
# 0001: One renewal write for a whole batch

## Problem

Since heartbeats were coalesced per worker, only the running job of a batch was renewed.
The jobs behind it expired while they waited and ran twice.

## Decision

`JobQueue.renew_all` renews every held lease in one transaction, at most once per
`renew_every` seconds. Before a job starts, `LeaseStore.start` checks that its lease is
still held.

## Consequences

A renewal that finds the store busy is put off to the next safe point. A handler without safe
points can still outlive the leases behind it; those jobs are skipped and run elsewhere.
"""


def past(repo: Repository) -> None:
    """Give the repository a history before the session; ``start`` marks its end."""
    for message, path, old, new in HISTORY:
        repo.change(path, old, new)
        repo.git("commit", "-q", "-a", "-m", message)
    repo.git("tag", "-f", "start")


def reproduce(session: Recorder) -> None:
    """The report, the lay of the land, the rehearsal that shows the fault."""
    session.system(
        "You are a coding agent in a terminal. The working directory is the root of the user's "
        "repository. You have the tools bash, read_file, write_file and edit_file. Investigate "
        "before you change things, keep changes small, run the tests after each change, and say "
        "briefly what you found and why you do what you do."
    )
    session.user(
        "porterq runs jobs twice under load (ticket OPS-2291). Last night on depot-3: 4 workers, "
        "batch_size 8, and 23 of 400 invoice.send jobs ran twice, so customers got two invoice "
        "mails. On quiet days nothing happens. The worker log has pairs like\n\n"
        "    WARNING porterq.reaper: requeued 2 expired leases: [17, 18]\n"
        "    ERROR porterq.worker: worker w1: PQ-409 lease lost: job 17 is held as w2-0041, not w1-0017\n\n"
        "and then the worker process ends with exit code 75. Handlers take about 6 seconds each, "
        "far below the 30 second lease, which is what I do not understand.\n\n"
        "Please find the root cause before you change code. Three rules for the whole job: "
        "(1) the signature JobQueue.lease(worker_id, limit=1) must not change, the billing service "
        "calls it positionally; (2) no threads inside the worker, handlers use SQLite connections "
        "that belong to their thread; (3) no new dependency."
    )
    session.together(
        [
            bash("git log --oneline && git ls-files | xargs wc -l"),
            bash("python -m pytest -q --tb=short"),
        ],
        "I'll start with the history, the layout and the state of the tests, then look for a way "
        "to reproduce this without four real workers.",
    )
    session.together([read_file("README.md"), read_file("docs/leases.md")])
    session.read(
        "src/porterq/worker.py",
        "The suite is green with 34 passed, so nothing in it covers this. There is a `rehearse` "
        "command with a manual clock, which may give us a deterministic reproduction. First the "
        "worker, because the log lines come from there.",
    )
    session.bash(
        "python -m porterq rehearse",
        "A worker leases a whole batch at once and runs it in order; leases are renewed at safe "
        "points in `_beat`. Let me see whether the rehearsal shows the fault with its defaults.",
    )
    session.bash(
        "python -m porterq rehearse --jobs 120 --workers 4",
        "40 jobs over 4 workers is only little more than one batch each. I'll make the backlog "
        "deeper, as at night on depot-3.",
    )
    session.read(
        "src/porterq/rehearse.py",
        "Reproduced, without any real time or processes: 120 jobs give 135 runs and exit code 75. "
        "Before I trust it I want to know that the rehearsal drives the real worker and store.",
    )
    session.read(
        "src/porterq/store.py",
        "It does: real Worker objects take turns, only the clock is manual. "
        "Now the store. My first hypothesis is a claim race: two workers select the same ready "
        "row before either marks it as leased.",
    )


def dead_end(session: Recorder) -> None:
    """The claim race that is none."""
    session.read(
        "src/porterq/queue.py",
        "`claim` does look suspicious: a SELECT of ready rows and then an UPDATE per row whose "
        "WHERE clause has only the id, not `state = 'ready'`. If two connections could interleave "
        "there, both would get the row. It depends on what `_transaction` really takes. Checking "
        "how the queue calls it.",
    )
    session.bash(
        "grep -n 'BEGIN\\|isolation_level\\|COMMIT\\|ROLLBACK' -r src/porterq",
    )
    session.write(
        "scripts/claim_stress.py",
        STRESS,
        "It is BEGIN IMMEDIATE, so the write lock is taken before the SELECT and claims should be "
        "serial. I'd rather measure than believe: a stress script with four connections on one "
        "file, which counts how often each job was leased.",
    )
    session.bash("python scripts/claim_stress.py")
    session.bash(
        "python -m porterq rehearse --jobs 120 --trace 16",
        "No job was leased more than once in 400. And the rehearsal is single-threaded with one "
        "store, where no race can exist at all, yet it shows duplicates. Let me look at the "
        "history of one of the jobs that ran twice.",
    )
    session.bash(
        "rm scripts/claim_stress.py && rmdir scripts && git status --short",
        "The claim race is ruled out: BEGIN IMMEDIATE serialises claims, the stress run had no "
        "double lease, and job 16 was requeued by the reaper at t=49 before anybody else got it. "
        "Worse, w2 then *started* job 16 at t=50 although its lease had just gone. So the "
        "question is why a lease expires at all. I remove the stress script, it has served.",
    )
    session.together(
        [
            read_file("src/porterq/reaper.py"),
            read_file("src/porterq/clock.py"),
        ],
        "Next suspects: the reaper being too eager, and rounding. Expiry is stored by `_seconds`, "
        "which cuts to an int.",
    )
    session.say(
        "Intermediate result. The reaper is innocent: it requeues exactly the rows with "
        "`expires_at <= now`. Rounding is real but small: `_seconds` truncates, so a lease can end "
        "up to 1 second early; the rehearsal clock moves in whole seconds and still shows 14 jobs "
        "that ran twice, so rounding is not the cause. I note it for later. What remains is that "
        "leases that wait in a batch are not renewed in time."
    )
    session.point("p1")


def stopgap(session: Recorder) -> None:
    """45 seconds for tonight, and what they do not repair."""
    session.user(
        "Makes sense. Ops wants something for tonight though: please raise lease_seconds from 30 "
        "to 45 in porterq.toml as a stopgap, its own commit, and tell me what it buys us. Then go "
        "on with the cause."
    )
    session.together(
        [
            edit_file("porterq.toml", "lease_seconds = 30", "lease_seconds = 45"),
            bash("python -m porterq rehearse --jobs 120"),
            bash(
                "git commit -qam 'Raise lease_seconds to 45 as a stopgap' && git log --oneline -1"
            ),
        ],
        "Only the setting; the default in config.py stays as it is for now.",
    )
    session.bash(
        'for batch in 1 2 4 8 16; do echo "batch $batch"; '
        "PORTERQ_LEASE_SECONDS=30 python -m porterq rehearse --jobs 120 --batch $batch | sed -n 2,4p; done",
        "With 45 seconds 10 jobs still run twice instead of 14: it hides the fault, it does not "
        "cure it. To see what the fault depends on I vary the batch size, with the old 30 seconds "
        "from the environment.",
    )
    session.read(
        "src/porterq/throttle.py",
        "Clear picture: with batches of 1 or 2 nothing runs twice, from 4 on it does. And the "
        "victims are mostly the last two places of a batch (15, 16, 23, 24, …). Those wait longest. "
        "So renewal of waiting leases is broken; `_beat` asks a TickGate, which I have not read yet.",
    )
    session.bash(
        "git log --format='%h %s' -G '_gate.ready' -- src/porterq/worker.py",
        "The gate lets one tick through *per key* and interval, and `_beat` asks it with "
        "`self.worker_id` for every lease in the loop. The first lease of the loop takes the "
        "tick; all the others are refused. The first one is always the running job. Was it always "
        "like that?",
    )
    culprit = session.repo.git("log", "-1", "--format=%h", "-G", "_gate.ready", "--", "src")
    session.bash(f"git show {culprit.strip()}")
    session.say(
        "That is the root cause. The commit 'Coalesce heartbeats per worker' changed the gate's "
        "key from the lease token to the worker id, to get rid of PQ-503 about 40 times an hour at "
        "month end. Since then only the running job of a batch is renewed. With batches of 8 and "
        "jobs of 6 seconds the last ones wait more than 30 seconds, expire, and a second worker "
        "gets them; on quiet days batches are short and nothing expires. Note that `_drop` still "
        "forgets `lease.token`, a key the gate never sees any more.\n\n"
        "Plan: a failing test first, then key the gate by token again, then look at the cost in "
        "writes."
    )
    session.user(
        "Convincing, thanks. Before you repair it: does anything besides the worker renew leases, "
        "and does `porterq work` go through the same code? depot-3 runs that command under a "
        "supervisor, and half of our handlers are plain functions, not generators."
    )
    session.together(
        [
            bash("grep -rn '\\.extend(\\|_beat(\\|_gate' src tests | sort"),
            read_file("src/porterq/handlers.py"),
            read_file("src/porterq/cli.py"),
        ]
    )
    session.say(
        "Only `Worker._beat` renews, and `porterq work` is the same Worker with `run_until_idle`, so "
        "one repair covers depot-3. A plain handler returns before the worker looks at the leases "
        "again: no safe point, no renewal, whatever the gate does. I come back to that once the "
        "generator case is repaired."
    )


def first_repair(session: Recorder) -> None:
    """One heartbeat per lease: right, and with a trap of its own."""
    session.read(
        "tests/test_worker.py",
        "I want the new tests to look like the existing ones.",
    )
    session.together(
        [
            read_file("tests/conftest.py"),
            write_file("tests/test_renewal.py", RENEWAL_TEST),
            bash("python -m pytest -q --tb=short tests/test_renewal.py"),
        ],
    )
    session.edit(
        "src/porterq/worker.py",
        "self._gate.ready(self.worker_id)",
        "self._gate.ready(lease.token)",
        "It fails for the right reason: at the 30 second mark leases 3 and 4 are swept away under "
        "the worker. Now the key.",
    )
    session.together(
        [
            bash("python -m pytest -q --tb=short"),
            bash("PORTERQ_LEASE_SECONDS=30 python -m porterq rehearse --jobs 120"),
        ]
    )
    session.bash(
        f"cat >> tests/test_renewal.py <<'END'\n{TAKEN_BACK_TEST}END\n"
        "python -m pytest -q --tb=short tests/test_renewal.py",
        "Green, and no job runs twice even with 30 seconds. But heartbeat writes went from 93 to "
        "434, remember that. And I see a danger: `extend` raises LeaseLost for a *waiting* lease "
        "now, inside the try block of the *running* job. A test for that.",
    )
    session.edit(
        "src/porterq/worker.py",
        "    def _beat(self) -> None:\n"
        '        """Renew what is held; called at every safe point."""\n'
        "        for lease in self.held:\n"
        "            if self._gate.ready(lease.token):\n"
        "                self.queue.extend(lease)\n",
        "    def _beat(self, running: Lease) -> None:\n"
        '        """Renew what is held; called at every safe point."""\n'
        "        for lease in list(self.held):\n"
        "            if not self._gate.ready(lease.token):\n"
        "                continue\n"
        "            try:\n"
        "                self.queue.extend(lease)\n"
        "            except LeaseLost as error:\n"
        "                if lease.token == running.token:\n"
        "                    raise\n"
        "                self._lost(lease, error)\n"
        "                self._drop(lease)\n",
        "Confirmed, and twice over: the error about job 2 aborts the running job 1, which is never "
        "acknowledged and would run again after its expiry; and job 2 is started with its dead "
        "lease. The plain key change would have brought duplicates of its own. Only the loss of the running lease may stop the running job; a waiting one is dropped.",
    )
    session.together(
        [
            edit_file(
                "src/porterq/worker.py",
                "                    self._beat()\n",
                "                    self._beat(lease)\n",
            ),
            edit_file(
                "src/porterq/worker.py",
                "            for lease in batch:\n                yield from self._run(lease)\n",
                "            for lease in batch:\n                if lease in self.held:\n"
                "                    yield from self._run(lease)\n",
            ),
            bash("python -m pytest -q --tb=short"),
        ],
        "And a dropped lease must not be run when its turn comes.",
    )
    session.bash(
        "git diff src/porterq/worker.py",
        "36 passed. A look at the whole change before I commit it for a trial on staging.",
    )
    session.bash(
        "git add -A && git commit -qm 'Renew every held lease, not only the running one' && git show --stat --format='%h %s'",
    )
    session.say(
        "The cause is repaired in 'Renew every held lease, not only the running one': the gate is "
        "keyed by token again and a lost waiting lease no longer aborts the running job. Open "
        "point is the price: 434 heartbeat writes in the rehearsal against 93 before. The "
        "coalescing commit was made because of exactly that, so please watch for PQ-503 on staging."
    )
    session.point("p2")


def second_repair(session: Recorder) -> None:
    """Staging says it writes too much; one update for the whole batch."""
    session.user(
        "Tried it on staging-2 with 6 workers. No duplicates any more, but 14 times PQ-503 'store "
        "busy during heartbeat' in 10 minutes, and each one fails the running job. So that is not "
        "shippable. Could we simply set busy_timeout_ms from 250 to 2000? Or drop the renewal "
        "idea and keep a table of finished runs that ack checks?"
    )
    session.together(
        [
            read_file("src/porterq/config.py"),
            bash(
                "grep -rn 'busy_timeout\\|StoreBusy' --include='*.py' --include='*.toml' . | sort"
            ),
        ],
        "Before I answer, where the timeout goes and who catches StoreBusy.",
    )
    session.say(
        "I'd do neither. A busy timeout of 2000 ms makes the worker stand still for up to two "
        "seconds per heartbeat while all its leases age, and it only hides the lock contention. A "
        "table of finished runs detects the second run at ack time, when the invoice mail has "
        "already gone out; that protects our bookkeeping, not the customer.\n\n"
        "What I propose instead, and it replaces my per-lease heartbeats: renew the whole batch in "
        "one UPDATE inside one transaction, at most once per `renew_every` seconds and worker. That "
        "has the few writes of the coalescing commit and still covers the waiting leases. The "
        "TickGate is not needed for it."
    )
    session.user(
        "Agreed, one write per batch. Careful with SQL niceties though: the depot hosts still have "
        "SQLite 3.34."
    )
    session.edit(
        "src/porterq/store.py",
        "    def finish(self, lease: Lease) -> None:\n",
        "    def extend_many(self, leases: Sequence[Lease], lease_seconds: int) -> set[str]:\n"
        '        """Renew leases in one write; returns the tokens of those that are still held."""\n'
        "        tokens = [lease.token for lease in leases]\n"
        "        held = f\"state = 'leased' AND token IN ({', '.join('?' * len(tokens))})\"\n"
        '        with self._transaction("heartbeat"):\n'
        "            self._db.execute(\n"
        '                f"UPDATE jobs SET expires_at = ? WHERE {held}",\n'
        "                (self._seconds(lease_seconds), *tokens),\n"
        "            )\n"
        '            rows = self._db.execute(f"SELECT token FROM jobs WHERE {held}", tokens).fetchall()\n'
        '        return {row["token"] for row in rows}\n'
        "\n"
        "    def finish(self, lease: Lease) -> None:\n",
        "Good that you say it: my draft used UPDATE … RETURNING, which needs SQLite 3.35. An UPDATE "
        "and a SELECT in the same transaction do the same. I call it `extend_many`, next to `extend`.",
    )
    session.together(
        [
            edit_file(
                "src/porterq/store.py",
                "from collections.abc import Iterator\n",
                "from collections.abc import Iterator, Sequence\n",
            ),
            edit_file(
                "src/porterq/queue.py",
                "    def ack(self, lease: Lease) -> None:\n",
                "    def extend_many(self, leases: Sequence[Lease]) -> set[str]:\n"
                '        """Heartbeat for a batch in one write; returns the tokens still held."""\n'
                "        return self.store.extend_many(leases, self.settings.lease_seconds)\n"
                "\n"
                "    def ack(self, lease: Lease) -> None:\n",
            ),
            edit_file(
                "src/porterq/queue.py",
                "from typing import Any\n",
                "from collections.abc import Sequence\nfrom typing import Any\n",
            ),
        ]
    )
    session.edit(
        "src/porterq/worker.py",
        "        for lease in list(self.held):\n"
        "            if not self._gate.ready(lease.token):\n"
        "                continue\n"
        "            try:\n"
        "                self.queue.extend(lease)\n"
        "            except LeaseLost as error:\n"
        "                if lease.token == running.token:\n"
        "                    raise\n"
        "                self._lost(lease, error)\n"
        "                self._drop(lease)\n",
        "        now = self.queue.store.clock.now()\n"
        "        if now < self._next_renewal:\n"
        "            return\n"
        "        self._next_renewal = now + self.settings.renew_every\n"
        "        kept = self.queue.extend_many(self.held)\n"
        "        for lease in [lease for lease in self.held if lease.token not in kept]:\n"
        '            error = LeaseLost(f"lease lost: job {lease.job_id} was {lease.token}")\n'
        "            if lease.token == running.token:\n"
        "                raise error\n"
        "            self._lost(lease, error)\n"
        "            self._drop(lease)\n",
        "Now the worker: one point in time for the next renewal instead of a gate per key.",
    )
    session.bash(
        "python - <<'END'\n"
        "from pathlib import Path\n"
        "\n"
        "file = Path('src/porterq/worker.py')\n"
        "text = file.read_text()\n"
        "text = text.replace('from porterq.throttle import TickGate\\n', '')\n"
        "text = text.replace(\n"
        "    '        self._gate = TickGate(queue.store.clock, self.settings.renew_every)\\n',\n"
        "    '        self._next_renewal = 0.0\\n',\n"
        ")\n"
        "text = text.replace('        self._gate.forget(lease.token)\\n', '')\n"
        "file.write_text(text)\n"
        "END\n"
        "git diff --stat && python -m pytest -q --tb=short",
    )
    session.bash(
        f"cat >> tests/test_renewal.py <<'END'\n{ONE_WRITE_TEST}END\n"
        "python -m pytest -q --tb=short tests/test_renewal.py",
        "Still 36 passed. I pin the number of writes too: 8 jobs of 12 seconds are 96 seconds, a "
        "renewal every 10 seconds, so I expect 9 after the batch was leased.",
    )
    session.edit(
        "src/porterq/worker.py",
        "            self.held = list(batch)\n",
        "            self.held = list(batch)\n"
        "            self._next_renewal = self.queue.store.clock.now() + self.settings.renew_every\n",
        "One too many: the first safe point after leasing renews at once, because `_next_renewal` "
        "starts at zero. A fresh batch needs no renewal before `renew_every` is over.",
    )
    session.together(
        [
            bash("python -m pytest -q --tb=short"),
            bash(
                "for s in 30 45; do PORTERQ_LEASE_SECONDS=$s python -m porterq rehearse --jobs 120 --workers 6; done"
            ),
            bash("PORTERQ_LEASE_SECONDS=30 python -m porterq rehearse --jobs 120"),
        ]
    )
    session.read(
        "tests/test_store.py",
        "37 passed, nothing runs twice, and heartbeat writes are down from 434 to 73. The new store "
        "method deserves a test of its own, for a batch of which one lease is gone.",
    )
    session.bash(
        f"cat >> tests/test_store.py <<'END'\n{STORE_TEST}END\npython -m pytest -q --tb=short",
    )
    session.say(
        "38 passed. Not committed yet; you may want to look at it first. With 30 seconds and 120 "
        "jobs: 73 heartbeat writes with 4 workers and also with 6, against 434 for one write per "
        "lease and 93 before the repair."
    )


def tidy(session: Recorder) -> None:
    """A better name, and what is not needed any more."""
    session.user(
        "That is the number I wanted to see. Three things before you commit: everywhere else we say "
        "'renew', so please call it renew_all instead of extend_many, in the store and in the "
        "queue. If nothing uses TickGate any more, delete it with its test. And a busy store during "
        "a renewal must not fail the running job, as it did on staging-2. JobQueue.extend stays, "
        "billing uses it for its own long jobs."
    )
    session.bash(
        "grep -rln extend_many src tests docs | xargs sed -i 's/extend_many/renew_all/g' && grep -rn 'renew_all\\|TickGate\\|throttle' src tests docs README.md",
    )
    session.bash(
        "git rm -q src/porterq/throttle.py tests/test_throttle.py && python -m pytest -q --tb=short",
        "Only the module itself and its test still mention TickGate, so both go.",
    )
    session.bash(
        f"cat >> tests/test_renewal.py <<'END'\n{BUSY_TEST}END\n"
        "sed -i 's/^from porterq.worker import Worker/from porterq.errors import StoreBusy\\nfrom porterq.worker import Worker/' tests/test_renewal.py && "
        "python -m pytest -q --tb=short tests/test_renewal.py",
        "35 passed: three tests of the gate less. Now the busy store, test first.",
    )
    session.edit(
        "src/porterq/worker.py",
        "        self._next_renewal = now + self.settings.renew_every\n"
        "        kept = self.queue.renew_all(self.held)\n",
        "        try:\n"
        "            kept = self.queue.renew_all(self.held)\n"
        "        except StoreBusy as error:\n"
        '            log.warning("worker %s: renewal put off: %s", self.worker_id, error)\n'
        "            return\n"
        "        self._next_renewal = now + self.settings.renew_every\n",
        "As on staging-2: StoreBusy lands in the job's `except Exception` and the job counts as "
        "failed. A renewal that finds the store busy is put off to the next safe point; since "
        "`renew_every` is a third of the lease, there is time for it.",
    )
    session.bash(
        "sed -i 's/import LeaseLost$/import LeaseLost, StoreBusy/' src/porterq/worker.py && python -m pytest -q --tb=short && git diff src/porterq"
    )
    session.bash(
        "git add -A && git commit -qm 'Renew a batch in one write' && git show --stat --format='%h %s'",
        "36 passed. Committing.",
    )
    session.read(
        "src/porterq/worker.py", "Reading the worker once more as a whole.", lines=(50, 118)
    )
    session.say(
        "State after 'Renew a batch in one write': nothing runs twice in the rehearsal, a "
        "busy store puts a renewal off instead of failing the job, and `throttle.py` is gone. One gap is left: a plain "
        "function has no safe point. If such a handler takes longer than the lease, the jobs "
        "waiting behind it expire, and this worker still starts them afterwards, as w2 did with "
        "job 16. I would check the lease right before each start."
    )
    session.point("p3")


def guard(session: Recorder) -> None:
    """A job whose lease ran out while it waited is not started."""
    session.user(
        "Yes please, that is the part that bites with our pdf.render handler, which is a plain "
        "function. Own error with code PQ-410, and such a job must count as 'skipped', not as "
        "'lost': the supervisor restarts a worker on exit 75 and alerts on it, so 75 stays for "
        "lost leases only."
    )
    session.together(
        [
            read_file("src/porterq/errors.py"),
            read_file("src/porterq/metrics.py"),
            read_file("src/porterq/store.py", (78, 190)),
        ]
    )
    session.together(
        [
            edit_file(
                "src/porterq/errors.py",
                "class PayloadTooLarge(PorterError):",
                "class LeaseExpired(PorterError):\n"
                '    """A lease ran out while its job waited in the batch; the job was not started."""\n'
                "\n"
                '    code = "PQ-410"\n'
                "\n\n"
                "class PayloadTooLarge(PorterError):",
            ),
            edit_file(
                "src/porterq/metrics.py", '"failed", "lost")', '"failed", "lost", "skipped")'
            ),
        ],
        "The `expires_at` in the Lease object is no use for the check: it is the expiry at claim "
        "time and renewals do not touch it. The check has to ask the store. `note(lease, "
        "'started')` is a write per job already, so check, renewal and note can share that one "
        "transaction and cost nothing extra.",
    )
    session.edit(
        "src/porterq/store.py",
        "    def note(self, lease: Lease, what: str) -> None:\n"
        '        """Add a line to the history of a job."""\n'
        '        with self._transaction("note"):\n'
        "            self._note(lease.job_id, lease.worker_id, what)\n",
        "    def start(self, lease: Lease, lease_seconds: int) -> None:\n"
        '        """Renew a lease and note that its job starts; LeaseExpired when it is gone."""\n'
        '        with self._transaction("start"):\n'
        "            changed = self._db.execute(\n"
        "                \"UPDATE jobs SET expires_at = ? WHERE token = ? AND state = 'leased'\",\n"
        "                (self._seconds(lease_seconds), lease.token),\n"
        "            ).rowcount\n"
        "            if changed:\n"
        '                self._note(lease.job_id, lease.worker_id, "started")\n'
        "        if not changed:\n"
        '            raise LeaseExpired(self._held_by(lease, "not started"))\n',
    )
    session.bash(
        "python - <<'END'\n"
        "from pathlib import Path\n"
        "\n"
        "def change(path, *pairs):\n"
        "    text = Path(path).read_text()\n"
        "    for old, new in pairs:\n"
        "        assert text.count(old) == 1, (path, old)\n"
        "        text = text.replace(old, new)\n"
        "    Path(path).write_text(text)\n"
        "\n"
        "change('src/porterq/store.py',\n"
        "    ('import LeaseLost, StoreBusy', 'import LeaseExpired, LeaseLost, StoreBusy'),\n"
        "    ('def _held_by(self, lease: Lease) -> str:', \"def _held_by(self, lease: Lease, what: str = 'lease lost') -> str:\".replace(\"'\", '\"')),\n"
        "    ('f\"lease lost: job {lease.job_id} is', 'f\"{what}: job {lease.job_id} is'))\n"
        "change('src/porterq/queue.py',\n"
        "    ('    def ack(self', '    def start(self, lease: Lease) -> None:\\n'\n"
        '     \'        """Call right before a job runs; LeaseExpired means: do not run it."""\\n\'\n'
        "     '        self.store.start(lease, self.settings.lease_seconds)\\n\\n    def ack(self'))\n"
        "END\n"
        "git diff --stat",
        "The message helper gets a prefix, the queue a method of the same name.",
    )
    session.edit(
        "src/porterq/worker.py",
        '        self.metrics.add("started")\n        self.queue.store.note(lease, "started")\n',
        "        try:\n"
        "            self.queue.start(lease)\n"
        "        except LeaseExpired as error:\n"
        '            self.metrics.add("skipped")\n'
        '            log.warning("worker %s: %s", self.worker_id, error)\n'
        "            self._drop(lease)\n"
        "            return\n"
        '        self.metrics.add("started")\n',
        "Now the worker. A waiting lease that a renewal finds gone need not be reported there any "
        "more: it stays in its place and `start` will refuse it, so it is counted once, as skipped.",
    )
    session.bash(
        "python - <<'END'\n"
        "from pathlib import Path\n"
        "\n"
        "file = Path('src/porterq/worker.py')\n"
        "text = file.read_text()\n"
        "old = text[text.index('        for lease in [lease for lease'):text.index('    def _drop')]\n"
        "new = '''        if running.token not in kept:\n"
        '            raise LeaseLost(f"lease lost: job {running.job_id} was {running.token}")\n'
        "        self.held = [lease for lease in self.held if lease.token in kept]\n"
        "\n"
        "'''\n"
        "text = text.replace(old, new)\n"
        "text = text.replace('''                if lease in self.held:\n                    yield from self._run(lease)\n''', '''                yield from self._run(lease)\n''')\n"
        "text = text.replace('import LeaseLost, StoreBusy', 'import LeaseExpired, LeaseLost, StoreBusy')\n"
        "file.write_text(text)\n"
        "END\n"
        "python -m pytest -q --tb=short",
    )
    session.bash(
        "sed -i 's/failed=0 lost=0\"/failed=0 lost=0 skipped=0\"/' tests/test_worker.py && "
        "sed -i 's/failed=0 lost=1\"/failed=0 lost=0 skipped=1\"/' tests/test_renewal.py && "
        "sed -i 's/^from porterq.errors import StoreBusy/import pytest\\n\\nfrom porterq.errors import LeaseExpired, StoreBusy/' tests/test_renewal.py && "
        f"cat >> tests/test_renewal.py <<'END'\n{SKIP_TESTS}END\n"
        "python -m pytest -q --tb=short",
        "3 failed, 33 passed, and all three only because the metrics line has a new last column "
        "(one of them also because the taken back job is now skipped, not lost, as wanted). I adapt them "
        "and add two tests for the guard.",
    )
    session.together(
        [
            bash(
                "sed -i 's/    requeued: int = 0/    skipped: int = 0\\n    requeued: int = 0/; "
                "s/lost: {self.lost}, requeued/lost: {self.lost}, skipped: {self.skipped}, requeued/; "
                's/^    report.requeued/    report.skipped = sum(worker.metrics["skipped"] for worker in crew)\\n    report.requeued/\' src/porterq/rehearse.py && '
                "git diff src/porterq/rehearse.py"
            ),
            bash("python -m pytest -q --tb=short && python -m porterq rehearse --jobs 120"),
            bash(
                "git add -A && git commit -qm 'Skip a job whose lease ran out while it waited' && git log --oneline -4"
            ),
        ],
        "38 passed. The rehearsal should report skipped jobs too; then commit. `clean` and the exit "
        "code look at lost only, so 75 keeps its meaning.",
    )


def shorten(session: Recorder) -> None:
    """From 45 to 20 seconds, and the new name of the reaper."""
    session.user(
        "Very good. Now that renewal works, the stopgap goes: ops wants crashed workers to be "
        "recovered faster, so lease_seconds becomes 20, in porterq.toml and as the default. And "
        "please git mv reaper.py to recovery.py, new colleagues take it for a process reaper. Keep "
        "the class name Reaper and keep the logger name porterq.reaper, the log alerts match on it."
    )
    session.bash(
        "sed -i 's/lease_seconds = 45/lease_seconds = 20/' porterq.toml && python -m porterq rehearse --jobs 120",
        "First the setting.",
    )
    session.bash(
        "sed -i 's/^DEFAULT_LEASE_SECONDS = 30/DEFAULT_LEASE_SECONDS = 20/; s/^MIN_LEASE_SECONDS = 25/MIN_LEASE_SECONDS = 10/' src/porterq/config.py && "
        "git diff src/porterq/config.py && python -m porterq rehearse --jobs 120; python -m pytest -q --tb=short",
        "PQ-422: the lower bound MIN_LEASE_SECONDS is 25. Nothing else in the code depends on "
        "that bound. I lower it to 10, which still leaves a renewal every 3 seconds, and set "
        "the default to 20.",
    )
    session.bash(
        "sed -i 's/lease_seconds == 30/lease_seconds == 20/; s/renew_every == 10/renew_every == 6/; s/\\[0, 3601\\]/[0, 9, 3601]/' tests/test_config.py && "
        'sed -i \'s/\\["heartbeat"\\] == 9/["heartbeat"] == 16/\' tests/test_renewal.py && python -m pytest -q --tb=short',
        "2 failed, 36 passed: the old default in test_config, and the number of renewals, now "
        "every 6 seconds instead of 10. 96 seconds with one every 6 give 16. I also add 9 to the "
        "values out of range.",
    )
    session.bash(
        "git commit -qam 'Shorten the lease to 20 seconds' && git mv src/porterq/reaper.py src/porterq/recovery.py && "
        "grep -rl 'porterq.reaper import' src tests | xargs sed -i 's/porterq.reaper import/porterq.recovery import/' && "
        "grep -rn 'porterq.re[ac]' src tests",
        "Now the move. Only the imports change; the logger name keeps its old text on purpose.",
    )
    session.write(
        "tests/test_recovery.py",
        RECOVERY_TEST,
        "A logger name that differs from its module is an invitation to 'repair' it, so a test "
        "holds it fast. In the same file I write down the rounding from the beginning as a strict "
        "xfail, so that it is not forgotten.",
    )
    session.bash("python -m pytest -q --tb=short -rx")
    session.bash(
        "python -m pytest -q --tb=short tests/test_recovery.py; grep -rn 'setLevel\\|disable' src tests",
        "The expected xfail, but my logger test fails, and not because of the name: no record "
        "arrives at all. Does it fail alone, and who touches log levels?",
    )
    session.edit(
        "src/porterq/cli.py",
        '    logging.getLogger("porterq").setLevel(logging.CRITICAL)\n',
        "",
        "Alone it passes. `_rehearse` in cli.py sets the logger 'porterq' to CRITICAL for the rest "
        "of the process, and test_cli.py runs first. Harmless in production, where a process runs "
        "one command, but it leaks. The silence belongs around the call.",
    )
    session.edit(
        "src/porterq/cli.py",
        "    report = rehearse(settings, arguments.jobs, arguments.workers, arguments.job_seconds)\n",
        '    log = logging.getLogger("porterq")\n'
        "    level = log.level\n"
        "    log.setLevel(logging.CRITICAL)\n"
        "    try:\n"
        "        report = rehearse(settings, arguments.jobs, arguments.workers, arguments.job_seconds)\n"
        "    finally:\n"
        "        log.setLevel(level)\n",
    )
    session.bash(
        "python -m pytest -q --tb=short -rx && python -m porterq rehearse --jobs 120 && "
        "git commit -qm 'Silence the logger only during a rehearsal' src/porterq/cli.py"
    )
    session.bash(
        "git add -A && git commit -qm 'Rename reaper to recovery' && git show --stat --format='%h %s' -M"
    )


def wrap_up(session: Recorder) -> None:
    """The record of the decision, the docs, and what stays open."""
    session.user(
        "Please write the decision down under docs/decisions, short: problem, decision, consequences; "
        "the ways we did not take I'll put into the ticket. And bring docs/leases.md and the "
        "changelog (section 'Unreleased') up to date. Don't bump the version, I tag 0.9.0 myself "
        "after the soak: 2 hours on staging-2 with 6 workers, on Thursday. Whole-second expiry: "
        "not now, schema step 4 is a release of its own."
    )
    session.write("docs/decisions/0001-one-renewal-write.md", DECISION)
    session.together(
        [
            read_file("CHANGELOG.md"),
            edit_file(
                "docs/leases.md",
                "gives the worker a *safe point* at each `yield`; there it sends heartbeats.",
                "gives the worker a *safe point* at each `yield`; there it renews all leases it\n"
                "   holds in one write, at most once per `renew_every` seconds (a third of the lease).\n"
                "   A plain function has no safe point. Right before each job the worker checks its\n"
                "   lease; a job whose lease is gone is skipped (PQ-410), not run.",
            ),
            edit_file(
                "CHANGELOG.md",
                "## 0.8.2\n",
                "## Unreleased\n\n"
                "- Jobs that wait in a batch keep their lease; they ran twice under load (OPS-2291).\n"
                "- A job whose lease ran out while it waited is skipped with PQ-410.\n"
                "- The default of `lease_seconds` is 20, its minimum 10.\n\n"
                "## 0.8.2\n",
            ),
        ]
    )
    session.bash(
        "python -m pytest -q --tb=short && git add -A && git commit -qm 'Record the renewal decision' && git status --short && git diff start --stat -- src/porterq/queue.py && grep -n 'def ' src/porterq/queue.py"
    )
    session.say(
        "Done and committed. `JobQueue.lease(worker_id, limit=1)` is as it was, no thread and no "
        "dependency came in. Still open on my side: empty polls take the write lock, because "
        "`claim` opens its transaction even when nothing is ready (most of the 96 claim writes in "
        "the rehearsal lease nothing); I suggest a read before it, as `requeue_expired` does."
    )
    session.user(
        "Good catch, put that on the list, but after the release. Also open: `porterq work` should "
        "get a --batch option like rehearse has. I'll come back to you after the soak."
    )
    session.say(
        "Noted, both for after 0.9.0: a read before `claim`, and `--batch` for `porterq work`."
    )
    session.point("p4")


def said(session: Recorder, text: str) -> list[str]:
    """Ids of the first and the last message that holds exactly this text, or calls a tool with it."""
    return ends(session.holding(text, calls=True), first=1)


def ask_after_first_repair(session: Recorder) -> None:
    """Asked at p2: the dead end."""
    fact = session.fact
    session.probe(
        "why-no-claim-race",
        "decision",
        "Why was the claim race ruled out as the cause: how does `claim` open its "
        "transaction, what came out of the stress run, what had become of job 16 before w2 "
        "got it, and why can no race exist in the rehearsal at all?",
        [
            fact("BEGIN IMMEDIATE"),
            fact(
                "the stress run had no double lease",
                "400 jobs leased, 0 leased more than once",
                "no job was leased more than once in 400",
                "none of the 400 jobs was leased more than once",
                "400 jobs without a double lease",
            ),
            fact("requeued by the reaper at t=49", "requeued at t=49"),
            fact(
                "the rehearsal is single-threaded with one store",
                "single-threaded rehearsal with one store",
                "the rehearsal is single-threaded",
            ),
        ],
        point="p2",
    )


def ask_after_second_repair(session: Recorder) -> None:
    """Asked at p3: what staging said to the first repair."""
    fact = session.fact
    session.probe(
        "staging-trial",
        "recall",
        "How did the first repair do when I tried it on staging: on which host, with how many "
        "workers, how often was the store busy during heartbeat and under which code, and "
        "what did that do to the job?",
        [
            fact("staging-2"),
            fact("6 workers", "six workers", said_in=said(session, "staging-2 with 6 workers")),
            fact("PQ-503", said_in=said(session, "14 times PQ-503 'store busy during heartbeat'")),
            fact(
                "14 times in 10 minutes",
                "14 times PQ-503 in 10 minutes",
                "14 in 10 min",
                "14 errors in ten minutes",
                "14 times within ten minutes",
                said_in=said(session, "14 times PQ-503 'store busy during heartbeat'"),
            ),
            fact(
                "fails the running job",
                "made the running job fail",
                "the running job counts as failed",
                said_in=said(session, "each one fails the running job"),
            ),
        ],
        traps=[
            {
                "text": "40 times an hour",
                "aliases": ["40 per hour", "40 an hour"],
                "current": ["14 times", "14 in 10 minutes", "14 errors"],
            }
        ],
        point="p3",
    )


def ask_recall(session: Recorder) -> None:
    """The report, the stopgap and the settings of today."""
    fact = session.fact
    session.probe(
        "first-report",
        "recall",
        "What did the report under ticket OPS-2291 say: on which host was it, which kind of job ran "
        "twice and how many of them, which error did the worker log, and how did the process end?",
        [
            fact("depot-3"),
            fact("invoice.send"),
            fact("23 of 400", "23 out of 400", "23/400"),
            fact("PQ-409 lease lost", "PQ-409"),
            fact("exit code 75", "exited with 75", "exit 75", "code 75"),
        ],
    )
    session.probe(
        "stopgap-and-batches",
        "recall",
        "What did the stopgap of 45 seconds buy us: how many jobs still run twice with it, "
        "with which batches does that never happen, and which places of a batch are the "
        "victims? Answer in at most 120 words.",
        [
            fact(
                "10 jobs still run twice instead of 14",
                "10 instead of 14",
                "10 jobs ran twice, before it were 14",
                said_in=said(session, "10 jobs still run twice instead of 14"),
            ),
            fact(
                "with batches of 1 or 2 nothing runs twice",
                "no duplicates with batches of 1 or 2",
                "no job runs twice with batches of 1 or 2",
                "batch sizes 1 and 2 show no duplicates",
                said_in=said(session, "with batches of 1 or 2 nothing runs twice"),
            ),
            fact(
                "the last two places of a batch",
                "the last two jobs of a batch",
                "the last two of each batch",
                said_in=said(session, "the last two places of a batch"),
            ),
            fact(
                "it hides the fault, it does not cure it",
                "hides the fault",
                "does not cure the fault",
                said_in=said(session, "it hides the fault"),
            ),
        ],
        answer={"max_words": 120},
    )
    session.probe(
        "lease-settings",
        "recall",
        "Which value does lease_seconds have now that the stopgap goes, what is the lower "
        "bound MIN_LEASE_SECONDS since the PQ-422, and at which interval do the renewals "
        "come?",
        [
            fact(
                "lease_seconds becomes 20",
                "lease_seconds is 20",
                "lease_seconds = 20",
                "20 seconds",
                "20 s",
            ),
            fact(
                "lower it to 10",
                "its minimum 10",
                "MIN_LEASE_SECONDS = 10",
                "MIN_LEASE_SECONDS is 10",
                "minimum of 10",
                "lower bound 10",
                "lower bound of 10",
                "lowered to 10",
                "at least 10",
                "between 10 and 3600",
                "10 to 3600",
                said_in=[
                    *said(session, "I lower it to 10"),
                    *said(session, "its minimum 10"),
                ],
            ),
            fact(
                "every 6 seconds",
                "every 6 s",
                "every six seconds",
                "renew_every is 6",
                said_in=said(session, "every 6 seconds instead of 10"),
            ),
        ],
        traps=[
            {
                "text": "lease_seconds is 30",
                "aliases": ["lease_seconds = 30", "30 seconds", "30 s"],
                "current": [
                    "lease_seconds is 20",
                    "lease_seconds becomes 20",
                    "20 seconds",
                    "20 s",
                ],
            },
            {
                "text": "lease_seconds is 45",
                "aliases": ["lease_seconds = 45", "45 seconds", "45 s"],
                "current": [
                    "lease_seconds is 20",
                    "lease_seconds becomes 20",
                    "20 seconds",
                    "20 s",
                ],
            },
            {
                "text": "MIN_LEASE_SECONDS is 25",
                "aliases": ["between 25 and 3600", "minimum 25", "minimum of 25", "25 to 3600"],
                "current": [
                    "MIN_LEASE_SECONDS is 10",
                    "lower it to 10",
                    "lowered to 10",
                    "minimum 10",
                    "at least 10",
                    "between 10 and 3600",
                ],
            },
            {
                "text": "every 10 seconds",
                "aliases": ["every 10 s", "every 15 seconds", "every 15 s"],
                "current": ["every 6 seconds", "every 6 s"],
            },
        ],
    )


def ask_files(session: Recorder) -> None:
    """What git says about the files."""
    fact = session.fact
    created = [
        "docs/decisions/0001-one-renewal-write.md",
        "tests/test_recovery.py",
        "tests/test_renewal.py",
    ]
    session.repo.check_changed(
        "start",
        added=created,
        deleted=[
            "src/porterq/throttle.py",
            "tests/test_throttle.py",
        ],
        renamed=["src/porterq/recovery.py"],
    )
    modified = session.repo.changed("start", "M")
    assert [path for path in modified if path.startswith("src/")] == [
        "src/porterq/cli.py",
        "src/porterq/config.py",
        "src/porterq/errors.py",
        "src/porterq/metrics.py",
        "src/porterq/queue.py",
        "src/porterq/rehearse.py",
        "src/porterq/store.py",
        "src/porterq/worker.py",
    ], modified
    session.probe(
        "new-and-gone",
        "file",
        "Which files were created in this session and still exist, which module was deleted, and "
        "which path does the module have now that was moved with git mv? Answer as a list.",
        [
            *(fact(path, about="created") for path in created),
            fact(
                "src/porterq/throttle.py",
                about="detail",
                said_in=said(session, "git rm -q src/porterq/throttle.py"),
            ),
            fact("src/porterq/recovery.py", about="detail"),
        ],
        traps=[
            {"text": "src/porterq/reaper.py", "current": ["src/porterq/recovery.py"]},
            {
                "text": "scripts/claim_stress.py",
                "current": [
                    "scripts/claim_stress.py deleted",
                    "scripts/claim_stress.py removed",
                    "scripts/claim_stress.py no longer exists",
                    "the stress script was removed",
                    "the stress script was deleted",
                ],
            },
        ],
        answer={"format": "list"},
    )
    session.probe(
        "modified-and-read",
        "file",
        "Which existing modules in src/porterq were modified in this session, and which were read "
        "but not changed? Answer as a list of at most 12 paths and do not mention test files.",
        [
            *(
                fact(path, about=about, said_in=said(session, text))
                for path, about, text in (
                    ("src/porterq/cli.py", "modified", "edited src/porterq/cli.py"),
                    ("src/porterq/metrics.py", "modified", "edited src/porterq/metrics.py"),
                    ("src/porterq/store.py", "modified", "edited src/porterq/store.py"),
                    ("src/porterq/clock.py", "accessed", '"path": "src/porterq/clock.py"'),
                    ("src/porterq/handlers.py", "accessed", '"path": "src/porterq/handlers.py"'),
                )
            ),
        ],
        answer={"format": "list", "max_items": 12, "forbid": ["test_worker.py"]},
    )
    session.probe(
        "tick-gate",
        "file",
        "What did the gate in src/porterq/throttle.py let through, with which key did `_beat` "
        "ask it, which lease of the loop won, and what became of the module?",
        [
            fact(
                "one tick through per key and interval",
                "one tick per key and interval",
                about="detail",
                said_in=said(session, "The gate lets one tick through *per key*"),
            ),
            fact(
                "asks it with self.worker_id",
                "asks it with worker_id",
                "asked with the worker id",
                "keyed by the worker id",
                about="detail",
                said_in=said(session, "`self.worker_id` for every lease in the loop"),
            ),
            fact(
                "the first lease of the loop takes the tick",
                "the first lease takes the tick",
                "only the first lease gets the tick",
                about="detail",
                said_in=said(session, "The first lease of the loop takes the tick"),
            ),
            fact(
                "src/porterq/throttle.py deleted",
                "throttle.py is gone",
                "throttle.py was deleted",
                "throttle.py was removed",
                "git rm -q src/porterq/throttle.py",
                about="detail",
                said_in=[
                    *said(session, "git rm -q src/porterq/throttle.py"),
                    *said(session, "`throttle.py` is gone"),
                ],
            ),
        ],
    )


def ask_continuation(session: Recorder) -> None:
    """The rules that hold, what the guard has to do, and what is open."""
    fact = session.fact
    session.probe(
        "rules-that-hold",
        "continuation",
        "Which three rules for the whole job did I set in the beginning, about JobQueue.lease "
        "and the billing service, about threads and about dependencies, and what are their "
        "reasons?",
        [
            fact("JobQueue.lease(worker_id, limit=1)", "the signature of lease must not change"),
            fact(
                "the billing service calls it positionally",
                "billing calls it with positional arguments",
                about="reason",
            ),
            fact("no threads inside the worker", "no threads in the worker", "no worker threads"),
            fact(
                "SQLite connections that belong to their thread",
                "handlers' SQLite connections are bound to their thread",
                about="reason",
            ),
            fact("no new dependency", "no new dependencies"),
        ],
    )
    session.probe(
        "skipped-jobs",
        "continuation",
        "How must a job count whose lease is gone when its turn comes, with which own error "
        "code, which plain function of ours is it about, and why is exit 75 not for it: what "
        "does the supervisor do?",
        [
            fact("pdf.render"),
            fact("PQ-410"),
            fact("count as skipped", "counted as skipped", "counted once, as skipped"),
            fact(
                "75 stays for lost leases only",
                "75 only for lost leases",
                "75 is for lost leases only",
                "75 keeps its meaning",
                "exit 75 looks at lost only",
                "75 is reserved for lost leases",
                said_in=said(session, "so 75 stays for lost leases only"),
            ),
            fact(
                "the supervisor restarts a worker on exit 75",
                "supervisor restarts the worker",
                about="reason",
                said_in=said(session, "the supervisor restarts a worker on exit 75"),
            ),
        ],
    )
    session.probe(
        "open-work",
        "continuation",
        "What is still open: what does the soak before I tag 0.9.0 consist of, what did we "
        "note for `claim` and for `porterq work`, and when does whole-second expiry get "
        "repaired? Answer as a list.",
        [
            fact(
                "soak: 2 hours on staging-2 with 6 workers",
                "2 hour soak on staging-2",
                "soak for 2 hours on staging-2",
                about="pending",
            ),
            fact(
                "a read before claim",
                "read before the claim",
                "empty polls take the write lock",
                "empty polls should not take the write lock",
                about="pending",
            ),
            fact(
                "--batch for porterq work",
                "porterq work should get a --batch option",
                about="pending",
            ),
            fact(
                "whole-second expiry needs schema step 4",
                "schema step 4",
                "expires_at in whole seconds until schema step 4",
                about="pending",
            ),
        ],
        answer={"format": "list"},
    )


def ask_decisions(session: Recorder) -> None:
    """Cause, choice, rejected ways."""
    fact = session.fact
    session.probe(
        "root-cause",
        "decision",
        "What is the root cause: which commit changed the key of the gate and how, which "
        "error did it want to get rid of at month end, and what is renewed of a batch since "
        "then?",
        [
            fact("Coalesce heartbeats per worker", about="detail"),
            fact(
                "key from the lease token to the worker id",
                "keyed by worker id instead of lease token",
                "lease token to worker id",
                about="detail",
                said_in=said(session, "key from the lease token to the worker id"),
            ),
            fact("PQ-503 about 40 times an hour", "PQ-503 40 times an hour", "40 PQ-503 an hour"),
            fact(
                "only the running job of a batch is renewed",
                "only the running job's lease is renewed",
                "only the first lease of a batch is renewed",
                "waiting leases are not renewed",
                "waiting leases were never renewed",
                said_in=said(session, "only the running job of a batch is renewed"),
            ),
        ],
        traps=[
            {
                "text": "claim race",
                "aliases": ["race in claim", "two workers claim the same row"],
                "current": ["Coalesce heartbeats per worker", "worker id"],
            }
        ],
    )
    session.probe(
        "key-alone-not-enough",
        "decision",
        "Keying the gate by token again would have brought duplicates of its own: what did "
        "the new test about a lost waiting lease show for job 1 and job 2, and when only may "
        "a running job be stopped? Answer in one sentence of at most 110 words.",
        [
            fact(
                "aborts the running job 1",
                "job 1 is aborted",
                "running job 1 was aborted",
                said_in=said(session, "the error about job 2 aborts the running job 1"),
            ),
            fact(
                "job 2 is started with its dead lease",
                "job 2 starts with a dead lease",
                said_in=said(session, "job 2 is started with its dead lease"),
            ),
            fact(
                "only the loss of the running lease",
                "only losing the running lease",
                said_in=said(session, "Only the loss of the running lease"),
            ),
        ],
        answer={"format": "sentence", "max_words": 110},
    )
    session.probe(
        "ways-not-taken",
        "decision",
        "After the PQ-503 on staging, why did we neither change busy_timeout_ms nor keep a table of "
        "finished runs, and what replaced the heartbeats per lease?",
        [
            fact("worker stand still", "the worker stands still", "the worker would block"),
            fact("leases age", "its leases go on ageing", "leases would age"),
            fact("hides the lock contention", "only hides contention", "hide the contention"),
            fact(
                "invoice mail has already gone out",
                "the mail has gone out by then",
                "the mail is already sent",
            ),
            fact(
                "renew the whole batch in one UPDATE",
                "one write per batch",
                "one renewal write for a whole batch",
                "the batch is renewed in one write",
                "one transaction for the whole batch",
                said_in=said(session, "renew the whole batch in one UPDATE"),
            ),
        ],
    )
    session.probe(
        "renewal-sql",
        "decision",
        "Why does the renewal of a whole batch do without RETURNING on the depot hosts, which "
        "SQL does the same, and how is the method called in the store and in the queue?",
        [
            fact("renew_all", about="detail"),
            fact(
                "an UPDATE and a SELECT in the same transaction",
                "an UPDATE and a SELECT in one transaction",
                "UPDATE plus SELECT in a transaction",
                about="detail",
                said_in=said(session, "UPDATE and a SELECT in the same transaction"),
            ),
            fact(
                "RETURNING needs SQLite 3.35",
                "RETURNING requires SQLite 3.35",
                "RETURNING is available since SQLite 3.35",
            ),
            fact(
                "depot hosts still have SQLite 3.34",
                "the depot hosts have SQLite 3.34",
                "SQLite 3.34 on the depot hosts",
                "depot hosts run SQLite 3.34",
            ),
        ],
        traps=[{"text": "extend_many", "current": ["renew_all"]}],
    )


def record(session: Recorder) -> None:
    """The whole session."""
    past(session.repo)
    reproduce(session)
    dead_end(session)
    stopgap(session)
    first_repair(session)
    ask_after_first_repair(session)
    second_repair(session)
    tidy(session)
    ask_after_second_repair(session)
    guard(session)
    shorten(session)
    wrap_up(session)
    ask_recall(session)
    ask_files(session)
    ask_continuation(session)
    ask_decisions(session)


PLAY = Play(
    record,
    task="debugging",
    title="Jobs run twice under load: leases that wait in a batch are not renewed",
    repository="porterq",
)
