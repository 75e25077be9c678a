"""Redaction replaces secrets, e-mail addresses and home folders alike everywhere; facts stay."""

import json
import random
import re
import string
import uuid
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.imports import at_length
from support.paths import public_data
from support.secret_kinds import SHAPED, value_of
from support.shipped import shipped

from pytest_compaction import cli
from pytest_compaction.case_making.redaction import LEFT_OUT, Redactor
from pytest_compaction.conversation import (
    Message,
    Opaque,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
    canonical_json,
    readable,
    structure_faults,
)
from pytest_compaction.conversation.formats.chat import to_chat
from pytest_compaction.importers import (
    Boundary,
    ImportTally,
    Transcript,
    conversations,
    importer_for,
    load_importers,
)
from pytest_compaction.secrets import STAND_IN, secrets_in

WORD = random.Random(5)


def signs(count, alphabet=string.ascii_letters + string.digits):
    """Random characters like those of a key, so that this file holds no key."""
    return "".join(WORD.choice(alphabet) for _ in range(count - 3)) + "a7Q"


KINDS = (*SHAPED, "private key")
KEYS = {kind: value_of(kind, "redaction")[0] for kind in KINDS}
NAMED = {
    'password = "hunter2-Blue"': "hunter2-Blue",
    "DB_PASSWORD=Tr0ub4dor-and3": "Tr0ub4dor-and3",
    "the password is correct7horse, use it": "correct7horse",
    '{"client_secret": "' + (value := signs(40)) + '"}': value,
    "export AWS_SECRET_ACCESS_KEY=" + (aws := signs(37) + "/+x"): aws,
    "Authorization: Bearer " + (bearer := signs(40)): bearer,
    "postgres://admin:s3cretpw9@db.internal:5432/app": "admin:s3cretpw9",
    "curl -u deploy:pa55word9 https://ci.internal/job": "pa55word9",
    "mysql --password tiger99x -h db": "tiger99x",
    "auth_token: '" + (token := signs(32)) + "'": token,
    "DB_PASSWORD=correcthorsebattery": "correcthorsebattery",
    "POSTGRES_PASSWORD: supersecret": "supersecret",
    '{"user": "ann", "password": "CorrectHorseBattery!"}': "CorrectHorseBattery!",
    r"{\"password\": \"letmein\"}": "letmein",
    '"password": 12345678': "12345678",
    '"passphrase": "correct horse battery"': "correct horse battery",
    "passwd: 12345678": "12345678",
    "  password: letmeinnow  # for now": "letmeinnow",
    "PGPASSWORD=abcdefgh psql -l": "abcdefgh",
    "host=db password=letmeinnow user=ann": "letmeinnow",
    "connect(user='ann', password='letmein')": "letmein",
    "config['password'] = 'letmein'": "letmein",
    'password: str = "letmein"': "letmein",
    "https://ci.internal/?user=ann&password=letmein&x=1": "letmein",
    "<password>letmein</password>": "letmein",
    "token: 'a1b2c3d4e5f6'": "a1b2c3d4e5f6",
    'client_secret = "supersecret"': "supersecret",
    "API_TOKEN=abcdefghijklmnopqrstuvwx": "abcdefghijklmnopqrstuvwx",
    '"accessToken": "abcdefghijk"': "abcdefghijk",
    "redis://:s3cr3tpw9@cache:6379/0": "s3cr3tpw9",
    "mysql -uroot -pS3cretPw99 app": "S3cretPw99",
    "sshpass -p 'S3cretPw99' ssh db": "S3cretPw99",
    "docker login -u ann -p letmein registry.internal": "letmein",
    "echo letmein | sudo -S systemctl restart app": "letmein",
    'SECRET_KEY_BASE = "' + (base := signs(20)) + '"': base,
    "token_for_ci: " + (ci := signs(20)): ci,
    "PASSWORD_FOR_DB=hunter2x": "hunter2x",
    "curl --user=ann:abc12345 http://ci.internal": "abc12345",
    'password: Optional[str] = None password = "hunter2-Blue"': "hunter2-Blue",
    'try x else end\npassword = "hunter2-Blue"': "hunter2-Blue",
    # addresses that are signed or hold a token, headers and cookies
    "https://a.blob.core.windows.net/c?sv=2022-11-02&sp=rl&sig=" + (sas := signs(43) + "%3D"): sas,
    "https://b.s3.amazonaws.com/k?X-Amz-Date=20240501T100000Z&X-Amz-Signature="
    + (s3 := signs(64, string.hexdigits[:16])): s3,
    "k?X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20240501%2Feu%2Fs3%2Faws4_request&x=1": (
        "AKIAIOSFODNN7EXAMPLE%2F20240501"
    ),
    "https://storage.googleapis.com/b?X-Goog-Signature=" + (goog := signs(256)): goog,
    "https://d1.cloudfront.net/f?Expires=17&Signature=" + (front := signs(100) + "__"): front,
    "https://a.io/v1?token=" + (query := signs(40, string.hexdigits[:16])) + "&x=1": query,
    "https://a.io/cb#access_token=" + (hashed := signs(40)) + "&type=bearer": hashed,
    "Set-Cookie: session=" + (cookie := signs(32)) + "; Path=/; HttpOnly": cookie,
    "curl -b 'PHPSESSID=" + (php := signs(26, "abcdef0123456789")) + "' https://a.io": php,
    "< set-cookie: connect.sid=s%3A" + (sid := signs(40)) + "; Path=/": sid,
    "X-Api-Key: " + (header := signs(32, string.hexdigits[:16])): header,
    '"PRIVATE-TOKEN": "' + (private := signs(20)) + '"': private,
    "Authorization: Key " + (scheme := signs(36)): scheme,
    'Authorization: Digest username="ann", response="' + (digest := signs(32, "abc0123")): digest,
    "APP_KEY=base64:" + (laravel := signs(43) + "="): laravel,
    'network={ssid="x" psk="hunter2blue"}': "hunter2blue",
    "kubectl create secret generic db --from-literal=db-pass=letmein": "letmein",
    "kubeadm join h:1 --token abc123.0123456789abcdef --x": "abc123.0123456789abcdef",
    '<add key="ClearTextPassword" value="letmein" />': "letmein",
    "export DATADOG_KEY=" + (service := signs(32, string.hexdigits[:16])): service,
}
SAFE = [
    "commit 4f2a9c81d3be77aa10c9e2f4b6d8a0c1e3f5a7b9",
    "fixed in 2fbf419 and 3a52381",
    f"session {uuid.UUID(int=7 * 10**36)} was resumed",
    "FAILED tests/test_login.py::test_password_reset_v2 - assert 3 == 4",
    "call_abc123DEF456 answered toolu_01A09q90qw90lq917835lq9",
    "sha256:9b74c9897bac770ffc029102a200c5de1234567890abcdef1234567890abcdef",
    "token_count = 12345 and max_tokens: 4096",
    "password = os.environ['DB_PASSWORD2']",
    "api_key = settings.openai.key2",
    "secret: ${VAULT_SECRET_1}",
    'token = "session_token_v2"',
    "const passwordField = document.getElementById('pw1')",
    "https://oauth2:${GITLAB_TOKEN}@gitlab.com/x/y.git",
    "AKIA is how such keys begin, and sk-learn is a package",
    "integrity sha512-oH1ds8iVNxJ8kv2dSSoHZ0bYl0ROYrIAr9oVv0p8Nw==",
    "the key is in src/keys/rotate_v2.py",
    "npm ERR! code E404 at react@18.2.0, icon@2x.png, git@github.com:a/b.git",
    "mail to admin@example.com from noreply@github.com",
    "cd /home/runner/work/app && ls /root/.cache",
    "route /home/settings is shown",
    "password: str",
    "password: string;",
    "token: String,",
    "password: Optional[str] = None",
    "def login(user, password=None):",
    "login(user=user, password=password)",
    "this.password = password;",
    "password = getpass.getpass()",
    "String password = request.getParameter(name);",
    "const user = { password: hashed, token: SyntaxToken };",
    "password: z.string().min(8)",
    "PASSWORD=$DB_PASSWORD python run.py",
    "PASSWORD=${DB_PASSWORD:-}",
    '"password": "***"',
    '"password": "<password>"',
    '"password": "Enter your password"',
    'api_key="YOUR_API_KEY"',
    "GITHUB_TOKEN=ghp_xxx node dist/find_issues.js",
    "export OPENROUTER_API_KEY=sk-or-...",
    'pad_token="<pad>", eos_token: "</s>"',
    'next_page_token = "CAESBRjK9Q"',
    "let token = try tokens.shift()? else end",
    "const apiKey = args[++i];",
    "let pwd = process.cwd();",
    "totalTokens = totalInput + totalOutput",
    "assert token == expected",
    "secretName: db-credentials",
    'sort_key: "name_asc", public_key: "abc12345"',
    "the password: must be at least 8 characters",
    "usage: run [--token TOKEN] --password PASSWORD",
    '<input type="password" name="password">',
    'href="/home/about" and GET /Users/search?q=x',
    "mysql -p app and docker run -p 8080:80 app",
    "docker run --user 1000:1000 app",
    # the word after "password" in prose
    "the password argon2id hash is slow",
    "a password base64encoded twice, the password pbkdf2sha256 round",
    "DB password utf8mb4 collation",
    # names of tests
    "access_token: test_refresh_rotates_oauth2_token_v2_for_admins",
    "password: tests/test_auth.py::TestLogin::test_wrong_password1",
    '"password": "test_login_with_sha256_hash"',
    "api_key = TestApiKeyRotation2ForAdminsOnly",
    "secret is tests/unit/test_keys.py::test_masked_1a2b3c[v2-hmac256]",
    # names without a digit that begin as a key does, or that a key is assigned to
    "sk-DashboardSidebarToggle and npm_installDependenciesFromLock",
    "import { hf_hubDownloadWithRetries } from './hub'",
    'apiKey: "googleMapsService"',
    "API_TOKEN=refreshTokenProvider",
    "client_secret: 'SettingsFormField'",
    # addresses of examples and programs
    'sig := Signature{Name: "Test", Email: "test@test.com"} and human@test.com',
    "Author: openhands <openhands@all-hands.dev>",
    "Co-Authored-By: Claude Opus 4.5 <noreply@anthropic.com>",
    # accounts of programs, and owners that no listing or prompt shows
    "-rw-r--r-- 1 root root 12 a\ndrwxr-xr-x 2 postgres postgres 4096 b",
    "-rw-r--r-- 1 1000 1000 12 a",
    "Ann Lee <ann@harbour.example>",
    "the alex/queue branch of soph@2.1.0",
    # parameters, headers and keys of other things
    "https://a.io/?page_token=CAESBRjK9Q&key=docs/getting-started-with-tokens&v=1.2.3",
    "Cookie: theme=dark; lang=en; sidebar=open",
    "Authorization: Bearer <token> and X-Api-Key: your-api-key-here",
    "X-Request-Id: 4f2a9c81d3be77aa10c9e2f4b6d8a0c1",
    "cache_key=d41d8cd98f00b204e9800998ecf8427e sort-key: d41d8cd98f00b204e9800998ecf8427e",
    "sig = inspect.signature(function), signature=parameters.items_as_list_of_two_names",
    "costs $2.50, $1 and $6 of $100",
    # folders with a dot
    "edit .github/workflows/ci.yml, ~/.config/app/a.ini and /work/.claude/settings.json",
]


