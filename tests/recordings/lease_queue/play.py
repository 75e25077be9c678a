"""Jobs of a small lease queue run twice under load; the leases that wait are never renewed.

The claim query looks like a race and is none. What is wrong is a commit that coalesced
heartbeats per worker: only the first lease of a batch is renewed. The first repair
writes too much, a single update for the whole batch replaces it, and a check before
each start covers handlers without safe points. Between them: a log whose lines are counted
for jobs, a payload that is too large, a review that asks for a thread and for another
signature, and a report for customer support. Much of what ops relies on stands only in the
files that are read.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from questions import ends
from recorder import Play, Recorder, bash, edit_file, read_file, write_file
from repository import Repository

LATER = Path(__file__).parent / "later"
"""What ops adds to the repository during the session."""

HISTORY = [
    (
        "Cap lease batches at 16\n\n"
        "OPS-2107: depot-2 held 32 leases while its disk stalled.\n\n"
        "Reviewed-by: Ilse Brandt <ilse@porterq.example>",
        "src/porterq/config.py",
        "MAX_BATCH = 32",
        "MAX_BATCH = 16",
    ),
    (
        "Allow payloads up to 64 KiB\n\n"
        "OPS-2164: statements of large customer groups did not fit.\n\n"
        "Reviewed-by: Tomas Reuter <tomas@porterq.example>",
        "src/porterq/serializers.py",
        "MAX_PAYLOAD_BYTES = 32 * 1024",
        "MAX_PAYLOAD_BYTES = 64 * 1024",
    ),
    (
        "Coalesce heartbeats per worker\n\n"
        "OPS-2198: at month end the hosts logged PQ-503 about 40 times an hour, because every\n"
        "lease of a batch wrote on its own. One heartbeat per worker and interval is enough.\n\n"
        "Reviewed-by: Ilse Brandt <ilse@porterq.example>",
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

EMPTY_TEST = """

def test_renewal_of_nothing_is_no_write(store):
    assert store.renew_all([], 30) == set()
    assert store.writes["heartbeat"] == 0
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
        "batch_size 8, and 23 of 400 jobs ran twice, nearly all invoice.send, so customers got two invoice "
        "mails. On quiet days nothing happens. The worker log has pairs like\n\n"
        "    WARNING porterq.reaper: requeued 2 expired leases: [17, 18]\n"
        "    ERROR porterq.worker: worker w1: PQ-409 lease lost: job 17 is held as w2-0041, not w1-0017\n\n"
        "and then the worker process ends with exit code 75. Handlers take about 6 seconds each, "
        "far below the 30 second lease, which is what I do not understand.\n\n"
        "Please find the root cause before you change code. Rules for the whole job: "
        "(1) the signature JobQueue.lease(worker_id, limit=1) must not change, the billing service "
        "calls it positionally. (2) No threads inside the worker, handlers use SQLite connections "
        "that belong to their thread. (3) No new dependency. (4) The folder ops/ is a copy from the "
        "ops team: read it, but never edit anything in it. (5) Commit subjects are plain "
        "sentences in the imperative, without a ticket number in the subject."
    )
    session.together(
        [
            bash(
                "git log --date=short --format='%h %s%n%n%w(0,4,4)%b' && git ls-files | xargs wc -l"
            ),
            bash("python -m pytest -q --tb=short"),
        ],
        "I'll start with the history, the layout and the state of the tests, then look for a way "
        "to reproduce this without four real workers. I keep the five rules in mind: the public "
        "signature stays, no threads, no dependency, hands off ops/, and plain commit subjects. "
        "And I won't touch code until I can show you the cause, not only a change that makes "
        "the symptom go away.",
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
        "points in `_beat`. So a lease has to live as long as the whole batch takes, not as long "
        "as its own job: your 6 seconds per handler are not the number to compare with. That may "
        "already be half of what you do not understand. Let me see whether the rehearsal shows the "
        "fault with its defaults.",
    )
    session.bash(
        "python -m porterq rehearse --jobs 120 --workers 4",
        "40 jobs over 4 workers is only little more than one batch each. I'll make the backlog "
        "deeper, as at night on depot-3.",
    )
    session.read(
        "src/porterq/rehearse.py",
        "Reproduced, without any real time or processes: more runs than jobs, and exit code 75 as "
        "on depot-3. "
        "Before I trust it I want to know that the rehearsal drives the real worker and store, and "
        "not some simplified copy of them that has a fault of its own.",
    )
    session.read(
        "src/porterq/store.py",
        "It does: real Worker objects take turns, only the clock is manual. "
        "Now the store. My first hypothesis is a claim race: two workers select the same ready "
        "row before either marks it as leased. That would explain why it needs load, and it would "
        "explain why nobody sees it on a host with one worker. It would not explain the reaper's "
        "lines in your log, so I am not in love with it.",
    )


def night_log(session: Recorder) -> None:
    """The log of that night: lines are taken for jobs, and the user objects."""
    session.user(
        "fyi I put the worker log of that night under ops/logs and the host table is in ops/ as "
        "well. have a look whether it fits your rehearsal. (the accounting export there holds the "
        "write lock for up to 9 seconds every night at 02:40, that is known and not our problem.)"
    )
    session.together(
        [read_file("ops/hosts.toml"), read_file("ops/supervisor.md")],
        "Thanks. First the two files that explain how the workers are run there.",
    )
    session.bash(
        "head -n 120 ops/logs/depot-3-2026-03-02.log",
        "Useful: the table says what runs where, and the runbook says what the supervisor makes of "
        "an exit code and which patterns the alerts look for, so I know which texts I must not "
        "change by accident. Now the log itself, in two parts.",
    )
    session.bash("tail -n +121 ops/logs/depot-3-2026-03-02.log")
    session.bash(
        "grep -c PQ-409 ops/logs/depot-3-2026-03-02.log; "
        "grep -c 'exit code 75' ops/logs/depot-3-2026-03-02.log",
        "The order of events is the same as in the rehearsal: a sweep requeues, somebody else leases, "
        "and nine seconds or so later the first worker finds out. Now let me put a number on it.",
    )
    session.say(
        "The log has 31 PQ-409 lines, so 31 jobs ran twice that night and not 23: the "
        "ticket understates it. I'd tell customer support that eight more customers "
        "got two mails."
    )
    session.user("hm no")
    session.user(
        "support went through the outbox by hand and they counted 23, pls check again before "
        "anybody writes to customers"
    )
    session.bash(
        "grep -o 'job [0-9]* is held' ops/logs/depot-3-2026-03-02.log | sort | uniq -c | sort -rn | head -n 12; "
        "echo; grep -o 'job [0-9]* is held' ops/logs/depot-3-2026-03-02.log | sort -u | wc -l; "
        "grep -n -e '^---' ops/logs/depot-3-2026-03-02.log",
        "Then I counted something else than jobs. By job instead of by line:",
    )
    session.say(
        "You are right and I was wrong: I counted lines. The shipper replayed its buffer after the "
        "log was rotated, so a stretch of the log stands there twice, with eight of the errors in "
        "it. Counted by job it is 23 jobs that lost their lease, the number of support. Please "
        "forget the other figure; nobody has to write to more customers. Whoever evaluates such a "
        "log again must count each job once.\n\n"
        "What the log adds to the picture: the victims come in pairs of neighbours, and often at the "
        "end of a multiple of eight. The losses are spread over the whole night and over all workers, "
        "so it is no single bad process, and they stop when the backlog is gone, although the hosts go "
        "on polling. The mails themselves take a few seconds each, as you said, with some jobs of "
        "another kind in between that take far longer; I keep those in mind. That smells of the position in the batch. I go on with the "
        "store; my first suspicion is still in the claim."
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
        "serial. I'd rather measure than believe, because a claim race would be the textbook answer "
        "and textbook answers are accepted too quickly: a stress script with four connections on one "
        "file, which counts how often each job was leased.",
    )
    session.bash("python scripts/claim_stress.py")
    session.bash(
        "python -m porterq rehearse --jobs 120 --trace 16",
        "Not a single double lease. And the rehearsal is single-threaded with one "
        "store, where no race can exist at all, yet it shows duplicates. I should have thought of "
        "that before I wrote the script. Let me look at the history of one of the jobs that ran twice.",
    )
    session.bash(
        "rm scripts/claim_stress.py && rmdir scripts && git status --short",
        "The claim race is ruled out: BEGIN IMMEDIATE serialises claims, the stress run shows no "
        "double claim, and job 16 was requeued by the reaper before anybody else got it. "
        "Worse, w2 then *started* job 16 although its lease had just gone, one second after the "
        "sweep. So there are two questions now: why does a lease expire that its worker still "
        "wants, and why does a worker start a job whose lease it has lost? I remove the stress "
        "script, it has served.",
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
        "Intermediate result, after a good hour in which most of what I believed turned out wrong. The reaper is innocent: it requeues exactly the rows with "
        "`expires_at <= now`. Rounding is real but small: `_seconds` truncates, so a lease can end "
        "up to 1 second early; the rehearsal clock moves in whole seconds and still shows "
        "duplicates, so rounding is not the cause. I note it for later. What remains is that "
        "leases that wait in a batch are not renewed in time.\n\n"
        "What I have ruled out so far, so that nobody looks there again: the claim query, the "
        "reaper, the rounding, and differences between the hosts (the rehearsal has no host). What "
        "I have not looked at yet: who asks for renewals, how often, and what may refuse them."
    )
    session.user("ok go on")
    session.together(
        [
            bash("python -m porterq rehearse --jobs 24 --workers 2 --trace 8"),
            bash("python -m porterq rehearse --jobs 24 --workers 2 --trace 7"),
            read_file("src/porterq/schema.py"),
            read_file("docs/settings.md"),
        ],
        "Two smaller rehearsals with the history of neighbours in one batch, and the schema, because "
        "I want to know in which unit an expiry is kept, and what the settings are documented to be.",
    )


