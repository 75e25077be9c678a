"""Code review: a colleague's branch adds a token-bucket rate limiter to a request router.

A route ranking that is cached forgets what is mounted late, buckets lose fractions of
tokens and trust the wall clock, and a reply code is taken twice. The reviewer bisects,
measures, withdraws two comments and repairs two on request. The branch, git and pytest
are real; see ``tests/recordings/recorder.py``.
"""

from __future__ import annotations

from functools import partial

from recorder import Play, Recorder, bash, edit_file, read_file
from repository import Repository

SYSTEM = """You are a coding agent with a shell and file tools in a git checkout. Reviews rest on things
you have run, not on impressions. Say what you found and how it can be seen again. Change code only
when you are asked to."""

MAREN = "Maren Holt <maren@example.org>"
JORIS = "Joris Vank <joris@example.org>"

BUCKET = '''"""A token bucket."""

from __future__ import annotations

from pontoon.clock import Clock


class TokenBucket:
    """Holds at most ``burst`` tokens and gains ``per_minute`` tokens a minute.

    A request takes one token. A new bucket is full.
    """

    def __init__(self, burst: int, per_minute: int, clock: Clock) -> None:
        self.burst = burst
        self.per_minute = per_minute
        self._clock = clock
        self._tokens = burst
        self._filled = clock.wall()

    def take(self) -> bool:
        """Take a token if there is one."""
        self._refill()
        if self._tokens < 1:
            return False
        self._tokens -= 1
        return True

    def tokens_left(self) -> int:
        """Whole tokens in the bucket."""
        self._refill()
        return self._tokens

    def _refill(self) -> None:
        now = self._clock.wall()
        gained = int((now - self._filled) * self.per_minute / 60)
        self._tokens = min(self.burst, self._tokens + gained)
        self._filled = now
'''

RETRY_AFTER = '''
    def retry_after(self) -> int:
        """Seconds until there is a token again."""
        missing = max(0, 1 - self._tokens)
        return int(missing * 60 / self.per_minute)
'''

BUCKET_TESTS = '''"""The token bucket."""

import pytest

from pontoon.bucket import TokenBucket
from pontoon.clock import SteppedClock


@pytest.fixture
def clock():
    return SteppedClock()


def drained(clock, burst=3, per_minute=30):
    bucket = TokenBucket(burst, per_minute, clock)
    while bucket.take():
        pass
    return bucket


def test_a_new_bucket_is_full(clock):
    bucket = TokenBucket(3, 30, clock)
    assert [bucket.take() for _ in range(4)] == [True, True, True, False]


@pytest.mark.parametrize(("seconds", "tokens"), [(0, 0), (2, 1), (4, 2), (6, 3), (600, 3)])
def test_refill(clock, seconds, tokens):
    bucket = drained(clock)
    clock.advance(seconds)
    assert bucket.tokens_left() == tokens


def test_a_refusal_costs_nothing(clock):
    bucket = drained(clock)
    for _ in range(5):
        assert not bucket.take()
    clock.advance(2)
    assert bucket.take()
'''

RETRY_TESTS = """

def test_retry_after(clock):
    bucket = drained(clock)
    assert bucket.retry_after() == 2
    clock.advance(2)
    assert bucket.take()
"""

LIMIT_RULE = '''@dataclass(frozen=True)
class LimitRule:
    """How fast the callers of one class may be."""

    burst: int
    per_minute: int


@dataclass(frozen=True)
class Settings:
    """Everything that can be set."""

    name: str
    callers: tuple[str, ...]
    keep_seconds: int
    gauges: tuple[str, ...]
    limits: Mapping[str, LimitRule]
'''

READ_LIMITS = """

def _limits(
    parser: configparser.ConfigParser, classes: tuple[str, ...]
) -> dict[str, LimitRule]:
    rules = {}
    for section in parser.sections():
        prefix, dot, name = section.partition(".")
        if prefix != "limits" or not dot:
            continue
        if name not in classes:
            raise SettingsError("S17", f"{section}: no callers of class {name!r}")
        burst = _whole(parser, section, "burst", 1, 1000)
        rules[name] = LimitRule(burst, _whole(parser, section, "per_minute", 1, 6000))
    return rules
"""

LIMIT_SECTIONS = """
[limits.kiosk]
burst = 12
per_minute = 30

[limits.desk]
burst = 30
per_minute = 120
"""

SETTINGS_TESTS = """

LIMITED = GOOD + "[limits.kiosk]\\nburst = 5\\nper_minute = 60\\n"


def test_limits():
    assert parse_settings(LIMITED).limits == {"kiosk": LimitRule(5, 60)}
    assert parse_settings(GOOD).limits == {}


@pytest.mark.parametrize(
    ("old", "new", "error"),
    [
        ("limits.kiosk", "limits.crane", "S17 limits.crane: no callers of class 'crane'"),
        ("burst = 5", "burst = 0", "S16 limits.kiosk.burst is 0, 1 to 1000 is allowed"),
        ("per_minute = 60", "", "S12 limits.kiosk.per_minute is missing"),
    ],
)
def test_faults_in_limits(old, new, error):
    with pytest.raises(SettingsError) as caught:
        parse_settings(LIMITED.replace(old, new))
    assert str(caught.value) == error
"""

LIMITS = '''"""Keeps callers from asking too often."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from pontoon.bucket import TokenBucket
from pontoon.clock import Clock
from pontoon.messages import TOO_FAST, Reply, Request, failure
from pontoon.router import Proceed
from pontoon.settings import LimitRule


class Limiter:
    """Middleware that charges one token for each request.

    Every caller has a bucket for each path, so that a busy screen cannot use up the
    tokens that a booking needs. A caller whose class has no rule is not limited.
    """

    def __init__(self, rules: Mapping[str, LimitRule], clock: Clock) -> None:
        self._rules = rules
        self._clock = clock
        self._buckets: dict[tuple[str, str], TokenBucket] = {}
        self.refused: Counter[str] = Counter()

    def __call__(self, request: Request, proceed: Proceed) -> Reply:
        rule = self.rule_for(request.caller)
        if rule is None:
            return proceed(request)
        bucket = self._bucket(request, rule)
        if bucket.take():
            return proceed(request)
        self.refused[request.caller] += 1
        return failure(request, TOO_FAST, "too many requests")

    def rule_for(self, caller: str) -> LimitRule | None:
        """The rule of a caller's class."""
        return self._rules.get(caller.partition("-")[0])

    def tokens_left(self) -> dict[str, int]:
        """Tokens by caller and path, for the console."""
        found = sorted(self._buckets.items())
        return {f"{caller} {path}": bucket.tokens_left() for (caller, path), bucket in found}

    def __len__(self) -> int:
        return len(self._buckets)

    def _bucket(self, request: Request, rule: LimitRule) -> TokenBucket:
        key = (request.caller, request.path)
        if key not in self._buckets:
            self._buckets[key] = TokenBucket(rule.burst, rule.per_minute, self._clock)
        return self._buckets[key]
'''

LIMITS_TESTS = '''"""The limiter."""

import pytest

from pontoon.clock import SteppedClock
from pontoon.limits import Limiter
from pontoon.messages import OK, Reply, Request
from pontoon.settings import LimitRule


@pytest.fixture
def clock():
    return SteppedClock()


@pytest.fixture
def limiter(clock):
    return Limiter({"kiosk": LimitRule(2, 30)}, clock)


def codes(limiter, number, caller="kiosk-01", path="/berths"):
    request = Request("r-1", "get", path, caller)
    return [limiter(request, lambda request: Reply(request.id, OK)).code for _ in range(number)]


def test_the_burst_and_then_no_more(limiter):
    assert codes(limiter, 4) == [20, 20, 48, 48]
    assert limiter.refused == {"kiosk-01": 2}


def test_later_again(limiter, clock):
    codes(limiter, 4)
    clock.advance(2)
    assert codes(limiter, 2) == [20, 48]


def test_callers_do_not_share_a_bucket(limiter):
    codes(limiter, 4)
    assert codes(limiter, 1, caller="kiosk-02") == [20]


def test_a_busy_screen_leaves_tokens_for_a_booking(limiter):
    codes(limiter, 4)
    assert codes(limiter, 1, path="/berths/4/bookings/2025-06-15") == [20]


def test_a_class_without_a_rule(limiter):
    assert codes(limiter, 50, caller="ops-1") == [20] * 50


def test_tokens_left(limiter):
    codes(limiter, 1)
    assert limiter.tokens_left() == {"kiosk-01 /berths": 1}
'''

RETRY_BODY = """        body = {"error": "too many requests", "retry_after": bucket.retry_after()}
        return Reply(request.id, TOO_FAST, body)
"""

RETRY_LIMIT_TESTS = """

def test_a_refusal_says_when_to_come_back(limiter):
    request = Request("r-1", "get", "/berths", "kiosk-01")
    codes(limiter, 2)
    reply = limiter(request, lambda request: Reply(request.id, OK))
    assert reply.body == {"error": "too many requests", "retry_after": 2}
"""

