"""A small run with the texts of its logs and views, as the page reads them."""

import hashlib
import json

from support.builders import record

HOSTILE = (
    "</script><script>window.stolen = 1</script><!--<script> "
    "<img src=x onerror=window.stolen=1> \u202egnp.exe\u202c \u200b \x1b[31m "
    "\ud800 {{ 7 * 7 }} & &amp;"
)
"""What a case or a model might say to run code, to turn text round, or to break a reader."""
SHOWN = ("</script><script>window.stolen = 1</script>", "\\u202e", "\\u200b", "\\u001b", "\\ud800")
"""Parts of it as the page must show them."""
LIMIT = "The retry limit must stay at 45 seconds in src/lease/queue.py."
FILLER = "\n".join(f"line {n}: nothing of interest happens here at all" for n in range(120))
CASE = "1ea5e00000000001"
HOSTILE_CASE = "bad0000000000002"
LOG = [
    ("m0", "system", "You are a careful engineer."),
    ("m1", "user", f"Please repair the queue. {LIMIT}"),
    ("m2", "assistant", "I read the file.\nread_file src/lease/queue.py"),
    ("m3", "tool", f"{FILLER}\nERROR E1042: lease expired at worker 7\n{FILLER}"),
    ("m4", "assistant", "Changed the timeout from 30 to 45 in src/lease/queue.py."),
    ("m5", "user", "Next, run the migration on staging."),
    ("m6", "assistant", "All 12 tests pass."),
    ("m7", "user", "This comes after the point."),
]
SUMMARY = f"## Decisions\n{LIMIT}\n## Files\nsrc/lease/queue.py was modified."
FACTS = {
    "limit": ("the retry limit is 45 seconds", "number", ["m1"], LIMIT),
    "error": ("the error was E1042, lease expired at worker 7", "error", ["m3"], ""),
    "file": ("src/lease/queue.py", "path", ["m4"], "src/lease/queue.py was modified."),
    "next": ("the migration is to be run on staging", "next_step", ["m5"], ""),
}


def fact(name, fate, **changes):
    """One fact of a record: ``s`` survived and used, ``u`` unused, ``d`` dropped."""
    text, kind, evidence, clause = FACTS[name]
    held = fate != "d"
    return {
        "text": text,
        "type": kind,
        "class": kind,
        "view": "stated" if held else "absent",
        "answer": "stated" if fate == "s" else "absent",
        "survived": held,
        "used": fate == "s",
        "loss": {"s": None, "u": "unused", "d": "dropped"}[fate],
        "clause": clause if held else "",
        "words": [],
        "why": "all groups in one clause" if held else "not all groups in one clause",
        "evidence": evidence,
        "stated_after": [["p1", True], ["p2", held]],
        "source": {"message": evidence[0], "tokens": 20},
        "recoverable": None if held else name == "error",
        **changes,
    }


def scored(case, digest, probe, compactor, overall, facts, view, **changes):
    """A record of a judged probe with its question and hashes."""
    return record(
        case,
        probe,
        compactor,
        **{
            "overall": overall,
            "status": "passed" if overall >= 3.5 else "failed",
            "dimensions": {"accuracy": overall, "completeness": overall},
            "criteria": [
                {"id": "accuracy_factual", "score": overall, "reasoning": "missing: E1042"}
            ],
            "question": f"What is known of {probe}?",
            "response": f"The answer of {compactor}.",
            "reason": "" if overall >= 3.5 else "1 of 2 facts dropped (1 error)",
            "facts": facts,
            "reading": "view",
            "point": {"id": "p2", "recorded": False},
            "hashes": {"case": digest, "view": view, "settings": "5e771465", "prompt": None},
            "usage": {"compaction": {"calls": 1, "input_tokens": 900, "output_tokens": 60}},
            "usd": {},
            "latency_s": {"compaction p2": 3.25},
            "compaction": {
                "steps": {"compacted": 1},
                "errors": [],
                "budget": 1000,
                "events": [
                    {
                        "point": "p2",
                        "status": "compacted",
                        "log": 1000,
                        "before": 1000,
                        "after": 100,
                        "prefix": 40,
                        "free": 3900,
                        "until_next": 6,
                        "messages_left": 1,
                        "calls": 2,
                        "input_tokens": 1900,
                        "output_tokens": 160,
                    }
                ],
            },
            **changes,
        },
    )