def stopgap(session: Recorder) -> None:
    """45 seconds for tonight, and what they do not repair."""
    session.user(
        "Makes sense so far. Ops wants something for tonight though: please raise lease_seconds from 30 "
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
        "What the stopgap buys: fewer duplicates in the same rehearsal, about a third less, but by "
        "no means none. It hides the fault, it does not "
        "cure it, and a crashed worker is noticed later. Good for a night or two, not for the "
        "release. To see what the fault depends on I vary the batch size, with the old lease length "
        "from the environment.",
    )
    session.read(
        "src/porterq/throttle.py",
        "Clear picture: it depends on the size of the batch, and small batches are free of it. And the "
        "victims are mostly the last two places of a batch. Those wait longest. "
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
        "key from the lease token to the worker id, to get rid of the busy store at "
        "month end. The aim was sensible, and nobody could see from the one changed line that the "
        "loop around it now serves only its first member. Since then only the running job of a batch is renewed. With batches of 8 and "
        "jobs of 6 seconds the last ones wait more than 30 seconds, expire, and a second worker "
        "gets them; on quiet days batches are short and nothing expires. Note that `_drop` still "
        "forgets `lease.token`, a key the gate never sees any more.\n\n"
        "This also explains every observation that we have. The pairs of neighbours in the log: "
        "the end of one batch expires in one sweep. The quiet days: no backlog, no batch. The worker "
        "that ends: it acknowledges with a token that is not valid any more. And it explains why "
        "the suite is green: each test of the worker has one job or a batch that is over at once.\n\n"
        "Plan: a failing test first, then key the gate by token again, then look at the cost in "
        "writes. I expect the writes to go up, and would rather measure than argue about it."
    )
    session.point("p1")
    session.user(
        "Convincing, thanks. Ilse will be embarrassed, she reviewed that one. Before you repair it: does anything besides the worker renew leases, "
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
        "generator case is repaired; the log says how long your slowest plain handler takes, and that "
        "is longer than a lease of any length that ops would like."
    )


def payload_question(session: Recorder) -> None:
    """Another error in the same log, which has nothing to do with the leases."""
    session.user(
        "one more thing before you start, billing also had a PQ-413 in that log. same cause?? "
        "they ask me every day"
    )
    session.together(
        [
            bash("grep -n PQ-413 ops/logs/depot-3-2026-03-02.log"),
            bash(
                "grep -rn 'PQ-413\\|MAX_PAYLOAD_BYTES\\|PayloadTooLarge' --include='*.py' --include='*.md' . | sort"
            ),
            bash("git log -1 -p --format='%h %s%n%n%b' -S 'MAX_PAYLOAD_BYTES = 64' -- src"),
            read_file("src/porterq/serializers.py"),
        ],
        "I look at the line, at who raises that error, and at the last change of the limit.",
    )
    session.bash(
        "python - <<'END'\n"
        "import json\n"
        "from porterq.serializers import MAX_PAYLOAD_BYTES, encode\n"
        "row = {'account': 'DE-0000-881', 'amount_cents': 129900, 'text': 'statement line'}\n"
        "size = len(encode(row)) + 1\n"
        "print('limit', MAX_PAYLOAD_BYTES, 'bytes per row', size, 'rows that fit', MAX_PAYLOAD_BYTES // size)\n"
        "END",
        "How much is it, in rows of a statement?",
    )
    session.say(
        "No, another cause altogether. That error is raised while a job is *put*, long before "
        "anybody leases it, so leases cannot be involved. One customer group's statement is just "
        "above the limit, by less than one per cent, and the queue refuses it instead of cutting "
        "it, as it should. The remedy is on the side of billing: merge a statement in two parts, "
        "or put a reference to a file in the payload. The limit exists because every claim reads "
        "the payloads of a whole batch while it holds the write lock, so large payloads make "
        "everybody wait, and with deep backlogs that is exactly the time when waiting hurts. I would not raise the limit again for one "
        "customer; I leave it as it is and change nothing here."
    )
    session.user("ok thx, told them. continue")


def first_repair(session: Recorder) -> None:
    """One heartbeat per lease: right, and with a trap of its own."""
    session.read(
        "tests/test_worker.py",
        "I want the new tests to look like the existing ones: plain functions, the fixtures of the "
        "conftest, a clock that the test moves itself, no sleeping. What the existing ones lack is a "
        "second worker; nobody steals anything in them, and so nobody notices what is not renewed.",
    )
    session.together(
        [
            read_file("tests/conftest.py"),
            write_file("tests/test_renewal.py", RENEWAL_TEST),
            bash("python -m pytest -q --tb=short tests/test_renewal.py"),
        ],
        "The test says what we want, in the words of the user: four jobs of twelve seconds in one "
        "batch, a second worker that sweeps at every step, and nothing may be swept away.",
    )
    session.edit(
        "src/porterq/worker.py",
        "self._gate.ready(self.worker_id)",
        "self._gate.ready(lease.token)",
        "It fails for the right reason: the leases at the end of the batch are swept away under "
        "the worker. Now the key.",
    )
    session.together(
        [
            bash("python -m pytest -v --tb=short"),
            bash("PORTERQ_LEASE_SECONDS=30 python -m porterq rehearse --jobs 120"),
        ]
    )
    session.bash(
        f"cat >> tests/test_renewal.py <<'END'\n{TAKEN_BACK_TEST}END\n"
        "python -m pytest -q --tb=short tests/test_renewal.py",
        "Green, and no job runs twice even with the old lease length. But look at the heartbeat "
        "writes: more than four times as many as before, remember that. And I see a danger: `extend` raises LeaseLost for a *waiting* lease "
        "now, inside the try block of the *running* job. That did not matter while only the running "
        "lease was ever renewed. A test for that.",
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
        "lease. The plain key change would have brought duplicates of its own, so undoing that one "
        "line, which was my plan, would have been wrong. Only the loss of the running lease may "
        "stop the running job; a waiting one is dropped.",
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
        "All green. A look at the whole change before I commit it for a trial on staging.",
    )
    session.bash(
        "git add -A && git commit -qm 'Renew every held lease, not only the running one' && git show --stat --format='%h %s'",
    )
    session.say(
        "The cause is repaired in 'Renew every held lease, not only the running one': the gate is "
        "keyed by token again and a lost waiting lease no longer aborts the running job. Open "
        "point is the price in heartbeat writes. The "
        "coalescing commit was made because of exactly that, so please watch for PQ-503 on staging. "
        "If it comes up there, I'd not tune timeouts but write less. I have not touched the docs "
        "yet, they wait until we know that this is the form that stays.\n\n"
        "For the trial: it needs no new setting and no change of the schema, so it can be "
        "rolled back at any time, and both versions can run against one file side by side. Workers "
        "with the old code will still lose leases, of course, so a mixed night proves nothing. I "
        "would let it run with the deepest backlog that staging can make, because on a quiet queue "
        "the old code looks right as well."
    )


def second_repair(session: Recorder) -> None:
    """Staging says it writes too much; one update for the whole batch."""
    session.user(
        "Tried it on staging-2 with 6 workers. No duplicates any more, but 14 times PQ-503 'store "
        "busy during heartbeat' in 10 minutes, and each one fails the running job. So that is not "
        "shippable. Could we simply set busy_timeout_ms from 250 to 2000? Or drop the renewal "
        "idea and keep a table of finished runs that ack checks?"
    )
    session.bash(
        "git show --format='%h %s' HEAD",
        "That is what I was afraid of. Let me look at my own commit again with that in mind. A job "
        "fails because the busy error rises out of the renewal, through the handler's loop, into the "
        "clause that catches everything a handler may raise; from there it looks like a fault of the "
        "handler. So there are two things to mend: how often we write, and what a refused "
        "write may do.",
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
        "already gone out; that protects our bookkeeping, not the customer. And it would be one more "
        "write per job, on a store whose problem is that it is written too often.\n\n"
        "What I propose instead, and it replaces my per-lease heartbeats: renew the whole batch in "
        "one UPDATE inside one transaction, at most once per `renew_every` seconds and worker. That "
        "has the few writes of the coalescing commit and still covers the waiting leases. The "
        "TickGate is not needed for it."
    )
    session.user(
        "Agreed, one write per batch. Careful with SQL niceties though: the depot hosts are older "
        "than staging, look into the host table."
    )
    session.bash(
        "grep -n -e '^\\[' -e sqlite ops/hosts.toml; python -c 'import sqlite3; print(sqlite3.threadsafety)'",
        "Right, the versions differ between depots and staging, so what passes on staging proves "
        "nothing for the depots.",
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
        "Good that you say it: my draft used UPDATE … RETURNING, which needs SQLite 3.35, and the "
        "depots are one short of it. It would have run on staging and on my machine, and failed at "
        "the first heartbeat on a depot. An UPDATE "
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
        "Now the worker: one point in time for the next renewal instead of a gate per key. What the "
        "store gives back are the tokens that it still knows, so the worker compares its own list "
        "with that set. If its running lease is missing there, the job is over and the error goes "
        "up as before; if a waiting one is missing, it is dropped from the list with an entry in the "
        "log, and the running job never hears of it. I keep the rule from the first repair, only "
        "the number of writes changes.",
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
        "Still green. I pin the number of writes too, because that number is the whole point of this "
        "second form: the batch takes 96 seconds in the test, a renewal is due every third of a "
        "lease, and none is needed right after the batch was leased.",
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
        "Nothing runs twice, and the heartbeat writes are below what they were before I came. The new store "
        "method deserves a test of its own, for a batch of which one lease is gone.",
    )
    session.bash(
        f"cat >> tests/test_store.py <<'END'\n{STORE_TEST}END\npython -m pytest -q --tb=short",
    )
    session.say(
        "Green, and not committed yet; you may want to look at it first. The table of the rehearsals "
        "is above: the same load in three forms, as it was, one write for each lease, one write for a batch. "
        "The last one needs the fewest writes, and with six workers it needs no more than with four, "
        "because the number of renewals depends on how long the batches run, not on how many "
        "leases there are. What I like less: the worker now knows the time of its next renewal "
        "itself, where a gate object knew it before. It is one attribute, I can live with it."
    )
    session.point("p2")