DEMO = '''"""Prints what a bucket does, second by second."""

from pontoon.bucket import TokenBucket
from pontoon.clock import SteppedClock

clock = SteppedClock()
bucket = TokenBucket(12, 30, clock)
for second in range(20):
    print(second, bucket.take(), bucket.tokens_left())
    clock.advance(2)
'''

RANK_ONCE = """    def _ranked_entries(self) -> list[Entry]:
        if self._ranked is None:
            self._ranked = sorted(self._entries, key=lambda entry: entry.pattern.rank)
        return self._ranked
"""

DOCS_LIMITS = """
## Limits

The callers of a class with a section `[limits.CLASS]` may be as fast as it says:
`burst` requests at once and `per_minute` in the long run, for each caller and path.
What comes on top is answered with code 48 and `retry_after`, the seconds after which
the request may be sent again.
"""

DESK_CLOSED = """        if self.desk_closed:
            raise DeskClosedError("the desk is closed")
        limits = self.berth(number).limits
"""


REVIEW = """# Review of token-bucket

## C1 (blocker) Routes mounted after the first request are lost
Where: src/pontoon/router.py, `Router.mount`, since "router: rank the routes once"
Seen: traffic/morning.plan has 44=30 instead of 44=6; all 24 requests below /tides get
`44 no route for get /tides/north/next`. `start` dispatches the warm-up before it mounts.
Ask: a mount must count like an add. A test that goes through `start`.

## C2 (blocker) Code 48 has two meanings
Where: src/pontoon/messages.py, docs/requests.md
Seen: main has `DESK_CLOSED = 48` since "desk: answer 48 while the desk is closed"; a merge
conflicts in both files, and a caller that is too fast would be shown the opening hours.
Ask: another code for too many requests.

## C3 (blocker) Buckets trust the wall clock
Where: src/pontoon/bucket.py, `_refill`
Seen: set the clock back by 300 seconds and a kiosk with 11 tokens has -139; it is refused
until the debt is paid, 280 seconds later.
Ask: `clock.millis()`.

## C4 (major) Fractions of a token are thrown away
Where: src/pontoon/bucket.py, `_refill`
Seen: one request a second, burst 12, 30 a minute: 12 of 80 answered, 51 expected.
Ask: keep what has been gained; a test with steps shorter than one token.

## C5 (blocker) The raw path is the key of a bucket
Where: src/pontoon/limits.py, `_bucket`
Seen: 14 berth pages are 14 buckets, 168 requests at once instead of 12. 5000 paths that do
not exist leave 5000 buckets behind.
Ask: a key that the caller cannot make up.

## C6 (minor) `retry_after` can be 0
Where: src/pontoon/bucket.py, `retry_after`
Seen: at 120 a minute a drained bucket says 0.
Ask: round up.

## C7 (major) No lock around take
Where: src/pontoon/bucket.py, `take`
Seen: by reading only; two threads between the comparison and the subtraction would both pass.
Ask: a lock, or a sentence that none is needed.

## C8 (minor) Callers without a rule are not limited
Where: src/pontoon/limits.py, `rule_for`
Seen: `test_a_class_without_a_rule`: ops-1 sends 50 requests and gets 50 replies.
Ask: a default rule, or a sentence why not.

## C9 (nit) A script for trying by hand is in the branch
Where: scripts/bucket_demo.py
Seen: nothing runs it, tests/test_bucket.py covers what it prints.
Ask: delete it.
"""

C7_OLD = REVIEW[REVIEW.index("## C7") : REVIEW.index("## C8")]
C8_OLD = REVIEW[REVIEW.index("## C8") : REVIEW.index("## C9")]
C9_OLD = REVIEW[REVIEW.index("Seen: nothing runs it") :]

WITHDRAWN = """
## Withdrawn

- C7 (no lock around take): one process, one thread, says docs/requests.md, and the router
  is documented as not shared between threads. A lock would suggest otherwise.
- C8 (callers without a rule are not limited): deliberate, the ops consoles have to get
  through during an incident.
"""

STARTSCREEN = """# at  count every caller   verb path
# the start screen of a kiosk asks for all berths in the same moment
0     14    0     kiosk-01 get  /berths/{1..14}
0     14    0     kiosk-02 get  /berths/{1..14}
"""

C5_ASK_OLD = "Ask: a key that the caller cannot make up.\n"
C5_ASK_NEW = """Ask: caller and route pattern as key (`Router.resolve`), one common bucket for what has no
route. Not one bucket per caller (the start screen would eat the tokens of a booking) and no
LRU (an evicted bucket comes back full). Needs the burst of 20, see traffic/startscreen.plan.
"""

LATE_MOUNTS = '''"""Routes that come after the first request."""

from pathlib import Path

import pytest

from pontoon.app import build_app
from pontoon.clock import SteppedClock
from pontoon.messages import OK, Reply, Request
from pontoon.router import Router
from pontoon.serve import start
from pontoon.settings import load_settings


def fine(request):
    return Reply(request.id, OK)


def ask(router, path):
    return router.dispatch(Request("r-1", "get", path, "kiosk-01")).code


@pytest.fixture
def router():
    router = Router()
    router.add("get", "/ping", fine)
    assert ask(router, "/ping") == 20
    return router


def test_an_add_after_the_first_request(router):
    router.add("get", "/other", fine)
    assert ask(router, "/other") == 20


def test_a_mount_after_the_first_request(router):
    late = Router()
    late.add("get", "/north", fine)
    router.mount("/tides", late)
    assert ask(router, "/tides/north") == 20


def test_a_late_literal_still_wins_over_an_early_slot(router):
    router.add("get", "/{name:word}", lambda request, name: Reply(request.id, 46))
    router.add("get", "/late", fine)
    assert ask(router, "/late") == 20


def test_tides_are_there_after_start():
    app = build_app(load_settings(Path(__file__).parents[1] / "pontoon.ini"), SteppedClock())
    start(app)
    assert ask(app.router, "/tides/north/next") == 20
'''

REGISTER_EDITS = (
    (
        "from collections.abc import Callable\n",
        "import bisect\nfrom collections.abc import Callable\n",
    ),
    (
        "        entry = Entry(verb, Pattern.parse(pattern), handler)\n"
        "        self._refuse_double(entry)\n"
        "        self._entries.append(entry)\n",
        "        self._register(Entry(verb, Pattern.parse(pattern), handler))\n",
    ),
    (
        "            moved = Entry(entry.verb, entry.pattern.under(prefix), entry.handler)\n"
        "            self._refuse_double(moved)\n"
        "            self._entries.append(moved)\n",
        "            self._register(Entry(entry.verb, entry.pattern.under(prefix), entry.handler))\n",
    ),
    (
        "        return [str(entry) for entry in self._ranked_entries()]\n",
        "        return [str(entry) for entry in self._entries]\n",
    ),
    (
        "        for entry in self._ranked_entries():\n            if entry.verb",
        "        for entry in self._entries:\n            if entry.verb",
    ),
    (
        "    def _ranked_entries(self) -> list[Entry]:\n"
        "        if self._ranked is None:\n"
        "            self._ranked = sorted(self._entries, key=lambda entry: entry.pattern.rank)\n"
        "        return self._ranked\n\n"
        "    def _refuse_double(self, entry: Entry) -> None:\n",
        "    def _register(self, entry: Entry) -> None:\n"
        '        """The only way into ``_entries``, which is sorted by rank at all times."""\n',
    ),
    (
        '                raise RouteError(f"route {other} is there already")\n',
        '                raise RouteError(f"route {other} is there already")\n'
        "        bisect.insort(self._entries, entry, key=lambda entry: entry.pattern.rank)\n",
    ),
)

BUCKET_TESTS_NEW = """@pytest.mark.parametrize(("every", "answered"), [(3, 80), (2, 80), (1, 51), (0.5, 31)])
def test_polling(clock, every, answered):
    bucket = TokenBucket(12, 30, clock)
    good = 0
    for _ in range(80):
        good += bucket.take()
        clock.advance(every)
    assert good == answered


def test_short_steps_add_up(clock):
    bucket = drained(clock, per_minute=60)
    for _ in range(10):
        assert bucket.tokens_left() == 0
        clock.advance(0.1)
    assert bucket.take()


"""

BUCKET_UNITS = '''"""A token bucket."""

from __future__ import annotations

from pontoon.clock import Clock

UNITS = 60_000
"""Units in a token: a bucket gains ``per_minute`` of them in every millisecond, exactly."""


class TokenBucket:
    """Holds at most ``burst`` tokens and gains ``per_minute`` tokens a minute.

    A request takes one token. A new bucket is full. Time is ``clock.millis()``, which
    never goes back.
    """

    def __init__(self, burst: int, per_minute: int, clock: Clock) -> None:
        self.burst = burst
        self.per_minute = per_minute
        self._clock = clock
        self._units = burst * UNITS
        self._filled = clock.millis()

    def take(self) -> bool:
        """Take a token if there is one."""
        self._refill()
        if self._units < UNITS:
            return False
        self._units -= UNITS
        return True

    def tokens_left(self) -> int:
        """Whole tokens in the bucket."""
        self._refill()
        return self._units // UNITS

    def retry_after(self) -> int:
        """Seconds until there is a token again, rounded up."""
        self._refill()
        missing = max(0, UNITS - self._units)
        return -(-missing // (self.per_minute * 1000))

    def _refill(self) -> None:
        now = self._clock.millis()
        gained = (now - self._filled) * self.per_minute
        self._units = min(self.burst * UNITS, self._units + gained)
        self._filled = now
'''

