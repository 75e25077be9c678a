"""What the folder of real cases must have beside each case."""

import json

from pytest_compaction.case import files_below

NEEDED = ("format", "repository", "license", "license_file", "redacted")


def provenance_faults(folder):
    """What the cases of a folder lack of their source and licence, a sentence each."""
    faults = []
    for path in files_below(folder).cases if folder.is_dir() else []:
        found = json.loads(path.read_text("utf-8")).get("provenance", {})
        if found.get("origin") != "real":
            faults.append(f"{path.name}: its origin is not real")
            continue
        missing = [key for key in NEEDED if key not in found]
        if missing:
            faults.append(f"{path.name}: provenance lacks {', '.join(missing)}")
        elif not (path.parent / found["license_file"]).is_file():
            faults.append(f"{path.name}: no licence at {found['license_file']}")
    return faults
