"""Probes about code that the log shows: only what stands in one form, and was taken up."""

from __future__ import annotations

import pytest
from support.probe_logs import Log, facts, named

GO = """// dropStale forgets those whose worker went away.
// One that was renewed stays.
func (q *UploadQueue) dropStale(maxAge time.Duration, leases []Lease) (*SweepReport, error) {
\treturn nil, nil"""


def test_a_function_is_asked_for_by_its_type_and_the_names_of_its_parameters() -> None:
    log = Log().call("write", file_path="/repo/sweep.go", content=GO)
    (asked,) = named(log.chatter().probes(), "signature")
    assert "`dropStale` in `sweep.go`" in asked["question"]
    assert asked["question"].endswith("Begin both sentences of the answer with `dropStale`.")
    assert [fact["keys"] for fact in asked["facts"]] == [
        [["dropStale"], ["UploadQueue"]],
        [["dropStale"], ["maxAge"], ["leases"]],
    ]


def test_parameters_that_are_ordinary_words_are_not_asked_for() -> None:
    code = "func dropStale(age int, leases []Lease) error {"
    log = Log().call("write", file_path="/repo/sweep.go", content=code)
    assert named(log.chatter().probes(), "signature") == []


def test_more_parameters_than_one_sentence_holds_are_not_asked_for() -> None:
    code = "func dropStale(maxAge int, leases []Lease, sweep Sweep, limit int) error {"
    log = Log().call("write", file_path="/repo/sweep.go", content=code)
    assert named(log.chatter().probes(), "signature") == []


def test_the_type_of_a_method_is_not_asked_for_where_the_file_is_named_after_it() -> None:
    log = Log().call("write", file_path="/repo/upload_queue.go", content=GO)
    (asked,) = named(log.chatter().probes(), "signature")
    assert "UploadQueue" not in str(asked)


@pytest.mark.parametrize("owner", ["UploadQueue", "StaleSet", "Model"])
def test_of_a_function_of_one_parameter_only_a_type_that_nothing_tells_is_asked_for(
    owner: str,
) -> None:
    code = f"func (q *{owner}) dropStale(maxAge time.Duration) (*SweepReport, error) {{"
    log = Log().call("write", file_path="/repo/sweep.go", content=code)
    asked = named(log.chatter().probes(), "signature")
    told = [["dropStale is a method of UploadQueue"]] if owner == "UploadQueue" else []
    assert [facts(probe) for probe in asked] == told


@pytest.mark.parametrize(
    "code",
    [
        "func dropStale(maxAge time.Duration) {",
        "func (q *StaleQueue) dropStale(maxAge time.Duration) {",
        "type Queue interface {\n\tdropStale() error\n}\nfunc (q *UploadQueue) dropStale() {",
    ],
)
def test_the_type_of_a_method_is_not_asked_for_where_the_file_or_an_interface_leaves_it_open(
    code: str,
) -> None:
    log = Log().call("write", file_path="/repo/stale_queue.go", content=code)
    assert named(log.chatter().probes(), "signature") == []


@pytest.mark.parametrize(
    "other",
    [
        {"path": "queue.go", "oldText": "func dropStale(maxAge, leases)", "newText": "x"},
        {"path": "other.go", "oldText": "x", "newText": "func dropStale(limit int, seen int) {"},
    ],
)
def test_a_function_that_an_edit_took_away_or_changed_is_not_asked_for(
    other: dict[str, str],
) -> None:
    log = Log().call("write", file_path="/repo/queue.go", content=GO)
    log.call("edit", **other)
    assert named(log.chatter().probes(), "signature") == []


@pytest.mark.parametrize(
    ("new", "count"),
    [(f"{GO}\n\n// next\nfunc other() {{", 0), (GO.replace("nil, nil", "q.sweep()"), 1)],
)
def test_code_is_asked_for_if_the_agent_changed_it_and_not_if_it_stands_around_a_change(
    new: str, count: int
) -> None:
    log = Log().call("Read", file_path="queue.go", output=GO)
    log.say("assistant", "The leak is in the sweep, as the profile says.")
    log.call("edit", path="queue.go", oldText=GO, newText=new)
    probes = log.chatter().probes()
    assert len(named(probes, "signature")) == len(named(probes, "comment")) == count