BUCKET_TESTS_MORE = """def test_a_wall_clock_that_is_set_back_changes_nothing(clock):
    bucket = TokenBucket(12, 30, clock)
    bucket.take()
    clock.set_wall(clock.wall() - 300)
    assert bucket.tokens_left() == 11


@pytest.mark.parametrize(
    ("per_minute", "seconds"), [(7, 9), (30, 2), (90, 1), (120, 1), (6000, 1)]
)
def test_retry_after_is_rounded_up_and_kept(clock, per_minute, seconds):
    bucket = drained(clock, per_minute=per_minute)
    assert bucket.retry_after() == seconds
    clock.advance(seconds)
    assert bucket.take()


"""

CODES_TESTS = '''"""The codes that the kiosks are told about are those that are sent."""

import re
from pathlib import Path

from pontoon import messages

DOCS = Path(__file__).parents[1] / "docs" / "requests.md"


def test_the_table_in_the_docs_is_the_one_in_the_code():
    rows = re.findall(r"^\\| (\\d+) \\| ([^|]+?) \\|", DOCS.read_text(encoding="utf-8"), re.M)
    assert [(int(code), text) for code, text in rows] == sorted(messages.CODES.items())


def test_49_reboots_a_kiosk():
    assert 49 not in messages.CODES
'''

REVIEW_UPDATES = (
    (
        "Ask: a mount must count like an add. A test that goes through `start`.\n",
        'Done: "review: rank routes when they are registered", tests/test_late_mounts.py.\n',
    ),
    (
        "Ask: another code for too many requests.\n",
        'Done: "review: move the refusal to code 47"; the merge keeps both lines.\n',
    ),
    (
        "Ask: `clock.millis()`.\n",
        'Done: "review: count tokens in whole units of monotonic time".\n',
    ),
    (
        "Ask: keep what has been gained; a test with steps shorter than one token.\n",
        "Done: same commit as C3.\n",
    ),
    ("Ask: round up.\n", "Done: same commit as C3.\n"),
    ("Ask: delete it.\n", "Done: deleted.\n"),
    ("Where: src/pontoon/limits.py, `_bucket`\n", "Where: src/pontoon/throttle.py, `_bucket`\n"),
    (
        "LRU (an evicted bucket comes back full). Needs the burst of 20, see traffic/startscreen.plan.\n",
        "LRU (an evicted bucket comes back full). The burst of 16 is enough for the 14 requests of a\n"
        "start screen, see traffic/startscreen.plan. Open, for Maren.\n",
    ),
)


REPEATS = """python - <<'END'
from collections import Counter
from pathlib import Path
from pontoon.app import build_app
from pontoon.clock import SteppedClock, today
from pontoon.messages import Request
from pontoon.settings import load_settings

for every in (3, 0.05):
    clock = SteppedClock()
    app = build_app(load_settings(Path('pontoon.ini')), clock)
    body = {'vessel': 'tern', 'length': 20, 'draught': 2}
    path = f'/berths/4/bookings/{today(clock)}'
    booking = Request('b-1', 'put', path, 'kiosk-01', body)
    codes = Counter()
    for _ in range(40):
        reply = app.router.dispatch(booking)
        codes[reply.code] += 1
        clock.advance(every)
    print(f'a repeat every {every} s:', dict(codes), 'the last one:', reply.line())
    clock.advance(reply.body.get('retry_after', 0))
    print('   and then:', app.router.dispatch(booking).line())
END"""

TRIAL_MERGE = """git worktree add -q --detach ../trial HEAD
(cd ../trial && git merge -q --no-commit --no-ff main
sed -i '/^<<<<<<<\\|^=======$\\|^>>>>>>>/d' src/pontoon/messages.py docs/requests.md
grep -nE '^(TOO_FAST|DESK_CLOSED) =|^\\| 4[5-9]' src/pontoon/messages.py docs/requests.md
python -m pytest -q --tb=short; python scripts/replay_day.py traffic/morning.plan)
git worktree remove --force ../trial; git worktree list; git status --short"""

BURST_LINES = """for number in $(seq 1 18); do
  echo '{"id": "b-'$number'", "verb": "get", "path": "/berths/3", "caller": "kiosk-01"}'
done | python -m pontoon serve | tail -n 4"""


def history(repo: Repository) -> None:
    """What happened before the session: the main branch, and Maren's branch of eight commits."""

    commit = partial(repo.commit, author=MAREN)
    repo.change("src/pontoon/tides.py", "minutes=26", "minutes=24")
    commit("tides: correct the lag of the south gauge", author=JORIS)
    repo.git("checkout", "-q", "-b", "token-bucket")

    repo.put("src/pontoon/bucket.py", BUCKET)
    repo.put("tests/test_bucket.py", BUCKET_TESTS)
    commit("bucket: a token bucket on a clock")

    settings = "src/pontoon/settings.py"
    text = repo.text(settings)
    old = text[text.index("@dataclass(frozen=True)") : text.index("\n\ndef load_settings")]
    repo.change(settings, old, LIMIT_RULE)
    repo.change(settings, "import re\n", "import re\nfrom collections.abc import Mapping\n")
    repo.change(
        settings,
        "    return Settings(\n",
        '    callers = _names(parser, "router", "callers")\n    return Settings(\n',
    )
    repo.change(
        settings,
        '        callers=_names(parser, "router", "callers"),\n',
        "        callers=callers,\n",
    )
    repo.change(
        settings,
        '        gauges=_names(parser, "tides", "gauges"),\n',
        '        gauges=_names(parser, "tides", "gauges"),\n        limits=_limits(parser, callers),\n',
    )
    repo.append(settings, READ_LIMITS)
    repo.append("pontoon.ini", LIMIT_SECTIONS)
    repo.change("tests/test_settings.py", "import SettingsError", "import LimitRule, SettingsError")
    repo.append("tests/test_settings.py", SETTINGS_TESTS)
    commit("settings: read limits per caller class")

    repo.change("src/pontoon/messages.py", "REFUSED = 46\n", "REFUSED = 46\nTOO_FAST = 48\n")
    repo.change(
        "src/pontoon/messages.py",
        '    REFUSED: "refused by the harbour",\n',
        '    REFUSED: "refused by the harbour",\n    TOO_FAST: "too many requests",\n',
    )
    repo.put("src/pontoon/limits.py", LIMITS)
    repo.put("tests/test_limits.py", LIMITS_TESTS)
    commit("limits: charge callers and answer 48")

    app = "src/pontoon/app.py"
    repo.change(
        app, "from pontoon.messages", "from pontoon.limits import Limiter\nfrom pontoon.messages"
    )
    repo.change(
        app,
        "        self.router = Router()\n",
        "        self.limiter = Limiter(settings.limits, clock)\n        self.router = Router()\n",
    )
    repo.change(
        app,
        "        self.router.use(ReplayGuard",
        "        self.router.use(self.limiter)\n        self.router.use(ReplayGuard",
    )
    repo.change(
        app,
        '{"codes": codes, "busiest": busiest})',
        '{"codes": codes, "busiest": busiest, "tokens": self.limiter.tokens_left()})',
    )
    commit(
        "app: put the limiter in front of the replay guard",
        "A kiosk that repeats a line every few milliseconds must be slowed down as well, so\n"
        "repeats are charged before the guard answers them.",
    )

    repo.put("scripts/bucket_demo.py", DEMO)
    commit("scripts: try the bucket by hand")

    router = "src/pontoon/router.py"
    repo.change(
        router,
        "        self._middleware: list",
        "        self._ranked: list[Entry] | None = None\n        self._middleware: list",
    )
    repo.change(
        router,
        "        self._entries.append(entry)\n",
        "        self._entries.append(entry)\n        self._ranked = None\n",
    )
    text = repo.text(router)
    old = text[text.index("    def _ranked_entries") : text.index("\n    def _refuse_double")]
    repo.change(router, old, RANK_ONCE)
    commit(
        "router: rank the routes once",
        "Every dispatch sorted all routes, a tenth of its time in the profile. The limiter\n"
        "needs that time.",
    )

    repo.change(
        "src/pontoon/bucket.py",
        "        return self._tokens\n\n    def _refill",
        "        return self._tokens\n" + RETRY_AFTER + "\n    def _refill",
    )
    repo.append("tests/test_bucket.py", RETRY_TESTS)
    repo.change(
        "src/pontoon/limits.py",
        '        return failure(request, TOO_FAST, "too many requests")\n',
        RETRY_BODY,
    )
    repo.change("src/pontoon/limits.py", "Reply, Request, failure", "Reply, Request")
    repo.append("tests/test_limits.py", RETRY_LIMIT_TESTS)
    commit("limits: tell the caller when to come back")

    repo.change(
        "docs/requests.md",
        "| 50 | handler failed",
        "| 48 | too many requests | waits for `retry_after` seconds |\n| 50 | handler failed",
    )
    repo.append("docs/requests.md", DOCS_LIMITS)
    commit("docs: describe the limits")

    repo.git("checkout", "-q", "main")
    messages = "src/pontoon/messages.py"
    repo.change(messages, "REFUSED = 46\n", "REFUSED = 46\nDESK_CLOSED = 48\n")
    repo.change(
        messages,
        '    REFUSED: "refused by the harbour",\n',
        '    REFUSED: "refused by the harbour",\n    DESK_CLOSED: "desk is closed",\n',
    )
    berths = "src/pontoon/berths.py"
    repo.change(berths, "import OK, REFUSED", "import DESK_CLOSED, OK, REFUSED")
    repo.change(
        berths,
        "class Harbour:",
        'class DeskClosedError(BookingError):\n    """A booking while the desk is closed."""\n\n\nclass Harbour:',
    )
    repo.change(
        berths,
        "        self._bookings: dict",
        "        self.desk_closed = False\n        self._bookings: dict",
    )
    repo.change(berths, "        limits = self.berth(number).limits\n", DESK_CLOSED)
    repo.change(
        berths,
        "        except BookingError as error:\n            return failure(request, REFUSED, str(error))\n        return Reply(request.id, STORED",
        "        except DeskClosedError as error:\n            return failure(request, DESK_CLOSED, str(error))\n"
        "        except BookingError as error:\n            return failure(request, REFUSED, str(error))\n        return Reply(request.id, STORED",
    )
    repo.change(
        "docs/requests.md",
        "| 50 | handler failed",
        "| 48 | desk is closed | shows the opening hours |\n| 50 | handler failed",
    )
    commit("desk: answer 48 while the desk is closed", author=JORIS)
    repo.git("checkout", "-q", "token-bucket")
    repo.git("tag", "-f", "start")


