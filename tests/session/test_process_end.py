"""A run whose process ends before pytest does is red, in whatever way the process was ended."""

import os
import signal
import subprocess
import sys
import time

import pytest
from support.scenarios import lean, own, records, set_up

ENDING = '''
"""Strategies that end their process, each in its own way."""

import os
import threading
import time


def leaves(messages, budget):
    os._exit(0)


def leaves_in_a_thread(messages, budget):
    threading.Thread(target=os._exit, args=(0,)).start()
    time.sleep(60)


def becomes_another(messages, budget):
    os.execv("/bin/true", ["true"])
'''


THREAD = "import threading\nthreading.Thread(target=threading.Event().wait, daemon=True).start()\n"
"""Code that starts a thread, as clients of services do that send in the background."""
CALLER = "import sys, pytest\nsys.exit(pytest.main(sys.argv[1:]))\n"


SPOILING = """
import os
import resource
import sys
from strategies import keep


def lowers(messages, budget):
    sys.setrecursionlimit(60)
    return keep(messages, budget)


def limits(messages, budget):
    resource.setrlimit(resource.RLIMIT_NOFILE, (12, 12))
    return keep(messages, budget)


def closes(messages, budget):
    os.close(1)
    return keep(messages, budget)


def closes_all(messages, budget):
    os.closerange(3, 256)
    return keep(messages, budget)


def takes_all(messages, budget, held=[]):
    try:
        while True:
            held.append(os.dup(0))
    except OSError:
        return keep(messages, budget)
"""


@pytest.fixture
def project(pytester):
    set_up(pytester)
    pytester.makepyfile(
        ending=ENDING,
        spoiling=SPOILING,
        at_import="import os\nos._exit(0)\n",
        threaded=THREAD,
        caller=CALLER,
        quits="import sys\nsys.exit(0)\n",
    )
    return pytester


@pytest.mark.parametrize(
    ("arguments", "where"),
    [
        (
            ["-pthreaded", "--compactor=ending:leaves"],
            "while *test_probe[[]ending:leaves-first-decided[]] ran",
        ),
        (["--compactor=ending:leaves", "--compaction-check"], "while *test_invariant[[]* ran"),
        (["--compactor=at_import:keep"], "before the first item ran"),
        pytest.param(["--compactor=ending:leaves_in_a_thread"], "*", marks=pytest.mark.exhaustive),
        pytest.param(["--compactor=ending:becomes_another"], "*", marks=pytest.mark.exhaustive),
        pytest.param(["--compactor=at_import:keep", "-n2"], "*", marks=pytest.mark.exhaustive),
    ],
    ids=lambda given: " ".join(given) if isinstance(given, list) else "",
)
def test_a_strategy_that_ends_the_process_with_0_makes_the_run_red_and_is_named(
    project, arguments, where
):
    result = project.runpytest_subprocess(*lean(), *arguments)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stderr.fnmatch_lines(
        [f"compaction: the process of this run ended with exit code 0 {where}, and pytest did *"]
    )


@pytest.mark.exhaustive
@pytest.mark.parametrize("strategy", ["becomes_another", "leaves"])
def test_a_strategy_that_ends_the_process_of_a_program_makes_the_run_red(project, strategy):
    command = ("caller.py", f"--compactor=ending:{strategy}")
    result = project.run(sys.executable, *command, *lean())
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stderr.fnmatch_lines(["*ended with exit code 0 while * ran, and pytest did not *"])


HOLDER = """
import os
from multiprocessing import util

HELD = os.open(os.devnull, os.O_RDONLY)
END = util.Finalize(None, util.close_fds, (HELD,), exitpriority=0)
"""
"""A file of the run that multiprocessing closes, in any thread that collects garbage."""
COLLECTING = """
import os
import holder
from strategies import keep


def collects(messages, budget):
    if holder.END.still_active():
        os.fstat(holder.HELD)
        holder.END()
    return keep(messages, budget)
"""


SPOILT = ("sys.setrecursionlimit(60)", "resource.setrlimit(*)", "os.close(1)", "os.closerange(*)")
"""The calls of the four strategies that would spoil the process."""


@pytest.mark.parametrize(
    "more",
    [
        (),
        pytest.param(("-n2",), marks=pytest.mark.exhaustive),
        pytest.param(("--compaction-check",), marks=pytest.mark.exhaustive),
    ],
    ids=" ".join,
)
def test_a_strategy_that_would_spoil_the_process_fails_with_a_sentence(project, more):
    """A file that multiprocessing closes for the garbage collector is closed in its thread."""
    project.makepyfile(holder=HOLDER, collecting=COLLECTING)
    names = [
        "collecting:collects",
        *(f"spoiling:{n}" for n in "lowers limits closes closes_all".split()),
    ]
    given = ("-pholder", f"--compactor={','.join(names)}", *more)
    is_check = "--compaction-check" in more
    one = () if is_check else ("-k", "first-limit")
    result = project.runpytest_subprocess(*lean(), *given, *one, timeout=60)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    if not is_check:
        statuses = {(r["compactor"], r["status"]) for r in records(project).records}
        assert statuses == {(n, "passed" if n == names[0] else "error") for n in names}
    said = " ".join(" ".join(result.outlines).split())  # in a narrow terminal it is wrapped
    for call in SPOILT:
        assert f"raised SpoiltProcessError: {call.partition('(')[0]}(" in said
    assert "INTERNALERROR" not in str(result.stdout)
    assert not result.errlines