def test_the_signature_of_a_function_that_the_agent_only_spoke_of_is_not_asked_for() -> None:
    log = Log().call("Read", file_path="queue.go", output=GO)
    log.say("assistant", "The leak is in dropStale, as the profile says.")
    assert named(log.chatter().probes(), "signature") == []


@pytest.mark.parametrize(
    ("line", "count"),
    [
        ("def drop_stale(max_age, pool_name):", 1),
        ("def drop_stale(stale_id, user_id):", 0),
        ("def drop_stale(ctx_path, max_age):", 1),
    ],
)
def test_parameters_that_the_name_tells_are_not_asked_for(line: str, count: int) -> None:
    log = Log().call("write", file_path="src/sweep.py", content=f"{line}\n    pass")
    assert len(named(log.chatter().probes(), "signature")) == count


def test_a_function_that_nobody_took_up_is_not_asked_for() -> None:
    log = Log().call("Read", file_path="/repo/queue.go", output=GO).chatter()
    names = {probe["id"].split("-", 2)[2] for probe in log.probes()}
    assert not names & {"signature", "comment", "defined-in"}


@pytest.mark.parametrize(
    ("code", "count"),
    [
        (GO, 1),
        ("// dropStale forgets one that is no longer dropped\nfunc dropStale(n int) {", 0),
        ("// dropStale drops leases of a worker\nfunc dropStale(n int) {", 0),
        (f"type Queue interface {{\n\tdropStale(maxAge int) error\n}}\n{GO}", 0),
    ],
)
def test_a_comment_asks_for_the_function_below_it_unless_it_tells_a_word_of_its_name(
    code: str, count: int
) -> None:
    log = Log().call("write", file_path="/repo/queue.go", content=code)
    asked = named(log.chatter().probes(), "comment")
    assert [facts(probe) for probe in asked] == [["dropStale"]] * count
    assert all("… forgets those whose worker went away”" in p["question"] for p in asked)


def test_the_docstring_of_a_function_asks_for_it() -> None:
    code = 'def spread_load(jobs):\n    """Give each worker about as many bytes to send."""'
    log = Log().call("write", file_path="plan.py", content=code)
    (asked,) = named(log.chatter().probes(), "comment")
    assert facts(asked) == ["spread_load"]


def test_the_file_of_a_function_is_the_whole_answer_where_the_log_says_both_together() -> None:
    log = Log().call("Read", file_path="src/sweep.go", output=GO)
    log.say("assistant", "The leak starts in dropStale of src/sweep.go each minute.")
    (asked,) = named(log.chatter().probes(), "defined-in")
    assert "`dropStale` of `UploadQueue`" in asked["question"]
    assert asked["facts"][0]["keys"] == [["src/sweep.go"]]


def test_the_file_of_a_function_is_told_by_the_call_that_showed_it() -> None:
    log = Log().call("Read", file_path="src/sweep.go", output=GO)
    log.say("assistant", "The leak starts in dropStale each minute.")
    (asked,) = named(log.chatter().probes(), "defined-in")
    assert facts(asked) == ["dropStale is defined in src/sweep.go"]
    assert asked["facts"][0]["keys"] == [["src/sweep.go"]]
    assert asked["facts"][0]["evidence"] == ["m0"]


@pytest.mark.parametrize(
    ("name", "given", "count"),
    [
        ("Grep", {"pattern": "dropStale"}, 1),
        ("edit", {"path": "src/run.go", "oldText": "a", "newText": "q.dropStale(age)"}, 1),
        ("edit", {"path": "src/sweep.go", "oldText": f"{GO}\na", "newText": f"{GO}\nb"}, 0),
        ("Read", {"file_path": "src/sweep.go"}, 0),
    ],
)
def test_the_file_of_a_function_is_asked_for_only_if_somebody_named_the_function(
    name: str, given: dict[str, str], count: int
) -> None:
    log = Log().call("Read", file_path="src/sweep.go", output=GO)
    log.say("user", "why do stale leases of the queue stay so long?")
    log.call(name, **given)
    assert len(named(log.chatter().probes(), "defined-in")) == count


def test_code_that_files_only_show_is_not_asked_for_however_many_they_are() -> None:
    log = Log().call("Read", file_path="src/sweep.go", output=GO)
    for number in range(4):
        log.call("Read", file_path=f"src/use{number}.go", output="q.dropStale(1, nil)")
    assert named(log.chatter().probes(), "defined-in") == []