def tidy(session: Recorder) -> None:
    """A better name, and what is not needed any more."""
    session.user(
        "That is the kind of number I wanted to see. Three things before you commit: everywhere else we say "
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
        "Green, with the tests of the gate gone. Now the busy store, test first. The test makes the first "
        "renewal fail and then looks at two things: the job must not count as failed, and the "
        "second try must come at the next safe point and not a whole interval later.",
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
        "Green again. Committing.",
    )
    session.read(
        "src/porterq/worker.py", "Reading the worker once more as a whole.", lines=(50, 118)
    )
    session.say(
        "State after 'Renew a batch in one write': nothing runs twice in the rehearsal, a "
        "busy store puts a renewal off instead of failing the job, and `throttle.py` is gone. One gap is left: a plain "
        "function has no safe point. If such a handler takes longer than the lease, the jobs "
        "waiting behind it expire, and this worker still starts them afterwards, as w2 did with "
        "job 16. I would check the lease right before each start. That is the second of the two "
        "questions from the beginning, and it is independent of the first: even a perfect renewal "
        "cannot help where the worker does not get to speak."
    )


def staging_night(session: Recorder) -> None:
    """A night on staging with the second repair: only what waits behind a plain function is lost."""
    log = "ops/logs/staging-2-2026-03-04.log"
    session.repo.put(log, (LATER / "staging-2-2026-03-04.log").read_text(encoding="utf-8"))
    session.repo.commit("Add the log of the trial on staging-2", author="Ops <ops@porterq.example>")
    session.user(
        "ops ran it on staging-2 over night and pushed the log, same folder. how does it look"
    )
    session.bash(
        f"git log -1 --stat --format='%h %an: %s' && cat {log}",
        "Reading it whole; after last time I don't start with a count. I look for three things: does "
        "any lease expire, does a busy store still hurt a job, and do the renewals stay as cheap as "
        "the rehearsal says they are on a disk that is slower than memory.",
    )
    session.bash(
        f"grep -o 'job [0-9]* is held' {log} | sort -u; grep -c 'put off' {log}; grep -n 'pdf.render' {log}; "
        f"grep stats {log} | tail -n 1",
        "And now by job, what was put off, and the slow handlers next to it.",
    )
    session.say(
        "It looks good, with one exception that we knew of. What is good: with six workers and double "
        "batches the store was busy only a few times during a renewal, each time the renewal was put "
        "off and no job failed of it. The rate is no comparison to the first version, which "
        "failed a job each time. And the renewals stayed cheap, see the last line of the statistics.\n\n"
        "The exception: a worker lost two leases, and both jobs stood right behind a slow "
        "pdf.render in the same batch. The renderer held the worker for longer than a lease, "
        "even with the stopgap's length. The sweep came while it was still rendering, another "
        "worker took the two jobs, and then the first one started them all the same. So two "
        "jobs ran twice. That is exactly the gap that I described, now with a log "
        "to prove it. A longer lease would only move it."
    )
    session.user("ok so the check is really needed. first the review though")


def review(session: Recorder) -> None:
    """A colleague reads the branch: a thread and a keyword are declined, an empty batch is mended."""
    session.user(
        "Mirela had a look at the branch. her notes:\n\n"
        "1. pdf.render is a plain function, so why not a small background thread that renews while the "
        "handler runs? ten lines and the gap is closed for good\n"
        "2. JobQueue.lease could take lease_seconds as a third argument, then slow kinds get longer leases\n"
        "3. what does renew_all do with an empty list, `IN ()` looks odd\n"
        "4. and with very many leases, isnt there a limit of SQL variables?\n\n"
        "what do you think"
    )
    session.together(
        [
            bash(
                "python - <<'END'\n"
                "from porterq.clock import ManualClock\n"
                "from porterq.store import LeaseStore\n"
                "\n"
                "store = LeaseStore(':memory:', ManualClock())\n"
                "print('empty batch:', store.renew_all([], 30), dict(store.writes))\n"
                "for size in (1, 16, 32, 999):\n"
                "    marks = ', '.join('?' * size)\n"
                "    store._db.execute(f'SELECT 1 WHERE 1 IN ({marks})', [1] * size)\n"
                "    print('variables', size, 'ok')\n"
                "store.close()\n"
                "END"
            ),
            bash(
                "python - <<'END'\n"
                "import sqlite3, threading\n"
                "db = sqlite3.connect(':memory:')\n"
                "def beat():\n"
                "    try:\n"
                "        db.execute('SELECT 1')\n"
                "    except sqlite3.ProgrammingError as error:\n"
                "        print(type(error).__name__ + ':', str(error).split('. ')[0])\n"
                "thread = threading.Thread(target=beat)\n"
                "thread.start()\n"
                "thread.join()\n"
                "END"
            ),
            bash(
                "grep -n 'MAX_BATCH' -r src docs tests; grep -rn 'queue.lease(\\|\\.lease(' src tests | sort"
            ),
        ],
        "Three of the four can be tried out instead of discussed.",
    )
    session.say(
        "My view, point by point.\n\n"
        "1. A thread is tempting, and it would work in a demo. But the store's connection belongs to the "
        "thread that made it, as the second experiment shows, so the thread needs a connection of its "
        "own, and then two connections of one worker compete for the write lock. And it is against "
        "your rule: no threads inside the worker, because the handlers' connections have the same "
        "property. I would decline it. The check before each start closes the gap from the "
        "other side: not by keeping the lease alive, but by not running what is no longer ours.\n\n"
        "2. That changes the signature, which is against your first rule too. A third argument with a "
        "default would not break billing's calls today, but it invites the next one, and a length per "
        "kind belongs into the registry if anywhere. I would decline this as well.\n\n"
        "3. A real find. SQLite accepts the empty list, so nothing breaks, but it is a write "
        "transaction for nothing. An early return is right.\n\n"
        "4. The batch is capped far below any limit of variables; the old SQLite versions have the "
        "lowest one, and even that is many times our cap. Nothing to do."
    )
    session.user(
        "agree on all four. the rules stay as they are, no thread, lease() stays. I tell her. do 3 pls"
    )
    session.edit(
        "src/porterq/store.py",
        "        tokens = [lease.token for lease in leases]\n",
        "        if not leases:\n"
        "            return set()\n"
        "        tokens = [lease.token for lease in leases]\n",
    )
    session.bash(
        f"cat >> tests/test_store.py <<'END'\n{EMPTY_TEST}END\n"
        "python -m pytest -v --tb=short tests/test_store.py tests/test_renewal.py",
        "With a test that looks at the number of writes, because the result alone was right before. "
        "And the whole of both modules verbosely, so that Mirela sees which behaviours are held "
        "fast by name; I hope that the names read like the rules they are.",
    )
    session.bash(
        "git commit -qam 'Do not write for an empty batch' && git log --oneline -5 && git status --short"
    )


def guard(session: Recorder) -> None:
    """A job whose lease ran out while it waited is not started."""
    session.user(
        "Now the check before the start please, that is the part that bites with our pdf.render handler, which is a plain "
        "function. Own error with code PQ-410, and such a job must count as 'skipped', not as "
        "'lost': the supervisor restarts a worker on exit 75 and alerts on it, so 75 stays for "
        "lost leases only."
    )
    session.together(
        [
            read_file("src/porterq/errors.py"),
            read_file("src/porterq/metrics.py"),
            read_file("src/porterq/store.py", (78, 190)),
        ],
        "Agreed on both: an own code, so that log searches can tell the two cases apart, and an own "
        "counter, because the exit code must not change its meaning. A skipped job is no accident of "
        "this worker, it is a job that somebody else does in the meantime. I look at the errors, "
        "the counters and the writing half of the store before I decide where the check goes.",
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
        "transaction and cost nothing extra. I thought of three places for the check. In `lease` it "
        "is too early, the batch has not aged yet. In the renewal it exists already, but a plain "
        "function gives no chance to renew. In the handler it would be every author's duty, and "
        "somebody will forget. Right before the start is the one place that every job passes.",
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
        "The message helper gets a prefix, so that both errors describe the holder in the same "
        "words, and the queue gets a method of the same name. Billing may call it as well one day, for its own "
        "long jobs; it is public, but nobody has to.",
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
        "All failures are of one kind: the metrics line has a new last column "
        "(and in one of them the taken back job is now skipped, not lost, as wanted). I adapt them "
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
        "Green. The rehearsal should report skipped jobs too; then commit. `clean` and the exit "
        "code look at lost only, so 75 keeps its meaning.",
    )
    session.say(
        "A report before we go on, because a good deal has come together.\n\n"
        "Done and committed: the stopgap; the renewal of all held leases, first one by one and now "
        "in one write; a busy store puts a renewal off; no write for an empty batch; and "
        "the check before each start, with its own error and its own counter. In the rehearsal "
        "nothing runs twice in any of these states since the second repair.\n\n"
        "Where I was wrong on the way, so that it does not come back: I counted the lines of a log "
        "for jobs; I suspected the claim; I thought that undoing the key of the gate would be "
        "enough; and I would have used a statement that the depots do not know. Each of them "
        "looked plausible for a while.\n\n"
        "Not done: the lease length is still the stopgap's, the docs describe the old heartbeats, "
        "and the changelog says nothing yet. A generator handler is now safe however long its batch "
        "takes; a plain one is safe in the sense that nothing is run twice by us, but the jobs "
        "behind it lose time, because they go back to the queue and somebody else takes them. If "
        "that hurts, the renderer should become a generator with a yield per page, which is a "
        "change in the shop and not here."
    )
    session.user("very good")
    session.point("p3")


