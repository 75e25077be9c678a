"""No key that is given anywhere is in what a run shows and writes, in whatever form it returns."""

import base64
import hashlib
import json
import random
import re
import string
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import scenarios
from support.endpoint_replies import Answer, completion, sensible
from support.endpoint_server import serving

from pytest_compaction.compactors.specs import parse_spec
from pytest_compaction.secrets import hidden
from pytest_compaction.secrets.keys import BLOT, environment_secrets, scrubbed
from pytest_compaction.secrets.names import names_a_secret
from pytest_compaction.settings import REPORT_SUFFIXES


def canary(name):
    """A key that looks like none, with signs that addresses, JSON and names of files change."""
    random_ = random.Random(name)
    words = ("".join(random_.choices(string.ascii_letters, k=6)) for _ in range(3))
    return "-".join(words) + "/7+x"


PLAIN = canary("parameter")[:-2].replace("/", "-")  # without signs that part a specification
GIVEN = {
    "MY_SERVICE_PASS": canary("a password"),
    "OPENAI_API_KEY": canary("the key of the endpoint"),
    "OPENAI_API_KEY_2": canary("another key"),
    "PGPASSWORD": canary("a database"),
}
OF_ADDRESS = canary("an address")
ALL = {PLAIN, OF_ADDRESS, *GIVEN.values()}


def forms_of(key):
    """The key as others repeat it."""
    octets = key.encode()
    yield from (key, key.upper(), key.lower(), key.replace("-", "_"))
    yield from (quote(key, safe=""), quote_plus(key), json.dumps(key)[1:-1].replace("/", r"\/"))
    yield from (re.sub(r"[^A-Za-z0-9_.:+=]", "_", key), octets.hex(), octets.hex().upper())
    yield from (base64.b64encode(b"x" * before + octets).decode() for before in range(3))


def parts_of(key):
    """What may be left of no form of a key; what stands around it changes the ends of base64."""
    *plain, one, two, three = forms_of(key)
    yield from (*plain, one[4:-4], two[4:-4], three[4:-4])


STRATEGY = '''
"""Strategies that repeat what they were given."""
import base64, hashlib, os
from pathlib import Path


def keyed(messages, budget, api_key="", size: int = 0):
    digest = hashlib.sha256(api_key.encode()).hexdigest()
    (Path(__file__).parent / f"reached-{digest[:8]}").write_text("")
    if "QUIET" in os.environ:
        return messages
    again = [api_key, os.environ["PGPASSWORD"], os.environ["OPENAI_API_KEY_2"]]
    again += [os.environ["MY_SERVICE_PASS"]]
    again += [base64.b64encode(b"x" * n + text.encode()).decode() for n in range(3) for text in again]
    again += [text.encode().hex() for text in again[:4]] + [text.upper() for text in again[:4]]
    print("called with", *again)
    if "second" in messages[-1]["content"]:
        raise ValueError(f"refused {again}")
    return [*messages, {"role": "user", "content": f"The key is {' '.join(again)}."}]
'''


@pytest.mark.parametrize("workers", [0, 2])
def test_keys_are_nowhere_wherever_they_are_given(pytester, monkeypatch, workers):
    scenarios.set_up(pytester, "first", "second")
    pytester.makepyfile(repeating=STRATEGY)
    for name, key in GIVEN.items():
        monkeypatch.setenv(name, key)
    inputs = set(files_of(pytester))

    def decide(asked):
        said = " ".join(form for key in ALL for form in forms_of(key))
        if "next step" in json.dumps(asked.body):
            return Answer({"error": {"message": f"wrong key: {said}"}}, 400)
        if "response_format" in asked.body:
            return sensible(asked)
        return Answer(completion(f"It is 45. {said}"))

    monkeypatch.delenv("QUIET", raising=False)
    spec = f"repeating:keyed:api_key={PLAIN}:size=3"
    with serving(decide) as server:
        address = server.url.replace("//", f"//me:{quote(OF_ADDRESS, safe='')}@")
        monkeypatch.setenv("OPENAI_BASE_URL", address)
        result = scenarios.run(
            pytester,
            *(f"-n{workers}", "-v", "-rA", "--showlocals", "--junitxml=junit.xml"),
            *(f"--compaction-report=run{suffix}" for suffix in REPORT_SUFFIXES),
            *("--compaction-model=test-model", "--log-file=log.txt", "--log-file-level=DEBUG"),
            *((f"--compaction-threshold=overall@{spec}>=4.9",) if workers else ()),
            *(f"--compactor={spec}", "--compactor=window"),
            compactor=None,
            cache=True,
        )
        # The requests of an export are sent as they are, so a strategy must keep its key to itself.
        monkeypatch.setenv("QUIET", "yes")
        export = scenarios.run(
            pytester,
            *("--compaction-model=gpt-4o-mini", "--compaction-export=out", f"--compactor={spec}"),
            compactor=None,
        )
    shown = "".join(map(str, (result.stdout, result.stderr, export.stdout, export.stderr)))
    assert f"repeating:keyed:api_key={BLOT}:size=3" in shown
    assert "called with" in shown and f"refused ['{BLOT}'" in shown
    written = [path for path in files_of(pytester) if path not in inputs]
    names = " ".join(str(path.relative_to(pytester.path)) for path in written)
    assert {".jsonl", ".xml", ".txt", *REPORT_SUFFIXES} <= {path.suffix for path in written}
    assert all(part in names for part in ("store", ".pytest_cache", "out/"))
    digest = hashlib.sha256(PLAIN.encode()).hexdigest()
    assert f"reached-{digest[:8]}" in names, "the strategy was not given its key"
    texts = {"what was shown": shown, "names of files": names}
    texts |= {str(path): path.read_bytes().decode("utf-8", "replace") for path in written}
    found = [
        (place, form) for place, text in texts.items() for key in ALL for form in parts_of(key)
        if form in text
    ]  # fmt: skip
    assert not found


def files_of(pytester):
    return sorted(path for path in pytester.path.rglob("*") if path.is_file())
