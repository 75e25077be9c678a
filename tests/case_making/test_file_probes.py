"""File probes: what became of files is asked for by their whole paths."""

from __future__ import annotations

import pytest
from support.probe_logs import Log, facts, named, plan


def test_created_deleted_renamed_and_modified_files_are_asked_for() -> None:
    log = Log()
    for name in ("alpha", "beta"):
        log.call("write", path=f"src/{name}.py", content="x")
        log.call("write", path=f"old/{name}.txt", content="x")
        log.call("bash", command=f"rm old/{name}.txt")
        log.call("bash", command=f"git mv lib/{name}_a.py lib/{name}_b.py")
        log.call("edit", path=f"lib/{name}_c.py", oldText="a", newText="b")
    probes = log.chatter().probes()
    (created,) = named(probes, "created")
    assert facts(created) == ["src/alpha.py was created", "src/beta.py was created"]
    assert {fact["type"] for fact in created["facts"]} == {"path"}
    assert {fact["change"] for fact in created["facts"]} == {"created"}
    assert [fact["keys"] for fact in created["facts"]] == [[["src/alpha.py"]], [["src/beta.py"]]]
    assert created["answer"] == {"format": "list"}
    gone = named(probes, "deleted")[0]["facts"]
    assert [fact["keys"] for fact in gone] == [[["old/alpha.txt"]], [["old/beta.txt"]]]
    assert facts(named(probes, "renamed")[0]) == [
        "lib/alpha_a.py was renamed to lib/alpha_b.py",
        "lib/beta_a.py was renamed to lib/beta_b.py",
    ]
    (modified,) = named(probes, "modified")
    assert facts(modified) == ["lib/alpha_c.py was modified", "lib/beta_c.py was modified"]
    assert {fact["change"] for fact in modified["facts"]} == {"modified"}


def test_folders_with_a_dot_stay_in_the_paths_of_probes() -> None:
    log = Log()
    for path in (".github/workflows/ci.yml", "~/.config/app/limits.ini"):
        log.call("write", path=path, content="x")
    for name in ("lint", "docs"):
        log.call("bash", command=f"git mv .ci/{name}.yml .github/{name}.yml")
    probes = log.chatter().probes()
    (created,) = named(probes, "created")
    assert facts(created) == [
        ".github/workflows/ci.yml was created",
        "~/.config/app/limits.ini was created",
    ]
    assert [fact["keys"] for fact in created["facts"]] == [
        [[".github/workflows/ci.yml"]],
        [["~/.config/app/limits.ini"]],
    ]
    assert facts(named(probes, "renamed")[0]) == [
        ".ci/lint.yml was renamed to .github/lint.yml",
        ".ci/docs.yml was renamed to .github/docs.yml",
    ]


@pytest.mark.parametrize(
    ("command", "count"),
    [
        ("true", 1),
        ("for f in *.ts; do\n  sed -i '' 's|a|b|' \"$f\"\ndone", 0),
        ("grep -rl a lib | xargs sed -i 's|a|b|'", 0),
        ("mv old/*.ts lib/", 0),
        ("python - <<E\nopen('lib/c.py', 'w').write('x')\nE", 0),
        ("npm run lint -- --fix", 0),
        ("go fmt ./...", 0),
        ("pnpm install lodash", 0),
        ("npm test", 1),
    ],
)
def test_modified_files_are_not_asked_for_where_a_command_changed_others_unseen(
    command: str, count: int
) -> None:
    log = Log()
    for name in ("alpha", "beta"):
        log.call("read", path=f"lib/{name}.py", output="x")
        log.call("edit", path=f"lib/{name}.py", oldText="a", newText="b")
    log.call("bash", command=command)
    assert len(named(log.chatter().probes(), "modified")) == count


def test_a_file_that_only_a_plan_named_before_was_created() -> None:
    log = Log().call("read", path="PLAN.md", output="1. write src/a.py\n2. write src/b.py")
    log.call("write", path="src/a.py", content="x").call("write", path="src/b.py", content="x")
    (created,) = named(log.chatter().probes(), "created")
    assert facts(created) == ["src/a.py was created", "src/b.py was created"]


def test_a_file_that_was_changed_later_was_not_only_read_for_reference() -> None:
    log = Log().call("read", path="src/a.py", output="x").call("read", path="src/b.py", output="x")
    log.chatter().call("edit", path="src/a.py", oldText="a", newText="b").chatter(8)
    assert all("point" not in probe for probe in named(log.probes(), "read"))


def test_a_request_that_names_its_file_is_not_asked_for_by_it() -> None:
    log = Log().call("read", path="src/queue.py", output="x")
    log.say("user", "and this is for queue.py:37 of the upload")
    log.call("edit", path="src/queue.py", oldText="a", newText="b")
    assert named(log.chatter().probes(), "request-files") == []


@pytest.mark.parametrize(
    ("command", "count"), [("pnpm run build", 1), ("pnpm api:generate", 0), ("mix ecto.gen x", 0)]
)
def test_where_a_command_may_have_written_files_nobody_is_asked_which_were_created(
    command: str, count: int
) -> None:
    log = Log().say("user", "please make the upload queue bounded for every worker")
    for name in ("queue", "pool"):
        log.call("write", path=f"src/{name}.ts", content="x")
    log.call("bash", command=command, output="done").say("user", "and now go on with the others")
    probes = log.chatter().probes()
    assert len([*named(probes, "created"), *named(probes, "request-files")]) == count


def test_a_file_that_only_marks_a_package_is_not_asked_for() -> None:
    for path, count in (("src/pool/__init__.py", 0), ("src/pool/lease.py", 1)):
        log = Log().call("write", path=path, content="x")
        assert len(named(log.chatter().probes(), "created")) == count


def test_a_plan_of_one_step_is_the_task_itself_and_not_asked_for() -> None:
    for steps, count in ((1, 0), (2, 1)):
        todos = [
            {"content": f"Write the upload queue {n}", "status": "pending"} for n in range(steps)
        ]
        log = Log().call("TodoWrite", todos=todos)
        assert len(named(log.chatter().probes(), "open-steps")) == count


def test_a_file_onto_which_another_was_copied_may_have_been_there_before() -> None:
    for command, count in (("cp src/a.ts web/a.ts", 0), ("touch src/a.ts", 1)):
        log = Log().say("user", "please make the upload queue bounded for every worker")
        log.call("bash", command=command).say("user", "and now go on with all the others")
        probes = log.chatter().probes()
        assert len([*named(probes, "created"), *named(probes, "request-files")]) == count


@pytest.mark.parametrize(
    ("command", "count"),
    [
        ("sed -n '1,$p' src/queue.ts", 1),
        ("cat src/\\$id.ts", 0),
        ('head -5 "$FILE"', 0),
        ("grep -n 'a$' src/queue.ts", 1),
    ],
)
def test_where_a_variable_names_what_was_shown_nobody_is_asked_which_files_were_read(
    command: str, count: int
) -> None:
    log = Log()
    for name in ("queue", "pool"):
        log.call("read", path=f"src/{name}.ts", output="x")
    log.call("bash", command=command, output="x")
    assert len(named(log.chatter().probes(), "read")) == count


def test_a_plan_is_not_asked_for_once_the_user_has_asked_for_something_else() -> None:
    for said, count in (("go on", 1), ("please find out first why the leases end late", 0)):
        log = Log().call("TodoWrite", **plan("completed", "in_progress", "pending"))
        log.say("user", said)
        probes = log.chatter().probes()
        assert len(named(probes, "open-steps")) == len(named(probes, "done-steps")) == count