def transcript(*messages, **more):
    numbered = tuple(
        Message(f"m{number}", role, tuple(parts)) for number, (role, *parts) in enumerate(messages)
    )
    return Transcript(numbered, "s.jsonl", ImportTally(1, len(numbered)), **more)


def said(text):
    return transcript(("user", Text(text)))


def redacted(text):
    redactor = Redactor()
    return redactor.redact(said(text)).messages[0].text, redactor


@pytest.mark.parametrize("text", NAMED)
def test_what_is_named_a_password_or_a_key_is_replaced(text):
    shown, _ = redacted(text)
    assert NAMED[text] not in shown
    assert STAND_IN in shown


@pytest.mark.parametrize("text", SAFE)
def test_hashes_ids_names_and_references_stay(text):
    assert redacted(text)[0] == text


def test_a_word_that_is_a_password_only_where_it_is_named_stays_elsewhere():
    done = Redactor().redact(
        transcript(
            ("user", Text("POSTGRES_PASSWORD: postgres\nimage: postgres:16")),
            ("assistant", Text('I keep postgres 16; "password": "postgres" is for tests')),
        )
    )
    assert [message.text for message in done.messages] == [
        f"POSTGRES_PASSWORD: {STAND_IN}1\nimage: postgres:16",
        f'I keep postgres 16; "password": "{STAND_IN}1" is for tests',
    ]


