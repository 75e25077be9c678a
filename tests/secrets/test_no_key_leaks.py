"""No key of the environment, of a case or of an error is in the files and output of a run."""

import asyncio
import json
import re
import string
from dataclasses import replace
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import scenarios
from support.builders import finishes
from support.endpoint_builders import answer_request, quick, through
from support.endpoint_replies import Answer, completion, judgement, sensible
from support.endpoint_server import serving
from support.secret_kinds import SHAPED, value_of

from pytest_compaction.conversation import canonical_json
from pytest_compaction.models import ModelError
from pytest_compaction.records import RunWriter
from pytest_compaction.secrets import BLOT, environment_secrets, scrubbed, scrubbed_json
from pytest_compaction.settings import REPORT_SUFFIXES
from pytest_compaction.text import printable


def _tail(length, alphabet=string.ascii_letters + string.digits):
    return "".join(alphabet[(7 * n + length) % len(alphabet)] for n in range(length))


T = _tail(40)
MADE = {kind: value_of(kind, "leaks") for kind in (*SHAPED, "private key")}
KEYS = {kind: value for kind, (value, _) in MADE.items()}
IN_CONTEXT = {
    "Azure": ("api-key: {}", _tail(32, "0123456789abcdef")),
    "bearer": ("Authorization: Bearer {}", T + "9"),
    "basic": ("Authorization: Basic {}", T + "9=="),
    "address": ("postgres://{}@db.example/x", "admin:hunter2hunter"),
    "address without user": ("redis://{}@cache.example/0", ":p4ssw0rd12345"),
    "authorization": ("Authorization: token {}", _tail(40, "0123456789abcdef")),
    "export": ("PGPASSWORD={} psql -h db", "hunter2hunter"),
    "assignment": ("API_KEY = '{}'", T + "x7"),
    "JSON": ('{{"client_secret": "{}"}}', T + "y8"),
}
SECRETS = {
    **{kind: max(parts, key=len) for kind, (_, parts) in MADE.items()},
    **{name: key for name, (_, key) in IN_CONTEXT.items()},
}
"""The keys that must not be found anywhere, by name."""
TEXTS = [*KEYS.values(), *(context.format(key) for context, key in IN_CONTEXT.values())]

INNOCENT = (
    "sk-learn-based-estimators-are-fine",
    "The risk-management-plan of task-scheduling-service",
    "hf_hub_download(repo_id, filename)",
    "d0c3f6d4a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718293a4b5c",
    "123e4567-e89b-12d3-a456-426614174000",
    "api_key=os.environ['OPENAI_API_KEY']",
    "password = getpass.getpass()",
    "the token: generate_secure_token_v2(length=32)",
    "max_tokens: 4096, token_count=123456789012",
    "https://example.org:8443/path?x=1",
    "git@github.com:owner/repository.git",
    "Bearer tokens are refused",
    "PASSWORD=$DB_PASSWORD_2 make",
    "authorization: token based, see RFC6750",
    "ghs://x:y",
    "tests/Test123/B12345678/x",
    "src/lease/queue.py:45",
    "anchored:prompt=short.md-float_pixels-wanted-t1",
)


@pytest.mark.parametrize("text", TEXTS, ids=SECRETS)
def test_keys_of_every_common_shape_are_blotted_out(text):
    name = list(SECRETS)[TEXTS.index(text)]
    for around in ("{}", "the key {} was used", '"{}"', "({}),", "x={}\ny"):
        clean = scrubbed(around.format(text), ())
        assert SECRETS[name] not in clean
        assert BLOT in clean
    assert SECRETS[name] not in printable(text)
    assert SECRETS[name] not in canonical_json(scrubbed_json({"a": [text], text: 1}))


@pytest.mark.parametrize("text", INNOCENT)
def test_ordinary_text_stays_as_it_is(text):
    assert scrubbed(text, ()) == text


@given(st.text(max_size=200))
def test_scrubbing_again_changes_nothing(text):
    once = scrubbed(text, ())
    assert scrubbed(once, ()) == once


def test_a_key_is_not_shown_cut_in_half():
    for limit in range(10, 80, 7):
        for room in range(60):
            assert KEYS["OpenAI"][3:11] not in printable("x" * room + " " + KEYS["OpenAI"], limit)


