"""A run whose process ends before pytest does is red, in whatever way the process was ended."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from support.paths import ROOT
from support.scenarios import lean, own, set_up

linux_only = pytest.mark.skipif(sys.platform != "linux", reason="runs have no child elsewhere")

SCRIPT = """
import atexit, ctypes, os, signal, sys, threading, time
from pytest_compaction.session.process.child import run_in_child

progress = run_in_child(lambda end: "%s of %s while %s ran" % (end.shown, end.code, end.item))
progress.begin("the item")
{way}
progress.end({code})
"""
ENDING = '''
"""Strategies that end their process, each in its own way."""

import ctypes
import os
import threading
import time


def leaves(messages, budget):
    os._exit(0)


def leaves_in_silence(messages, budget):
    threading.Thread(target=ctypes.CDLL(None).quick_exit, args=(0,)).start()
    time.sleep(60)


def becomes_another(messages, budget):
    os.execv("/bin/true", ["true"])
'''


def ended(way, code=0):
    """Exit code and output of a process that goes on in a child and ends in some way."""
    script = SCRIPT.format(way=way, code=code)
    made = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, timeout=60
    )
    return made.returncode, made.stderr.strip()


@linux_only
@pytest.mark.parametrize(
    "way",
    [
        "os._exit(0)",
        "sys.exit(0)",
        "os.execv('/bin/true', ['true'])",
        "ctypes.CDLL(None)._exit(0)",
        "ctypes.CDLL(None).quick_exit(0)",
        "threading.Thread(target=os._exit, args=(0,)).start(); time.sleep(60)",
        "os.fork() and os._exit(0)",
    ],
)
def test_a_child_that_ends_with_0_before_its_end_is_red(way):
    assert ended(way) == (1, "1 of 0 while the item ran")


@linux_only
def test_a_child_that_says_its_end_ends_as_it_said():
    assert ended("", code=0) == (0, "")
    assert ended("", code=5) == (5, "")


@linux_only
@pytest.mark.parametrize(
    "way", ["atexit.register(os._exit, 0)", "threading.Timer(0, print).start()"]
)
def test_what_was_said_to_be_red_stays_red(way):
    assert ended(way, code=1)[0] == 1


@linux_only
def test_a_child_that_ends_with_another_code_or_by_a_signal_ends_its_parent_so():
    assert ended("os._exit(7)") == (7, "7 of 7 while the item ran")
    assert ended("os.kill(os.getpid(), signal.SIGKILL)")[0] == -signal.SIGKILL
    assert ended("os.kill(os.getppid(), signal.SIGTERM); time.sleep(60)")[0] == -signal.SIGTERM


@linux_only
def test_a_child_is_killed_with_its_parent():
    script = SCRIPT.format(way="print(os.getpid(), flush=True); time.sleep(60)", code=0)
    with subprocess.Popen(
        [sys.executable, "-c", script], cwd=ROOT, stdout=subprocess.PIPE, text=True
    ) as parent:
        child = int(parent.stdout.readline())
        parent.kill()
        parent.wait(60)
        end = time.monotonic() + 60
        while is_alive(child):
            assert time.monotonic() < end, "the child outlived its parent"
            time.sleep(0.01)


def is_alive(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


THREAD = "import threading\nthreading.Thread(target=threading.Event().wait, daemon=True).start()\n"
"""Code that starts a thread, as clients of services do that send in the background."""
CALLER = "import sys, pytest\nsys.exit(pytest.main(sys.argv[1:]))\n"


@pytest.fixture
def project(pytester):
    set_up(pytester)
    pytester.makepyfile(
        ending=ENDING,
        at_import="import os\nos._exit(0)\n",
        threaded=THREAD,
        caller=CALLER,
        quits="import sys\nsys.exit(0)\n",
    )
    return pytester


@linux_only
@pytest.mark.parametrize(
    ("arguments", "where"),
    [
        (["--compactor=ending:leaves"], "while *test_probe[[]ending:leaves-first-decided[]] ran"),
        (["--compactor=ending:leaves", "--compaction-check"], "while *test_invariant[[]* ran"),
        (["--compactor=at_import:keep"], "before the first item ran"),
        pytest.param(["--compactor=ending:leaves_in_silence"], "*", marks=pytest.mark.exhaustive),
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


@linux_only
def test_a_thread_that_a_conftest_starts_is_in_the_child_too(project):
    with (project.path / "conftest.py").open("a") as conftest:
        conftest.write(f"\n{THREAD}")
    result = project.runpytest_subprocess(*lean(), "--compactor=ending:leaves_in_silence")
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stderr.fnmatch_lines(["*ended with exit code 0 while * ran, and pytest did not *"])


@pytest.mark.parametrize(
    "command",
    [
        ["-m", "pytest", "-pthreaded", "--compactor=ending:leaves"],
        ["caller.py", "--compactor=ending:becomes_another"],
        pytest.param(["caller.py", "--compactor=ending:leaves"], marks=pytest.mark.exhaustive),
    ],
    ids=" ".join,
)
def test_without_a_child_a_strategy_that_ends_the_process_makes_the_run_red_too(project, command):
    result = project.run(sys.executable, *command, *lean())
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stderr.fnmatch_lines(["*ended with exit code 0 while * ran, and pytest did not *"])


@linux_only
def test_a_conftest_that_ends_the_process_with_0_makes_the_run_red(project):
    with (project.path / "conftest.py").open("a") as conftest:
        conftest.write("\nimport quits\n")
    result = project.runpytest_subprocess(*lean(), f"--compactor={own('keep')}")
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stderr.fnmatch_lines(["*ended with exit code 0 before the first item ran, and *"])


def test_a_run_that_never_begins_says_only_what_pytest_says(project):
    command = (*lean(), f"--compactor={own('keep')}")
    for wrong in ("--no-such-option", "nowhere.py"):
        result = project.runpytest_subprocess(*command, wrong)
        assert result.ret == pytest.ExitCode.USAGE_ERROR
        assert "did not come to its end" not in str(result.stderr)


ASKED = """
def asks(messages, budget):
    print("compacts now")
    raise ValueError("out of order")
