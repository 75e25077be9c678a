"""No key that is given anywhere is in what a run shows and writes, in whatever form it returns."""

import base64
import hashlib
import json
import random
import string
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import scenarios
from support.endpoint_replies import Answer, completion, sensible
from support.endpoint_server import serving

from pytest_compaction.compactors.specs import parse_spec
from pytest_compaction.secrets import (
    BLOT,
    environment_secrets,
    names_a_secret,
    parameters,
    scrubbed,
)
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
    yield from (key, quote(key, safe=""), quote_plus(key))
    yield json.dumps(key)[1:-1].replace("/", r"\/")
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
    octets = [b"x" * n + text.encode() for n in range(3) for text in again]
    again += [base64.b64encode(each).decode() for each in octets]
    print("called with", *again)
    if "second" in messages[-1]["content"]:
        raise ValueError(f"refused {again}")
    return [*messages, {"role": "user", "content": f"The key is {' '.join(again)}."}]
'''


@pytest.mark.parametrize("workers", [0, pytest.param(2, marks=pytest.mark.exhaustive)])
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


SPECS = {
    "m:f:api_key={}": "m:f:api_key=[key]",
    "m:f:api-key={}:k=3": "m:f:api-key=[key]:k=3",
    "m:f:size=3:TOKEN={}": "m:f:size=3:TOKEN=[key]",
    "m:f:password='{}'": "m:f:password='[key]'",
    "window+m:f:client_secret={}": "window+m:f:client_secret=[key]",
    "overall@m:f:token={}>=3.5": "overall@m:f:token=[key]>=3.5",
    "m:f:headers='Authorization: Bearer {}'": "m:f:headers='Authorization: Bearer [key]'",
}


@pytest.fixture(autouse=True)
def _knows_nothing():
    known = parameters.hidden()
    parameters.forget()
    yield
    parameters.forget(known.items())


@pytest.mark.parametrize("text", SPECS)
def test_a_secret_has_a_stand_in_in_every_name_and_is_known(text):
    key = canary(text)[:-4] + "4711abcd"
    assert parameters.hide(text.format(key)) == SPECS[text]
    assert parameters.hide(SPECS[text]) == SPECS[text]
    assert parameters.revealed("[key]") == key
    assert scrubbed(f"sent {key} twice") == "sent [key] twice"
    parameters.forget()
    assert parameters.revealed("[key]") == "[key]"
    assert key not in environment_secrets()


@pytest.mark.parametrize(
    "text",
    [
        *("roo:version=2:keep=5", "m:f:max_tokens=4000", "m:f:token=5", "m:f:key=timestamp"),
        *("m:f:api_key=none", "overall>=3.5", "m:f:focus='the tests: a, b+c'", "anchored+window"),
        *("m:f:public_key=abcdef123456", "m:f:token_limit=100000000000", "tool-results:keep=5"),
    ],
)
def test_a_parameter_that_is_no_secret_stays_in_the_name(text):
    assert parameters.hide(text) == text
    assert not parameters.hidden()


def test_a_strategy_is_given_its_secret_and_named_without():
    made = parse_spec("m:f:api_key='a:b, c':k=3")
    assert (made.text, made.slug) == ("m:f:api_key='[key]':k=3", "m:f:api_key=__key__:k=3")
    assert dict(made.parameters) == {"api_key": "a:b, c", "k": 3}
    again = parse_spec(made.text)
    assert again == made and "a:b" not in repr(made)


def test_strategies_that_differ_in_their_secret_alone_have_names_of_their_own():
    one, other = (parse_spec(f"m:f:token={text}") for text in ("abc123", "abc124"))
    assert (one.text, other.text) == ("m:f:token=[key]", "m:f:token=[key-2]")
    assert (one.parameters[0][1], other.parameters[0][1]) == ("abc123", "abc124")


@given(st.text(string.ascii_letters + string.digits + "-_./+=", min_size=16, max_size=60))
def test_a_known_secret_is_found_however_it_is_repeated(key):
    for around in ("{}", "x {} y", '"{}"'):
        for form in forms_of(key):
            shown = scrubbed(around.format(form), (key,), shapes=False)
            assert form[4:-4] not in shown or key.isalpha()


NAMES = """
PGPASSWORD DB_PASS MYSQL_PWD SECRET_KEY_BASE OPENAI_API_KEY_2 OPENAI_API_KEY REDISCLI_AUTH SSHPASS
GITHUB_TOKEN GH_TOKEN AWS_SECRET_ACCESS_KEY AWS_SESSION_TOKEN NPM_TOKEN DJANGO_SECRET_KEY APIKEY
API_KEY_PROD DB_PASSWORD_STAGING STRIPE_SECRET JWT_SECRET SENTRY_AUTH_TOKEN HF_TOKEN dbPassword
SLACK_WEBHOOK TWILIO_AUTH_TOKEN CI_JOB_TOKEN DOCKER_PASSWORD ENCRYPTION_KEY SIGNING_KEY_OLD MYAPIKEY
ANTHROPIC_API_KEY AZURE_CLIENT_SECRET SMTP_PASSWORD VAULT_TOKEN COOKIE_SECRET
""".split()
NAMES_HELD_OUT = """
RAILS_MASTER_KEY MONGO_INITDB_ROOT_PASSWORD POSTGRES_PASSWORD RABBITMQ_DEFAULT_PASS FTP_PASSWD
GPG_PASSPHRASE LDAP_BIND_PW GOOGLE_API_KEY_1 GEMINI_API_KEYS MISTRAL_API_KEY COHERE_KEY
CLOUDFLARE_API_TOKEN DIGITALOCEAN_ACCESS_TOKEN HEROKU_API_KEY SUPABASE_SERVICE_ROLE_KEY
SESSION_SECRET NEXTAUTH_SECRET DATADOG_APP_KEY LDAP_ADMIN_PASSWORD_FILE_VALUE KUBE_TOKEN
TF_TOKEN_app_terraform_io
JENKINS_API_TOKEN SONAR_TOKEN PYPI_PASSWORD TWINE_PASSWORD ROOT_PASSWORD GITLAB_PAT
SERVICE_CREDENTIALS BASIC_AUTH STORAGE_ACCOUNT_KEY SENTRY_DSN WEBHOOK_SECRET_V2 apiSecret
accessToken
""".split()
HARMLESS = """
PWD OLDPWD HOME PATH KEYBOARD_LAYOUT MAX_TOKENS TOKENIZERS_PARALLELISM SSH_AUTH_SOCK XAUTHORITY
TOKEN_LIMIT PASSWORD_MIN_LENGTH SECRET_NAME API_KEY_FILE GPG_KEY PUBLIC_KEY SORT_KEY COMPASS BYPASS
KEYRING_BACKEND COLORTERM PASSWORD_POLICY AUTHOR MONKEY TURKEY PATIENT
""".split()


@pytest.mark.parametrize("name", NAMES + NAMES_HELD_OUT)
def test_a_variable_that_is_named_like_a_secret_holds_one(name):
    assert names_a_secret(name)


@pytest.mark.parametrize("name", HARMLESS)
def test_a_variable_with_another_name_holds_none(name):
    assert not names_a_secret(name)


def test_passwords_in_addresses_of_the_environment_are_secrets():
    url = f"postgres://app:{quote(canary('url'), safe='')}@db.acme.io/app"
    assert environment_secrets({"DATABASE_URL": url, "EDITOR": "vi"}) == (canary("url"),)