def shorten(session: Recorder) -> None:
    """From 45 to 20 seconds, and the new name of the reaper."""
    session.user(
        "Now that renewal works, the stopgap goes: ops wants crashed workers to be "
        "recovered faster, so lease_seconds becomes 20, in porterq.toml and as the default. And "
        "please git mv reaper.py to recovery.py, new colleagues take it for a process reaper. Keep "
        "the class name Reaper and keep the logger name porterq.reaper, the log alerts match on it."
    )
    session.bash(
        "sed -i 's/lease_seconds = 45/lease_seconds = 20/' porterq.toml && python -m porterq rehearse --jobs 120",
        "First the setting, alone, to see whether anything else has an opinion about it. A number that "
        "three people chose at three times, the default, the bound and the file of the host, seldom "
        "stands in only one place.",
    )
    session.bash(
        "sed -i 's/^DEFAULT_LEASE_SECONDS = 30/DEFAULT_LEASE_SECONDS = 20/; s/^MIN_LEASE_SECONDS = 25/MIN_LEASE_SECONDS = 10/' src/porterq/config.py && "
        "git diff src/porterq/config.py && python -m porterq rehearse --jobs 120; python -m pytest -q --tb=short",
        "Refused with PQ-422: there is a lower bound, and the new value is below it. Nothing else in the code depends on "
        "that bound. I lower it far enough to leave room for experiments, and set the default.",
    )
    session.bash(
        "sed -i 's/lease_seconds == 30/lease_seconds == 20/; s/renew_every == 10/renew_every == 6/; s/\\[0, 3601\\]/[0, 9, 3601]/' tests/test_config.py && "
        'sed -i \'s/\\["heartbeat"\\] == 9/["heartbeat"] == 16/\' tests/test_renewal.py && python -m pytest -q --tb=short',
        "Two tests know the old numbers: the default in test_config, and the number of renewals in "
        "the batch test, because a third of a shorter lease is shorter. Both are right to fail; I "
        "adapt them, and add a value just below the new bound to the ones out of range.",
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
        "Alone it passes, in the suite it does not, so something leaks from one test into another. "
        "`_rehearse` in cli.py sets the logger 'porterq' to CRITICAL for the rest "
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
    session.say(
        "Three commits: the length, the silence of the rehearsal, the move. The class is still "
        "called Reaper and the logger still has its old name, so nothing changes for the alerts, and the "
        "new test says why, in case somebody tidies it up. The leak of the log level is worth a "
        "thought: it was there before and hid every warning in the tests that ran after the one of the "
        "command line. I went through those tests, none of them had relied on the silence. "
        "The rounding is now written down as an expected failure, strict, so whoever "
        "repairs it will be told to remove the mark."
    )


def shorter_still(session: Recorder) -> None:
    """Would 15 seconds do? The remark about the export decides."""
    session.user(
        "ops asks whether we could even go to 15? they'd love it because of their agreement with the depots"
    )
    session.bash(
        'for s in 10 12 15 20 30 45; do echo "lease $s"; PORTERQ_LEASE_SECONDS=$s python -m porterq '
        "rehearse --jobs 120 | sed -n 2,4p; done",
        "The rehearsal first, over a range of lengths.",
    )
    session.bash(
        'for w in 2 4 6; do for b in 4 8 16; do echo "workers $w batch $b"; python -m porterq rehearse '
        "--jobs 120 --workers $w --batch $b | sed -n '1p;3,4p'; done; done",
        "And the length that we have now over all pairs of workers and batch sizes in the host table.",
    )
    session.say(
        "I advise against 15, although the rehearsal is clean down to the lower bound. The rehearsal never "
        "has a busy store, and depot-3 has one every night: the export that you mentioned when you "
        "gave me the log. A renewal that comes due just when the export takes the lock is late by as "
        "long as the export lasts. With a lease of 20 about 5 seconds remain then; with 15 it "
        "would be 1 second, and the truncation to whole seconds can eat that one too. So the "
        "length that we have is the shortest that I would defend, as long as that export "
        "runs on the same file. The agreement with the depots is kept with it; I compared "
        "it with the runbook."
    )
    session.user("ok, we stay")


REPORT = '''\
"""Lists the jobs that lost their lease: ``python tools/lease_report.py LOG``."""

import re
import sys
from pathlib import Path

LINE = re.compile(
    r"^(?P<at>\\S+) \\S+ \\S+ ERROR .*worker (?P<worker>\\w+): PQ-409 lease lost: "
    r"job (?P<job>\\d+) is (?:held as (?P<holder>\\S+),|(?P<state>\\w+),)"
)
HEADER = ("job", "lost_at", "lost_by", "held_as")


def rows(text):
    """One row for each job, in the order of job numbers; a replayed line counts once."""
    found = {}
    for line in text.splitlines():
        match = LINE.match(line)
        if match:
            holder = match["holder"] or match["state"]
            found.setdefault(match["job"], (match["job"], match["at"], match["worker"], holder))
    return [found[job] for job in sorted(found)]


def main(path):
    for row in (HEADER, *rows(Path(path).read_text(encoding="utf-8"))):
        print("\\t".join(row))


if __name__ == "__main__":
    main(sys.argv[1])
'''

REPORT_TEST = '''\
"""The report for customer support."""

from tools.lease_report import rows

LOST = (
    "2026-03-02T01:14:{s:02d}Z depot-3 w1 ERROR porterq.worker: worker w1: "
    "PQ-409 lease lost: job {job} is held as w2-0041, not w1-0017"
)


def test_a_replayed_line_counts_once():
    text = "\\n".join([LOST.format(s=9, job=17), "--- rotated", LOST.format(s=9, job=17)])
    assert rows(text) == [("17", "2026-03-02T01:14:09Z", "w1", "w2-0041")]


def test_rows_come_in_the_order_of_the_log():
    text = "\\n".join([LOST.format(s=9, job=104), LOST.format(s=10, job=17)])
    assert [row[0] for row in rows(text)] == ["104", "17"]


def test_other_errors_are_no_rows():
    assert rows("2026-03-02T02:40:04Z depot-3 w3 ERROR x: PQ-503 store busy during claim") == []
'''


def support_report(session: Recorder) -> None:
    """A script for customer support; the order of its rows is corrected."""
    session.user(
        "Something else in between: support wants a list of the jobs that ran twice so they can "
        "apologise. A small script tools/lease_report.py that reads a worker log: tab separated with a "
        "header line, no colours, plain ASCII, times in UTC as in the log, each job once. It "
        "must only read, nothing is written next to the log. With a test."
    )
    session.write(
        "tools/lease_report.py",
        REPORT,
        "One regular expression for the line of the worker, one row per job. The lesson of my "
        "wrong count goes straight into it: what the shipper replays must not count again.",
    )
    session.bash("python tools/lease_report.py ops/logs/depot-3-2026-03-02.log")
    session.say(
        "It works, each job stands there once, and the length of the list is the number that support has. "
        "The columns are the job, when its worker noticed the loss, which worker that was, and the "
        "token under which somebody else held the job by then, so that support can look up the second "
        "mail too. The time is the one of the noticing, which is up to a batch later than the "
        "second mail; for an apology that should be near enough. "
        "The rows are sorted by job; say if you'd like another order."
    )
    session.user("hm, 103 before 17?? they want it in the order of time, not sorted like words")
    session.edit(
        "tools/lease_report.py",
        "    return [found[job] for job in sorted(found)]\n",
        "    return list(found.values())\n",
        "My mistake: the job numbers are text here, so I had sorted them as words. A dictionary keeps "
        "the order in which things were put in, and that is the order of the log.",
    )
    session.bash(
        "sed -i 's/in the order of job numbers; a replayed/in the order of the log; a replayed/' tools/lease_report.py"
    )
    session.write("tests/test_lease_report.py", REPORT_TEST)
    session.together(
        [
            bash("python -m pytest -q --tb=short tests/test_lease_report.py"),
            bash("python tools/lease_report.py ops/logs/depot-3-2026-03-02.log | head -n 8"),
            bash(
                "python tools/lease_report.py ops/logs/depot-3-2026-03-02.log | cut -f3 | sort | uniq -c | sort -rn"
            ),
        ],
        "With tests for the order and for the replay, and out of curiosity how the losses spread over "
        "the workers. I should have asked for the order in the first place: a list for people who "
        "look things up in an outbox is read along the clock.",
    )
    session.bash(
        "git add -A && git commit -qm 'Add a report of lost leases for support' && git show --stat --format='%h %s'"
    )
    session.say(
        "Committed. The script has no dependency and does not import porterq, so support can run "
        "it wherever there is a Python; it opens the log for reading only."
    )


def attempts(session: Recorder) -> None:
    """Does an expired lease use up one of the attempts of a job? It does, and it stays so."""
    session.user(
        "question from billing: does a job lose one of its attempts when its lease runs out? "
        "they saw a job burried after a single real error"
    )
    session.bash(
        "python - <<'END'\n"
        "from porterq.clock import ManualClock\n"
        "from porterq.config import Settings\n"
        "from porterq.queue import JobQueue\n"
        "from porterq.store import LeaseStore\n"
        "\n"
        "clock = ManualClock()\n"
        "queue = JobQueue(LeaseStore(':memory:', clock), Settings())\n"
        "queue.put('invoice')\n"
        "for sweep in range(4):\n"
        "    (lease,) = queue.lease('w1')\n"
        "    clock.advance(20)\n"
        "    print('attempt', lease.attempt, 'requeued', queue.store.requeue_expired())\n"
        "(lease,) = queue.lease('w1')\n"
        "print('attempt', lease.attempt, 'tried again after an error:', queue.nack(lease, 'boom'))\n"
        "print(queue.stats())\n"
        "for event in queue.store.events(1)[-2:]:\n"
        "    print(event)\n"
        "END",
        "I try it instead of reading it out of the SQL: a job whose lease runs out four times and "
        "that fails once after that.",
    )
    session.bash("grep -n 'attempts' -r src/porterq docs tests | sort")
    session.say(
        "Yes. `claim` counts an attempt for each lease, whether the job was started or not, and nothing "
        "gives it back when the lease runs out. So after enough expired leases the first real "
        "error buries the job. With the fault that we have just repaired this was worse than it "
        "looks: a job at the end of a batch could use up several attempts without ever having run. "
        "From now on it is rare, because leases expire only when a worker dies or a plain "
        "function blocks.\n\n"
        "I'd leave it as it is for this release. Giving the attempt back is one line in "
        "the requeue, but then a job that kills its worker each time would come back for ever, and "
        "the attempts are the only thing that stops it. What one could do is to count starts and not leases, "
        "now that there is a `start`. That is a change of meaning for `Lease.attempt`, which billing reads, "
        "so it needs a word with them first."
    )
    session.user(
        "leave it, but put it on the list: count starts instead of leases, after talking to billing"
    )


def soak_plan(session: Recorder) -> None:
    """A checklist for the soak, and a last reading of the whole change."""
    session.user(
        "pls also write docs/soak.md, a check list for the soak: numbered steps, no tables, lines of at most "
        "80 characters, and no host passwords or paths below /home in it. it runs 2 hours. take the pass criteria "
        "from the runbook, don't invent any"
    )
    session.bash(
        "sed -n '/## Rollout/,$p' ops/supervisor.md && grep -n -A8 'staging-2' ops/hosts.toml",
        "The criteria again from the source, and the entry of the host. A check list that is a little "
        "wrong is worse than none, because people stop thinking when they have one.",
    )
    session.write(
        "docs/soak.md",
        SOAK,
        "Apart from your two hours I take every number from the two files and none from memory. What the runbook does not "
        "say I leave out, so there is no criterion for skipped jobs; the list only asks to note them.",
    )
    session.bash(
        "awk 'length > 80' docs/soak.md | wc -l; grep -c '|' docs/soak.md; LC_ALL=C grep -nP '[^\\x00-\\x7F]' docs/soak.md | wc -l"
    )
    session.user("nice")
    session.user(
        "before the paperwork pls read the whole diff once more with fresh eyes, store and worker "
        "in particular. I had two people on holiday who would normally do that"
    )
    session.together(
        [
            bash(
                "git diff start --stat -- src tests docs tools && git diff start -- src/porterq/worker.py src/porterq/queue.py src/porterq/errors.py src/porterq/cli.py"
            ),
            read_file("src/porterq/store.py"),
        ],
        "With fresh eyes then: the statistics, the diff of everything but the store, and the store as "
        "a whole, because a diff hides what stands next to it.",
    )
    session.together(
        [
            bash(
                "git log --date=short --format='%h %s' start..HEAD && git status --short && git diff start --stat -- ops"
            ),
            bash("grep -rn 'heartbeat' src docs README.md | sort"),
        ]
    )
    session.say(
        "What I looked for, and what I found.\n\n"
        "Behaviour: `start` renews the lease and writes the history in one transaction, so a job "
        "never starts without a fresh lease, and a refused start leaves no line in the history. "
        "`renew_all` updates and then selects inside the transaction, so nobody can take a lease "
        "between the two. A worker that loses its running lease stops that job only; the others "
        "in the batch go on. I tried to think of an order of events in which a job is counted both "
        "as lost and as skipped, and found none, because it leaves `held` in both cases.\n\n"
        "Tests: each of the faults of this session has one that fails without its repair; I tried that "
        "for the renewal, for the lost waiting lease, for the busy store and for the check before the "
        "start as I went along. What no test covers is two processes on one real file; the stress "
        "script did that for the claim only, and the soak does it for everything.\n\n"
        "Words: the purpose of the transaction is still called heartbeat, in the store and in the "
        "rehearsal, while everything else says renew. I leave it: the text stands in the message of "
        "the busy error, and one of the alerts may look at it. `extend` with one lease has no "
        "caller in this repository any more, but it stays for billing, as you said; a reader "
        "will wonder, so I'd add a word to its docstring in the next release, not now.\n\n"
        "Limits: the check before the start protects against running a job that is gone already. It "
        "does not protect a plain function that itself outlives its own lease: that job is lost "
        "at its end, counts as lost, and exit code 75 is right for it. With the shorter "
        "lease this happens earlier than before. The renderer is the only such handler that I "
        "know of. I would mention that to ops before the soak and not after.\n\n"
        "Nothing in ops/ differs from the start apart from the log that ops pushed itself, and the commit "
        "subjects are as you want them."
    )
    session.user(
        "thanks, good points. I tell ops about the renderer, they will give pdf.render a host of its own, "
        "staging-1 for a start. continue with the paperwork"
    )
    session.bash(
        "git add -A && git commit -qm 'Add a check list for the soak' && git log -1 --format='%h %s'"
    )


SOAK = """\
# Soak of a release

1. Install the release on staging-2 and restart its supervisor.
2. Check that 6 workers are up, each with batch_size 16.
3. Point the workers at the database /srv/soak/harbour.db.
4. Fill the queue and let it run for 2 hours.
5. Make the list of lost leases with tools/lease_report.py. It must be empty
   but for its header: zero jobs ran twice.
6. Count PQ-503 in the log. Fewer than 4 pass.
7. Note the number of skipped jobs. It decides nothing.
8. If one of them fails, roll back with pqctl pin 0.8.2.
"""


def wrap_up(session: Recorder) -> None:
    """The record of the decision, the docs, and what stays open."""
    session.user(
        "Please write the decision down under docs/decisions, short: problem, decision, consequences; "
        "the ways we did not take I'll put into the ticket. And bring docs/leases.md and the "
        "changelog (section 'Unreleased') up to date. Don't bump the version, I tag 0.9.0 myself "
        "after the soak on staging-2, on Thursday. Whole-second expiry: "
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
                "docs/settings.md",
                "| lease_seconds | 30 | 25 to 3600 |",
                "| lease_seconds | 20 | 10 to 3600 |",
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
        "python -m pytest -v --tb=short && git add -A && git commit -qm 'Record the renewal decision' && git status --short && git diff start --stat -- src/porterq/queue.py && grep -n 'def ' src/porterq/queue.py"
    )
    session.say(
        "Done and committed. The rules of the beginning hold: the public signature is as it was, no thread and no "
        "dependency came in, ops/ is untouched, the subjects are plain sentences. What changed for users "
        "stands in the changelog; what changed for us in the decision record, and the table of "
        "settings in the docs has the new default and the new bound. Still open on my side: empty polls take the write lock, because "
        "`claim` opens its transaction even when nothing is ready (most of the claim writes in "
        "the rehearsal lease nothing); I suggest a read before it, as `requeue_expired` does."
    )
    session.user(
        "Good catch, put that on the list, but after the release. Also open: `porterq work` should "
        "get a --batch option like rehearse has. I'll come back to you after the soak."
    )
    session.say(
        "Noted, both for after 0.9.0: a read before `claim`, and `--batch` for `porterq work`. "
        "Together with the attempts, which need billing, and the rounding, which needs its own "
        "release, that makes four things that I'd look at in this order: first the empty polls, "
        "because they are cheap to mend and take load off the lock that caused half of this story; "
        "then the option, which is a copy of what `rehearse` has; then the attempts; the "
        "rounding last.\n\n"
        "If the soak fails, I'd want three things from you before anything else: the log from its first "
        "line, the settings as the host had them and not as the repository has them, and the "
        "history of one job that ran twice. With the history of a single job we found "
        "the cause in an hour; with the totals we would still be guessing."
    )
    session.point("p4")


def ask(session: Recorder) -> None:
    """All questions, with the facts that the repository itself can confirm."""
    check_files(session)
    ask_recall(session)
    ask_files(session)
    ask_continuation(session)
    ask_decisions(session)


def check_files(session: Recorder) -> None:
    """What git says about the files, before anything is claimed about them."""
    session.repo.check_changed(
        "start",
        added=[
            "docs/decisions/0001-one-renewal-write.md",
            "docs/soak.md",
            "ops/logs/staging-2-2026-03-04.log",
            "tests/test_lease_report.py",
            "tests/test_recovery.py",
            "tests/test_renewal.py",
            "tools/lease_report.py",
        ],
        deleted=["src/porterq/throttle.py", "tests/test_throttle.py"],
        renamed=["src/porterq/recovery.py"],
    )
    modified = set(session.repo.changed("start", "M"))
    expected = {f"src/porterq/{name}.py" for name in ("cli", "config", "errors", "metrics")}
    expected |= {"CHANGELOG.md", "docs/settings.md", "src/porterq/rehearse.py"}
    assert expected <= modified, modified
    untouched = {"src/porterq/clock.py", "src/porterq/handlers.py", "ops/hosts.toml"}
    assert not untouched & modified, modified


def commit_of(session: Recorder, subject: str) -> str:
    """The short hash of the commit with that subject."""
    return session.repo.git("log", "-1", "--format=%h", f"--grep=^{subject}").strip()


def file_fact(session: Recorder, path: str, change: str) -> dict[str, Any]:
    """What happened to a file, proved by the calls that did it."""
    proof = {
        "created": lambda: session.doing("write_file", f'"path": "{path}"'),
        "modified": lambda: session.doing("edit_file", path),
        "read": lambda: session.doing("read_file", path),
        "deleted": lambda: session.holding(f"git rm -q {path}", f"rm {path}", calls=True),
        "renamed": lambda: session.holding("git mv src/porterq/reaper.py", calls=True),
    }[change]
    return session.fact(
        f"{path} was {change}", type="path", change=change, keys=[path], said_in=ends(proof())
    )


def ask_after_second_repair(session: Recorder) -> None:
    """Asked at p2: the dead end, and what the log of the night holds besides."""
    fact, trap = session.fact, session.trap
    session.probe(
        "why-no-claim-race",
        "decision",
        "What spoke against two workers claiming the same row: how does `claim` open its "
        "transaction, what came out when it was tried under stress, what does the history of job "
        "16 say, and which module about time was looked at?",
        [
            fact(
                "claims are serial because BEGIN IMMEDIATE takes the write lock first",
                type="reason",
                keys=[
                    "BEGIN IMMEDIATE|immediate transaction",
                    "serial|serialise|serialised|serialize|serialized|write lock|one at a time|exclusive|no race|race impossible",
                ],
            ),
            fact(
                "the stress run had 400 jobs leased, 0 leased more than once",
                type="command",
                keys=[
                    "400 jobs|stress|stress run|stress test",
                    "0 leased more than once|no double claim|no double lease|not leased twice|never leased twice|no duplicate|no duplicates|no job leased twice|none leased twice|zero duplicates|zero double leases|no double claims",
                ],
            ),
            fact(
                "job 16 was requeued at t=49",
                type="value",
                keys=["job 16", "t=49|49", "requeued|expired|requeue|returned|put back|reaped"],
            ),
            file_fact(session, "src/porterq/clock.py", "read"),
        ],
        [
            trap(
                "job 16 was requeued at t=50",
                of="job 16 was requeued at t=49",
                keys=["job 16", "t=50|50", "requeued|expired|requeue|reaped"],
            ),
            trap(
                "the stress run leased jobs twice",
                of="the stress run had 400 jobs leased, 0 leased more than once",
                keys=[
                    "jobs leased|stress|stress run|stress test",
                    "leased twice|double leases|14 leased more than once|double claim|duplicates found|claimed twice",
                ],
            ),
        ],
        point="p2",
    )
    session.probe(
        "night-on-the-depot",
        "recall",
        "What does the log of the night on the depot say besides the lost leases: the slowest "
        "plain handler with its job, and the payload that was refused with PQ-413: its size and the "
        "handler that put it? Which file says how many workers each host has?",
        [
            fact(
                "the slowest pdf.render on depot-3 was job 163 with 47 seconds",
                type="value",
                keys=["pdf.render|render|163|renderer", "47 seconds|47 s"],
            ),
            fact(
                "the refused payload had 66112 bytes",
                type="error",
                keys=["PQ-413|payload|oversized|merge", "66112 bytes|66112"],
            ),
            fact(
                "statement.merge put the payload that is too large",
                type="identifier",
                keys=[
                    "statement.merge",
                    "PQ-413|payload|too large|oversized|too big|exceeds|refused|66112",
                ],
            ),
            file_fact(session, "ops/hosts.toml", "read"),
        ],
        [
            trap(
                "the slowest pdf.render on depot-3 took 36 seconds",
                of="the slowest pdf.render on depot-3 was job 163 with 47 seconds",
                keys=[
                    "pdf.render|render|renderer",
                    "slowest|longest|163|maximum",
                    "36 seconds|33 seconds",
                ],
            ),
            trap(
                "the refused payload had 65536 bytes",
                of="the refused payload had 66112 bytes",
                keys=[
                    "payload of|refused payload|payload had|payload was|oversized payload",
                    "65536 bytes|65536",
                ],
            ),
            trap(
                "invoice.send put the payload that is too large",
                of="statement.merge put the payload that is too large",
                keys=["invoice.send", "PQ-413|payload"],
            ),
            trap(
                "invoice.send was the slowest plain handler",
                of="the slowest pdf.render on depot-3 was job 163 with 47 seconds",
                keys=["invoice.send|statement.merge", "slowest|longest"],
            ),
        ],
        point="p2",
    )


def ask_after_guard(session: Recorder) -> None:
    """Asked at p3: what staging said to the two repairs."""
    fact, trap = session.fact, session.trap
    session.probe(
        "staging-trials",
        "recall",
        "Both repairs were tried on staging-2. How often was the store busy with the first "
        "one? With the second: how many heartbeat writes had the night, which "
        "job was the first to lose its lease, what did the renderer take before that, and with which batch "
        "size do the workers run there?",
        [
            fact(
                "the first repair had 14 times PQ-503 in 10 minutes on staging-2",
                type="error",
                keys=["14 times|14 PQ-503|14 errors|14|fourteen", "PQ-503|busy", "10 minutes"],
            ),
            fact(
                "the night on staging-2 had 171 heartbeat writes",
                type="value",
                keys=["heartbeat|renewals|renewal writes|heartbeats", "171"],
            ),
            fact(
                "job 205 lost its lease on staging-2",
                type="error",
                keys=["205", "lost|expired|requeued|twice|lease gone|reaped|lapsed"],
            ),
            fact(
                "pdf.render took 52 seconds in job 204",
                type="value",
                keys=["pdf.render|render|204|renderer", "52 seconds|52 s"],
            ),
            fact(
                "staging-2 runs with batch_size 16",
                type="value",
                keys=[
                    "staging-2|staging",
                    "batch_size 16|batch size 16|batches of 16|16 jobs per batch|16 per batch",
                ],
            ),
        ],
        [
            trap(
                "the first repair had PQ-503 about 40 times an hour on staging-2",
                of="the first repair had 14 times PQ-503 in 10 minutes on staging-2",
                keys=["40 times|40 an hour|40 per hour", "staging-2|first repair|staging"],
            ),
            trap(
                "the night on staging-2 had 214 heartbeat writes",
                of="the night on staging-2 had 171 heartbeat writes",
                keys=["heartbeat writes|renewal writes|heartbeat=214|heartbeats", "214"],
            ),
            trap(
                "job 17 lost its lease on staging-2",
                of="job 205 lost its lease on staging-2",
                keys=["17", "lost|expired|requeued|twice", "staging-2"],
            ),
            trap(
                "staging-2 runs with batch_size 8",
                of="staging-2 runs with batch_size 16",
                keys=["staging-2", "batch_size 8|batch size 8|batches of 8"],
            ),
            trap(
                "pdf.render took 47 seconds in job 204",
                of="pdf.render took 52 seconds in job 204",
                keys=["204|staging-2|staging", "47 seconds"],
            ),
        ],
        point="p3",
    )
    session.probe(
        "key-alone-not-enough",
        "decision",
        "Undoing the one changed line of the gate was the first plan. What did the test about a "
        "waiting lease that is gone show for the job in front of it, what was settled "
        "about stopping jobs, and how many heartbeat writes did one write per lease take?",
        [
            fact(
                "the error about job 2 aborts the running job 1",
                type="reason",
                keys=[
                    "job 2|waiting lease|waiting job|lease of a waiting job",
                    "aborts|aborted|stops|kills|cancels|interrupts",
                    "running job|job 1",
                ],
                said_in=session.saying("the error about job 2 aborts the running job 1"),
            ),
            fact(
                "only the loss of the running lease may stop a job",
                type="decision",
                keys=[
                    "loss of the running lease|losing the running lease|running lease is lost|loses its running lease|running job's lease",
                    "stop|stops|abort|aborts|interrupt|kill",
                ],
            ),
            fact(
                "one write per lease took 434 heartbeat writes in the rehearsal",
                type="value",
                keys=["heartbeat|renewal writes|heartbeats|renewals|per lease", "434"],
            ),
        ],
        [
            trap(
                "one write per lease took 93 heartbeat writes in the rehearsal",
                of="one write per lease took 434 heartbeat writes in the rehearsal",
                keys=["per lease|each lease|first repair", "93"],
            ),
        ],
        answer={"max_words": 110},
        point="p3",
    )


def ask_recall(session: Recorder) -> None:
    """Values that were corrected, changed, or said once."""
    fact, trap = session.fact, session.trap
    session.probe(
        "corrected-mistake",
        "recall",
        "How many jobs ran twice in the night of ticket OPS-2291, why was another number claimed "
        "at first, and which form and order has the report for support?",
        [
            fact(
                "23 jobs ran twice in the night of the report",
                type="value",
                keys=[
                    "23 jobs|23 distinct|23 different|23 of 400|23 of the 400",
                    "twice|duplicate|duplicated|double|lost their lease|lost lease|ran again|repeated",
                ],
                said_in=session.saying("and 23 of 400 jobs ran twice", "it is 23 jobs that lost"),
            ),
            fact(
                "lines stand twice because the shipper replayed its buffer after the rotation",
                type="reason",
                keys=[
                    "replayed|repeated|stands there twice|follows once more|resent|sent again|duplicated|written twice",
                    "buffer|shipper|rotated|rotation|log shipping",
                ],
            ),
            fact(
                "the report lists each job in the order of time",
                type="decision",
                keys=[
                    "report|list|lease_report.py|jobs|output|they want|support",
                    "order of time|order of the log|by time|chronological|time order|chronologically|by timestamp|temporal order|earliest first",
                ],
                said_in=session.saying("they want it in the order of time"),
            ),
            fact(
                "the report is tab separated with a header line",
                type="constraint",
                keys=[
                    "tab separated|tab-separated|TSV|tabs|tab-delimited",
                    "header line|header|heading|column names",
                ],
            ),
        ],
        [
            trap(
                "31 jobs ran twice in the night of the report",
                of="23 jobs ran twice in the night of the report",
                keys=[
                    "31 jobs|31 distinct|31 of 400|31 of the 400|31",
                    "twice|duplicate|duplicated|lost their lease|ran again",
                ],
            ),
            trap(
                "the report is sorted by job number",
                of="the report lists each job in the order of time",
                keys=[
                    "order of job numbers|sorted by number|by job number|by job id|sorted by id|numerical order"
                ],
            ),
        ],
    )
    session.probe(
        "passing-remark",
        "recall",
        "Something happens on the depot every night that a shorter lease would not survive. How long "
        "does it block the store and when, and which length was therefore "
        "advised against?",
        [
            fact(
                "the accounting export holds the write lock for up to 9 seconds",
                type="value",
                keys=["export", "lock|blocks|blocked|holds|occupies|busy|locked", "9 seconds"],
            ),
            fact(
                "the export runs every night at 02:40",
                type="value",
                keys=["export", "02:40|2:40"],
            ),
            fact(
                "a lease of 15 seconds was advised against",
                type="decision",
                keys=[
                    "15 seconds|15",
                    "advise against|advised against|rejected|too short|declined|not recommended|discouraged|refused|turned down|not safe|warned against|not defend|too tight",
                ],
            ),
        ],
        [
            trap(
                "the accounting export holds the write lock for up to 3 seconds",
                of="the accounting export holds the write lock for up to 9 seconds",
                keys=["export", "lock|blocks|blocked|holds", "3 seconds|2 seconds|2000 ms"],
            ),
            trap(
                "the export runs every night at 01:14",
                of="the export runs every night at 02:40",
                keys=["export", "01:14|1:14|02:21|02:26"],
            ),
            trap(
                "a lease of 15 seconds was accepted",
                of="a lease of 15 seconds was advised against",
                keys=["lease of 15|15 seconds", "accepted|adopted|set|agreed|chosen|now in force"],
            ),
        ],
    )
    session.probe(
        "changed-twice",
        "recall",
        "Which length does a lease have now, which lower bound does the configuration enforce "
        "since then, with which error was the new length refused before, and how many heartbeat "
        "writes does the rehearsal of 120 jobs take with it?",
        [
            fact(
                "lease_seconds is 20",
                type="value",
                keys=[
                    "lease_seconds|DEFAULT_LEASE_SECONDS|lease lasts|lease length|default lease|lease duration",
                    "20 seconds|20",
                ],
                said_in=[
                    *session.saying("so lease_seconds becomes 20"),
                    *ends(session.holding("+DEFAULT_LEASE_SECONDS = 20")),
                ],
            ),
            fact(
                "MIN_LEASE_SECONDS is 10",
                type="value",
                keys=[
                    "MIN_LEASE_SECONDS|minimum|lower bound|at least|floor|lower limit",
                    "10 seconds|10",
                ],
                said_in=ends(
                    session.holding("+MIN_LEASE_SECONDS = 10", "its minimum 10", calls=True)
                ),
            ),
            fact(
                "PQ-422 refused 20 because it was not between 25 and 3600",
                type="error",
                keys=[
                    "PQ-422",
                    "between 25 and 3600|below 25|minimum of 25|at least 25|25 to 3600|lower bound of 25|less than 25|under 25",
                ],
            ),
            fact(
                "with a lease of 20 the rehearsal takes 130 heartbeat writes",
                type="value",
                keys=["heartbeat|renewal writes|renewals|heartbeats", "130"],
            ),
            fact(
                "docs/settings.md gives lease_seconds the default 20 and 10 to 3600",
                type="state",
                keys=[
                    "lease_seconds|settings.md|default",
                    "20",
                    "10 to 3600|10-3600|between 10 and 3600",
                ],
            ),
        ],
        [
            trap(
                "lease_seconds is 30",
                of="lease_seconds is 20",
                keys=[
                    "lease_seconds|DEFAULT_LEASE_SECONDS|lease lasts|default lease|lease length",
                    "30 seconds|30",
                ],
            ),
            trap(
                "lease_seconds is 45",
                of="lease_seconds is 20",
                keys=[
                    "lease_seconds|DEFAULT_LEASE_SECONDS|lease lasts|default lease|lease length",
                    "45 seconds|45",
                ],
            ),
            trap(
                "MIN_LEASE_SECONDS is 25",
                of="MIN_LEASE_SECONDS is 10",
                keys=["MIN_LEASE_SECONDS|minimum|lower bound|floor|lower limit", "25 seconds|25"],
            ),
            trap(
                "with a lease of 20 the rehearsal takes 73 heartbeat writes",
                of="with a lease of 20 the rehearsal takes 130 heartbeat writes",
                keys=[
                    "heartbeat|renewal writes|renewals|heartbeats",
                    "73",
                    "lease of 20|20 seconds",
                ],
            ),
        ],
    )
    session.probe(
        "rules-of-operation",
        "recall",
        "What does the runbook of ops say: within which time after a crash must a job be picked up, when "
        "does a restart with 75 page somebody, which alert matches the reaper's lines, on which "
        "days may the depots not be rolled out, and how is it rolled back?",
        [
            fact(
                "a job must be picked up within 25 seconds of a crash",
                type="constraint",
                keys=[
                    "25 seconds",
                    "crash|crashed|picked up|killed|recovered|recovery|dead worker|taken over",
                ],
            ),
            fact(
                "exit 75 pages after 3 restarts within 10 minutes",
                type="value",
                keys=[
                    "3 restarts|three restarts|75 three times|restarted three times|3 times",
                    "10 minutes",
                    "page|paged|75|restarts|PQ-LOST|alarm|on-call",
                ],
            ),
            fact(
                "ALERT-14 matches the requeued lines of porterq.reaper",
                type="identifier",
                keys=["ALERT-14", "porterq.reaper|reaper|requeued"],
            ),
            fact(
                "no rollout to depot-2 and depot-3 on the last three days of a month",
                type="constraint",
                keys=[
                    "never on the last three|not on the last three|never during the last three|never in the last three|not in the last three|no rollout|not rolled out|no deployment|not deployed|must not be rolled out",
                    "last three days|last 3 days|final three days",
                ],
            ),
            fact(
                "pqctl pin 0.8.2 rolls back",
                type="command",
                keys=[
                    "pqctl pin 0.8.2|pin 0.8.2|pinned to 0.8.2|0.8.2",
                    "roll back|rollback|rolls back|rolled back|revert|undo|return|go back|downgrade",
                ],
            ),
            file_fact(session, "ops/supervisor.md", "read"),
        ],
        [
            trap(
                "a job must be picked up within 20 seconds of a crash",
                of="a job must be picked up within 25 seconds of a crash",
                keys=[
                    "within 20 seconds|within 30 seconds",
                    "crash|crashed|picked up|killed|recovered",
                ],
            ),
            trap(
                "ALERT-17 matches the requeued lines of porterq.reaper",
                of="ALERT-14 matches the requeued lines of porterq.reaper",
                keys=["ALERT-17|ALERT-15", "porterq.reaper|reaper|requeued"],
            ),
            trap(
                "exit 75 pages after 5 restarts within 15 minutes",
                of="exit 75 pages after 3 restarts within 10 minutes",
                keys=["restarts", "15 minutes|5 restarts"],
            ),
            trap(
                "pqctl pin 0.9.0 rolls back",
                of="pqctl pin 0.8.2 rolls back",
                keys=["pqctl pin 0.9.0|pqctl pin 0.8.1"],
            ),
        ],
    )


def ask_files(session: Recorder) -> None:
    """What git says about the files."""
    fact, trap = session.fact, session.trap
    session.probe(
        "new-and-gone",
        "file",
        "Which test modules, which tool and which documents did you create, which module and which "
        "test were deleted, what became of the module of the class Reaper, and which test holds the "
        "logger's name fast? Answer as a list.",
        [
            file_fact(session, "tests/test_renewal.py", "created"),
            file_fact(session, "tests/test_recovery.py", "created"),
            file_fact(session, "tools/lease_report.py", "created"),
            file_fact(session, "docs/decisions/0001-one-renewal-write.md", "created"),
            file_fact(session, "src/porterq/throttle.py", "deleted"),
            file_fact(session, "src/porterq/recovery.py", "renamed"),
            fact(
                "test_sweep_logs_under_the_old_name holds the logger name fast",
                type="identifier",
                keys=["test_sweep_logs_under_the_old_name"],
            ),
        ],
        [
            trap(
                "src/porterq/reaper.py still holds the class Reaper",
                of="src/porterq/recovery.py was renamed",
                keys=[
                    "src/porterq/reaper.py",
                    "still holds|contains|defines|remains|kept its name|not renamed",
                ],
            ),
        ],
        answer={"format": "list"},
    )
    session.probe(
        "modified-and-read",
        "file",
        "Which existing modules besides worker, queue and store were modified, which module about "
        "handlers was only read, and which commits brought the stopgap's end and the renewal in "
        "one write? Answer as a list of at most 12 items and do not mention test files.",
        [
            file_fact(session, "src/porterq/metrics.py", "modified"),
            file_fact(session, "src/porterq/cli.py", "modified"),
            file_fact(session, "src/porterq/handlers.py", "read"),
            fact(
                f"commit {commit_of(session, 'Renew a batch in one write')} renews a batch in one write",
                type="identifier",
                keys=[
                    commit_of(session, "Renew a batch in one write"),
                    "one write|batch|single write|renew_all|one UPDATE|whole batch|second repair",
                ],
            ),
        ],
        [
            trap(
                f"commit {commit_of(session, 'Renew every held lease')} renews a batch in one write",
                of=f"commit {commit_of(session, 'Renew a batch in one write')} "
                "renews a batch in one write",
                keys=[
                    commit_of(session, "Renew every held lease"),
                    "one write|batch in one|single write|renew_all|one UPDATE",
                ],
            ),
        ],
        answer={"format": "list", "max_items": 12, "forbid": ["test_worker.py"]},
    )


def ask_continuation(session: Recorder) -> None:
    """The rules that hold, what the guard has to do, and what is open."""
    fact, trap = session.fact, session.trap
    session.probe(
        "under-pressure",
        "continuation",
        "You go on with the slow plain handlers tomorrow, and Mirela's two proposals are on the "
        "table again. Which of my rules stand against them and why, which folder is off limits, and "
        "which error came when SQLite was used in the proposed way?",
        [
            fact(
                "no threads inside the worker",
                type="constraint",
                keys=[
                    "no threads|no thread|without threads|never threads|no worker threads|not use threads|threads forbidden|threads banned|threads not allowed|no background thread|no threading"
                ],
            ),
            fact(
                "the signature of JobQueue.lease must not change",
                type="constraint",
                keys=[
                    "JobQueue.lease|lease()|signature|lease signature|lease(worker_id, limit=1)",
                    "must not change|stays|unchanged|not be changed|may not change|fixed|frozen|not change|untouched",
                ],
                said_in=session.saying("(worker_id, limit=1) must not change", "lease() stays"),
            ),
            fact(
                "billing calls lease positionally",
                type="reason",
                keys=["billing", "positionally|positional|by position|positional arguments"],
            ),
            fact(
                "nothing in ops/ may be edited",
                type="constraint",
                keys=[
                    "ops/|ops|ops folder",
                    "never edit|not edit|read only|read-only|hands off|untouched|do not touch|not touch|not be edited|not change|not modify|off limits|no edits|not modified|never touched|not be changed",
                ],
            ),
            fact(
                "a connection used in another thread gives ProgrammingError",
                type="error",
                keys=["ProgrammingError", "thread"],
            ),
        ],
        [
            trap(
                "a background thread renews the leases while a handler runs",
                of="no threads inside the worker",
                keys=[
                    "background thread|heartbeat thread|renewal thread|separate thread|daemon thread",
                    "renews|added|keeps|started|introduced|used",
                ],
            ),
            trap(
                "JobQueue.lease takes lease_seconds as a third argument",
                of="the signature of JobQueue.lease must not change",
                keys=[
                    "lease_seconds",
                    "third argument|keyword|new parameter|extra argument|third parameter",
                    "takes|accepts|gets|got|has",
                ],
            ),
        ],
    )
    session.probe(
        "skipped-jobs",
        "continuation",
        "How must a job be treated whose lease is gone when its turn comes: its error and the "
        "message, how it counts, what the exit code is reserved for, and what must billing be "
        "told?",
        [
            fact(
                "PQ-410 LeaseExpired says that the job was not started",
                type="error",
                keys=[
                    "PQ-410",
                    "not started|not run|skipped|LeaseExpired|never started|without starting|never run",
                ],
            ),
            fact(
                "such a job counts as skipped",
                type="state",
                keys=["count|counts|counted|tallied", "skipped"],
            ),
            fact(
                "75 stays for lost leases only",
                type="constraint",
                keys=["75", "lost leases|lost lease|losing a lease|lease lost|lease loss"],
                said_in=session.saying("so 75 stays for lost leases only"),
            ),
            fact(
                "a job is buried at its fifth attempt",
                type="value",
                keys=["attempt|attempts|max_attempts|tries", "5|fifth|five attempts|five tries"],
                said_in=ends(session.holding("attempt 5 tried again", "max_attempts: int = 5")),
            ),
            fact(
                "each lease of a job counts as an attempt, started or not",
                type="state",
                keys=[
                    "attempt|attempts",
                    "each lease|every lease|expired lease|per lease|leasing counts|each leasing|every claim|never started|unstarted|without having run",
                ],
                said_in=session.saying("`claim` counts an attempt for each lease"),
            ),
        ],
        [
            trap(
                "a job whose lease is gone counts as lost",
                of="such a job counts as skipped",
                keys=[
                    "lease is gone|PQ-410|not started|expired while waiting",
                    "counts as lost|counted as lost|reported as lost|treated as lost",
                ],
            ),
            trap(
                "PQ-409 says that the job was not started",
                of="PQ-410 LeaseExpired says that the job was not started",
                keys=["PQ-409", "not started|skipped|never started"],
            ),
            trap(
                "75 is for skipped jobs too",
                of="75 stays for lost leases only",
                keys=["75", "skipped jobs|skipped job|skipped"],
            ),
            trap(
                "a job is buried at its third attempt",
                of="a job is buried at its fifth attempt",
                keys=[
                    "buried|given up|dead|max_attempts",
                    "3 attempts|three attempts|third attempt|10 attempts",
                ],
            ),
        ],
    )
    session.probe(
        "open-work",
        "continuation",
        "What is left before and after the release: who tags it and when, with which database and "
        "which limit for a busy store does the soak run, what did we note for `claim`, for `porterq work` "
        "and for the attempts, and what waits for a schema change? Answer as a list.",
        [
            fact(
                "the version is not bumped, the user tags 0.9.0 after the soak",
                type="constraint",
                keys=[
                    "bump|bumped|tag|tags|tagged|release",
                    "0.9.0|version",
                    "soak|user|himself|herself|myself|not bump|not bumped|no version bump|Thursday|yourself",
                ],
                said_in=session.saying("Don't bump the version"),
            ),
            fact(
                "the soak uses the database /srv/soak/harbour.db",
                type="identifier",
                keys=["/srv/soak/harbour.db|harbour.db", "soak|soak_db|database|staging-2"],
            ),
            fact(
                "the soak passes with fewer than 4 PQ-503",
                type="value",
                keys=[
                    "PQ-503|busy errors|store busy",
                    "fewer than 4|less than 4",
                    "soak|pass|passes|staging-2|criterion|limit",
                ],
            ),
            fact(
                "a read before claim, so that empty polls take no write lock",
                type="next_step",
                keys=[
                    "read before claim|read first|reads first|check before claim|cheap read|peek",
                    "claim|empty polls|polls|polling",
                ],
                said_in=session.saying("a read before `claim`"),
            ),
            fact(
                "porterq work gets a --batch option",
                type="next_step",
                keys=["porterq work|work command|worker command|work subcommand", "--batch"],
            ),
            fact(
                "count starts instead of leases as attempts, after talking to billing",
                type="next_step",
                keys=[
                    "count starts|starts counted|counting starts|starts instead of leases|starts rather than leases|attempts by start|starts not leases",
                    "billing",
                ],
            ),
            fact(
                "whole-second expiry waits for schema step 4",
                type="next_step",
                keys=[
                    "whole-second|whole seconds|rounding|truncation|truncated|sub-second|fractional|expires_at|expiry precision",
                    "schema step 4|step 4|schema change|schema 4",
                ],
            ),
        ],
        [
            trap(
                "the soak uses the database /srv/soak/stage1.db",
                of="the soak uses the database /srv/soak/harbour.db",
                keys=["/srv/soak/stage1.db|stage1.db", "soak|database|staging-2"],
            ),
            trap(
                "the soak passes with fewer than 14 PQ-503",
                of="the soak passes with fewer than 4 PQ-503",
                keys=[
                    "soak|pass|passes",
                    "PQ-503|busy",
                    "fewer than 14|less than 14|fewer than 40|fewer than 10",
                ],
            ),
        ],
        answer={"format": "list"},
    )


def ask_decisions(session: Recorder) -> None:
    """Cause, choice, rejected ways."""
    fact, trap = session.fact, session.trap
    culprit = commit_of(session, "Coalesce heartbeats per worker")
    session.probe(
        "root-cause",
        "decision",
        "What is the root cause: which commit was it, under which ticket, how did it change the key of "
        "the gate, which error and how much of it did it want to get rid of, and what is renewed "
        "of a batch since then?",
        [
            fact(
                f"commit {culprit} coalesced the heartbeats",
                type="identifier",
                keys=[
                    culprit,
                    "coalesce|coalesced|coalescing|coalesces|heartbeats|per worker|cause|culprit|introduced|broke|to blame",
                ],
            ),
            fact(
                "the coalescing was done for OPS-2198",
                type="identifier",
                keys=[
                    "OPS-2198",
                    "coalesce|coalescing|coalesced|heartbeats|month end|PQ-503|busy|commit|culprit|every lease of a batch",
                ],
            ),
            fact(
                "the gate's key went from the lease token to the worker id",
                type="reason",
                keys=[
                    "key|keyed|keys",
                    "token|lease token",
                    "worker id|worker_id|per worker|worker's id",
                ],
                said_in=session.saying("key from the lease token to the worker id"),
            ),
            fact(
                "PQ-503 came about 40 times an hour at month end",
                type="error",
                keys=[
                    "PQ-503|busy",
                    "40 times an hour|40 an hour|40 times|40 per hour|40/h|40 errors an hour",
                ],
            ),
            fact(
                "only the running job of a batch is renewed since then",
                type="reason",
                keys=["running job|first lease|first of a batch", "renewed|refreshed"],
                said_in=session.saying("only the running job of a batch is renewed"),
            ),
        ],
        [
            trap(
                "the cause is a race in the claim query",
                of="only the running job of a batch is renewed since then",
                keys=["race", "claim|claiming|double claim", "cause|root|culprit|fault|to blame"],
            ),
            trap(
                "the coalescing was done for OPS-2107",
                of="the coalescing was done for OPS-2198",
                keys=["OPS-2107|OPS-2164|OPS-2291", "coalesce|coalescing|coalesced"],
            ),
            trap(
                "the gate's key went from the worker id to the lease token",
                of="the gate's key went from the lease token to the worker id",
                keys=[
                    "key from worker id to token|keyed from worker id to token|from the worker id to the lease token"
                ],
            ),
            trap(
                "every lease of a batch is renewed since that commit",
                of="only the running job of a batch is renewed since then",
                keys=[
                    "coalesce|coalescing|coalesced|since that commit",
                    "every lease is renewed|all leases are renewed|waiting leases are renewed|whole batch is renewed",
                ],
            ),
        ],
    )
    session.probe(
        "ways-not-taken",
        "decision",
        "After the busy store on staging, which two ways did I propose and why was neither taken, what was "
        "done instead, and how many heartbeat writes did the rehearsal take right after that?",
        [
            fact(
                "a longer busy timeout makes the worker stand still while its leases age",
                type="reason",
                keys=[
                    "timeout|busy_timeout_ms",
                    "stand still|stands still|stalls|blocks|block|stall|freezes|hangs|leases age|hides",
                ],
            ),
            fact(
                "a table of finished runs finds the second run when the mail has already gone",
                type="reason",
                keys=[
                    "table of finished runs|finished runs|finished-runs|table of completed runs|completed runs|record of finished runs",
                    "already gone|mail has gone|too late|already sent|mail already out|gone out|sent by then|mail was sent|customer not protected",
                ],
            ),
            fact(
                "the whole batch is renewed in one UPDATE at most once per renew_every",
                type="decision",
                keys=[
                    "whole batch|batch|entire batch",
                    "one UPDATE|one write|one transaction|single update|single write|single transaction|one statement|one query",
                ],
            ),
            fact(
                "the renewal in one write took 73 heartbeat writes in the rehearsal",
                type="value",
                keys=["heartbeat|renewal writes|heartbeats|renewals", "73"],
            ),
        ],
        [
            trap(
                "busy_timeout_ms was raised to 2000",
                of="a longer busy timeout makes the worker stand still while its leases age",
                keys=[
                    "busy_timeout_ms|busy timeout",
                    "2000|2 seconds",
                    "raised|increased|set|changed|bumped",
                ],
            ),
        ],
    )
    session.probe(
        "renewal-sql",
        "decision",
        "Why does the renewal do without RETURNING, which SQLite do the depots have and which one "
        "staging-2, what does the method do with an empty batch, and how is it called?",
        [
            fact(
                "depot-3 has SQLite 3.34.1",
                type="value",
                keys=["depot|depots|depot-3", "3.34.1|3.34"],
            ),
            fact(
                "RETURNING needs SQLite 3.35",
                type="reason",
                keys=["RETURNING", "3.35"],
            ),
            fact(
                "the method is called renew_all in the store and the queue",
                type="identifier",
                keys=["renew_all"],
                said_in=[
                    *session.saying("please call it renew_all"),
                    *ends(session.holding("def renew_all")),
                ],
            ),
            fact(
                "an empty batch makes no write",
                type="decision",
                keys=[
                    "empty batch|empty list|no leases|empty set|nothing held|batch is empty",
                    "no write|not write|without a write|early return|not written|writes nothing|skips the write|returns early|no update|no transaction",
                ],
                said_in=ends(session.holding("Do not write for an empty batch", calls=True)),
            ),
        ],
        [
            trap(
                "the depots have SQLite 3.39.4",
                of="depot-3 has SQLite 3.34.1",
                keys=["depot|depots|depot-3", "3.39.4|3.39"],
            ),
            trap(
                "the method is called extend_many",
                of="the method is called renew_all in the store and the queue",
                keys=["extend_many", "called|named|method|uses|calls|name|renews"],
            ),
            trap(
                "staging-2 has SQLite 3.34.1",
                of="depot-3 has SQLite 3.34.1",
                keys=["staging-2|staging", "3.34.1|3.34"],
            ),
        ],
    )


def record(session: Recorder) -> None:
    """The whole session."""
    past(session.repo)
    reproduce(session)
    night_log(session)
    dead_end(session)
    stopgap(session)
    payload_question(session)
    first_repair(session)
    second_repair(session)
    ask_after_second_repair(session)
    tidy(session)
    staging_night(session)
    review(session)
    guard(session)
    ask_after_guard(session)
    shorten(session)
    shorter_still(session)
    support_report(session)
    attempts(session)
    soak_plan(session)
    wrap_up(session)
    ask(session)


PLAY = Play(
    record,
    task="debugging",
    title="Jobs run twice under load: leases that wait in a batch are not renewed",
    repository="porterq",
    window=64_000,
)