"""


def test_output_and_a_debugger_work_in_a_child(project):
    (project.path / "asked.py").write_text(ASKED)
    how = ("-s", "--pdb", "--junitxml=junit.xml", "-k", "first-limit")
    command = (sys.executable, "-m", "pytest", *lean(), "--compactor=asked:asks", *how)
    result = project.run(*command, stdin=b"p 40 + 2\nc\n")
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(["*compacts now*", "(Pdb) 42", "*1 failed*"])
    assert (project.path / "junit.xml").read_text().count("<testcase ") == 1
    assert not result.errlines


def test_a_strategy_that_ends_a_worker_with_0_makes_the_run_red(project):
    one_kind = ("-m", "compaction(kind='recall')")
    result = project.runpytest_subprocess(*lean(), "-n2", "--compactor=ending:leaves", *one_kind)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.assert_outcomes(failed=2)


def test_a_run_in_a_child_ends_as_pytest_does(project):
    command = (*lean(), f"--compactor={own('keep')}", "--compaction-max-unscored=-1")
    refused = project.runpytest_subprocess(*command)
    assert refused.ret == pytest.ExitCode.USAGE_ERROR
    refused.stderr.fnmatch_lines(["ERROR: --compaction-max-unscored=-1 is not a whole number*"])
    assert "pytest did not come to its end" not in str(refused.stderr)
    passed = project.runpytest_subprocess(*command[:-1], "--compaction-threshold=overall>=1")
    assert passed.ret == pytest.ExitCode.OK
    assert not passed.errlines


WAITING = """
import time
from pathlib import Path


def keep(messages, budget):
    if "second" in str(messages):
        Path("waits").touch()
        time.sleep(60)
    return messages
"""


@linux_only
@pytest.mark.parametrize(
    ("send", "number", "code"),
    [
        (os.kill, signal.SIGINT, pytest.ExitCode.INTERRUPTED),
        (os.killpg, signal.SIGINT, pytest.ExitCode.INTERRUPTED),
        pytest.param(os.kill, signal.SIGTERM, -signal.SIGTERM, marks=pytest.mark.exhaustive),
    ],
)
def test_a_signal_to_the_parent_or_to_both_is_noticed_once(project, send, number, code):
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