def written(folder, data, name=None):
    """Write a file of texts under the hash of its content, or a given name."""
    content = json.dumps(data).encode()
    name = name or hashlib.sha256(content).hexdigest()[:16]
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.json").write_bytes(content)
    return name


def write_log(folder, digest, case, messages, last):
    data = {
        "format": 1,
        "case": case,
        "title": case,
        "task": "debugging",
        "messages": [dict(zip(("id", "role", "text"), each, strict=True)) for each in messages],
        "points": [{"id": "p1", "after": "m2"}, {"id": "p2", "after": last}],
    }
    return written(folder / "logs", data, digest)


def write_view(folder, digest, *messages):
    return written(folder / "views", {"format": 1, "case": digest, "messages": list(messages)})


def kept(id, role):
    return {"id": id, "role": role, "origin": "log"}


def small_records(folder):
    """The records of two strategies over a plain and a hostile case, with their texts."""
    write_log(folder, CASE, "lease", LOG, "m6")
    hostile = [
        ("m0", "user", HOSTILE),
        ("m1", "assistant", f"answer {HOSTILE}"),
        ("m2", "user", "x"),
    ]
    write_log(folder, HOSTILE_CASE, "hostile", hostile, "m1")
    summary = write_view(
        folder,
        CASE,
        kept("m0", "system"),
        {"id": "summary", "role": "user", "origin": "made", "text": SUMMARY},
        {"id": "m3", "role": "tool", "origin": "log", "text": "[output removed]"},
        kept("m6", "assistant"),
    )
    tail = write_view(
        folder, CASE, kept("m0", "system"), kept("m5", "user"), kept("m6", "assistant")
    )
    evil = write_view(
        folder, HOSTILE_CASE, {"id": "s", "role": "user", "origin": "made", "text": HOSTILE}
    )
    bad = fact("limit", "s") | {"text": HOSTILE, "clause": HOSTILE, "evidence": ["m0"]}
    return [
        scored(
            "lease",
            CASE,
            "limits",
            "anchored",
            4.5,
            [fact("limit", "s"), fact("file", "u")],
            summary,
        ),
        scored(
            "lease",
            CASE,
            "failures",
            "anchored",
            1.5,
            [fact("error", "d"), fact("limit", "s")],
            summary,
            kind="file",
        ),
        scored(
            "lease", CASE, "limits", "truncate", 0.5, [fact("limit", "d"), fact("file", "d")], tail
        ),
        scored(
            "lease",
            CASE,
            "failures",
            "truncate",
            0.0,
            [fact("error", "d"), fact("limit", "d")],
            tail,
            kind="file",
        ),
        scored(
            "hostile",
            HOSTILE_CASE,
            "evil",
            "anchored",
            3.0,
            [bad],
            evil,
            question=HOSTILE,
            response=HOSTILE,
            reason=HOSTILE,
            task="writing",
        ),
        scored(
            "hostile",
            HOSTILE_CASE,
            "evil",
            HOSTILE,
            2.0,
            [bad],
            evil,
            question=HOSTILE,
            task="writing",
        ),
        record(
            "lease",
            "limits",
            "truncate",
            2,
            status="unscored",
            overall=None,
            dimensions={},
            reason="the judge did not answer",
        ),
        record(
            "lease",
            "limits",
            "truncate",
            3,
            status="error",
            overall=None,
            dimensions={},
            reason="boom",
        ),
    ]


def write_small_run(folder, name="0001-small.jsonl", change=None):
    """A run file with the folders ``logs`` and ``views`` beside it."""
    found = small_records(folder)
    for each in found if change else ():
        change(each)
    path = folder / name
    header = {"format": 1, "settings": {"pass_score": 3.5}}
    path.write_text("".join(f"{json.dumps(line)}\n" for line in [header, *found]), "utf-8")
    return path
