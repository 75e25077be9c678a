"""Runs whose requests go out in files and whose replies come back in files."""

import json

from support.scenarios import run
from support.stub_endpoint import reply_to

from pytest_compaction.cli import main

MODEL = "gpt-4o-mini"
FOLDER = "out"


def exported(pytester, *arguments, plain=False):
    """One export into ``out``."""
    more = ["--compaction-export-plain"] if plain else []
    model = f"--compaction-model={MODEL}"
    return run(pytester, model, f"--compaction-export={FOLDER}", *more, *arguments, compactor=None)


def batch_lines(folder):
    """The lines of all batch files of a folder."""
    paths = sorted(folder.glob("requests-*.jsonl"))
    return [json.loads(line) for path in paths for line in path.read_bytes().splitlines()]


def result(line, body=None, status=200):
    """The result that a batch gives for a line."""
    body = reply_to(line["body"]) if body is None else body
    return {
        "id": "batch_req_1",
        "custom_id": line["custom_id"],
        "response": {"status_code": status, "request_id": "1", "body": body},
        "error": None,
    }


def refusal(line, message, status=400, **more):
    """The result for a line that the endpoint refused."""
    return result(line, {"error": {"message": message, **more}}, status)


def write_results(path, rows):
    """A result file; rows that are bytes are written as they are."""
    data = [row if isinstance(row, bytes) else json.dumps(row).encode() for row in rows]
    path.write_bytes(b"".join(line + b"\n" for line in data))
    return path


def answered(pytester, rows, name="results.jsonl"):
    """The exit code of ``answers`` for these rows."""
    path = write_results(pytester.path / name, rows)
    return main(["answers", str(pytester.path / FOLDER), str(path)])