@pytest.mark.parametrize(
    ("begin", "shown", "end", "count"),
    [
        ("git status", GO, "git status", 1),
        ("git merge origin/main", GO, "git merge --abort", 0),
        ("git rebase main", GO, "git reset --hard", 0),
        ("git merge origin/main", GO, "git commit -m merged", 1),
        ("git merge-base main HEAD", GO, "git reset --hard", 1),
        ("git status", f"<<<<<<< HEAD\n{GO}\n=======\n>>>>>>> main", "git status", 0),
    ],
)
def test_code_of_a_merge_that_was_given_up_is_not_asked_for(
    begin: str, shown: str, end: str, count: int
) -> None:
    log = Log().call("bash", command=begin)
    log.call("Read", file_path="src/sweep.go", output=shown)
    log.say("assistant", "The leak starts in dropStale each minute.")
    log.call("bash", command=end)
    assert len(named(log.chatter().probes(), "defined-in")) == count


@pytest.mark.parametrize(
    ("line", "what"),
    [
        ("export const dropStale = async (maxAge: number): Promise<void> => {", "function"),
        ("const dropStale = (maxAge) => maxAge > 30", "function"),
        ("  private async dropStale(maxAge: number, now?: Date): Promise<void> {", "function"),
        ("  dropStale(maxAge) {", "function"),
        ("export const dropStale: Record<string, number> = {", "constant"),
        ("pub const dropStale: u32 = 30;", "constant"),
        ('const dropStale = require("./drop")', ""),
        ("  if (dropStale) {", ""),
        ("  dropStale(maxAge);", ""),
        ("  const dropStale = leases.length;", ""),
        ("let dropStale = null", ""),
    ],
)
def test_the_file_of_what_scripts_declare_is_asked_for(line: str, what: str) -> None:
    log = Log().call("Read", file_path="src/sweep.ts", output=line)
    log.say("assistant", "The leak starts in dropStale each minute.")
    asked = [probe["question"] for probe in named(log.chatter().probes(), "defined-in")]
    assert asked == ([f"In which file is the {what} `dropStale` defined?"] if what else [])


def test_a_constant_of_python_is_asked_for_by_its_capital_letters() -> None:
    log = Log().call("Read", file_path="src/sweep.py", output="MAX_AGE: Final = 30\nmax_age = 30")
    log.say("assistant", "The leak starts with MAX_AGE and max_age each minute.")
    (asked,) = named(log.chatter().probes(), "defined-in")
    assert asked["question"] == "In which file is the constant `MAX_AGE` defined?"


@pytest.mark.parametrize(
    ("said", "path", "count"),
    [
        ("The lease ends in test_late_lease, I think.", "tests/test_queue.py", 1),
        ("The lease ends late, I think.", "tests/test_queue.py", 0),
        ("The lease ends late, I think.", "src/queue.py", 1),
    ],
)
def test_a_test_is_asked_for_only_if_somebody_spoke_of_it(said: str, path: str, count: int) -> None:
    log = Log().call("Read", file_path=path, output="def test_late_lease(pool_size):")
    log.call("Grep", pattern="test_late_lease", output="")
    log.say("assistant", said)
    assert len(named(log.chatter().probes(), "defined-in")) == count


@pytest.mark.parametrize(
    ("line", "path", "count"),
    [
        ("def end_lease(age):", "src/pool.py", 1),
        ("def end_lease(age):", "src/leases.py", 0),
        ("def end_leases(age):", "src/lease_end.py", 0),
        ("def _lease_detail(age):", "src/leases.py", 0),
        ("    def __enter__(self):", "src/pool.py", 0),
    ],
)
def test_a_file_that_a_name_tells_in_another_form_or_a_special_method_is_not_asked_for(
    line: str, path: str, count: int
) -> None:
    log = Log().call("Read", file_path=path, output=line)
    log.say("assistant", f"The leak starts in `{line.split('(')[0].split()[-1]}` each minute.")
    assert len(named(log.chatter().probes(), "defined-in")) == count