def test_a_password_that_is_a_word_does_not_take_its_other_mentions_along():
    text = "DB_PASSWORD=authenticator\nthe authenticator of login.py fails"
    assert redacted(text)[0] == f"DB_PASSWORD={STAND_IN}1\nthe authenticator of login.py fails"


def test_members_of_arguments_are_secrets_by_their_names():
    arguments = {"db": {"password": "letmein", "user": "ann", "pwd": 4711}, "n": [{"token": "ab"}]}
    call = ToolCall("c", "connect", json.dumps(arguments))
    distinct = ToolCall("d", "connect", '{"password": "CorrectHorse!"}')
    redactor = Redactor()
    done = redactor.redact(
        transcript(
            ("user", Text("log in with CorrectHorse! as ann")),
            ("assistant", call, distinct),
            ("tool", ToolResult("c", "ok")),
            ("tool", ToolResult("d", "ok")),
        )
    )
    assert done.messages[0].text == f"log in with {STAND_IN}1 as ann"
    one, other = done.messages[1].calls
    assert json.loads(one.arguments) == {
        "db": {"password": f"{STAND_IN}2", "user": "ann", "pwd": f"{STAND_IN}3"},
        "n": [{"token": "ab"}],
    }
    assert json.loads(other.arguments) == {"password": f"{STAND_IN}1"}
    assert redactor.counts["secret"].values == 3
    hidden = Thinking(canonical_json({"plan": {"password": "letmein"}}))
    left = redactor.redact(transcript(("assistant", hidden, Text("on"))))
    assert left.messages[0].parts == (Text("on"),)