def investigate(session: Recorder) -> None:
    """Act 1: the request, a dead end, the bisected regression."""
    session.system(SYSTEM)
    session.user(
        "Please review Maren's branch token-bucket (checked out, eight commits on top of main). It adds a "
        "rate limiter for the kiosks. Put the comments into REVIEW.md in the form of "
        "docs/review-guide.md; that file is never committed, I paste it into the merge request.\n\n"
        "Three things that hold whatever else we decide later: the bridge (quaylink, not ours) calls "
        "`Router.dispatch(request)`, so its signature doesn't change. Don't rewrite Maren's commits, "
        "no rebase, no amend, no force push, she still works on the branch. And you review, you don't "
        "fix, unless I ask.\n\n"
        "One thing is wrong for sure. I replay the recorded morning before every merge. On main:\n\n"
        "    morning.plan: 20=365 21=11 44=6 46=2\n\n"
        "The 6 are known (kiosk-04 asks for /weather, which is gone). On her branch I get 44=30 and "
        "lines like `44 no route for get /tides/north/next`. No 48 anywhere, so nobody was limited. Find "
        "out which commit did that before you look at anything else."
    )
    session.together(
        [
            bash("git log --reverse --format='%h %an: %s' main..token-bucket"),
            bash("git diff --stat main...token-bucket; git log --format='%h %an: %s' -3 main"),
            read_file("docs/review-guide.md"),
        ],
        "First the shape of the branch and your review rules.",
    )
    session.bash(
        "python -m pytest -q --tb=short; python scripts/replay_day.py traffic/morning.plan --show 44\n"
        "git checkout -q main && python -m pytest -q --tb=short\n"
        "python scripts/replay_day.py traffic/morning.plan --show 44; git checkout -q token-bucket",
        "Then the numbers, on both branches.",
    )
    session.together(
        [
            read_file("src/pontoon/app.py"),
            read_file("src/pontoon/middleware.py"),
        ],
        "Confirmed: 24 more, exactly the twelve requests for each gauge, and all 93 tests pass on the branch, so no test "
        "covers it. Everything under /tides is lost, nothing else.\n\n"
        "Two commits touch the way of a request: the one that puts the limiter into the chain and "
        "the one that ranks the routes. My first suspect is the chain: with the limiter in front of the replay guard "
        "a reply from before the tides are there could be kept and handed out again.",
    )
    session.bash(
        "sed -i '/router.use(self.limiter)/d' src/pontoon/app.py; git diff -U0 | tail -n 2\n"
        "python scripts/replay_day.py traffic/morning.plan\n"
        "git checkout -q src/pontoon/app.py\n"
        "sed -i 's/^keep_seconds = 90/keep_seconds = 1/' pontoon.ini\n"
        "python scripts/replay_day.py traffic/morning.plan\n"
        "git checkout -q pontoon.ini; git status --short",
        "Two quick experiments, both undone afterwards: no limiter in the chain at all, then a guard "
        "that forgets after a second.",
    )
    session.together(
        [
            bash("git bisect start token-bucket $(git merge-base main token-bucket)"),
            bash(
                "git bisect run sh -c 'line=$(python scripts/replay_day.py traffic/morning.plan); "
                'echo "$line"; case "$line" in *44=6*) ;; *) exit 1;; esac\'; git bisect reset'
            ),
        ],
        "The chain is not it, so I drop that idea for two reasons: without the limiter it is still 44=30, and the "
        "replay guard never keeps a get, it only stores good replies to put and drop. I stop guessing and bisect with the "
        "replay itself as the test.",
    )
    session.together(
        [
            bash("git show --format='%h %an%n%n%B' 'token-bucket^{/rank the routes once}' -- src"),
            read_file("src/pontoon/router.py"),
        ],
        '"router: rank the routes once" it is. What does it do?',
    )
    session.together(
        [
            read_file("src/pontoon/serve.py"),
            read_file("scripts/replay_day.py"),
            read_file("docs/requests.md"),
            read_file("tests/test_app.py"),
        ],
        "`add` resets `_ranked`, `mount` appends to `_entries` by itself and does not. That only matters "
        "when something is dispatched before the mount; who does that, and why does no test see it?",
    )
    session.bash(
        "python - <<'END'\n"
        "from pontoon.messages import OK, Reply, Request\n"
        "from pontoon.router import Router\n\n"
        "def ask(path):\n"
        "    return router.dispatch(Request('r-1', 'get', path, 'kiosk-01')).code\n\n"
        "fine = lambda request: Reply(request.id, OK)\n"
        "router, late = Router(), Router()\n"
        "router.add('get', '/ping', fine)\n"
        "late.add('get', '/north', fine)\n"
        "print('ping', ask('/ping'))\n"
        "router.mount('/tides', late)\n"
        "print('mounted late', ask('/tides/north'))\n"
        "router.add('get', '/other', fine)\n"
        "print('after one more add', ask('/tides/north'))\n"
        "END",
        "`start` does: it answers the warm-up `get /ping` and mounts the tides afterwards, because the bridge "
        "restarts a process whose first reply takes longer than 2 seconds. A minimal case, to be sure:",
    )
    session.say(
        'Found. The commit is "router: rank the routes once". It keeps the sorted routes in `_ranked`; '
        "`Router.add` resets that, `Router.mount` forgets to reset it. The warm-up fills the cache, then the tides are mounted "
        "behind its back, so 24 tide requests get 44. It would heal by accident as soon as anybody called `add`. The tests miss it "
        "because the fixture in tests/test_app.py mounts the tides before the first request.\n\n"
        "That is C1, a blocker: wrong replies on the quay from the first minute. Shall I go on with the limiter itself?"
    )
    session.point("p1")