@pytest.mark.parametrize(
    ("module", "count"),
    [("./sweep", 1), ("../src", 1), ("../src/index.js", 1), ("@porter/queue", 1), ("./pool", 0)],
)
def test_what_a_script_imports_from_another_file_beside_it_is_not_asked_for(
    module: str, count: int
) -> None:
    log = Log().call("Read", file_path="src/sweep.ts", output="export function dropStale(n) {")
    log.call("Read", file_path="src/run.ts", output=f"import {{ dropStale }} from '{module}'")
    log.say("assistant", "The leak starts in dropStale each minute.")
    assert len(named(log.chatter().probes(), "defined-in")) == count


def test_code_of_a_write_that_was_refused_is_not_asked_for() -> None:
    for refused, count in ((False, 1), (True, 0)):
        log = Log().call(
            "write", (refused and "rejected") or "ok", refused, path="src/a.go", content=GO
        )
        log.say("assistant", "The leak starts in dropStale each minute.")
        assert len(named(log.chatter().probes(), "defined-in")) == count


@pytest.mark.parametrize(
    ("path", "script", "count"),
    [("src/a.go", "true", 1), ("/tmp/try/a.go", "true", 0), ("", "D=$(mktemp -d); cat $D/a.go", 0)],
)
def test_code_of_a_temporary_folder_is_not_asked_for(path: str, script: str, count: int) -> None:
    log = Log()
    if path:
        log.call("Read", file_path=path, output=GO)
    log.call("bash", command=script, output=f"{GO}\n" if not path else "ok")
    log.say("assistant", "The leak starts in dropStale each minute.")
    assert len(named(log.chatter().probes(), "defined-in")) == count


@pytest.mark.parametrize(
    "line",
    ["  async dropStale(", "  dropStale(@Query('age') age: string): void {", "  dropStale(\n"],
)
def test_a_method_of_another_file_whose_parameters_cannot_be_read_is_another_home(
    line: str,
) -> None:
    log = Log().call("Read", file_path="src/sweep.ts", output="export function dropStale(n) {")
    log.say("assistant", "The leak starts in dropStale each minute.")
    log.call("Read", file_path="src/pool.ts", output=line)
    assert named(log.chatter().probes(), "defined-in") == []


def test_code_that_a_file_held_before_it_was_written_anew_was_not_named_by_that() -> None:
    for shown, count in (("package sweep", 1), (GO, 0)):
        log = Log().call("Read", file_path="src/sweep.go", output=shown)
        log.call("write", path="src/sweep.go", content=GO)
        assert len(named(log.chatter().probes(), "defined-in")) == count


def test_a_name_that_another_program_masked_is_not_asked_for() -> None:
    for path, count in (("src/pool.go", 1), ("src/REDACTED.go", 0)):
        log = Log().call("Read", file_path=path, output="func dropStale(n int) {")
        log.say("assistant", "The leak starts in dropStale each minute.")
        assert len(named(log.chatter().probes(), "defined-in")) == count


def test_a_name_that_another_file_declares_in_a_form_that_cannot_be_read_is_not_asked_for() -> None:
    for other, count in (("value = 1", 1), ("  def handle_lease({:ok, id}, state) do", 0)):
        log = Log().call(
            "Read", file_path="lib/sweep.ex", output="  def handle_lease(id, state) do"
        )
        log.call("Read", file_path="lib/pool.ex", output=other)
        log.say("assistant", "The leak starts in handle_lease each minute.")
        assert len(named(log.chatter().probes(), "defined-in")) == count


def test_a_function_with_a_second_form_that_cannot_be_read_is_not_asked_for_by_parameters() -> None:
    for other, count in (("value = 1", 1), ("  def drop_lease(%{id: 1}, state) do", 0)):
        text = f"  def drop_lease(pool_name, max_age) do\n{other}"
        log = Log().call("write", file_path="lib/sweep.ex", content=text)
        assert len(named(log.chatter().probes(), "signature")) == count


@pytest.mark.parametrize(("path", "count"), [("src/lease.go", 1), ("lib/types.go", 0)])
def test_a_type_of_which_another_file_holds_an_alias_is_not_asked_for(
    path: str, count: int
) -> None:
    log = Log().call("Read", file_path="src/lease.go", output="type SweepReport struct {")
    log.call("Read", file_path=path, output="type SweepReport = lease.SweepReport")
    log.say("assistant", "The numbers stand in SweepReport.")
    assert len(named(log.chatter().probes(), "defined-in")) == count