@pytest.mark.parametrize("broken", ["\n", "\r\n  ", "\\\n", "\\n"])
@pytest.mark.parametrize("whole_elsewhere", [True, False])
def test_a_key_that_is_broken_over_two_lines_leaves_no_half(broken, whole_elsewhere):
    key = KEYS["OpenAI project"]
    text = f"export K={key[:30]}{broken}{key[30:]} and on"
    messages = [("user", Text(text))]
    if whole_elsewhere:
        messages.append(("assistant", Text(f"I use {key} now")))
    redactor = Redactor()
    shown = redactor.redact(transcript(*messages)).messages[0].text
    assert key[:30] not in shown and key[30:] not in shown
    assert shown.startswith(f"export K={STAND_IN}") and shown.endswith(" and on")
    assert redactor.counts["secret"].values == 1


@pytest.mark.parametrize(
    "line", ["max_tokens_4096 = 1", "4f2a9c81d3be is the commit", "src/keys/rotate_v2.py", "Done."]
)
def test_the_line_after_a_key_stays_where_it_is_no_part_of_it(line):
    assert redacted(f"K={KEYS['OpenAI project']}\n{line}\n")[0] == f"K={STAND_IN}1\n{line}\n"


def test_the_same_value_has_the_same_stand_in_in_every_part_of_a_file():
    key, other = KEYS["OpenAI project"], KEYS["GitLab"]
    arguments = json.dumps({"command": f"export K={key}", key: [f"echo {other}", "x"]})
    view = (Message("r", "user", (Text(f"keep {key}"),), "synthetic"),)
    first = transcript(
        ("user", Text(f"use {key}")),
        ("assistant", ToolCall("c", "bash", arguments)),
        ("tool", ToolResult("c", f"{other} and {key}")),
        boundaries=(Boundary("m2", f"the key {key}"), Boundary("m2", messages=view)),
    )
    redactor = Redactor()
    done = redactor.redact(first)
    assert done.messages[0].text == f"use {STAND_IN}1"
    assert json.loads(done.messages[1].calls[0].arguments) == {
        "command": f"export K={STAND_IN}1",
        f"{STAND_IN}1": [f"echo {STAND_IN}2", "x"],
    }
    assert done.messages[2].results[0].text == f"{STAND_IN}2 and {STAND_IN}1"
    assert done.boundaries[0].summary == f"the key {STAND_IN}1"
    assert done.boundaries[1].messages[0].text == f"keep {STAND_IN}1"
    assert redactor.redact(said(f"again {other}")).messages[0].text == f"again {STAND_IN}2"


