"""Writes the cases of real sessions: ``python tests/recordings/real/record.py NAME...``.

Imports a transcript as ``pytest-compaction import`` does, redacted, asks the questions of
``NAME.py`` in place of derived probes, and writes ``cases/real/NAME.json`` with its provenance. The
text of its licence belongs in ``cases/real/LICENSES/NAME.txt``. The transcripts are not in this
repository: ``--data`` names their folder.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib.util
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
sys.path.insert(0, str(HERE))

from imported import ImportedLog, RealSession  # noqa: E402

from pytest_compaction.case.files import load_cases  # noqa: E402
from pytest_compaction.case_making.case_maker import make_case, write_case  # noqa: E402
from pytest_compaction.case_making.redaction import Redactor  # noqa: E402
from pytest_compaction.conversation.chat_format import to_chat  # noqa: E402
from pytest_compaction.conversation.messages import Message  # noqa: E402
from pytest_compaction.importers.registry import (  # noqa: E402
    conversations,
    importer_for,
    load_importers,
)

CASES = HERE.parents[2] / "cases" / "real"
DATA = HERE.parents[3] / "shared" / "data"
OTHERS = {"imported", "record"}


def names() -> list[str]:
    """Names of all real sessions that questions were written for."""
    return sorted(path.stem for path in HERE.glob("*.py") if path.stem not in OTHERS)


def load(name: str) -> RealSession:
    """The session of that name."""
    spec = importlib.util.spec_from_file_location(f"real_{name}", HERE / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    session: RealSession = module.SESSION
    return session


def case_of(name: str, data: Path) -> dict[str, Any]:
    """The case of a session as JSON."""
    session = load(name)

    def asked(messages: Sequence[Message], points: Sequence[int], *_: int) -> list[dict[str, Any]]:
        log = ImportedLog(to_chat(messages, ids=True), [point + 1 for point in points])
        session.ask(log)
        return log.probes

    path = data / session.transcript
    importer = importer_for(path, load_importers().importers)
    found = conversations(importer, path)
    transcript = next(one for one in found if one.name == session.conversation)
    redactor = Redactor()
    case = make_case(redactor.redact(transcript), session.task, probe_source=asked).data
    provenance = {
        "origin": "real",
        "format": importer.name,
        "repository": session.repository,
        **({"sha256": hashlib.sha256(path.read_bytes()).hexdigest()} if path.is_file() else {}),
        "license": session.licence,
        "license_file": f"LICENSES/{name}.txt",
        "redacted": {kind: count.places for kind, count in redactor.counts.items()},
    }
    return case | {"id": name, "title": session.title, "provenance": provenance}


def main() -> None:
    """Write the cases that the command line names."""
    parser = argparse.ArgumentParser(description="Write the cases of real sessions.")
    parser.add_argument("names", nargs="+", choices=names(), metavar="NAME")
    parser.add_argument("--data", type=Path, default=DATA, help="folder of the transcripts")
    options = parser.parse_args()
    for name in options.names:
        file = CASES / f"{name}.json"
        write_case(case_of(name, options.data), file)
        loaded = load_cases([file])
        if loaded.errors:
            sys.exit("\n".join(map(str, loaded.errors)))
        (case,) = loaded.cases
        facts = sum(len(probe.facts) for probe in case.probes)
        print(f"{file}: {len(case.messages)} messages, {len(case.probes)} probes, {facts} facts")


if __name__ == "__main__":
    main()
