"""Code review: a colleague's branch adds a token-bucket rate limiter to a request router.

A route ranking that is cached forgets what is mounted late, buckets lose fractions of
tokens and trust the wall clock, and a reply code is taken twice. The reviewer bisects,
measures, withdraws three comments, one of them drawn from the wrong line of a page, and
repairs on request. Between them: the log of a real morning, a question about the tides, the
settings of the other quay, a second reviewer who wants a squash and a parameter, and a page
about the rollout. The branch, git and pytest are real; see ``tests/recordings/recorder.py``.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from questions import ends
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

## Run it again

    python scripts/replay_day.py traffic/morning.plan --show 44

On main the count of 44 is 6.
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
    print(f'a repeat every {every} s: {40 - codes[21]} of 40 refused, {codes[21]} got 21')
    print('   the last one:', reply.line())
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


C8_WITHDRAWN_END = "  through during an incident.\n"

C10 = """
## C10 (blocker) The reply to get /stats is too long for the bridge
Where: src/pontoon/limits.py, `tokens_left`
Seen: one start screen on each of twelve kiosks, and the reply is longer than the 4096
characters that quaylink passes on.
Ask: no line for each bucket in the stats.
"""

C10_WITHDRAWN = """- C10 (get /stats too long for the bridge): wrong line of the page. 4096 is the limit of a
  request; a console may be sent 65536 characters, a kiosk 16384.
"""

DESK_TRIAL = """python - <<'END'
from clients.desk_client import Desk
from pathlib import Path
from pontoon.app import build_app
from pontoon.clock import SteppedClock
from pontoon.serve import answer, start
from pontoon.settings import load_settings

clock = SteppedClock()
app = build_app(load_settings(Path('pontoon.ini')), clock)
start(app)
sent, slept = [], []

def send(line):
    sent.append(line)
    return answer(app, line).line()

def sleep(seconds):
    slept.append(seconds)
    clock.advance(seconds)

desk = Desk('desk-1', send, sleep)
for _ in range(30):
    desk.ask('get', '/berths')
before = len(sent)
desk.ask('get', '/berths')
print('lines for one question of a drained desk:', len(sent) - before)
print('slept', sum(slept), 'seconds, shown:', desk.shown[-1])
END"""

STATS_LENGTH = """python - <<'END'
from pathlib import Path
from pontoon.app import build_app
from pontoon.clock import SteppedClock
from pontoon.messages import Request
from pontoon.settings import load_settings

app = build_app(load_settings(Path('pontoon.ini')), SteppedClock())
for kiosk in range(1, 13):
    for berth in range(1, 15):
        app.router.dispatch(Request('r', 'get', f'/berths/{berth}', f'kiosk-{kiosk:02d}'))
reply = app.router.dispatch(Request('s', 'get', '/stats', 'ops-1'))
print('stats reply after 12 start screens:', len(reply.line()), 'characters')
END"""

TIDES_CHECK = """python - <<'END'
import csv
from datetime import date
from pathlib import Path
from pontoon.tides import turns

days = differ = 0
for row in csv.reader(Path('data/tides-south-2025-06.csv').read_text().splitlines()[1:]):
    ours = [part for moment, kind in turns('south', date.fromisoformat(row[0])) for part in (f'{moment:%H:%M}', kind)]
    days += 1
    differ += ours != row[1:]
    if row[0] == '2025-06-15':
        print('south gauge on the 15th:', *ours)
print(differ, 'of', days, 'days differ from the table')
END"""

ROLLOUT = """# Rolling out the limiter

1. hall-3 with kiosk-09, one day. Nothing else runs there.
2. south-1, two days. Needs revision 32 of the template.
3. north-1 last, never on a Friday.

## What to look at

- `get /stats`: the codes by number. On a normal morning nobody is refused.
- A kiosk with more than 40 refusals in an hour: call the person on duty. One such kiosk is a fault
  of that kiosk, three of them are a fault of ours.
- E-71 in the log of the bridge: not more than 2 a shift, as before.
- Bookings refused with 46: fewer than 9 a day and quay.

## When to go back