@pytest.mark.parametrize("kind", [kind for kind in SHAPED if "/" not in KEYS[kind]])
def test_a_key_in_a_name_is_replaced_and_calls_keep_their_results(kind):
    key = KEYS[kind]
    done = Redactor().redact(
        replace(
            transcript(
                ("user", Text("go on")),
                ("assistant", ToolCall(key, key, json.dumps({"env": {key: {"n": 1}}}))),
                ("tool", ToolResult(key, f"wrote out/{key}.txt")),
            ),
            source=f"logs/{key}.jsonl",
            title=key,
            name=key,
            model=key,
        )
    )
    assert key not in repr(done)
    assert done.source.startswith("logs/")
    assert not structure_faults(done.messages)


def test_ids_of_programs_stay_and_other_long_ids_are_numbered():
    ids = ("toolu_01A09q90qw90Lq917835Lq9XyZ", "c1", "d41d8cd98f00b204e9800998ecf8427e")
    redactor = Redactor()
    done = redactor.redact(
        transcript(
            ("assistant", *(ToolCall(id, "ls", "{}") for id in ids)),
            *(("tool", ToolResult(id, "ok")) for id in ids),
        )
    )
    assert [call.id for call in done.messages[0].calls] == [*ids[:2], "id-1"]
    assert not structure_faults(done.messages)
    assert not redactor.counts


@pytest.mark.parametrize(
    "written",
    [
        lambda key: "".join(f"\\u{ord(sign):04x}" for sign in key),
        lambda key: "".join(f"&#{ord(sign)};" for sign in key),
        lambda key: f"{key[:9]}\x1b[1m{key[9:]}\x1b[0m",
        lambda key: f"{key[:9]}\u200b{key[9:]}",
    ],
    ids=["escapes of JSON", "entities", "colours", "zero-width space"],
)
def test_a_key_behind_escapes_has_the_stand_in_of_the_key(written):
    key = KEYS["OpenAI project"]
    assert redacted(f"use {written(key)} or {key} now")[0] == (
        f"use {STAND_IN}1 or {STAND_IN}1 now"
    )


def test_a_password_is_replaced_where_nothing_names_it_too():
    done = Redactor().redact(
        transcript(
            ("user", Text("log in with tiger99x please")),
            ("assistant", Text('I set password = "tiger99x"; tiger99xl is another word')),
        )
    )
    assert done.messages[0].text == f"log in with {STAND_IN}1 please"
    assert done.messages[1].text.endswith("tiger99xl is another word")


def test_arguments_that_are_no_json_are_searched_as_text():
    key = KEYS["private key"]
    broken = json.dumps({"content": key})[:-1]
    call = ToolCall("c", "write", broken)
    messages = [("user", Text(key)), ("assistant", call), ("tool", ToolResult("c", "ok"))]
    (changed,) = Redactor().redact(transcript(*messages)).messages[1].calls
    assert "PRIVATE KEY" not in changed.arguments
    assert STAND_IN in changed.arguments


def test_arguments_without_anything_to_hide_stay_as_the_model_wrote_them():
    written = '{"b":  1, "a": "caf\\u00e9"}'
    call = ToolCall("c", "run", written)
    done = Redactor().redact(transcript(("assistant", call), ("tool", ToolResult("c", "ok"))))
    assert done.messages[0].calls[0].arguments == written


def test_thinking_is_byte_identical_or_left_out_as_a_whole():
    clean = Thinking('{"signature": "x==",  "thinking": "plain"}')
    dirty = Thinking(canonical_json({"thinking": f"use {KEYS['GitHub classic']}"}))
    paths = Opaque(canonical_json({"text": "/home/annlee/x"}))
    redactor = Redactor()
    done = redactor.redact(
        transcript(
            ("assistant", clean, Text("one")),
            ("assistant", dirty, Text("two")),
            ("assistant", dirty),
            ("assistant", paths, Text("three")),
        )
    )
    assert [message.parts for message in done.messages] == [
        (clean, Text("one")),
        (Text("two"),),
        (Text(LEFT_OUT),),
        (Text("three"),),
    ]
    assert done.tally.left_out == {"thinking or opaque part that holds what is redacted": 3}
    assert not structure_faults(done.messages)
    assert redactor.left_out == 3