def measure(session: Recorder) -> None:
    """Act 2: the limiter under the microscope, REVIEW.md."""
    session.user(
        "Nice, that was quick. Yes, go on, bucket and limiter. Be picky with time: the harbour's time "
        "server sets clocks back by minutes every now and then, we had 300 seconds in March."
    )
    session.together(
        [
            read_file("src/pontoon/bucket.py"),
            read_file("tests/test_bucket.py"),
            read_file("src/pontoon/clock.py"),
        ],
    )
    session.bash(
        "python - <<'END'\n"
        "from pontoon.bucket import TokenBucket\n"
        "from pontoon.clock import SteppedClock\n\n"
        "clock = SteppedClock()\n"
        "bucket = TokenBucket(12, 30, clock)\n"
        "bucket.take()\n"
        "clock.set_wall(clock.wall() - 300)\n"
        "print('tokens after the clock went back', bucket.tokens_left())\n"
        "seconds = 0\n"
        "while not bucket.take():\n"
        "    clock.advance(10)\n"
        "    seconds += 10\n"
        "print('refused for', seconds, 'seconds')\n"
        "END",
        "Your hint is on target: `_refill` asks `clock.wall()`, and clock.py says that one may be set back. With "
        "March's 300 seconds and the rule of a kiosk:",
    )
    session.bash(
        "python - <<'END'\n"
        "from pontoon.bucket import TokenBucket\n"
        "from pontoon.clock import SteppedClock\n\n"
        "for every in (3, 2, 1, 0.5):\n"
        "    clock = SteppedClock()\n"
        "    bucket = TokenBucket(12, 30, clock)\n"
        "    good = 0\n"
        "    for _ in range(80):\n"
        "        good += bucket.take()\n"
        "        clock.advance(every)\n"
        "    print(f'80 requests, one every {every} s: {good} answered, {80 - good} refused')\n"
        "END",
        "Locked out for 280 seconds, although the kiosk did nothing wrong. Second suspicion, same function: `gained` is cut "
        "to a whole number, and `_filled` moves on anyway. Whoever polls faster than one token comes in would never get one.",
    )
    session.together(
        [
            read_file("src/pontoon/limits.py"),
            read_file("tests/test_limits.py"),
        ],
        "And so it is: at one request a second a kiosk gets its burst of 12 and then nothing until it pauses, "
        "where 30 a minute should have let 51 of 80 through. `test_refill` only asks after even "
        "numbers of seconds, where nothing is cut off. Now the middleware.",
    )
    session.bash(
        "python - <<'END'\n"
        "from pontoon.bucket import TokenBucket\n"
        "from pontoon.clock import SteppedClock\n\n"
        "for name, burst, per_minute in (('kiosk', 12, 30), ('desk', 30, 120)):\n"
        "    bucket = TokenBucket(burst, per_minute, SteppedClock())\n"
        "    while bucket.take():\n"
        "        pass\n"
        "    print(name, 'retry_after', bucket.retry_after())\n"
        "END",
        "`retry_after` rounds down. For a kiosk a token takes two seconds, that comes out even; a "
        "desk has 120 a minute.",
    )
    session.bash(
        "python - <<'END'\n"
        "from pontoon.clock import SteppedClock\n"
        "from pontoon.limits import Limiter\n"
        "from pontoon.messages import OK, Reply, Request\n"
        "from pontoon.settings import LimitRule\n\n"
        "def ask(path):\n"
        "    request = Request('r', 'get', path, 'kiosk-01')\n"
        "    return limiter(request, lambda request: Reply(request.id, OK)).code\n\n"
        "limiter = Limiter({'kiosk': LimitRule(12, 30)}, SteppedClock())\n"
        "codes = [ask(f'/berths/{number}') for _ in range(20) for number in range(1, 15)]\n"
        "print('berth pages answered at once:', codes.count(20), 'buckets:', len(limiter))\n"
        "for number in range(5000):\n"
        "    ask(f'/no/such/{number}')\n"
        "print('buckets after 5000 paths that do not exist:', len(limiter))\n"
        "END",
        "The desk is told 0 seconds. Next the key: `_bucket` uses the raw path, so every berth has a "
        "bucket of its own. How far does that open the limit?",
    )
    session.together(
        [
            read_file("src/pontoon/settings.py"),
            bash("git diff -U1 main...token-bucket -- src/pontoon/messages.py pontoon.ini docs"),
        ],
        "14 berths give 168 requests at once instead of 12, and paths that do not exist fill the memory. Now what I have "
        "not seen yet: settings, codes, documentation.",
    )
    session.bash(
        "git merge --no-commit --no-ff main; git diff; git merge --abort; git status --short",
        "The settings part is clean, with its own error S17 for an unknown class and tests for it. But code 48 rings a "
        "bell: the newest commit on main is about 48, too. A trial merge, which I abort right away:",
    )
    session.write(
        "REVIEW.md",
        REVIEW,
        'Worse than a conflict of lines: 48 already means "desk is closed" on main. Whoever resolves that by '
        "keeping both lines gets two meanings for one code, and the kiosk would show opening hours to a "
        "caller that is too fast. I have enough for a first version of the review.",
    )
    session.say(
        "REVIEW.md has nine comments, C1 to C9. Blockers: C1 late mounts, C2 code 48, C3 wall clock, C5 raw path "
        "as key. Major: C4 lost fractions, C7 no lock. Minor: C6 `retry_after`, C8 classes without a "
        "rule. Nit: C9 the demo script. I'm least sure about C5, C7 and C8, those depend on how it is used."
    )


def discuss(session: Recorder) -> None:
    """Act 3: severities, withdrawn comments, repeats, the key, the burst."""
    session.user(
        "Good list. My view:\n\n"
        "- C7: withdraw. One process, one thread, that's in docs/requests.md, and a lock would suggest "
        "otherwise.\n"
        "- C8: withdraw. Deliberate: the ops consoles have to get through during an incident, that's exactly when they poll "
        "like mad.\n"
        "- C6: not minor. Firmware 4.10 of the kiosks and the desk client take retry_after 0 as "
        "'at once' and do that up to 50 times. Make it major.\n"
        "- C5: major, not blocker. The kiosks sit on a closed network, nobody invents paths there. But "
        "say in the comment what the key should be.\n\n"
        "And one thing I miss: the limiter stands in front of the replay guard. A kiosk that lost the reply to a "
        "booking sends it again; can it happen that it's told 'too many' for a booking that is "
        "stored? Isn't behind the guard the better place?"
    )
    session.bash(
        "grep -rnE 'thread|lock\\b|async' src docs --include='*.py' --include='*.md' | grep -v clock",
        "On C7 I should have looked first: does anything in the package claim to be shared?",
    )
    session.together(
        [
            edit_file("REVIEW.md", C7_OLD, ""),
            edit_file("REVIEW.md", C8_OLD, ""),
            edit_file("REVIEW.md", "## C6 (minor)", "## C6 (major)"),
            edit_file("REVIEW.md", "## C5 (blocker)", "## C5 (major)"),
            edit_file("REVIEW.md", C9_OLD, C9_OLD + WITHDRAWN),
        ],
        'The router\'s own docstring says "Not shared between threads", I had read it and still asked for a lock. Both are '
        "withdrawn with their reasons, the two severities changed.",
    )
    session.bash(
        REPEATS,
        "Now your question about repeats. The protocol says one repeat every 3 seconds; against that a "
        "broken kiosk that repeats every 50 milliseconds, as in Maren's commit message.",
    )
    session.say(
        "It can, but only in a storm. At one repeat every 3 seconds a bucket gains at least what it loses, and for 90 seconds all "
        "30 repeats get the stored 21. (Then the guard has forgotten and the rest get 46, berth is taken. Main does the same, that has "
        "nothing to do with this branch.) In the storm the first 12 get 21 and the other 28 get 48, and after "
        "`retry_after` the guard hands out the stored reply; no booking is lost and none is made twice. Behind the guard a "
        "storm of repeats would cost nothing, which is the very case that Maren names. So I would leave the order "
        "as it is, no comment for REVIEW.md.\n\n"
        "On the key of C5 there are two candidates. One bucket per caller is simplest and bounded, but then the "
        "polling start screen eats the tokens of a booking, which is what Maren's docstring wants to avoid. Caller and "
        "route pattern (`/berths/{number:int}`) keeps that and has at most 12 buckets for each caller; the "
        "limiter would ask `Router.resolve`. I prefer the pattern."
    )
    session.user(
        "Convinced about the order, leave it. The 46 after 90 seconds is an old one, I open a ticket for it, don't touch the guard. Pattern, agreed, and one bucket per caller is out for the reason you give. Wouldn't we also want an upper bound, say "
        "an LRU of 500 buckets, in case somebody adds routes? And check what the pattern does to the start screen, "
        "it asks for all 14 berths at once."
    )
    session.write(
        "traffic/startscreen.plan",
        STARTSCREEN,
        "I'd leave the LRU out: an evicted bucket comes back full, so whoever touches 500 others gets a fresh "
        "burst; eviction turns the limit off for exactly those who ask most. Callers times routes is bound enough."
        "\n\nThe start screen is a good point. The morning plan spreads its requests by 3 seconds, which is not how it "
        "looks in life, so I write a plan with all of them in the same moment.",
    )
    session.bash(
        "python scripts/replay_day.py traffic/startscreen.plan\n"
        "sed -i 's/key = (request.caller, request.path)/key = (request.caller, self.pattern(request))/' src/pontoon/limits.py\n"
        "sed -i 's/        self.router.use(self.counts)/        self.limiter.pattern = lambda r: str((self.router.resolve(r.verb, r.path) or [None])[0])\\n&/' src/pontoon/app.py\n"
        "git diff -U0 | grep '^[-+] '\n"
        "python scripts/replay_day.py traffic/startscreen.plan --show 48\n"
        "for burst in 13 14 20; do\n"
        '  sed -i "0,/^burst = .*/s//burst = $burst/" pontoon.ini; echo "burst $burst"\n'
        "  python scripts/replay_day.py traffic/startscreen.plan\n"
        "done\n"
        "git checkout -q src pontoon.ini; git status --short",
        "Before and after, with the pattern key patched in for the experiment only:",
    )
    session.user(
        "So the burst of 12 only works because of C5. Then set burst for the kiosks to 20 now, before "
        "Maren touches the key; pontoon.ini is mine, you may commit that. Not 14, I want room for a second tap."
    )
    session.together(
        [
            edit_file("pontoon.ini", "burst = 12\n", "burst = 20\n"),
            edit_file("REVIEW.md", C5_ASK_OLD, C5_ASK_NEW),
        ],
        "Burst 20 for the class kiosk, and C5 now says what is asked for and what was turned down.",
    )
    session.bash(
        "git add pontoon.ini traffic/startscreen.plan\n"
        "git commit -q -m 'review: raise the burst of the kiosks to 20' -m 'The start screen asks for 14 berths at once.'\n"
        "git show --stat --format='%h %s' HEAD; git status --short",
    )
    session.say(
        "The burst is committed, REVIEW.md is up to date: seven comments stand, C7 and C8 are withdrawn. Until "
        "somebody repairs them C1 to C4 are what keeps the branch from working on the quay."
    )
    session.point("p2")
    probes_of_p2(session)