def test_secrets_of_the_environment_are_known_by_the_names_of_their_variables(tmp_path):
    (tmp_path / "id_rsa_of_mine").write_text("")
    environment = {
        "AN_API_KEY": "plain-secret-value",
        "MY_TOKEN": "another secret, with spaces",
        "AWS_SECRET_ACCESS_KEY": "/wJalrXUtnFEMI/K7MDENG",
        "HOME_KEY": "~wJalrXUtnFEMI",
        "DB_PASSWORD": "short",
        "SSH_KEY": str(tmp_path / "id_rsa_of_mine"),
        "KEYBOARD_LAYOUT": "a-long-and-harmless-one",
        "MAX_TOKENS": "100000000000000",
    }
    assert environment_secrets(environment) == (
        "another secret, with spaces",
        "/wJalrXUtnFEMI/K7MDENG",
        "plain-secret-value",
        "~wJalrXUtnFEMI",
    )


@pytest.mark.parametrize("key", ["sk-1234", "s3cret", "hunter", "/k3y", ".k3y/x", "~0", "a.b"])
def test_the_key_of_the_endpoint_is_blotted_out_whatever_its_length_and_shape(monkeypatch, key):
    monkeypatch.setenv("OPENAI_API_KEY", key)
    secret = len(key) > 2
    for text in (key, f"you sent {key}.", f"[{key}]", f"key={key}", f'{{"key": "{key}"}}'):
        assert (key not in scrubbed(text)) == secret
        assert (key not in printable(text)) == secret
    assert scrubbed_json({"a": [key]}) == {"a": [BLOT if secret else key]}
    assert scrubbed(f"x{key}9z0y") == f"x{key}9z0y", "within a word it is another word"
    assert scrubbed(scrubbed(key)) == scrubbed(key)


@pytest.mark.parametrize("name", ["OPENAI_API_KEY", "GATEWAY_TOKEN"])
@pytest.mark.parametrize("key", ["p@ss/w+rd=1", 'p@ss/w+rd=1 and a \\ "schlüssel"\t'])
def test_a_known_secret_is_blotted_out_in_addresses_and_in_json_too(monkeypatch, name, key):
    key = key if name == "OPENAI_API_KEY" else f"{key}, long enough"
    monkeypatch.setenv(name, key)
    key = key.strip()
    arguments = [json.dumps({"key": key}, ensure_ascii=ascii_only) for ascii_only in (True, False)]
    quoted = [quote(key, safe=""), quote(key), quote_plus(key)]
    lower = [re.sub("%..", lambda match: match[0].lower(), text) for text in quoted]
    for text in [*quoted, *lower]:
        assert scrubbed(f"https://h.example/?a={text}&b=1") == f"https://h.example/?a={BLOT}&b=1"
        assert scrubbed_json({text: [text]}) == {BLOT: [BLOT]}
    for text in [*arguments, *(text.replace("/", "\\/") for text in arguments)]:
        assert scrubbed(text) == f'{{"key": "{BLOT}"}}'
        assert scrubbed_json({"arguments": text}) == {"arguments": f'{{"key": "{BLOT}"}}'}


def test_a_secret_that_has_no_utf8_form_is_blotted_out(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "half \udcff a character")
    assert scrubbed("half \udcff a character, half%20%FF") == f"{BLOT}, half%20%FF"
    assert scrubbed("a \ud800 b", ["a \ud800 b"]) == BLOT


@pytest.mark.parametrize("key", ["EMPTY", "ollama", "none", "x", ""])
def test_what_stands_in_for_a_key_is_an_ordinary_word(monkeypatch, key):
    monkeypatch.setenv("OPENAI_API_KEY", key)
    assert scrubbed(f"the {key} model") == f"the {key} model"


def test_a_word_that_is_the_key_leaves_the_names_of_members_alone(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "content")
    assert scrubbed_json({"content": "the content"}) == {"content": f"the {BLOT}"}


def test_the_password_in_the_address_of_the_endpoint_is_a_secret(monkeypatch):
    monkeypatch.setenv("OPENAI_BASE_URL", "http://user:p%40ss1@llm.example/v1")
    assert scrubbed("p@ss1 or dXNlcjpwQHNzMQ==") == f"{BLOT} or {BLOT}"
    monkeypatch.setenv("OPENAI_BASE_URL", "http://[broken:9")
    assert scrubbed("p@ss1") == "p@ss1"


@pytest.mark.parametrize(
    "text",
    [
        "sk-" * 70_000,
        "eyJ" * 70_000,
        "api_key=" * 30_000,
        "://a" * 50_000,
        "bearer " * 30_000,
        "-----BEGIN PRIVATE KEY-----" * 5_000,
        "sk-" + "a" * 200_000,
        "password" + " " * 200_000,
        "PASSWORD=" * 30_000,
        "A_" * 100_000 + "PASSWORD=",
        "authorization: token " * 10_000,
        "1234567890:AA" * 20_000,
    ],
    ids=range(12),
)
def test_scrubbing_long_hostile_text_ends(text):
    assert finishes(lambda: scrubbed(text, ()), 20) is not None