First reply later than 1.5 seconds twice in a row, or code 50 more than 12 times in an hour. Put
release 0.7.4 back, restart, and write to pontoon-duty@harbour.example. The settings may stay: the old
release does not read the sections of the limits.
"""


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
        "Four things that hold whatever else we decide later: the bridge (quaylink, not ours) calls "
        "`Router.dispatch(request)`, so its signature doesn't change. Don't rewrite Maren's commits, "
        "no rebase, no amend, no force push, she still works on the branch. ops/ belongs to the ops team, "
        "read what you like there but never edit it. And you review, you don't "
        "fix, unless I ask.\n\n"
        "One thing is wrong for sure. I replay the recorded morning before every merge. On main:\n\n"
        "    morning.plan: 20=365 21=11 44=6 46=2\n\n"
        "On her branch I get 44=30 and "
        "lines like `44 no route for get /tides/north/next`. No 48 anywhere, so nobody was limited. Find "
        "out which commit did that before you look at anything else."
    )
    session.together(
        [
            bash("git log --reverse --format='%h %an: %s' main..token-bucket"),
            bash("git diff --stat main...token-bucket; git log --format='%h %an: %s' -3 main"),
            read_file("docs/review-guide.md"),
        ],
        "First the shape of the branch and your review rules. My plan: reproduce your numbers on both "
        "branches, find the commit with a bisection instead of guessing, explain why no test sees it, and "
        "only then read the limiter itself. I run things in the checkout but undo every experiment, so "
        "that `git status` stays empty while I am reviewing.",
    )
    session.bash(
        "python -m pytest -q --tb=short; python scripts/replay_day.py traffic/morning.plan --show 44\n"
        "git checkout -q main && python -m pytest -q --tb=short\n"
        "python scripts/replay_day.py traffic/morning.plan --show 44; git checkout -q token-bucket",
        "Then the numbers, on both branches.",
    )
    session.bash(
        "git log -p --reverse --format='--- %h %an: %s%n%n%b' main..token-bucket",
        "Confirmed: 24 more than on main, exactly the requests for the two gauges, and the suite is green on "
        "the branch, so no test covers it. Everything under /tides is lost, nothing else. That already says "
        "something: berths are mounted too, and they are fine, so it cannot be mounting in general. Now the "
        "eight commits in order, as she wrote them. Small commits with good subjects, that makes it easy.",
    )
    session.together(
        [
            read_file("src/pontoon/app.py"),
            read_file("src/pontoon/middleware.py"),
        ],
        "Two commits touch the way of a request: the one that puts the limiter into the chain and "
        "the one that ranks the routes. My first suspect is the chain: with the limiter in front of the replay guard "
        "a reply from before the tides are there could be kept and handed out again. I would not "
        "bet on it, but it is the newer piece of machinery, and it is quick to rule out.",
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
        "replay guard never keeps a get, it only stores good replies to put and drop. I could have read the second "
        "one off the docstring before I started. I stop guessing and bisect with the "
        "replay itself as the test.",
    )
    session.together(
        [
            bash("git show --format='%h %an%n%n%B' 'token-bucket^{/rank the routes once}' -- src"),
            read_file("src/pontoon/router.py"),
        ],
        '"router: rank the routes once" it is, the bisection leaves no doubt. What does it do?',
    )
    session.together(
        [
            read_file("src/pontoon/serve.py"),
            read_file("scripts/replay_day.py"),
            read_file("docs/requests.md"),
            read_file("tests/test_app.py"),
        ],
        "`add` resets `_ranked`, `mount` appends to `_entries` by itself and does not. That only matters "
        "when something is dispatched before the mount; who does that, and why does no test see it? I read "
        "the loop, your replay script, the protocol page and the test that puts everything together.",
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
        "`start` does: it answers the warm-up and mounts the tides afterwards, because the bridge "
        "restarts a process whose first reply takes too long. A minimal case, to be sure:",
    )
    session.say(
        'Found. The commit is "router: rank the routes once". It keeps the sorted routes in `_ranked`; '
        "`Router.add` resets that, `Router.mount` forgets to reset it. The warm-up fills the cache, then the tides are mounted "
        "behind its back, so 24 tide requests get 44. It would heal by accident as soon as anybody called `add`, which is "
        "the kind of fault that goes away while you look at it. The tests miss it "
        "because the fixture in tests/test_app.py mounts the tides before the first request, and nothing goes through "
        "`start`.\n\n"
        "That is C1, a blocker: wrong replies on the quay from the first minute. The idea of the commit is not "
        "wrong, by the way: sorting all routes for every request is waste, and her profile says so. It is the "
        "second place that appends to the list which was overlooked.\n\n"
        "What I have in mind for the rest, so that you can stop me early: I read the bucket first, because everything "
        "else stands on it, and I treat time as an input like any other, that is, as something that can be wrong. Then the limiter, with an "
        "eye on who shares what. Then settings, codes and documentation, and a trial merge, because a branch that is right by itself "
        "may still be wrong next to what happened on main in the meantime. Style comes last and only where it hides something. "
        "I write a comment only if I can show it with a command. Where I merely have a feeling I'll say so here and leave it to you. "
        "Shall I go on with the limiter itself?"
    )
    session.user("yes pls")
    session.together(
        [read_file("src/pontoon/bucket.py"), read_file("src/pontoon/clock.py")],
        "Then the bucket, and with it the two kinds of time that the package has.",
    )
    session.user(
        "Be picky with time: the harbour's time "
        "server sets clocks back by minutes every now and then, we had 300 seconds in March. The log of the bridge of last "
        "Friday is under ops/ and the list of kiosks too, so that you see what the callers are really like. (Quay machines "
        "may only be restarted between 01:00 and 04:30, the harbour master insists, so whatever breaks in the morning "
        "stays broken the whole day. That's why I'm so fussy.)"
    )
    session.together(
        [read_file("ops/bridge-2025-06-06.log"), read_file("ops/kiosks.toml")],
        "Understood, then I weigh everything that goes wrong at the start twice. Let me look at what a real "
        "morning is like before I measure anything; numbers that I make up myself prove little.",
    )
    session.say(
        "That was worth reading. The log has a step of the wall clock that morning as well, an office display "
        "that gets nothing because its reply is too long, a kiosk that rebooted itself, and a restart after a "
        "kill whose first reply came close to the bridge's patience. The list shows that the callers are not "
        "alike: old firmware next to new, one at the crane gate that polls much faster than the rest, and the "
        "consoles of ops faster still. The `/weather` screen is one single kiosk with an old screen, so those "
        "six of yours are harmless.\n\n"
        "I keep four questions for the limiter: what does it do when the wall clock steps, what does it do to "
        "somebody who polls faster than tokens come in, who shares a bucket with whom, and what does a "
        "client make of a refusal. Each of them gets an experiment with the real classes and the rule of a "
        "kiosk, so that Maren can run it again."
    )
    session.point("p1")


def measure(session: Recorder) -> None:
    """Act 2: the limiter under the microscope, REVIEW.md."""
    session.user("ok go on")
    session.read("tests/test_bucket.py")
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
        "March's step and the rule of a kiosk:",
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
        "The balance goes below zero, and the kiosk is locked out for minutes although it did nothing wrong. "
        "Second suspicion, same function: `gained` is cut "
        "to a whole number, and `_filled` moves on anyway. Whoever polls faster than one token comes in would never get one.",
    )
    session.together(
        [
            read_file("src/pontoon/limits.py"),
            read_file("tests/test_limits.py"),
        ],
        "And so it is: at one request a second a kiosk gets its burst and then nothing until it pauses, "
        "where its rate should have let most of them through. `test_refill` only asks after even "
        "numbers of seconds, where nothing is cut off. A test that happens to sit on the grid of the "
        "rounding is the reason why this looked finished. Now the middleware.",
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
        "`retry_after` rounds down. For a kiosk a token takes two seconds, that comes out even; for a "
        "desk it does not.",
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
        "The desk is told to come back at once. Next the key: `_bucket` uses the raw path, so every berth has a "
        "bucket of its own. How far does that open the limit?",
    )
    session.together(
        [
            read_file("src/pontoon/settings.py"),
            bash("git diff -U1 main...token-bucket -- src/pontoon/messages.py pontoon.ini docs"),
        ],
        "As I feared: the limit is multiplied by the number of berths, and paths that do not exist fill the "
        "memory and are never dropped again. Now what I have "
        "not seen yet: settings, codes, documentation.",
    )
    session.bash(
        "git merge --no-commit --no-ff main; git diff; git merge --abort; git status --short",
        "The settings part is clean, with its own error for an unknown class and tests for it. But code 48 rings a "
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
        "rule. Nit: C9 the demo script. I'm least sure about C5, C7 and C8, those depend on how it is used.\n\n"
        "What I liked and would tell Maren: the order of the commits, the settings with stable error codes, "
        "and that a refusal says when to come back; most limiters don't. What I have not looked at yet: what "
        "the clients do with a refusal. The desk client is in the repository as a copy, I'd read that next."
    )


def discuss(session: Recorder) -> None:
    """Act 3: severities, withdrawn comments, repeats, the key, the burst."""
    session.user(
        "Good list. My view:\n\n"
        "- C7: withdraw. One process, one thread, that's in docs/requests.md, and a lock would suggest "
        "otherwise.\n"
        "- C8: withdraw. Deliberate: the ops consoles have to get through during an incident, that's exactly when they poll "
        "like mad.\n"
        "- C6: not minor. Kiosks and desks take retry_after 0 as "
        "'at once' and do that many times over. Make it major.\n"
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
    session.read(
        "clients/desk_client.py",
        "Before the repeats I read the desk client, since you raise C6. What it does on a refusal stands in "
        "its own code.",
    )
    session.bash(
        DESK_TRIAL,
        "It sends again without a pause as long as it is told 0. So what does one question of a drained "
        "desk cost, with the branch as it is?",
    )
    session.bash(
        REPEATS,
        "That settles C6 for me: one click becomes a volley, then the desk goes quiet for minutes, and what the clerk "
        "sees in between is the text for something else. Major is right.\n\n"
        "Now your question about repeats. The protocol says one repeat every 3 seconds; against that a "
        "broken kiosk that repeats every 50 milliseconds, as in Maren's commit message.",
    )
    session.say(
        "It can, but only in a storm. At one repeat every 3 seconds a bucket gains at least what it loses, and as long as the guard "
        "remembers, every repeat gets the stored reply. (Then the guard has forgotten and the rest get 46, berth is taken. Main does the same, that has "
        "nothing to do with this branch; the log of Friday has one such case.) In the storm the first ones get the stored reply until the "
        "bucket is empty, the others are refused, and after "
        "`retry_after` the guard hands out the stored reply; no booking is lost and none is made twice. Behind the guard a "
        "storm of repeats would cost nothing, which is the very case that Maren names. So I would leave the order "
        "as it is, no comment for REVIEW.md.\n\n"
        "On the key of C5 there are two candidates. One bucket per caller is simplest and bounded, but then the "
        "polling start screen eats the tokens of a booking, which is what Maren's docstring wants to avoid. Caller and "
        "route pattern keeps that and has only as many buckets for each caller as there are routes; the "
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
        "The burst is committed together with the plan; REVIEW.md stays untracked. The experiment with the patched key also shows something "
        "for Maren: the pattern itself was two lines, so the work in C5 is not the key but what comes with it. The limiter has to ask the router "
        "before the router has found the route, so a request is resolved twice, or the result is handed on; requests without any route need a "
        "common bucket, or the old hole stays open; and the stats should show patterns, which is shorter and easier to read than paths. I did not "
        "put my patch into the comment, because it was written to be thrown away and it reaches into the app from outside.\n\n"
        "I'd like to follow one more thread: with "
        "the raw path as key the console's `get /stats` lists a line for every bucket, and the log of the bridge "
        "has a reply that was too long."
    )
    session.user("sure")


def stats_reply(session: Recorder) -> None:
    """A comment that rests on the wrong line of a page, and its withdrawal."""
    session.bash(
        STATS_LENGTH + "\ngrep -m1 -n characters ops/quaylink.md",
        "Every kiosk opens its start screen once, that is all; then a console asks for the stats. And the limit of the "
        "bridge from its own page:",
    )
    session.edit(
        "REVIEW.md",
        "\n## Withdrawn\n",
        C10 + "\n## Withdrawn\n",
        "There it is: the bridge takes at most 4096 characters, and the console's reply is longer than that after a single "
        "round of start screens. The console would get nothing at all, in an incident of all times. That is C10, and "
        "I'd call it a blocker.",
    )
    session.user(
        "hm no. 4096 is what a kiosk may SEND us, I'm fairly sure. read the page properly before you scare Maren"
    )
    session.read("ops/quaylink.md")
    session.together(
        [
            edit_file("REVIEW.md", C10, ""),
            edit_file("REVIEW.md", C8_WITHDRAWN_END, C8_WITHDRAWN_END + C10_WITHDRAWN),
        ],
        "You are right and I was wrong: I looked at the first line of the list, and that line is about requests. The "
        "limit for replies is a different one, and for an ops console it is wider again and only cuts. After one round of start screens "
        "nothing happens at all. C10 is withdrawn, with the reason, and its number stays used, as your guide says. "
        "Only paths that do not exist could still get there, and those are in C5.\n\n"
        "The same page answers three other things: what the bridge does with slow starts, which Python the quay has, and "
        "which two codes it reads itself. I should have read it whole the first time instead of grepping for a word.",
    )
    session.user("thx. next")


def tides_question(session: Recorder) -> None:
    """Something else in between: is the south gauge wrong?"""
    session.say(
        "Next would be the state of REVIEW.md: seven comments stand, C1 to C6 and C9; C7, C8 and C10 are withdrawn. Until "
        "somebody repairs them C1 to C4 are what keeps the branch from working on the quay."
    )
    session.user(
        "wait, something else first. The harbour master says the low water for the south gauge on the slip of desk-1 was wrong "
        "on the 15th, off by a bit. The official table is in data/. Is that us? Is it this branch?"
    )
    session.together(
        [
            bash("cat data/tides-south-2025-06.csv"),
            bash(
                "git log -p --format='%h %an %ad%n    %s' --date=short -- src/pontoon/tides.py | head -n 60"
            ),
            bash(TIDES_CHECK),
        ],
        "I compare all days of the table with what the code says, on this branch, and look at who touched the tides last.",
    )
    session.say(
        "Not us, and not any more. The branch and main agree with the official table on every day of June. The lag of "
        "the south gauge was corrected by Joris shortly before Maren branched off, and the difference to the old value is about what the "
        "harbour master describes. So the desk most likely printed the slip with an older release; if ops confirms that, "
        "nothing is to be done here. Maren's commits don't touch the file."
    )
    session.user(
        "great, I tell him. And while he is on the phone he asks what this limiter is and why it isn't done yet. Can you write me "
        "five sentences or so without code, for somebody who runs a harbour? C3 and C4 most of all, he knows about the clocks"
    )
    session.say(
        "Something like this:\n\n"
        "Every screen gets a purse with tickets, and each question it asks costs one ticket. The purse is refilled slowly and steadily, "
        "so somebody who asks at a normal pace never notices it, and somebody who hammers on the button has to wait a "
        "moment. The idea is good and nearly finished. Two things about the refilling are wrong. First, it looks at the clock on the "
        "wall, the one that the time server turns back now and then; when that happens it believes that time has run "
        "backwards, takes tickets out of the purse that were never spent, and the screen is locked until the debt is paid. Second, "
        "it only ever hands out whole tickets and forgets the fractions; a screen that asks often enough gets a fraction each "
        "time and therefore nothing at all, for as long as it keeps asking. Both can be mended with one change: count in small "
        "coins instead of tickets, and use a clock that nobody can set.\n\n"
        "If he asks when: that is Maren's to say. If he asks whether it is dangerous: not for bookings that exist, they are kept; it "
        "is a nuisance for people who stand in front of a screen, and at the quay a nuisance lasts until night.\n\n"
        "I left out the routes on purpose. That fault has nothing to do with limiting, it only came along with it, and it would take "
        "longer to explain than to mend."
    )
    session.user("perfect. back to it")
    session.bash(
        "cat REVIEW.md; python -m pytest -v --tb=short tests/test_limits.py tests/test_bucket.py tests/test_settings.py tests/test_app.py tests/test_middleware.py",
        "Back to it. The text as it stands, and the tests that the limiter and its neighbours have, by name, so that I can tell "
        "which ones have to change when the comments are dealt with.",
    )
    session.say(
        "By name the gaps are easy to see: nothing mounts after a request, nothing steps the clock, nothing asks the bucket "
        "more often than tokens come in, and nothing compares the codes in the code with the table for the kiosks. Each of the "
        "open comments has its missing test, which is how I would like Maren to close them: first the red test, then the change.\n\n"
        "The review could go out like this. If you want, I add a line to each comment that names the test."
    )
    session.point("p2")
    probes_of_p2(session)


def repair(session: Recorder) -> None:
    """Act 4: C1 and C4 are repaired, each on the second approach."""
    session.user(
        "Change of plan about fixing: Maren is away until Tuesday the 14th, and the test hall wants something to "
        "run. You fix C1 and C4, one commit each, subject with `review: ` as in the guide. The "
        "rest stays hers. For C1 the one missing line in mount will do. Oh and nothing from the package index, not even for tests, "
        "the quay has only the standard library and pytest isn't there either."
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
        "Green, and the morning is back to what main gives. It works, but I'm not fond of it: two methods now have to remember "
        "the same reset, and the next one that appends will forget it again, which is how we got here. I could rank at "
        "registration instead: one private method that both use and that keeps the list sorted. Then there is no "
        "cache and nothing to reset. Your call, the line is not committed."
    )
    session.user(
        "Take the method. I said one line because I thought that was the whole of it; a cache that needs "
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
        "Equal ranks can only be one pattern with two verbs, because the text is part of the rank, and inserting from the right leaves those "
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
        "git add src tests && git commit -q -m 'review: rank routes when they are registered' && git status --short && git log --format='%h %s' -1",
        "Same figures, same order of routes, and the profile that Maren cared about: no sorting in a dispatch. "
        "REVIEW.md stays out of the commit.",
    )
    session.user("nice. C4 now")
    session.edit(
        "tests/test_bucket.py",
        "def test_a_refusal_costs_nothing(clock):",
        BUCKET_TESTS_NEW + "def test_a_refusal_costs_nothing(clock):",
        "Tests: polling faster than the refill, and short steps that add up to one token.",
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
        "print('tokens after 0.1 s at 600 a minute:', round(bucket._tokens, 6))\n"
        "END",
        "Polling is fine now, but one test still fails: ten steps of 0.1 seconds at 60 a minute. What does the "
        "bucket hold?",
    )
    session.say(
        "Floats are not good enough: seconds since 1970 are a large number, the difference of two of them is off in "
        "the seventh digit, so after exactly 0.1 seconds the bucket holds a bit less than one token and refuses. A tolerance "
        "would hide that, not solve it. I'd count in whole units instead, small enough that every "
        "millisecond of `clock.millis()` adds a whole number of them. That is exact, and because millis never goes back it also "
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
        "C4 is committed, C3 and C6 are closed by the same commit. Left of the blockers is C2, the reply "
        "code 48. A word on the tests: the parametrised one asks for four speeds of polling, from slower than the refill to "
        "four times as fast, and it compares with what the rule promises, not with what the code happens to do. I computed "
        "the expected numbers by hand first; two of them I had wrong, because the burst counts as well."
    )
    session.user("continue")
    session.bash(
        "git log -p -1 --format='%h %an: %s' main",
        "C2 then. First what main really does with 48, because I have only seen the conflict so far and not the commit behind it.",
    )
    session.say(
        "It is a small commit: a flag on the harbour, an error class of its own, and a reply that the screens know how to show. "
        "Nobody else uses the number, and the booking itself is refused before anything is looked up, so the order of checks is safe. "
        "Its weak point is that nothing in the repository sets the flag yet; I suppose that the desk's own button comes in a "
        "later release. For us it only means that the number is taken and that it was taken first.\n\n"
        "What I would want from a new number: it must lie in the forties, because the module says that those blame the request; it "
        "must be one that no screen shows as something else; and it must not be in use anywhere else in the "
        "harbour, which I cannot see from here. The copy of the desk client only has a table of what it shows, and a number that it does not know is "
        "shown with question marks until the desks are updated by hand. So whatever we take, the desks will look odd for a while, and "
        "it is better that you say it to them than that they find it. Which number do you want?"
    )


def south_quay(session: Recorder) -> None:
    """The settings that ops renders for the other quay, and a recorded evening."""
    session.user(
        "hm, before C2: ops has a template for the south quay in ops/templates, rendered for a branch build. Does it load with her "
        "branch? And I recorded an evening there, traffic/evening.plan, see what it does. We never ran that one."
    )
    session.together(
        [
            bash(
                "cat ops/templates/south.ini; python -m pontoon routes --settings ops/templates/south.ini"
            ),
            bash(
                "cat traffic/evening.plan; python scripts/replay_day.py traffic/evening.plan --show 48"
            ),
        ],
        "Both at once, nothing is changed by either.",
    )
    session.bash(
        "sed '/limits.crane/,$d' ops/templates/south.ini > ../south.ini; python -m pontoon routes --settings ../south.ini | tail -n 3; rm ../south.ini",
        "The template does not load: it has a section for a class of callers that it does not declare. A copy outside of the "
        "repository without that section, to see whether that is all:",
    )
    session.say(
        "So the template is the one thing in its way; without that section it loads. That is not a fault of the branch: the "
        "check is there on purpose and does what its test says. But it means that the south quay would not start, "
        "and with your rule about restarts that is a whole day. Ops should either declare the class or drop the section; I "
        "have not edited anything there.\n\n"
        "The evening is interesting. The refusals all come from one place, the kiosk at the crane gate: it polls the free berths "
        "much faster than the others and goes on for five minutes, so its bucket runs dry. The two start screens that open in the same "
        "minute are fine, because each berth still has its own bucket; that changes with C5 and Maren should replay this plan "
        "then, not only the morning."
    )
    session.user(
        "ops will drop the section in revision 32, I told them. The crane gate polls every second by mistake, that should be 20, "
        "they fix it on the kiosk. so no change for us. go on"
    )
    session.together(
        [
            read_file("CHANGELOG.md"),
            bash("python -m pytest -v --tb=short | tail -n +6"),
        ],
        "Good, then both are off my list. Before C2 the changelog, because a code that customers see has to be announced "
        "there, and the whole suite once by name, so that the renaming of a code cannot hide a lost test.",
    )
    session.say(
        "The changelog is kept by release and each entry has a ticket, so I leave the new section to you; you know the number. "
        "It also explains two things that I had wondered about: why the guard remembers for as long as it does, and that somebody already "
        "shortened `get /stats` once because a reply was cut. That is one more argument for C5, and I add it to the comment only if you want it there."
    )
    session.user("nah, C5 is long enough")
    session.say(
        "Then I leave it. Where we are: two of the four blockers and majors that you gave me are committed, two more fell with them, "
        "and the code is next. The working tree holds nothing but the untracked review. I have not touched the guard, the "
        "signature of `dispatch`, or anything of ops."
    )
    session.point("p3")
    probes_of_p3(session)


def finish(session: Recorder) -> None:
    """Act 5: code 49 and then 47, burst 16, the renaming, the script."""
    session.user(
        "C2 then. 48 stays with the desk, Joris was first. Take 49 for too many requests. While you touch that: `limits` is a bad name for the module, limits in this harbour are length and "
        "draught of a berth (see `Limits` in berths.py). git mv it to throttle.py, the test file as well. "
        "The ini sections stay `[limits.kiosk]` and so on, the ops templates already have them."
    )
    session.together(
        [
            bash(
                "grep -rnE '\\b48\\b|TOO_FAST' src tests docs scripts clients; "
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
        "Now the number: one constant, the assertions in the test file, two places on the protocol page.",
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
        "Stop, mail from the kiosk vendor, I quote the part that matters:\n\n"
        "> Dear all, thank you for the protocol draft. We have no objection to a limiter, our own devices in other harbours live "
        "with one. Please note however that the forties are not as free as your table suggests, since some of them are used "
        "between the screen and its base plate. We are happy to set a number aside for you, it will be respected from the "
        "next release on, and we ask you to announce the date when you switch.\n\n"
        "Firmware 4.11 takes 49 as 'reboot the kiosk', they use it in their own "
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
        "47 and 16 then, for the same reason each: what the kiosks really do. I could have warned you about 49: the log of Friday has "
        "a kiosk that rebooted itself for exactly that cause, and I read over it because its firmware was an older one.",
    )
    session.write(
        "tests/test_codes.py",
        CODES_TESTS,
        "A code taken twice should not need a reviewer to be found: a test that compares the table on the protocol page "
        "with `CODES`, in both directions, and refuses 49 by name.",
    )
    session.bash(
        "python -m pytest -q --tb=short && git add src tests docs pontoon.ini\n"
        "git commit -q -m 'review: move the refusal to code 47 and the burst to 16' && git show --stat --format='%h %s' HEAD"
    )
    session.say(
        "Who has to know about the new number, as far as I can see: the kiosks, by the protocol page, which the vendor gets from you; the desks, "
        "by hand, and until then they show question marks; the people at the consoles, who read the codes in the stats; and "
        "Maren, whose tests and docs say something else in her head. The bridge does not care, it does not read this code.\n\n"
        "About the burst: it looks like giving something away, but the two numbers fit together now. The screen cannot send more at "
        "once than the bucket holds, so a person in front of a kiosk never sees a refusal on the first page, with the key of today "
        "and with the key that C5 asks for. A second tap right after the first may be refused for a moment, which is what "
        "a limiter is for. I checked that nothing else in the repository computes with the burst; only the settings and the bucket do."
    )
    session.bash(
        "python -m pytest -v --tb=short tests/test_throttle.py tests/test_codes.py tests/test_late_mounts.py tests/test_router.py tests/test_patterns.py",
        "The tests that the last commits touch, by name:",
    )
    session.bash(
        BURST_LINES,
        "And once through the real loop, 18 lines of one kiosk at once: the burst is answered, then it refuses.",
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
        "git add -u && git commit -q -m 'review: drop the hand-run bucket script, say who is not limited' && git status --short && git log --format='%h %s' -1",
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


def second_reviewer(session: Recorder) -> None:
    """Joris reviews the review commits; some of what he wants is not to be had."""
    session.user(
        "Joris looked over your commits, from his phone:\n\n"
        "J1: bisect.insort with key= needs Python 3.10. Is the quay that new?\n"
        "J2: fifteen commits for one feature, can't you squash hers and yours into one before it goes in? I'd do it tonight with a force push.\n"
        "J3: the health check of the bridge shouldn't cost tokens, give dispatch a `charge=True` parameter.\n"
        "J4: how long may retry_after get? A client that waits minutes looks dead.\n\n"
        "What do you say?"
    )
    session.bash(
        "git diff -M 'HEAD^{/^docs: describe the limits}' HEAD -- src tests",
        "Before I answer, my own commits as one diff, the way he saw them. A second look at what one has written oneself is never wasted.",
    )
    session.together(
        [
            bash(
                "grep -n 'Python\\|health\\|dispatch' ops/quaylink.md; grep -n 'LONGEST_WAIT' clients/desk_client.py; grep -n 'per_minute' src/pontoon/settings.py"
            ),
            bash(
                "python - <<'END'\n"
                "from pontoon.bucket import TokenBucket\n"
                "from pontoon.clock import SteppedClock\n\n"
                "for per_minute in (1, 2, 7, 30):\n"
                "    bucket = TokenBucket(1, per_minute, SteppedClock())\n"
                "    bucket.take()\n"
                "    print(per_minute, 'a minute: retry_after', bucket.retry_after())\n"
                "END"
            ),
        ],
        "Then his points, one by one, with what the files say.",
    )
    session.say(
        "First what I found on my own while reading it again, because nobody asked: the late mounts have a test that goes through `start`, "
        "but it loads the settings of the repository, so it would break if somebody took the north gauge out of them; I can live with that. "
        "The bucket keeps its docstring about tokens although it counts in something smaller, which is right for those who use it, and the "
        "constant explains itself. `retry_after` now refills before it answers; before, it was called right after a refusal and the order happened to "
        "be correct. And the test of the codes reads the protocol page with a regular expression: if somebody adds a second table to that page it "
        "will read that one as well. Not nice, but it fails loudly and says why.\n\n"
        "J1: it is, the page of the bridge names the version, and it is newer than that.\n\n"
        "J2: no. You said that Maren's commits are not rewritten while she works on the branch, and a squash with a force push is exactly "
        "that; she would come back on Tuesday to a branch that her checkout does not know. It would also take away the bisection, "
        "which found C1 in a minute because her commits are small. If you want one commit on main, the merge can do that "
        "when she is back and agrees.\n\n"
        "J3: no, for two reasons. The bridge calls `dispatch` with the request and nothing else, and a parameter that only we know would never be set by it. "
        "And it isn't needed: the health check comes in the name of an ops console, and that class has no rule, so it "
        "costs nothing today.\n\n"
        "J4 is a good one, I had not thought of it. The slowest rule that the settings accept gives a wait that the desk client does not "
        "accept: it only waits up to a limit of its own and shows the error text beyond that. The next slower rule is fine. "
        "Raising the least allowed `per_minute` by one would close that gap. That's a change of settings.py, so I ask first."
    )
    session.user("agree on all four. do J4, own commit")
    session.together(
        [
            edit_file(
                "src/pontoon/settings.py",
                '_whole(parser, section, "per_minute", 1, 6000)',
                '_whole(parser, section, "per_minute", 2, 6000)',
            ),
            edit_file(
                "tests/test_settings.py",
                '        ("per_minute = 60", "", "S12 limits.kiosk.per_minute is missing"),\n',
                '        ("per_minute = 60", "", "S12 limits.kiosk.per_minute is missing"),\n'
                '        ("per_minute = 60", "per_minute = 1", "S16 limits.kiosk.per_minute is 1, 2 to 6000 is allowed"),\n',
            ),
            bash(
                "python -m pytest -q --tb=short && git commit -qa -m 'review: refuse rules that no client would wait for' && git log --format='%h %s' -1"
            ),
        ],
        "The bound, and a case for it among the faults in limits.",
    )
    session.user("what's left then? whose?")
    session.say(
        "Hers when she is back: C5, the key by caller and route pattern, which is major, and merging main, where both lines "
        "of the code table stay. When she has changed the key she should replay the start screen and the evening, not only the morning, "
        "because the morning is too polite to show anything.\n\n"
        "Yours: pasting the review, the ticket for the repeats that come after the guard has forgotten, and telling the desks about question "
        "marks. Ops: the template of the south quay and the crane gate.\n\n"
        "Nobody's yet, only so that it is written down somewhere: the flag for the closed desk has no switch; a request is resolved twice as soon "
        "as C5 is done; and the plans are replayed by hand. The last one I would do first, since all of this began with you replaying a "
        "morning before a merge. If that had been a test, it would have been red in Maren's checkout on the same afternoon, and "
        "neither of us would have had to look for the commit. I don't start on it unasked."
    )
    session.user(
        "not now, but I like it. Now write docs/rollout.md for the ops people, half a page: order of the machines, what they look at, when they go back. Use kiosk-09 in "
        "the hall first. Numbers as you think right from the log, I correct them. Commit it, it's for everybody."
    )
    session.write(
        "docs/rollout.md",
        ROLLOUT,
        "I take the figures of Friday's log as what is normal, and set the alarm well above it. The hall first, as you say, then the smaller quay, "
        "and the ticket hall last because that is where the queues are.",
    )
    session.bash(
        "git add docs/rollout.md && git commit -q -m 'review: say how the limiter is rolled out' && git show --stat --format='%h %s' HEAD"
    )
    session.say(
        "A word on how I chose. The alarm for a single kiosk is far above anything in the log, so that nobody is called because a child leans on "
        "a screen; three kiosks at once cannot be children. The conditions for going back are stricter than what the bridge itself does, because the "
        "bridge only acts when it is too late for the people in front of it, and going back in the middle of a day means a restart outside of the hours "
        "that you named, which somebody has to ask the harbour master for. I would rather have that conversation once too early.\n\n"
        "The order: the hall has one kiosk and nobody waits there. The other quay has fewer people but more kinds of screens, "
        "old and new firmware side by side, and the yacht club that hardly ever asks; if something is wrong with a kind of screen we see "
        "it there. The ticket hall comes last. What I could not judge is how long a day has to be to be a normal day; there is only one log.\n\n"
        "I left out two things on purpose: how to change the settings of the limits while it runs, because one can't, and what to "
        "tell the passengers."
    )
    session.user(
        "ok good. one correction to the text I'd make myself later: the times of the restarts aren't in it, they belong there. Put it on the list for tomorrow"
    )
    session.together(
        [
            bash("wc -l REVIEW.md; sed -n '/^## C5/,/^## C6/p; /^## Withdrawn/,$p' REVIEW.md"),
            bash(
                "base=$(git rev-parse 'HEAD^{/^docs: describe the limits}'); git diff $base -- src | grep -c 'def dispatch'; git log --format='%an: %s' main.. | cat; git diff -M --stat $base"
            ),
        ],
        "Noted, the restart times go into the rollout page tomorrow. A last look at the parts of REVIEW.md that are still open, and at the ground rules: `dispatch` untouched, Maren's eight commits "
        "as they were, mine on top.",
    )
    session.user(
        "Looks good. I paste it tonight. Before the merge somebody runs kiosk-09 in the test hall on Wednesday the 15th, "
        "for the whole day. Also to do, not by you: ask the vendor whether firmware 4.11 honours retry_after at all. And I'd "
        "like the refusals per class in `get /stats` one day, after 0.8.0. Sum up the state so that I can tell Maren."
    )
    session.bash(
        "python -m pytest -v --tb=short | tail -n +6; for plan in morning evening startscreen; do python scripts/replay_day.py traffic/$plan.plan; done; git status --short",
        "One last run of everything.",
    )
    session.say(
        "For Maren: the suite is green and all three plans give what they should, with the crane gate as the only one that is refused. "
        "Her eight commits are unchanged, mine follow on top with their own subjects. Of the ten comments one is open, three are withdrawn, "
        "the others are done and name the commit that did it. The open points and whose they are stand as I listed them for you before "
        "the rollout page, plus what you said just now.\n\n"
        "Nothing is pushed, nothing outside of the checkout was touched, the worktree of the trial merge is gone. What I learned "
        "about clients, bridge and machines is in their own files, so nobody needs me for it. It was a good branch to review: most "
        "of what I found were two or three lines, and every one of them could be shown with a command."
    )
    session.point("p4")
    check_files(session)
    probes_of_p4(session)


def check_files(session: Recorder) -> None:
    """What git says about the files; the file probes rest on it."""
    created = ["REVIEW.md", "docs/rollout.md", "tests/test_codes.py", "tests/test_late_mounts.py"]
    created += ["traffic/startscreen.plan"]
    session.repo.check_changed(
        "start",
        added=created,
        modified=[
            "docs/requests.md",
            "pontoon.ini",
            "src/pontoon/app.py",
            "src/pontoon/bucket.py",
            "src/pontoon/messages.py",
            "src/pontoon/router.py",
            "src/pontoon/settings.py",
            "tests/test_bucket.py",
            "tests/test_settings.py",
        ],
        deleted=["scripts/bucket_demo.py"],
        renamed=["src/pontoon/throttle.py", "tests/test_throttle.py"],
    )


def commit_of(session: Recorder, subject: str) -> str:
    """The short hash of the commit with that subject."""
    return session.repo.git("log", "-1", "--format=%h", f"--grep=^{subject}").strip()


def file_fact(session: Recorder, path: str, change: str) -> dict[str, Any]:
    """What happened to a file, proved by the calls that did it."""
    proof = {
        "created": lambda: session.holding(f"created {path}"),
        "modified": lambda: session.doing("edit_file", path),
        "read": lambda: session.doing("read_file", path),
        "deleted": lambda: session.doing("bash", f"git rm -q {path}"),
        "renamed": lambda: session.doing("bash", f"git mv {path}"),
    }[change]
    return session.fact(
        f"{path} was {change}", type="path", change=change, keys=[path], said_in=ends(proof())
    )


def probes_of_p2(session: Recorder) -> None:
    """Asked in the middle: where the review stands, and what the real morning was like."""
    fact, trap = session.fact, session.trap
    burst = commit_of(session, "review: raise the burst")
    session.probe(
        "review-so-far",
        "continuation",
        "Where does the review stand before anything is repaired: which two comments went on my word, "
        "which severities did C5 and C6 end up with, which burst is committed for the class kiosk and in which commit?",
        [
            fact(
                "C7 and C8 are withdrawn",
                type="state",
                keys=[
                    "C7",
                    "C8",
                    "withdrawn|retracted|dropped|taken back|removed|rescinded|struck|no longer stand|not upheld",
                ],
                said_in=session.saying("C7, C8 and C10 are withdrawn"),
            ),
            fact(
                "C5 is major",
                type="state",
                keys=["C5", "major|not blocker|no blocker|downgraded"],
                said_in=ends(session.holding("C5: major", "## C5 (major)", calls=True)),
            ),
            fact(
                "C6 is major",
                type="state",
                keys=["C6", "major|not minor|upgraded|severity raised"],
                said_in=ends(session.holding("## C6 (major)", calls=True)),
            ),
            fact(
                "the burst of the kiosks is 20",
                type="value",
                keys=["burst|bucket size|bucket capacity|limits.kiosk", "20"],
                said_in=session.saying(
                    "Burst 20 for the class kiosk", "burst for the kiosks to 20"
                ),
            ),
            fact(
                f"commit {burst} raised the burst",
                type="identifier",
                keys=[
                    f"{burst}",
                    "raise burst|increase burst|bump burst|burst 20|burst to 20|larger burst|higher burst|kiosk burst|set burst",
                ],
            ),
        ],
        [
            trap("C5 is a blocker", of="C5 is major", keys=["C5", "blocker|blocking"]),
            trap("C6 is minor", of="C6 is major", keys=["C6", "minor"]),
            trap(
                "the burst of the kiosks is 12",
                of="the burst of the kiosks is 20",
                keys=["burst|bucket size|bucket capacity|limits.kiosk", "12"],
            ),
            trap(
                "C7 and C8 stay in the review",
                of="C7 and C8 are withdrawn",
                keys=["C7", "C8", "stand|stay|remain|open|upheld"],
            ),
        ],
        point="p2",
    )
    session.probe(
        "real-morning",
        "recall",
        "What did Friday's log of the bridge show: by how much was the wall clock stepped, whose reply was dropped with "
        "which error, how did the process end and how long did the first reply take after that restart? Which file lists "
        "the firmware of the kiosks?",
        [
            fact(
                "on Friday the wall clock was stepped back by 287 seconds",
                type="value",
                keys=[
                    "clock|stepped|step|quay-ntp|time server|NTP|set back|time jump|jumped back|2025-06-06",
                    "287 seconds",
                ],
            ),
            fact(
                "a reply to kiosk-11 was dropped with E-71",
                type="error",
                keys=["kiosk-11|office display|display in the office", "E-71"],
            ),
            fact(
                "the process was killed by signal 9",
                type="error",
                keys=[
                    "pontoon|pid 2204|process|bridge log|service|server|program|instance",
                    "signal 9|SIGKILL|kill -9|sig 9",
                ],
            ),
            fact(
                "the first reply after the restart took 1.83 seconds",
                type="value",
                keys=[
                    "first reply|first response|first answer|restart|started|start-up|startup|pid 3117|new process|came back|reboot of pontoon",
                    "1.83 seconds",
                ],
            ),
            file_fact(session, "ops/kiosks.toml", "read"),
        ],
        [
            trap(
                "on Friday the wall clock was stepped back by 300 seconds",
                of="on Friday the wall clock was stepped back by 287 seconds",
                keys=[
                    "Friday|2025-06-06|that morning|bridge log|log of the bridge",
                    "300 seconds|5 minutes",
                ],
            ),
            trap(
                "a reply to kiosk-06 was dropped with E-71",
                of="a reply to kiosk-11 was dropped with E-71",
                keys=["kiosk-06|kiosk-08", "E-71"],
            ),
            trap(
                "the first reply after the restart took 0.41 seconds",
                of="the first reply after the restart took 1.83 seconds",
                keys=["restart|after the kill|came back|pid 3117", "0.41 seconds"],
            ),
        ],
        point="p2",
    )


def probes_of_p3(session: Recorder) -> None:
    """Asked after the repairs: the dead end, the clients, what was asked in between."""
    fact, trap = session.fact, session.trap
    bisected = session.repo.git("log", "-1", "--format=%H", "--grep=^router: rank the routes once")
    bisected = bisected.strip()
    culprit = bisected[:7]
    tides = commit_of(session, "tides: correct the lag")
    ranked = commit_of(session, "review: rank routes when")
    session.probe(
        "first-suspect",
        "decision",
        "Which two reasons cleared the first suspect of C1, which commit did git bisect find, which method did what wrong, and "
        "which commit and which way of inserting ended it?",
        [
            fact(
                "without the limiter it is still 44=30",
                type="reason",
                keys=[
                    "without the limiter|no limiter|limiter removed|removing the limiter|limiter disabled|limiter taken out|limiter out of the chain|dropping the limiter|bypassing the limiter",
                    "44=30|30 x 44|still 30|30 no route|30 times 44|44 stays|same 44|still fails|still wrong|persists|no difference",
                ],
                said_in=session.saying("without the limiter it is still 44=30"),
            ),
            fact(
                "the replay guard never keeps a get",
                type="reason",
                keys=[
                    "replay guard|guard",
                    "never keeps a get|no get|not keep get|only put and drop|only stores good replies to put and drop|never stores get|never caches get|not store get|not cache get|only keeps put|only caches put|ignores gets|gets are not stored|gets are not kept|gets are never kept|GETs never cached",
                ],
                said_in=session.saying("replay guard never keeps a get"),
            ),
            fact(
                f"commit {culprit} lost the late routes",
                type="identifier",
                keys=[
                    f"{culprit}|{bisected}",
                    "first bad|bad commit|culprit|cause|broke|introduced|lost the late routes|loses the late routes|lost tide routes|loses routes mounted|regression|bisect|to blame|responsible|guilty|faulty|offending|fault of|source",
                ],
            ),
            fact(
                "Router.mount does not reset _ranked",
                type="reason",
                keys=[
                    "mount|mounting",
                    "not reset|never resets|forgets to reset|no reset|missing reset|without resetting|not clear|never clears|not invalidate|never invalidates|forgets to invalidate|fails to reset|fails to invalidate|leaves _ranked|leaves cache|stale cache|stale _ranked|skips reset|bypasses cache|omits reset|lacks reset",
                ],
                said_in=session.saying("`Router.mount` forgets to reset it"),
            ),
            fact(
                f"commit {ranked} ranks routes when they are registered",
                type="identifier",
                keys=[
                    f"{ranked}",
                    "registered|at registration|register|insort|sorted on insertion|sorted list|no cache|kept sorted|fixes C1|C1 fix|closes C1|C1",
                ],
            ),
            fact(
                "routes are inserted with bisect.insort",
                type="identifier",
                keys=[
                    "bisect.insort|insort",
                    "route|entries|entry|list|insert|register|sorted|registration|rank",
                ],
            ),
        ],
        [
            trap(
                "the limiter in front of the guard lost the tides",
                of="Router.mount does not reset _ranked",
                keys=[
                    "limiter",
                    "cause|culprit|lost the tides|broke|to blame|responsible for 44|loses the routes|fault of the limiter",
                ],
            ),
            trap(
                f"commit {commit_of(session, 'app: put the limiter')} lost the late routes",
                of=f"commit {culprit} lost the late routes",
                keys=[
                    commit_of(session, "app: put the limiter"),
                    "first bad|bad commit|culprit|cause|broke|introduced|lost|regression|to blame|responsible|guilty|faulty|offending",
                ],
            ),
        ],
        point="p3",
    )
    session.probe(
        "what-a-desk-does",
        "recall",
        "How does the desk client take a refusal: how many lines does one question of a drained desk cost, how long "
        "does it keep quiet after that, what wait does it still accept, and what did it show? Which file says so?",
        [
            fact(
                "one question of a drained desk costs 50 lines",
                type="value",
                keys=[
                    "desk|question|TRIES_AT_ONCE|tries|click|clerk|volley|one request|retries",
                    "50",
                ],
                said_in=ends(session.holding("TRIES_AT_ONCE = 50", "drained desk: 50")),
            ),
            fact(
                "the desk keeps quiet for 240 seconds",
                type="value",
                keys=[
                    "GIVE_UP_SECONDS|slept|sleeps|quiet|silent|pauses|goes dark|stops asking|leaves path alone|cool-down|shuts up",
                    "240",
                ],
            ),
            fact(
                "the desk waits at most 45 seconds",
                type="value",
                keys=[
                    "LONGEST_WAIT|longest wait|waits at most|waits up to|accepts|accepted wait|maximum wait|tolerates|honours|will wait|wait limit|longest retry_after",
                    "45",
                ],
            ),
            fact(
                "the drained desk showed opening hours",
                type="error",
                keys=["shown|shows|showed|displays|desk|clerk|desk screen|screen", "opening hours"],
                said_in=session.holding("shown: opening hours"),
            ),
            file_fact(session, "clients/desk_client.py", "read"),
        ],
        [
            trap(
                "the desk keeps quiet for 45 seconds",
                of="the desk keeps quiet for 240 seconds",
                keys=[
                    "GIVE_UP_SECONDS|slept|sleeps|quiet|silent|pauses|goes dark|stops asking|leaves path alone|cool-down|shuts up",
                    "45",
                ],
            ),
            trap(
                "the desk waits at most 60 seconds",
                of="the desk waits at most 45 seconds",
                keys=[
                    "LONGEST_WAIT|longest wait|waits at most|waits up to|accepts|accepted wait|maximum wait|tolerates|honours|will wait|wait limit|longest retry_after",
                    "60|240",
                ],
            ),
        ],
        point="p3",
    )
    session.probe(
        "asked-in-between",
        "recall",
        "The harbour master's low water: when is it on the 15th before noon at the south gauge, how large is the lag now, who "
        "corrected it in which commit, and what came out of the comparison with the table? And the other quay: which error does its "
        "template give, and how many requests of the recorded evening were refused that day?",
        [
            fact(
                "low water at the south gauge on the 15th is at 11:11",
                type="value",
                keys=["11:11", "low|low water|low tide|ebb"],
            ),
            fact(
                "the lag of the south gauge is 24 minutes",
                type="value",
                keys=["lag|_LAG|offset|time shift|delay|south", "24 minutes|minutes=24"],
                said_in=ends(session.holding("timedelta(minutes=24)")),
            ),
            fact(
                f"Joris corrected the lag in {tides}",
                type="identifier",
                keys=[f"{tides}", "lag|gauge|tides|tide offset|correct"],
            ),
            fact(
                "30 days of the table were compared and none differs",
                type="command",
                keys=[
                    "30 days|every day|all days|each day|30 rows|whole month|all of June|days of June|the month",
                    "0 of 30|none differs|no difference|agree|match|0 differ|identical|no mismatch|no deviation|all correct|0 differences|not one differs|zero differences|coincide",
                ],
                said_in=session.holding("0 of 30 days differ"),
            ),
            fact(
                "S17: the template has limits for the unknown class crane",
                type="error",
                keys=["S17", "crane"],
            ),
            fact(
                "131 requests of the evening were refused",
                type="value",
                keys=[
                    "48|refused|evening|refusal|too many|crane gate|kiosk-07|evening.plan",
                    "131",
                ],
            ),
        ],
        [
            trap(
                "low water at the south gauge on the 15th is at 11:13",
                of="low water at the south gauge on the 15th is at 11:11",
                keys=["11:13|10:47", "low|low water|low tide|ebb"],
            ),
            trap(
                "the lag of the south gauge is 26 minutes",
                of="the lag of the south gauge is 24 minutes",
                keys=["lag|_LAG|offset|time shift|delay|south", "26 minutes|minutes=26"],
            ),
            trap(
                "S16: the template has limits for the unknown class crane",
                of="S17: the template has limits for the unknown class crane",
                keys=["S16", "crane"],
            ),
            trap(
                "all 30 days differ from the table",
                of="30 days of the table were compared and none differs",
                keys=[
                    "30 days|every day|days",
                    "30 differ|all differ|each differs|every day differs|30 of 30",
                ],
            ),
        ],
        point="p3",
    )


def probes_of_p4(session: Recorder) -> None:
    """Asked at the end."""
    recall_probes(session)
    file_probes(session)
    continuation_probes(session)
    decision_probes(session)


def recall_probes(session: Recorder) -> None:
    """Values that changed, a mistake, what was measured, what the rollout page says."""
    fact, trap = session.fact, session.trap
    final = commit_of(session, "review: move the refusal")
    session.probe(
        "changed-twice",
        "recall",
        "Which burst and which reply code hold now for the kiosks, in which commit did both get their last value, what would the "
        "second code have done to new firmware, what is the burst fitted to, and whose is the first code?",
        [
            fact(
                "the burst of the kiosks is 16",
                type="value",
                keys=["burst|bucket size|bucket capacity|limits.kiosk", "16"],
                said_in=[
                    *session.saying("make the burst 16"),
                    *ends(session.holding("burst to 16")),
                ],
            ),
            fact(
                "the code for too many requests is 47",
                type="value",
                keys=[
                    "47",
                    "too many|TOO_FAST|too fast|refusal|refused|rate limit|rate-limited|throttled|limit code|limiter's code",
                ],
                said_in=ends(session.holding("TOO_FAST = 47", calls=True)),
            ),
            fact(
                f"commit {final} brought code 47 and the last burst",
                type="identifier",
                keys=[f"{final}", "47|burst|refusal code|code of the refusal|final code"],
            ),
            fact(
                "firmware 4.11 reboots on 49",
                type="reason",
                keys=[
                    "firmware|4.11|kiosk|vendor",
                    "49",
                    "reboot|restart|reset the kiosk|power cycle",
                ],
            ),
            fact(
                "the request queue of a kiosk holds 16 entries",
                type="reason",
                keys=["queue", "16"],
            ),
            fact(
                "48 stays with the desk",
                type="constraint",
                keys=[
                    "48",
                    "DESK_CLOSED|desk closed|desk is closed|stays with the desk|belongs to the desk|desk's|reserved for the desk|desk keeps|taken by the desk|left to the desk|remains the desk|kept for the desk|closed desk|desk code|means desk",
                ],
            ),
        ],
        [
            trap(
                "the burst of the kiosks is 12",
                of="the burst of the kiosks is 16",
                keys=["burst|bucket size|bucket capacity|limits.kiosk", "12"],
            ),
            trap(
                "the burst of the kiosks is 20",
                of="the burst of the kiosks is 16",
                keys=["burst|bucket size|bucket capacity|limits.kiosk", "20"],
            ),
            trap(
                "the code for too many requests is 48",
                of="the code for too many requests is 47",
                keys=[
                    "48",
                    "too many|TOO_FAST|too fast|refusal|refused|rate limit|rate-limited|throttled|limit code|limiter's code",
                ],
            ),
            trap(
                "the code for too many requests is 49",
                of="the code for too many requests is 47",
                keys=[
                    "49",
                    "too many|TOO_FAST|too fast|refusal code|code of the refusal|rate limit|rate-limited|throttled|limit code",
                ],
            ),
            trap(
                "the code 48 goes to too many requests and the desk moves to 47",
                of="48 stays with the desk",
                keys=["47", "DESK_CLOSED|desk closed|desk is closed|desk moves"],
            ),
        ],
    )
    session.probe(
        "corrected-mistake",
        "recall",
        "The comment about the length of `get /stats`: how long may a reply to a kiosk and one to a console be, how long was the "
        "reply that you measured, and what became of the comment?",
        [
            fact(
                "a reply to a kiosk may have 16384 characters",
                type="value",
                keys=["reply|replies|E-71|response|answer|kiosk limit", "16384"],
                said_in=session.holding("16384 characters"),
            ),
            fact(
                "a reply to an ops console may have 65536 characters",
                type="value",
                keys=["console|ops-1|ops caller|ops reply", "65536"],
            ),
            fact(
                "the stats reply had 4562 characters",
                type="value",
                keys=["stats|start screens|measured|console reply|reply", "4562"],
            ),
            fact(
                "C10 is withdrawn",
                type="state",
                keys=[
                    "C10",
                    "withdrawn|retracted|dropped|taken back|removed|rescinded|struck|no longer stand|not upheld|wrong line|mistaken|not upheld|invalid|no finding",
                ],
            ),
        ],
        [
            trap(
                "a reply may have 4096 characters",
                of="a reply to a kiosk may have 16384 characters",
                keys=[
                    "reply limit|limit of a reply|limit for replies|reply may|replies may|stats too long",
                    "4096",
                ],
            ),
            trap(
                "a reply to an ops console may have 16384 characters",
                of="a reply to an ops console may have 65536 characters",
                keys=["console|ops-1|ops caller|ops reply", "16384"],
            ),
            trap("C10 is a blocker", of="C10 is withdrawn", keys=["C10", "blocker|blocking"]),
        ],
    )
    session.probe(
        "old-bucket",
        "recall",
        "What did the experiments with the bucket show before it was repaired: how many tokens after the clock was set back and how long was the "
        "kiosk refused, how many of 80 were answered at one request a second, how many berth pages at once, and what did the float "
        "hold in place of a token?",
        [
            fact(
                "the bucket had -139 tokens after the clock went back",
                type="value",
                keys=[
                    "tokens|token|bucket|balance|tokens_left",
                    "-139|minus 139|139 below zero|139 in debt|negative 139",
                ],
            ),
            fact(
                "the kiosk was refused for 280 seconds",
                type="value",
                keys=[
                    "refused|refuses|locked out|lockout|blocked|shut out|denied|rejected every",
                    "280 seconds",
                ],
            ),
            fact(
                "12 of 80 requests were answered",
                type="value",
                keys=["80", "12 answered|12 of 80|12 out of 80|12 served|12 accepted|68 refused"],
            ),
            fact(
                "168 berth pages were answered at once",
                type="value",
                keys=[
                    "168",
                    "berth pages|requests|answered|at once|pages|raw path|14 buckets|served",
                ],
            ),
            fact(
                "the float held 0.999999 tokens",
                type="error",
                keys=["tokens|token|float|bucket|balance", "0.999999"],
            ),
        ],
        [
            trap(
                "the kiosk was refused for 300 seconds",
                of="the kiosk was refused for 280 seconds",
                keys=[
                    "refused|refuses|locked out|lockout|blocked|shut out|denied|rejected every",
                    "300 seconds|5 minutes",
                ],
            ),
            trap(
                "51 of 80 requests were answered",
                of="12 of 80 requests were answered",
                keys=["80", "51 answered|51 of 80|51 out of 80|51 served|51 accepted"],
            ),
            trap(
                "140 berth pages were answered at once",
                of="168 berth pages were answered at once",
                keys=["140", "berth pages"],
            ),
        ],
        answer={"max_words": 120},
    )
    session.probe(
        "rollout-page",
        "recall",
        "What does the page for ops say, and which file is it: how many refusals of one kiosk call somebody, which first reply sends us back "
        "to which release, whom to write to, and where the limiter comes last?",
        [
            file_fact(session, "docs/rollout.md", "created"),
            fact(
                "more than 40 refusals of a kiosk in an hour are an alarm",
                type="value",
                keys=["refusals|refused|refusal|rejections|too many requests|47s", "40"],
                said_in=session.doing("write_file", "docs/rollout.md"),
            ),
            fact(
                "back when the first reply takes more than 1.5 seconds twice",
                type="value",
                keys=["first reply|first response|first answer", "1.5 seconds"],
            ),
            fact(
                "the way back is release 0.7.4",
                type="command",
                keys=[
                    "0.7.4",
                    "back|roll back|rollback|revert|restore|reinstall|fall back|fallback|return to|previous release|downgrade",
                ],
                said_in=session.doing("write_file", "docs/rollout.md"),
            ),
            fact(
                "ops write to pontoon-duty@harbour.example",
                type="identifier",
                keys=["pontoon-duty@harbour.example|pontoon-duty"],
            ),
            fact(
                "north-1 comes last and never on a Friday",
                type="constraint",
                keys=["north-1", "last|final", "Friday"],
            ),
        ],
        [
            trap(
                "more than 25 refusals of a kiosk in an hour are an alarm",
                of="more than 40 refusals of a kiosk in an hour are an alarm",
                keys=["refusals|refused|refusal|rejections", "25|12"],
            ),
            trap(
                "back when the first reply takes more than 2 seconds",
                of="back when the first reply takes more than 1.5 seconds twice",
                keys=[
                    "first reply|first response|first answer",
                    "2 seconds",
                    "back|roll back|rollback|revert|restore",
                ],
            ),
            trap(
                "the way back is release 0.8.0",
                of="the way back is release 0.7.4",
                keys=["0.8.0", "roll back to|revert to|way back"],
            ),
        ],
    )


def file_probes(session: Recorder) -> None:
    """What became of the files; ``check_files`` asked git."""
    fact, trap = session.fact, session.trap
    rename = commit_of(session, "review: rename limits.py")
    session.probe(
        "file-changes",
        "file",
        "Which tests and plans were created by you, what was the limiter's module renamed to and in which commit, and which "
        "script was deleted? Answer as a list.",
        [
            file_fact(session, "tests/test_late_mounts.py", "created"),
            file_fact(session, "tests/test_codes.py", "created"),
            file_fact(session, "traffic/startscreen.plan", "created"),
            fact(
                "src/pontoon/limits.py was renamed to src/pontoon/throttle.py",
                type="path",
                change="renamed",
                keys=["src/pontoon/throttle.py"],
                said_in=session.doing("bash", "git mv src/pontoon/limits.py"),
            ),
            fact(
                f"commit {rename} renamed the module",
                type="identifier",
                keys=[f"{rename}", "rename|throttle|throttle.py|limits.py|git mv|move module"],
            ),
            file_fact(session, "scripts/bucket_demo.py", "deleted"),
        ],
        answer={"format": "list"},
    )
    session.probe(
        "modified-and-read",
        "file",
        "Which modules below src/pontoon did you modify for C1, C4 and J4, what does J4's module accept as the least rate now, and which modules that answer the "
        "warm-up and rank the patterns were only read? Answer as a list of at most 12 items, without tests: do not mention test_bucket.py.",
        [
            file_fact(session, "src/pontoon/router.py", "modified"),
            fact(
                "src/pontoon/bucket.py was modified",
                type="path",
                change="modified",
                keys=["src/pontoon/bucket.py"],
                said_in=session.holding("overwrote src/pontoon/bucket.py"),
            ),
            file_fact(session, "src/pontoon/settings.py", "modified"),
            fact(
                "per_minute is at least 2",
                type="value",
                keys=[
                    "per_minute|rate|per minute|requests a minute",
                    "2 to 6000|at least 2|minimum 2|2, 6000|lower bound 2|no less than 2|not below 2|smallest 2|2 or more|from 1 to 2|least allowed 2|>= 2|2-6000|starts at 2|raised to 2|floor 2",
                ],
                said_in=session.doing("edit_file", "2 to 6000 is allowed"),
            ),
            file_fact(session, "src/pontoon/serve.py", "read"),
            file_fact(session, "src/pontoon/patterns.py", "read"),
        ],
        [
            trap(
                "per_minute is at least 1",
                of="per_minute is at least 2",
                keys=[
                    "per_minute|rate|per minute|requests a minute",
                    "1 to 6000|at least 1|minimum 1|1, 6000|lower bound 1|no less than 1|1 or more|1-6000|floor 1",
                ],
            ),
        ],
        answer={"format": "list", "max_items": 12, "forbid": ["test_bucket.py"]},
    )


def continuation_probes(session: Recorder) -> None:
    """What holds and what is left."""
    fact, trap = session.fact, session.trap
    session.probe(
        "passing-remark",
        "continuation",
        "You write what is missing in the page for ops tomorrow: which hours does the harbour master allow and for what, what "
        "was to be added where, and what is booked for the hall on which day?",
        [
            fact(
                "quay machines may only be restarted between 01:00 and 04:30",
                type="constraint",
                keys=["restart|reboot|stopped and started|bounce", "01:00", "04:30"],
            ),
            fact(
                "the restart times go into the rollout page",
                type="next_step",
                keys=[
                    "restart times|times of the restarts|restart hours|restart window|hours for restarts|times for restarts|permitted restarts|restarts",
                    "rollout|docs/rollout.md|page for ops|ops page",
                ],
                said_in=session.saying("the restart times go into the rollout page"),
            ),
            fact(
                "kiosk-09 runs in the test hall on Wednesday the 15th",
                type="next_step",
                keys=["kiosk-09|test hall|hall-3|hall test|trial in the hall", "Wednesday|15th"],
                said_in=session.saying("in the test hall on Wednesday the 15th"),
            ),
        ],
        [
            trap(
                "kiosk-09 runs in the test hall on Tuesday the 14th",
                of="kiosk-09 runs in the test hall on Wednesday the 15th",
                keys=[
                    "kiosk-09|test hall|hall-3|hall test",
                    "Tuesday|14th",
                    "runs|booked|test|trial",
                ],
            ),
        ],
    )
    session.probe(
        "under-pressure",
        "continuation",
        "Joris asks again for one tidy commit and for his parameter, and ops wants their template mended by us. Which of my rules "
        "stand against that, under which caller does the bridge's check come, and what happens to the review itself?",
        [
            fact(
                "the signature of Router.dispatch does not change",
                type="constraint",
                keys=[
                    "dispatch",
                    "signature doesn't change|signature does not change|signature must not change|signature untouched|signature unchanged|signature stays|keeps its signature|signature fixed|signature frozen|no parameter|no new parameter|no extra parameter|no new argument|untouched|not touched|unchanged|not altered|must not change|leave alone|no charge",
                ],
                said_in=session.saying("so its signature doesn't change"),
            ),
            fact(
                "Maren's commits are not rewritten",
                type="constraint",
                keys=[
                    "Maren|commits|her|history|branch",
                    "not rewritten|don't rewrite|not rewrite|no rewrite|no rewriting|never rewrite|no rebase|not rebased|no amend|not amended|no force push|no force-push|no squash|not squashed|as they were|commits untouched|commits unchanged|commits intact|history intact|preserve commits|no history rewrite",
                ],
                said_in=session.saying(
                    "Don't rewrite Maren's commits", "commits are not rewritten"
                ),
            ),
            fact(
                "REVIEW.md is never committed",
                type="constraint",
                keys=[
                    "REVIEW.md|review file",
                    "never committed|not committed|never commit|not commit|untracked|not in git|no commit|stays out|uncommitted|stays out of the commit|must not be committed|not be added|not checked in|never checked in|not part of any commit",
                ],
                said_in=session.saying(
                    "REVIEW.md stays untracked", "REVIEW.md stays out of the commit"
                ),
            ),
            fact(
                "nothing in ops/ is edited",
                type="constraint",
                keys=[
                    "ops/|ops|ops files|ops folder",
                    "never edit|not edit|not edited|don't edit|no edits|not touch|don't touch|untouched|read-only|not change|unchanged|not ours|nothing edited|no change|not modified|never modify|never touched",
                ],
                said_in=session.saying("read what you like there but never edit it"),
            ),
            fact(
                "the health check comes as ops-0",
                type="reason",
                keys=[
                    "health check|bridge|health probe|liveness check|health ping|healthcheck",
                    "ops-0",
                ],
            ),
            fact(
                "the bridge calls dispatch and is not ours",
                type="reason",
                keys=[
                    "bridge|quaylink",
                    "dispatch",
                    "calls|not ours|called|caller|invokes|imports|external|outside|third party|foreign|nothing else",
                ],
                said_in=session.saying("The bridge calls `dispatch` with the request"),
            ),
        ],
        [
            trap(
                "dispatch takes a charge parameter",
                of="the signature of Router.dispatch does not change",
                keys=["dispatch", "charge", "takes|has|got|gained|accepts|now|added"],
            ),
            trap(
                "the commits of the branch were squashed",
                of="Maren's commits are not rewritten",
                keys=[
                    "commits",
                    "were squashed|are squashed|squashed into one|were rebased|were force-pushed",
                ],
            ),
            trap(
                "the health check comes as ops-1",
                of="the health check comes as ops-0",
                keys=["health check|health probe|healthcheck", "ops-1"],
            ),
        ],
    )
    session.probe(
        "left-to-do",
        "continuation",
        "What is left and whose is it: Maren's two things, the question to the vendor, the ticket that I open, what ops changes in which "
        "revision, what comes after 0.8.0, and how did the last run of the tests end?",
        [
            fact(
                "C5, the key by caller and route pattern, is Maren's",
                type="next_step",
                keys=["C5", "Maren|hers|her|left to Maren|she does"],
                said_in=session.saying("Hers when she is back: C5"),
            ),
            fact(
                "merging main, both lines of the code table stay",
                type="next_step",
                keys=[
                    "merging main|merge main|merge|merging|conflict",
                    "both lines stay|both lines kept|keep both lines|both rows stay|keep both rows|keep both entries|keep both codes|both codes stay|47 and 48|lines 47 and 48",
                ],
                said_in=session.saying("and merging main, where both lines"),
            ),
            fact(
                "ask the vendor whether firmware 4.11 honours retry_after",
                type="next_step",
                keys=["vendor|firmware 4.11|firmware maker|manufacturer", "retry_after"],
                said_in=session.saying("ask the vendor whether firmware 4.11 honours"),
            ),
            fact(
                "a ticket for the 46 after 90 seconds",
                type="next_step",
                keys=[
                    "46|repeats after the guard|guard has forgotten|guard forgets|expired repeat|late repeat|repeated booking",
                    "90 seconds|90|guard has forgotten|guard forgets|replay guard|keep_seconds",
                    "ticket|issue",
                ],
                said_in=session.saying("The 46 after 90 seconds is an old one"),
            ),
            fact(
                "ops drops the section of the crane in revision 32",
                type="next_step",
                keys=[
                    "revision 32|rev 32|r32",
                    "section|crane|template|ops|limits.crane|south.ini|south quay",
                ],
                said_in=session.saying("ops will drop the section in revision 32"),
            ),
            fact(
                "refusals per class in the stats after 0.8.0",
                type="next_step",
                keys=[
                    "refusals per class|refusals by class|refusals for each class|per-class refusals|refusal count class|refusals broken down by class|class refusals",
                    "0.8.0|after the release|later release|next release",
                ],
            ),
            fact(
                "111 tests passed in the last run",
                type="command",
                keys=["111 passed|111 tests|111 green|111 of 111"],
            ),
        ],
        [
            trap(
                "110 tests passed in the last run",
                of="111 tests passed in the last run",
                keys=["110 passed|110 tests|108 passed|108 tests|all 110|all 108"],
            ),
            trap(
                "ops drops the section of the crane in revision 31",
                of="ops drops the section of the crane in revision 32",
                keys=[
                    "revision 31|rev 31",
                    "section|crane|limits.crane",
                    "drop|remove|delete|without|cut",
                ],
            ),
            trap(
                "C5 was done by the reviewer",
                of="C5, the key by caller and route pattern, is Maren's",
                keys=["C5", "done|fixed|closed|implemented|committed"],
            ),
        ],
    )


def decision_probes(session: Recorder) -> None:
    """What was chosen and what was turned down, and why."""
    fact, trap = session.fact, session.trap
    session.probe(
        "bucket-key",
        "decision",
        "Which key should the buckets of C5 have, why not one bucket per caller and no LRU, and how many requests of the two start screens did "
        "the old burst refuse with that key?",
        [
            fact(
                "the key is caller and route pattern",
                type="decision",
                keys=["caller", "route pattern|pattern|route template|Router.resolve"],
                said_in=session.saying("Caller and route pattern keeps that"),
            ),
            fact(
                "a start screen would eat the tokens of a booking",
                type="reason",
                keys=[
                    "start screen|polling screen|screen|polling",
                    "booking",
                    "eat|takes|consumes|starves|drains|exhausts|steals|spends|empties|crowds out|at the expense",
                ],
            ),
            fact(
                "an evicted bucket comes back full",
                type="reason",
                keys=[
                    "evicted|eviction|LRU|dropped bucket|recreated bucket|re-created",
                    "full|fresh burst|new burst|reset burst|whole burst|tokens restored|refilled",
                ],
            ),
            fact(
                "with the pattern as key 4 requests of the start screens were refused",
                type="value",
                keys=[
                    "startscreen|start screen|start screens|startscreen.plan|burst 12|pattern key",
                    "48=4|4 refused|4 refusals|four refused|4 x 48|4 requests refused|4 rejected|4 times 48",
                ],
            ),
        ],
        [
            trap(
                "the key is the caller alone",
                of="the key is caller and route pattern",
                keys=[
                    "one bucket per caller|caller alone|single bucket per caller",
                    "key|chosen|C5|decided|agreed",
                ],
            ),
            trap(
                "with the pattern as key 2 requests of the start screens were refused",
                of="with the pattern as key 4 requests of the start screens were refused",
                keys=[
                    "startscreen|start screen|start screens|burst 12",
                    "2 refused|2 refusals|48=2|only 2 requests",
                ],
            ),
        ],
    )
    session.probe(
        "units-and-order",
        "decision",
        "In what are tokens counted now and on which clock, why not GCRA, and why did the limiter stay in front of the guard: what "
        "did a storm of repeats get? What may tests and fixes not bring in?",
        [
            fact(
                "a token is 60,000 units",
                type="value",
                keys=["units|UNITS|unit|fractions of a token|token", "60000"],
            ),
            fact(
                "the bucket uses clock.millis",
                type="state",
                keys=[
                    "clock.millis|millis|monotonic clock|monotonic time|monotonic milliseconds",
                    "bucket|tokens|_refill|refill|add|unit|C3|count|limiter",
                ],
                said_in=session.saying("millisecond of `clock.millis()`"),
            ),
            fact(
                "GCRA would have to compute tokens back from a theoretical arrival time",
                type="reason",
                keys=[
                    "GCRA",
                    "arrival time|computed back|compute back|convert back|derived back|back-calculate|tokens_left|stats shows tokens|no gain|harder to read|learn it first|reconstruct tokens|recompute tokens",
                ],
            ),
            fact(
                "behind the guard a storm of repeats would cost nothing",
                type="reason",
                keys=[
                    "behind the guard|after the guard|behind the replay guard|limiter second|guard first|moved behind|swapping the order",
                    "cost nothing|costs nothing|free|no charge|uncharged|not charged|no cost|no tokens|never be charged|unlimited|not limited|cost no|costs no|no token",
                ],
            ),
            fact(
                "in the storm 28 of 40 repeats were refused",
                type="value",
                keys=[
                    "repeat|storm|0.05 s|50 ms|every 50 milliseconds|retry storm",
                    "28 of 40|28 refused|28 get 48|28 out of 40|28 rejected|28 too many|28 repeats refused",
                ],
            ),
            fact(
                "standard library only",
                type="constraint",
                keys=[
                    "standard library|stdlib|package index|PyPI|dependency|dependencies|third-party|third party",
                    "only|nothing from the package index|no dependency|no dependencies|no new dependency|no third-party|no third party|nothing from PyPI|no package|no PyPI|no external|nothing else|without dependencies|nothing outside",
                ],
            ),
        ],
        [
            trap(
                "the bucket uses the wall clock",
                of="the bucket uses clock.millis",
                keys=[
                    "bucket|_refill|refill",
                    "clock.wall|wall clock",
                    "uses|asks|reads|relies|now",
                ],
            ),
            trap(
                "in the storm 12 of 40 repeats were refused",
                of="in the storm 28 of 40 repeats were refused",
                keys=[
                    "repeat|storm|0.05 s|50 ms",
                    "12 of 40|12 refused|12 get 48|10 of 40 refused|12 rejected",
                ],
            ),
        ],
    )


def record(session: Recorder) -> None:
    """The whole session and its probes."""
    history(session.repo)
    investigate(session)
    measure(session)
    discuss(session)
    stats_reply(session)
    tides_question(session)
    repair(session)
    south_quay(session)
    finish(session)
    second_reviewer(session)


PLAY = Play(
    record,
    task="code-review",
    title="Review of a branch that adds a token-bucket limiter to a request router",
    repository="pontoon",
    window=64_000,
)