def repair(session: Recorder) -> None:
    """Act 4: C1 and C4 are repaired, each on the second approach; the code becomes 49."""
    session.user(
        "Change of plan about fixing: Maren is away until Tuesday the 14th, and the test hall wants something to "
        "run. You fix C1 and C4, one commit each, subject with `review: ` as in the guide. The "
        "rest stays hers. For C1 the one missing line in mount will do."
    )
    session.write(
        "tests/test_late_mounts.py",
        LATE_MOUNTS,
        "Tests first, in a file of their own: a mount and an add after the first request, and the real "
        "`start` with a tide.",
    )
    session.bash("python -m pytest -q --tb=short tests/test_late_mounts.py")
    session.edit(
        "src/pontoon/router.py",
        "            self._entries.append(moved)\n",
        "            self._entries.append(moved)\n            self._ranked = None\n",
        "Two of four fail, as expected. The missing line:",
    )
    session.bash(
        "python -m pytest -q --tb=short; python scripts/replay_day.py traffic/morning.plan",
    )
    session.say(
        "97 passed and the morning is back to 44=6. It works, but I'm not fond of it: two methods now have to remember "
        "the same reset, and the next one that appends will forget it again, which is how we got here. I could rank at "
        "registration instead: one private `_register` that both use, with `bisect.insort`. Then there is no "
        "cache and nothing to reset. Your call, the line is not committed."
    )
    session.user(
        "Take `_register`. I said one line because I thought that was the whole of it; a cache that needs "
        "two resets is one too many. dispatch stays as it is, right?"
    )
    session.together(
        [
            read_file("src/pontoon/patterns.py"),
            read_file("tests/test_router.py"),
        ],
        "Before I do: does the order depend on anything but the rank, and what do the tests say about it?",
    )
    session.bash(
        "python - <<'END'\n"
        "from pathlib import Path\n\n"
        "path = Path('src/pontoon/router.py')\n"
        "text = path.read_text()\n"
        "for line in ('            self._ranked = None\\n', '        self._ranked = None\\n',\n"
        "             '        self._ranked: list[Entry] | None = None\\n'):\n"
        "    text = text.replace(line, '')\n"
        "path.write_text(text)\n"
        "END\n"
        "git diff --stat; grep -n '_ranked\\|_entries' src/pontoon/router.py",
        "Equal ranks can only be one pattern with two verbs, because the text is part of the rank, and `insort` leaves those "
        "in the order of registration, as `sorted` did. And right, `dispatch(request)` is not touched. First all traces of the cache out:",
    )
    session.together(
        [edit_file("src/pontoon/router.py", old, new) for old, new in REGISTER_EDITS],
        "Then the one door for routes.",
    )
    session.bash(
        "python -m pytest -q --tb=short; python scripts/replay_day.py traffic/morning.plan; python -m pontoon routes | sed -n 1,4p\n"
        "git diff src"
    )
    session.bash(
        "git add src tests && git commit -q -m 'review: rank routes when they are registered' && git status --short",
        "Same figures, same order of routes, and the profile that Maren cared about: no sorting in a dispatch. "
        "REVIEW.md stays out of the commit.",
    )
    session.edit(
        "tests/test_bucket.py",
        "def test_a_refusal_costs_nothing(clock):",
        BUCKET_TESTS_NEW + "def test_a_refusal_costs_nothing(clock):",
        "Now C4. Tests: polling faster than the refill, and short steps that add up to one token.",
    )
    session.bash("python -m pytest -q --tb=short tests/test_bucket.py")
    session.user(
        "While you're there: simplest thing would be to make `_tokens` a float and drop the int(), no?"
    )
    session.bash(
        "sed -i 's/        gained = int((now - self._filled) \\* self.per_minute \\/ 60)/        gained = (now - self._filled) * self.per_minute \\/ 60/' src/pontoon/bucket.py\n"
        "sed -i 's/        self._tokens = burst/        self._tokens = float(burst)/; s/        return self._tokens$/        return int(self._tokens)/' src/pontoon/bucket.py\n"
        "git diff -U0 src; python -m pytest -q --tb=short",
        "It's the smallest change, so let me try it.",
    )
    session.bash(
        "python - <<'END'\n"
        "from pontoon.bucket import TokenBucket\n"
        "from pontoon.clock import SteppedClock\n\n"
        "clock = SteppedClock()\n"
        "bucket = TokenBucket(1, 600, clock)\n"
        "bucket.take()\n"
        "clock.advance(0.1)\n"
        "bucket.tokens_left()\n"
        "print('after 0.1 s at 600 a minute:', repr(bucket._tokens))\n"
        "END",
        "Polling is fine now, but one test still fails: ten steps of 0.1 seconds at 60 a minute. What does the "
        "bucket hold?",
    )
    session.say(
        "Floats are not good enough: wall-clock seconds are around 1.75 billion, the difference of two of them is off in "
        "the seventh digit, so after exactly 0.1 seconds the bucket holds a bit less than one token and refuses. A tolerance "
        "would hide that, not solve it. I'd count in whole units instead: a token is 60,000 units and every "
        "millisecond of `clock.millis()` adds `per_minute` units. That is exact, and because millis never goes back it also "
        "settles C3. `retry_after` has to be rewritten for the unit anyway and would round up, which is C6."
    )
    session.user(
        "OK, units. If C3 and C6 fall with it, fine, say so in the commit. Somebody will ask why not GCRA, "
        "a single timestamp per bucket and no refill. What do we answer?"
    )
    session.write(
        "src/pontoon/bucket.py",
        BUCKET_UNITS,
        "That the console shows `tokens_left` in `get /stats` and the tests speak of tokens; with "
        "GCRA both would have to be computed back from a theoretical arrival time, and a reader would have to learn it first. "
        "No gain here, so GCRA is rejected.",
    )
    session.bash("python -m pytest -q --tb=short")
    session.edit(
        "tests/test_bucket.py",
        "def test_a_refusal_costs_nothing(clock):",
        BUCKET_TESTS_MORE + "def test_a_refusal_costs_nothing(clock):",
        "Green. Tests for what falls with it, the clock that is set back and the rounding:",
    )
    session.bash(
        "python -m pytest -q --tb=short && git commit -qa -m 'review: count tokens in whole units of monotonic time' "
        "-m 'Closes C4, and with it C3 (wall clock) and C6 (retry_after rounds up).' && git show --stat --format='%h %s' HEAD\n"
        "python scripts/replay_day.py traffic/morning.plan; python scripts/replay_day.py traffic/startscreen.plan",
    )
    session.say(
        "C4 is committed: 108 tests pass, C3 and C6 are closed by the same commit. Left of the blockers is C2, the reply "
        "code 48."
    )
    session.point("p3")
    probes_of_p3(session)