def test_a_run_whose_files_a_strategy_takes_ends_red_with_a_sentence(project):
    command = (*lean(), "--compactor=spoiling:takes_all")
    result = project.run(
        "sh", "-c", 'ulimit -n 200; exec "$@"', "sh", sys.executable, "-mpytest", *command
    )
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(["no file can be opened any more (Too many open files): *"])


def test_a_conftest_that_ends_the_process_with_0_makes_the_run_red(project):
    with (project.path / "conftest.py").open("a") as conftest:
        conftest.write("\nimport quits\n")
    result = project.runpytest_subprocess(*lean(), f"--compactor={own('keep')}")
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stderr.fnmatch_lines(["*ended with exit code 0 before the first item ran, and *"])


@pytest.mark.parametrize(
    "wrong",
    [
        "nowhere.py",
        pytest.param("--no-such-option", marks=pytest.mark.exhaustive),
        pytest.param("--compaction-max-unscored=-1", marks=pytest.mark.exhaustive),
    ],
)
def test_a_run_that_never_begins_says_only_what_pytest_says(project, wrong):
    result = project.runpytest_subprocess(*lean(), f"--compactor={own('keep')}", wrong)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert "did not come to its end" not in str(result.stderr)


ASKED = """
def asks(messages, budget):
    print("compacts now")
    raise ValueError("out of order")
"""


def test_output_and_a_debugger_work_with_a_strategy_of_others(project):
    (project.path / "asked.py").write_text(ASKED)
    how = ("-s", "--pdb", "--junitxml=junit.xml", "-k", "first-limit")
    command = (sys.executable, "-m", "pytest", *lean(), "--compactor=asked:asks", *how)
    result = project.run(*command, stdin=b"p 40 + 2\nc\n")
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(["*compacts now*", "(Pdb) 42", "*1 failed*"])
    assert (project.path / "junit.xml").read_text().count("<testcase ") == 1
    assert not result.errlines


@pytest.mark.exhaustive
def test_a_strategy_that_ends_a_worker_with_0_makes_the_run_red(project):
    one_kind = ("-m", "compaction(kind='recall')")
    result = project.runpytest_subprocess(*lean(), "-n2", "--compactor=ending:leaves", *one_kind)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.assert_outcomes(failed=2)


WAITING = """
import time
from pathlib import Path


def keep(messages, budget):
    if "second" in str(messages):
        Path("waits").touch()
        time.sleep(60)
    return messages
"""


@pytest.mark.parametrize(
    ("send", "number", "code"),
    [
        pytest.param(
            *(os.kill, signal.SIGINT, pytest.ExitCode.INTERRUPTED), marks=pytest.mark.exhaustive
        ),
        (os.killpg, signal.SIGINT, pytest.ExitCode.INTERRUPTED),
        pytest.param(os.kill, signal.SIGTERM, -signal.SIGTERM, marks=pytest.mark.exhaustive),
    ],
)
def test_a_signal_to_the_process_or_to_its_group_is_noticed_once(project, send, number, code):
    (project.path / "waits.py").write_text(WAITING)
    process = subprocess.Popen(
        [sys.executable, "-m", "pytest", *lean(), "--compactor=waits:keep"],
        cwd=project.path,
        stdout=subprocess.PIPE,
        start_new_session=True,
        text=True,
    )
    with process:
        while not (project.path / "waits").exists():
            assert process.poll() is None
            time.sleep(0.01)
        send(process.pid, number)
        output = process.communicate(timeout=60)[0]
    assert process.returncode == code
    is_summed_up = number == signal.SIGINT
    assert output.count("KeyboardInterrupt !!!") == is_summed_up
    assert ("= compaction =" in output) == is_summed_up


WITHOUT_LINES = """
def pytest_runtest_call(item):
    try:
        fails()
    except ValueError:
        raise KeyboardInterrupt


def fails():
    raise ValueError


for function in (pytest_runtest_call, fails):
    code = function.__code__
    eights, rest = divmod(len(code.co_code) // 2, 8)
    no_line = bytes([0xFF] * eights + [0xF8 + rest - 1] * (rest > 0))
    function.__code__ = code.replace(co_linetable=no_line)
"""
"""Ctrl-C at an instruction that belongs to no line, as it can come on Python 3.11."""


@pytest.mark.parametrize(
    "check",
    [(), pytest.param(("--compaction-check",), marks=pytest.mark.exhaustive)],
    ids=["benchmark", "check"],
)
def test_an_interruption_at_an_instruction_without_a_line_is_an_interruption(project, check):
    project.makepyfile(no_lines=WITHOUT_LINES)
    strategy = f"--compactor={own('keep')}"
    result = project.run(sys.executable, "-m", "pytest", "-pno_lines", *lean(), strategy, *check)
    assert result.ret == pytest.ExitCode.INTERRUPTED
    result.stdout.fnmatch_lines(["*KeyboardInterrupt !!!*"])
    if not check:
        result.stdout.fnmatch_lines(["*= compaction =*"])