def test_the_one_file_that_a_session_is_about_is_not_asked_for() -> None:
    log = Log().call("Read", file_path="src/sweep.go", output=GO)
    log.say("assistant", "The leak starts in dropStale each minute.")
    for number in range(8):
        log.call("edit", path="src/sweep.go", oldText=f"a{number}", newText=f"b{number}")
    assert named(log.chatter().probes(), "defined-in") == []


def test_a_method_that_several_types_have_is_not_asked_for() -> None:
    log = Log().call("Read", file_path="src/sweep.go", output=f"{GO}\n{GO.replace('q *U', 'q *L')}")
    log.say("assistant", "The leak starts in dropStale each minute.")
    assert named(log.chatter().probes(), "defined-in") == []


@pytest.mark.parametrize("path", ["src/stale.go", "src/upload_queue.go", "src/dropStale.go"])
def test_a_file_that_the_name_of_a_function_or_its_type_tells_is_not_asked_for(path: str) -> None:
    log = Log().call("Read", file_path=path, output=GO)
    log.say("assistant", "The leak starts in dropStale each minute.")
    assert named(log.chatter().probes(), "defined-in") == []


def test_of_files_of_one_name_none_is_asked_for_that_only_calls_name() -> None:
    log = Log().call("Read", file_path="src/sweep.go", output=GO)
    log.call("Read", file_path="lib/sweep.go", output="func keepFresh(n int) {")
    log.say("assistant", "The leak starts in dropStale each minute.")
    assert named(log.chatter().probes(), "defined-in") == []


def test_a_name_that_an_edit_replaced_everywhere_is_not_asked_for() -> None:
    log = Log().call("Read", file_path="src/sweep.go", output=GO)
    log.say("assistant", "The leak starts in dropStale each minute.")
    log.call("Edit", path="src/sweep.go", oldText="dropStale", newText="evict", replace_all=True)
    assert named(log.chatter().probes(), "defined-in") == []


def test_code_in_a_document_is_a_proposal_and_not_asked_for() -> None:
    log = Log().call("write", file_path="PLAN.md", content=GO)
    assert named(log.chatter().probes(), "signature") == []


def test_a_definition_in_c_is_asked_for_by_its_parameters_and_a_call_is_none() -> None:
    code = "static lease_t* drop_stale(pool_t* pool, size_t max_age)\n{\nreturn sweep_all(pool);"
    log = Log().call("write", file_path="src/sweep.c", content=code)
    (asked,) = named(log.chatter().probes(), "signature")
    assert facts(asked) == ["drop_stale takes pool and max_age"]


TEST = "// TestSweepLeases verifies that no lease outlives its worker\nfunc TestSweepLeases() {"


@pytest.mark.parametrize(
    ("name", "given"),
    [
        ("edit", {"path": "src/queue.go", "oldText": TEST, "newText": "// nothing left"}),
        (
            "edit",
            {
                "path": "src/queue.go",
                "oldText": TEST,
                "newText": 'import { TestSweepLeases } "./s"',
            },
        ),
        ("write", {"path": "src/queue.go", "content": "package queue"}),
        ("bash", {"command": "sed -i '/TestSweep/,$d' src/queue.go"}),
        ("bash", {"command": "git mv src/queue.go src/lease.go"}),
        ("bash", {"command": "rm src/queue.go"}),
        ("bash", {"command": "mv src lib"}),
        ("apply_patch", {"input": "*** Begin Patch\n@@\n-func TestSweepLeases() {\n+x\n"}),
    ],
)
def test_code_that_does_not_stand_any_more_is_not_asked_for(
    name: str, given: dict[str, str]
) -> None:
    for taken_away in (False, True):
        log = Log().call("write", path="src/queue.go", content=TEST)
        log.say("assistant", "Look at TestSweepLeases in src/queue.go.")
        if taken_away:
            log.call(name, **given)
        asked = named(log.chatter().probes(), "defined-in")
        assert bool(asked) is not taken_away


def test_code_that_the_user_wanted_gone_is_not_asked_for() -> None:
    log = Log().call("write", path="src/queue.go", content=TEST)
    log.say("assistant", "Look at TestSweepLeases in src/queue.go.")
    log.say("user", "please remove TestSweepLeases again")
    assert named(log.chatter().probes(), "defined-in") == []