def finish(session: Recorder) -> None:
    """Act 5: code 49 and then 47, burst 16, the renaming, the script, what is left."""
    session.user(
        "C2 then. 48 stays with the desk, Joris was first. Take 49 for too many requests. While you touch that: `limits` is a bad name for the module, limits in this harbour are length and "
        "draught of a berth (see `Limits` in berths.py). git mv it to throttle.py, the test file as well. "
        "The ini sections stay `[limits.kiosk]` and so on, the ops templates already have them."
    )
    session.together(
        [
            bash(
                "grep -rnE '\\b48\\b|TOO_FAST' src tests docs scripts; "
                "grep -rn 'limits import' . --include='*.py'"
            ),
            read_file("src/pontoon/berths.py"),
        ],
        "All places of the number and of the module name, and who else says limits:",
    )
    session.bash(
        "git mv src/pontoon/limits.py src/pontoon/throttle.py && git mv tests/test_limits.py tests/test_throttle.py\n"
        "sed -i 's/pontoon.limits import/pontoon.throttle import/' src/pontoon/app.py tests/test_throttle.py\n"
        "python -m pytest -q --tb=short && git commit -qa -m 'review: rename limits.py to throttle.py' && git show --stat --format='%h %s' HEAD",
        "The renaming first, a commit of its own so that git sees it as one. The class `Limiter` keeps its name.",
    )
    session.bash(
        "sed -i 's/TOO_FAST = 48/TOO_FAST = 49/' src/pontoon/messages.py\n"
        "sed -i 's/20, 48/20, 49/; s/48, 48/49, 48/; s/49, 48\\]/49, 49]/' tests/test_throttle.py\n"
        "sed -i 's/| 48 | too many/| 49 | too many/; s/code 48 and/code 49 and/' docs/requests.md\n"
        "git diff -U0 | grep '^[-+] *[^-+]'; python -m pytest -q --tb=short",
        "Now the number: one constant, the assertions in tests/test_throttle.py, two places in docs/requests.md.",
    )
    session.bash(
        "git commit -qa -m 'review: answer 49 when a caller is too fast' && git merge --no-commit --no-ff main; git diff -U0 src; git merge --abort",
        "Committed, and the trial merge again:",
    )
    session.say(
        "The conflict is still there, since both branches add a line at the same place, but it is now harmless: "
        "keep both lines, 48 desk is closed and 49 too many requests."
    )
    session.user(
        "Stop, mail from the kiosk vendor. Firmware 4.11 takes 49 as 'reboot the kiosk', they use it in their own "
        "service menu. They reserve 47 for us. So 47, please, everywhere. And their request queue holds "
        "16 entries, more can't arrive at once, so 20 only helps somebody with a script: make the burst 16."
    )
    session.together(
        [
            bash(
                "sed -i 's/TOO_FAST = 49/TOO_FAST = 47/' src/pontoon/messages.py\n"
                "sed -i 's/\\b49\\b/47/g' tests/test_throttle.py\n"
                "sed -i 's/| 49 | too many/| 47 | too many/; s/code 49 and/code 47 and/' docs/requests.md\n"
                "sed -i 's/^burst = 20$/burst = 16/' pontoon.ini\n"
                "grep -rnE '\\b49\\b' src tests docs pontoon.ini; git diff --stat"
            ),
            bash("python -m pytest -q --tb=short; git diff -U0 | grep '^[-+] *[^-+]'"),
        ],
        "47 and 16 then, for the same reason each: what the kiosks really do.",
    )
    session.write(
        "tests/test_codes.py",
        CODES_TESTS,
        "A code taken twice should not need a reviewer to be found: a test that compares the table in docs/requests.md "
        "with `CODES`, in both directions, and refuses 49 by name.",
    )
    session.bash(
        "python -m pytest -q --tb=short && git add src tests docs pontoon.ini\n"
        "git commit -q -m 'review: move the refusal to code 47 and the burst to 16' && git show --stat --format='%h %s' HEAD"
    )
    session.bash(
        BURST_LINES,
        "And once through the real loop, 18 lines of one kiosk at once: 16 answers, then two refusals.",
    )
    session.user(
        "Good idea, that test. C9, the demo script: just delete it. And does anything under docs still say "
        "something that isn't so? Maren wrote the limits section before all this."
    )
    session.together(
        [
            bash(
                "git rm -q scripts/bucket_demo.py && grep -rn bucket_demo . --include='*.py' --include='*.md' | grep -v REVIEW"
            ),
            read_file("docs/requests.md", (17, 50)),
            read_file("src/pontoon/settings.py", (15, 70)),
        ],
    )
    session.edit(
        "docs/requests.md",
        "`burst` requests at once and `per_minute` in the long run, for each caller and path.\n",
        "`burst` requests at once and `per_minute` in the long run, for each caller and path.\n"
        "A class without a section is not limited: the consoles of ops have to get through\n"
        "during an incident. A repeated line is charged like any other.\n",
        "Nobody mentions the script any more. The section is right as far as it goes, but it lacks the two things that I had to be told: "
        "that classes without a section are free on purpose, and that repeats are charged. `for each caller and "
        "path` stays true until Maren changes the key.",
    )
    session.bash(
        "git add -u && git commit -q -m 'review: drop the hand-run bucket script, say who is not limited' && git status --short",
    )
    session.bash(
        TRIAL_MERGE,
        "A trial of what Maren will have to do with main, in a worktree of its own that I remove again: both lines of the "
        "code table kept, then everything run.",
    )
    session.together(
        [edit_file("REVIEW.md", old, new) for old, new in REVIEW_UPDATES],
        "Now REVIEW.md: what is fixed says by which commit, C5 is what stays open.",
    )
    session.together(
        [
            read_file("REVIEW.md"),
            bash(
                "base=$(git rev-parse 'HEAD^{/^docs: describe the limits}'); git diff $base -- src | grep -c 'def dispatch'; git log --format='%an: %s' main.. | cat; git diff -M --stat $base"
            ),
        ],
        "A last look at the text as you will paste it, and at the ground rules: `dispatch` untouched, Maren's eight commits "
        "as they were, mine on top.",
    )
    session.user(
        "Looks good. I paste it tonight. Before the merge somebody runs kiosk-09 in the test hall for a day, that's "
        "booked for Wednesday the 15th. Also to do, not by you: ask the vendor whether firmware 4.11 honours retry_after at all. And I'd "
        "like the refusals per class in `get /stats` one day, after 0.8.0. Sum up the state so that I can tell Maren."
    )
    session.bash(
        "python -m pytest -q; python scripts/replay_day.py traffic/morning.plan; python scripts/replay_day.py traffic/startscreen.plan; git status --short",
        "One last run of everything.",
    )
    session.say(
        "State for Maren: 110 tests pass, her eight commits are unchanged, mine follow with `review: `. Closed: C1, C2, C3, C4, C6 and C9; "
        "withdrawn: C7 and C8. Hers when she is back: C5, the key by caller and route pattern, major, and merging main, where both lines "
        "of the code table stay. Yours: the test hall and the question to the vendor. Nothing is pushed."
    )
    session.point("p4")
    check_files(session)
    probes_of_p4(session)


def check_files(session: Recorder) -> None:
    """What git says about the files; the file probes rest on it."""
    created = ["REVIEW.md", "tests/test_codes.py", "tests/test_late_mounts.py"]
    created += ["traffic/startscreen.plan"]
    modified = ["docs/requests.md", "pontoon.ini", "src/pontoon/app.py", "src/pontoon/bucket.py"]
    modified += ["src/pontoon/messages.py", "src/pontoon/router.py", "tests/test_bucket.py"]
    session.repo.check_changed(
        "start",
        added=created,
        modified=modified,
        deleted=["scripts/bucket_demo.py"],
        renamed=[
            "src/pontoon/throttle.py",
            "tests/test_throttle.py",
        ],
    )


def probes_of_p2(session: Recorder) -> None:
    """Asked in the middle: where the review stands before anything is repaired."""
    fact = session.fact
    session.probe(
        "review-so-far",
        "continuation",
        "Where does REVIEW.md stand: which two comments are withdrawn, which severities did C5 and C6 end up with, how many "
        "comments stand, and which burst is committed for the class kiosk?",
        [
            fact("C7 and C8 are withdrawn", "withdrawn: C7 and C8", about="state"),
            fact("C5 major", "C5 (major)", "C5: major, not blocker", about="state"),
            fact("C6 major", "C6 (major)", "C6: not minor", about="state"),
            fact("seven comments stand", "7 comments", about="state"),
            fact("burst 20", "burst = 20", "burst of 20", "burst to 20", about="state"),
        ],
        traps=[
            {
                "text": "C5 blocker",
                "aliases": ["C5 (blocker)"],
                "current": ["C5 major", "C5 (major)"],
            },
            {"text": "burst 12", "aliases": ["burst = 12", "burst of 12"], "current": ["20"]},
        ],
        point="p2",
    )


def probes_of_p3(session: Recorder) -> None:
    """Asked late about something early: the dead end."""
    fact = session.fact
    session.probe(
        "first-suspect",
        "decision",
        "Which first suspect did you name in the chain, for which two reasons did you drop that idea, and what did the commit that git bisect found do wrong: which method of the router forgets to reset the sorted routes? Answer in a sentence or two of at most 120 words.",
        [
            fact(
                "limiter in front of the replay guard",
                about="detail",
            ),
            fact("without the limiter it is still 44=30", "without limiter still 44=30"),
            fact(
                "replay guard never keeps a get",
                "guard only stores good replies to put and drop",
                "guard never keeps get",
            ),
            fact(
                "`Router.mount` forgets to reset it",
                "mount does not reset _ranked",
                "mount forgets to reset _ranked",
                "mount never resets _ranked",
                about="detail",
            ),
            fact("router: rank the routes once", about="detail"),
        ],
        point="p3",
        answer={"format": "sentence", "max_words": 120},
    )


def probes_of_p4(session: Recorder) -> None:
    """Asked at the end."""
    recall_probes(session)
    file_probes(session)
    continuation_probes(session)
    decision_probes(session)