@given(st.lists(st.sampled_from([*KEYS.values(), *SAFE, *NAMED, "x@y.io", "/home/annlee/a"])))
def test_redacting_twice_changes_nothing_more_and_is_repeatable(texts):
    first = Redactor().redact(transcript(*(("user", Text(text)) for text in texts)))
    again = Redactor().redact(first)
    assert again.messages == first.messages
    assert Redactor().redact(transcript(*(("user", Text(t)) for t in texts))) == first


@given(st.text(max_size=300))
def test_any_text_can_be_searched(text):
    Redactor().redact(said(text))


def test_a_line_of_megabytes_is_searched_in_pieces():
    key = KEYS["Twilio"]
    line = "x " * 400_000 + key + " y" * 400_000 + "://a" * 10_000
    assert key in set(secrets_in(line))


@pytest.mark.exhaustive
def test_the_shipped_cases_hold_nothing_that_would_be_redacted():
    for case in shipped():
        redactor = Redactor()
        done = redactor.redact(Transcript(case.messages, "s", ImportTally(1, 1)))
        assert set(redactor.counts) <= {"e-mail address", "home folder"}
        if not redactor.counts:
            assert to_chat(done.messages) == to_chat(case.messages)
        addresses = redactor._stand_ins["e-mail address"]
        assert all(address.endswith((".example", "@example.org")) for address in addresses)


REAL = ["pi-agent/large-session.jsonl", "claude-code/session.jsonl"]
REAL += ["cline/session.messages.json", "swe-agent/pydicom-1458.traj"]
REAL += ["swe-agent/marshmallow-1867.traj", "aider/chat-history.md"]
REAL += ["tau-bench/gpt-4o-airline-tasks-0-9.json"]


@pytest.mark.parametrize("name", REAL)
def test_real_sessions_lose_names_of_home_folders_and_nothing_else(name):
    path = public_data(name)
    importer = importer_for(path, load_importers().importers)
    for before in conversations(importer, path):
        redactor = Redactor()
        after = redactor.redact(before)
        assert set(redactor.counts) <= {"home folder"}
        names = list(redactor._stand_ins["home folder"].items())
        for one, other in zip(before.messages, after.messages, strict=True):
            text = readable(one)
            for known, stand_in in names:
                for root in ("/Users/", "/home/", "-Users-", "-home-"):
                    text = text.replace(f"{root}{known}", f"{root}{stand_in}")
                text = re.sub(rf"(?m)^(\S{{10,11}} +\d+ ){known} ", rf"\1{stand_in} ", text)
            assert readable(other) == text


def importing(tmp_path, capsys, *options):
    key = KEYS["Anthropic"]
    records = [
        {
            "role": "user",
            "content": f"the key is {key}, ann@acme.io gave it\n"
            "thread 4\nqueue limit 64\nretry delay 1.5",
        },
        {"role": "assistant", "content": "I use a bounded queue instead of one thread each."},
        {"role": "user", "content": "the upload handler must answer within 2 seconds"},
        *({"role": "assistant", "content": at_length(f"part {n} of it is done")} for n in range(9)),
    ]
    source = tmp_path / "s.json"
    source.write_text(json.dumps(records), "utf-8")
    assert cli.main(["import", str(source), "-o", str(tmp_path / "cases"), *options]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    return out, (tmp_path / "cases/s.json").read_text("utf-8"), key


def test_import_redacts_by_default_and_says_how_many(tmp_path, capsys):
    out, case, key = importing(tmp_path, capsys)
    assert key not in case and key not in out and "ann@acme.io" not in case
    assert "redacted             1  secret, in 1 place\n" in out
    assert "redacted             1  e-mail address, in 1 place\n" in out
    facts = [probe["facts"] for probe in json.loads(case)["probes"]]
    assert STAND_IN not in json.dumps(facts)


def test_import_can_be_told_not_to_redact(tmp_path, capsys):
    out, case, key = importing(tmp_path, capsys, "--no-redact")
    assert key in case and "ann@acme.io" in case
    assert "redacted" not in out