def test_the_run_file_holds_no_key(tmp_path):
    writer = RunWriter(tmp_path, "x", {"settings": {"compactors": [f"m:f:key={KEYS['OpenAI']}"]}})
    record = {"item": "i", "compactor": "c", "case": "a", "probe": "p", "trial": 1}
    writer.add({**record, "response": " ".join(TEXTS)})
    for _ in range(2):
        assert_clean(writer.path.read_text("utf-8"))
        writer.close()


@pytest.mark.parametrize("status", [400, 401, 404, 429, 500])
def test_an_error_body_with_keys_makes_a_sentence_without(status, monkeypatch):
    own = "not-shaped-like-any-key"
    monkeypatch.setenv("OPENAI_API_KEY", own)
    texts = [*TEXTS, f"you sent {own}"]

    def decide(asked):
        text = texts[int(asked.body["messages"][-1]["content"].split()[0])]
        return Answer({"error": {"message": f"Wrong: {text} {'x' * 150} {text}"}}, status)

    async def said(model):
        requests = [replace(answer_request(), question=f"{n} ?") for n, _ in enumerate(texts)]
        return await asyncio.gather(*map(model.answer, requests), return_exceptions=True)

    with serving(decide) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        [errors] = through(quick(retries=0, read=60.0, total=60.0), said)
    assert len(errors) == len(texts)
    for error in errors:
        assert isinstance(error, ModelError)
        assert f"answered {status}: Wrong: " in str(error)
        assert_clean(str(error))
        assert own not in str(error)


def assert_clean(text):
    """Assert that neither a key nor a long part of one is in the text."""
    for name, key in SECRETS.items():
        assert key[:24] not in text, name


def leaky(asked):
    """An endpoint that repeats every key it can think of."""
    spill = " ".join(TEXTS).replace("\n", " ")
    if "response_format" in asked.body:
        data = judgement(asked, 2)
        for scored in data["criteria"].values():
            scored["reasoning"] = spill
        return Answer(completion(json.dumps(data)))
    question = asked.body["messages"][-1]["content"]
    if "next step" in question:
        return Answer({"error": {"message": spill}}, 400)
    if "limit now" in question:
        return Answer(completion(f"It is 45. {spill}"))
    return sensible(asked)


def hostile_case(id):
    data = scenarios.case(id)
    data["messages"][3]["content"] += "\n" + "\n".join(TEXTS)
    data["messages"][4]["content"] += f" The key is {KEYS['OpenAI']}."
    data["probes"][0]["facts"].append({"text": KEYS["OpenAI"], "evidence": ["again"]})
    return data


@pytest.mark.parametrize("workers", [0, pytest.param(2, marks=pytest.mark.exhaustive)])
def test_a_whole_run_writes_and_shows_no_key(pytester, monkeypatch, workers):
    scenarios.set_up(pytester, "first")
    scenarios.write_cases(pytester, hostile_case("first"))
    for number, key in enumerate(SECRETS.values()):
        monkeypatch.setenv(f"PLANTED_{number}_API_KEY", key)
    monkeypatch.setenv("OPENAI_API_KEY", KEYS["OpenAI project"])
    inputs = set(files_of(pytester))
    with serving(leaky) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url.replace("//", "//user:hunter2hunter@"))
        result = scenarios.run(
            pytester,
            f"-n{workers}",
            "-v",
            "-rA",
            "--junitxml=junit.xml",
            *(f"--compaction-report=run{suffix}" for suffix in REPORT_SUFFIXES),
            *LOGGED,
            "--compaction-model=test-model",
            cache=True,
        )
        assert server.asked
    assert_clean(str(result.stdout))
    assert_clean(str(result.stderr))
    written = [path for path in files_of(pytester) if path not in inputs]
    assert {path.suffix for path in written} >= {".jsonl", *REPORT_SUFFIXES}
    assert workers or "HTTP Request: POST http://127.0.0.1" in str(result.stdout)
    assert any("store" in path.parts for path in written)
    for path in written:
        assert_clean(path.read_bytes().decode("utf-8", "replace"))
        assert "hunter2hunter" not in path.read_bytes().decode("utf-8", "replace")
    statuses = {record["probe"]: record["status"] for record in scenarios.records(pytester).records}
    assert statuses["limit"] == "failed"


LOGGED = (
    "-olog_cli=true",
    "-olog_cli_level=DEBUG",
    "--log-file=log.txt",
    "--log-file-level=DEBUG",
)
"""Shows all log messages of the client and its packages, on the terminal and in a file."""


def files_of(pytester):
    return sorted(path for path in pytester.path.rglob("*") if path.is_file())