def recall_probes(session: Recorder) -> None:
    """Exact things: the report, what was measured, what the vendor said."""
    fact = session.fact
    session.probe(
        "morning-report",
        "recall",
        "What did I report about the recorded morning: the line that morning.plan gives on main, the count of 44 on "
        "Maren's branch, the error of the lost requests, and who asks for a page that is gone?",
        [
            fact("20=365 21=11 44=6 46=2", "44=6"),
            fact("44=30"),
            fact("44 no route for get /tides/north/next", "no route for get /tides/north/next"),
            fact("kiosk-04 asks for /weather", "/weather kiosk-04"),
        ],
    )
    session.probe(
        "time-in-the-bucket",
        "recall",
        "What did the experiments with a kiosk's old bucket show: how many tokens after the clock went back by 300 seconds, locked out for how long, and at one request a second, how many of 80 were answered where how many should have been let through?",
        [
            fact("-139", "tokens after the clock went back -139", "minus 139"),
            fact("refused for 280 seconds", "280 seconds", "280 s"),
            fact(
                "12 answered, 68 refused",
                "12 of 80 answered",
                "12 of 80",
            ),
            fact("51 of 80", "51 expected", "51 should be answered"),
        ],
    )
    session.probe(
        "what-the-kiosks-do",
        "recall",
        "Which code and which burst for the kiosks hold now, what does firmware 4.11 do on 49, how many entries has "
        "the request queue, and how does firmware 4.10 take retry_after 0?",
        [
            fact("code 47", "TOO_FAST = 47", "reserve 47", "so 47"),
            fact("burst 16", "burst = 16", "burst to 16", "burst of 16"),
            fact("reboot the kiosk", "49 reboots a kiosk"),
            fact("queue holds 16 entries", "16 entries"),
            fact("up to 50 times", "50 times"),
        ],
        traps=[
            {"text": "code 48", "aliases": ["TOO_FAST = 48"], "current": ["47"]},
            {"text": "code 49", "aliases": ["TOO_FAST = 49", "take 49"], "current": ["47"]},
            {
                "text": "burst 20",
                "aliases": ["burst = 20", "burst of 20", "burst to 20"],
                "current": ["16"],
            },
            {"text": "burst 12", "aliases": ["burst = 12", "burst of 12"], "current": ["16"]},
        ],
    )


def file_probes(session: Recorder) -> None:
    """What became of the files; ``check_files`` asked git."""
    fact = session.fact
    session.probe(
        "file-changes",
        "file",
        "Which files were created in this session, what were the module and its test file renamed to, and which script was deleted? Answer as a list.",
        [
            fact("tests/test_late_mounts.py", about="created"),
            fact("tests/test_codes.py", about="created"),
            fact("traffic/startscreen.plan", about="created"),
            fact("src/pontoon/throttle.py", about="detail"),
            fact(
                "scripts/bucket_demo.py",
                about="detail",
                said_in=session.doing("bash", "git rm -q scripts/bucket_demo.py"),
            ),
        ],
        answer={"format": "list"},
    )
    session.probe(
        "modified",
        "file",
        "Which existing files were modified by your review commits? Answer as a list of at most 12 items and leave the tests out: do not mention test_bucket.py.",
        [
            fact(path, about="modified", said_in=ids)
            for path, ids in (
                ("src/pontoon/router.py", session.doing("edit_file", "src/pontoon/router.py")),
                ("src/pontoon/bucket.py", session.doing("write_file", "src/pontoon/bucket.py")),
                ("src/pontoon/messages.py", session.doing("bash", "src/pontoon/messages.py")),
                ("src/pontoon/app.py", session.doing("bash", "pontoon.throttle import")),
                ("pontoon.ini", session.doing("edit_file", "pontoon.ini")),
                ("docs/requests.md", session.doing("edit_file", "docs/requests.md")),
            )
        ],
        answer={"format": "list", "max_items": 12, "forbid": ["test_bucket.py"]},
    )
    session.probe(
        "router-change",
        "file",
        "C1, routes mounted after the first request are lost: what was changed in src/pontoon/router.py in the end, which commit does REVIEW.md name under done, and why were you not fond of the one missing line in mount?",
        [
            fact("_register", about="modified"),
            fact("bisect.insort", about="modified"),
            fact("review: rank routes when they are registered", about="detail"),
            fact(
                "two methods have to remember the same reset",
                "a cache that needs two resets is one too many",
                "no cache and nothing to reset",
                about="reason",
            ),
        ],
    )
    session.probe(
        "only-read",
        "file",
        "Which modules of the package were only read in this session: the one that answers the warm-up, the one where time comes from, the one that gives patterns their rank, the one that catches repeats, and the one that knows the error S17? Answer as a list.",
        [
            fact(path, about="accessed", said_in=session.doing("read_file", path))
            for path in (
                "src/pontoon/serve.py",
                "src/pontoon/clock.py",
                "src/pontoon/patterns.py",
                "src/pontoon/middleware.py",
                "src/pontoon/settings.py",
            )
        ],
        answer={"format": "list"},
    )


def continuation_probes(session: Recorder) -> None:
    """What holds and what is left."""
    fact = session.fact
    session.probe(
        "ground-rules",
        "continuation",
        "Which rules hold whatever else we decide: who calls the router and what must not change there, what may "
        "not be done to Maren's branch, what happens to REVIEW.md, and which names do the ini sections keep?",
        [
            fact("`Router.dispatch(request)`", "Router.dispatch", about="state"),
            fact("quaylink", "the bridge quaylink", about="state"),
            fact("no rebase, no amend, no force push", about="state"),
            fact(
                "REVIEW.md is never committed",
                "file is never committed",
                about="state",
            ),
            fact(
                "[limits.kiosk]",
                "limits.kiosk",
                about="state",
                said_in=session.saying("ini sections stay `[limits.kiosk]`"),
            ),
        ],
    )
    session.probe(
        "left-to-do",
        "continuation",
        "State for Maren: what is hers when she is back, which kiosk runs in the test hall before the merge and when, what is the vendor to be asked, for what did I want to open a ticket, and how many tests pass?",
        [
            fact("kiosk-09 in the test hall", "kiosk-09", about="pending"),
            fact("Wednesday the 15th", about="pending"),
            fact(
                "whether firmware 4.11 honours retry_after",
                "firmware 4.11 retry_after",
                about="pending",
            ),
            fact(
                "C5, the key by caller and route pattern",
                "C5 is hers",
                "C5 is left for Maren",
                about="pending",
            ),
            fact(
                "ticket for the 46 after 90 seconds",
                "46 after 90 seconds",
                about="pending",
            ),
            fact("110 passed", "110 tests pass", about="state"),
        ],
        traps=[
            {
                "text": "108 passed",
                "aliases": ["108 tests pass", "97 passed", "102 passed"],
                "current": ["110"],
            }
        ],
    )


def decision_probes(session: Recorder) -> None:
    """What was chosen and what was turned down, and why."""
    fact = session.fact
    session.probe(
        "withdrawn",
        "decision",
        "Why were C7 (no lock around take) and C8 (callers without a rule are not limited) withdrawn, and what does the router's own docstring say about threads?",
        [
            fact("one process, one thread"),
            fact("a lock would suggest otherwise"),
            fact("not shared between threads", about="detail"),
            fact(
                "ops consoles have to get through during an incident",
                "ops must get through during an incident",
            ),
        ],
    )
    session.probe(
        "bucket-key",
        "decision",
        "Which key should the buckets of C5 have, why is one bucket per caller out, and why did you leave out the LRU of "
        "500 buckets?",
        [
            fact("caller and route pattern", "caller and pattern", about="detail"),
            fact("`Router.resolve`", "Router.resolve", about="detail"),
            fact(
                "start screen eats the tokens of a booking",
                "start screen would eat the tokens of a booking",
            ),
            fact("an evicted bucket comes back full", "evicted buckets come back full"),
        ],
    )
    session.probe(
        "limiter-before-guard",
        "decision",
        "I asked whether the limiter belongs behind the replay guard because of repeats of a booking: why did the order "
        "stay, what did a storm of repeats every 50 milliseconds get, and what about one repeat every 3 seconds?",
        [
            fact(
                "behind the guard a storm of repeats would cost nothing",
                "storm of repeats would cost nothing",
            ),
            fact("no booking is lost and none is made twice", "no booking is lost"),
            fact("first 12 get 21 and the other 28 get 48", "{21: 12, 48: 28}", about="detail"),
            fact("a bucket gains at least what it loses", "gains at least what it loses"),
        ],
    )
    session.probe(
        "units-not-floats",
        "decision",
        "Why were floats not good enough for the tokens, what is a token counted in now, and why was GCRA rejected?",
        [
            fact("off in the seventh digit", "0.9999990463256836"),
            fact("a token is 60,000 units", "60,000 units", "UNITS = 60_000", about="detail"),
            fact("`clock.millis()`", "clock.millis", about="detail"),
            fact("computed back from a theoretical arrival time", "theoretical arrival time"),
            fact("console shows `tokens_left` in `get /stats`", "console shows tokens_left"),
        ],
    )


def record(session: Recorder) -> None:
    """The whole session."""
    history(session.repo)
    investigate(session)
    measure(session)
    discuss(session)
    repair(session)
    finish(session)


PLAY = Play(
    record,
    task="code-review",
    title="Review of a branch that adds a token-bucket limiter to a request router",
    repository="pontoon",
)
