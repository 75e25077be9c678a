"""A tool that records coding sessions learns how many lines of a commit the agent wrote."""

from imported import ImportedLog, RealSession

SHARE = "agent_percentage|percentage|agent share|share of the agent|percent"


def ask(log: ImportedLog) -> None:
    """What is asked after each point."""
    _after_the_first_code(log)
    log.go_on()
    _after_the_lost_branch(log)
    log.go_on()
    _during_the_review(log)
    log.go_on()
    _at_the_end(log)


def _after_the_first_code(log: ImportedLog) -> None:
    fact, trap = log.fact, log.trap
    log.probe(
        "metadata-shape",
        "decision",
        "Which key of metadata.json holds the attribution, what does the first word of that key "
        "mean for amended commits, and which two things did the user have taken out of the "
        "proposed JSON again, each with the reason?",
        [
            fact(
                "the attribution stands under the key initial_attribution",
                type="identifier",
                keys=[
                    "initial_attribution",
                    "key|json|metadata.json|metadata|field|struct|object",
                ],
            ),
            fact(
                "the attribution is a snapshot at the original commit",
                type="reason",
                keys=[
                    "snapshot|point-in-time|static",
                    "amend|amends|original commit|initial commit|not a live|commit time|"
                    "first commit",
                ],
            ),
            fact(
                "the breakdown by file was taken out because it is too much",
                type="decision",
                keys=[
                    "by file|by_file|per file|per-file|file breakdown|file-level|each file",
                    "too much|to much|noise|overkill|excessive",
                ],
            ),
            fact(
                "the commit SHA was removed: someone might assume that it is a stable link",
                type="constraint",
                keys=[
                    "stable link|stable reference|stale link|not stable|permanent link",
                    "assume|assumes|assumed|risk|mistake|mistaken|misleading|mislead|"
                    "taken for|take it for|believe|think",
                ],
            ),
        ],
        [
            trap(
                "the breakdown by file is kept",
                of="the breakdown by file was taken out because it is too much",
                keys=[
                    "by file|by_file|per file|per-file|file breakdown",
                    "contains|holds|kept|keeps|stores|has|includes",
                ],
            ),
            trap(
                "commit_sha links the metadata back to the commit",
                of="the commit SHA was removed: someone might assume that it is a stable link",
                keys=["SHA|commit_sha|commit hash", "links back|bidirectional|stored in|included"],
            ),
        ],
    )
    log.probe(
        "first-formula",
        "recall",
        "In the calculation as it is coded so far: how is the agent's percentage worked out, how "
        "is the number of modified lines estimated, and what becomes of binary files and of an "
        "empty list of touched files?",
        [
            fact(
                "agent_percentage is agent_lines / total_committed * 100",
                type="value",
                keys=[
                    "agent_percentage|percentage|agent share|percent|agentPct",
                    "agent_lines / total_committed|agent_lines by total_committed|"
                    "agent_lines over total_committed|AgentLines / TotalCommitted|"
                    "agent_lines divided by total_committed|agent lines total committed",
                ],
            ),
            fact(
                "modified lines are estimated as min(added, removed)",
                type="value",
                keys=[
                    "modified|human_modified|humanModified|modifications",
                    "min(added, removed)|min(totalAdded, totalRemoved)|min added removed|"
                    "minimum of added and removed|smaller of added and removed|"
                    "lesser of added and removed",
                ],
            ),
            fact(
                "binary files are skipped",
                type="state",
                keys=[
                    "binary|null bytes",
                    "skip|ignored|left out|excluded|not counted|not included|not include|"
                    "empty string|treated as empty",
                ],
            ),
            fact(
                "CalculateAttribution returns nil when filesTouched is empty",
                type="state",
                keys=[
                    "nil",
                    "filesTouched|files touched|touched files|no files|empty list|files list",
                ],
            ),
        ],
        [
            trap(
                "agent_percentage is unchanged / (unchanged + added + modified)",
                of="agent_percentage is agent_lines / total_committed * 100",
                keys=[SHARE, "unchanged + added + modified|unchanged plus added plus modified"],
            ),
            trap(
                "modified lines are always recorded as 0",
                of="modified lines are estimated as min(added, removed)",
                keys=["modified|human_modified|HumanModified", "always 0|always zero|fixed at 0"],
            ),
        ],
    )
    log.probe(
        "feature-files",
        "file",
        "Which five Go files have been changed or newly created for the attribution so far?",
        [
            fact(
                "cmd/entire/cli/checkpoint/checkpoint.go was modified",
                type="path",
                keys=["cmd/entire/cli/checkpoint/checkpoint.go"],
                change="modified",
            ),
            fact(
                "cmd/entire/cli/checkpoint/committed.go was modified",
                type="path",
                keys=["cmd/entire/cli/checkpoint/committed.go"],
                change="modified",
            ),
            fact(
                "cmd/entire/cli/strategy/manual_commit_attribution.go was created",
                type="path",
                keys=["cmd/entire/cli/strategy/manual_commit_attribution.go"],
                change="created",
            ),
            fact(
                "cmd/entire/cli/strategy/manual_commit_condensation.go was modified",
                type="path",
                keys=["cmd/entire/cli/strategy/manual_commit_condensation.go"],
                change="modified",
            ),
            fact(
                "cmd/entire/cli/strategy/manual_commit_attribution_test.go was created",
                type="path",
                keys=["cmd/entire/cli/strategy/manual_commit_attribution_test.go"],
                change="created",
            ),
        ],
    )
    log.probe(
        "open-steps",
        "continuation",
        "The code and its tests are written. Which item of the task list comes last, which "
        "two commands does the approved plan name for it, how does it check the result by hand "
        "after a commit, and in which file does that plan lie?",
        [
            fact(
                "the last item of the task list is to run tests and lint",
                type="next_step",
                keys=[
                    "run tests and lint|running tests and lint|run the tests and lint|"
                    "run tests and the linter|run tests lint",
                ],
            ),
            fact(
                "the tests are run with mise run test",
                type="identifier",
                keys=["mise run test", "test|tests pass|all tests"],
            ),
            fact(
                "the linter is run with mise run lint",
                type="identifier",
                keys=["mise run lint", "lint|linter|no lint errors"],
            ),
            fact(
                "the plan lies in the file curious-noodling-sloth.md",
                type="identifier",
                keys=[
                    "curious-noodling-sloth.md|curious-noodling-sloth",
                ],
            ),
            fact(
                "the check by hand is git show of metadata.json on entire/sessions through "
                "jq .initial_attribution",
                type="next_step",
                keys=[
                    "git show|jq",
                    "metadata.json|entire/sessions|initial_attribution",
                ],
            ),
        ],
        [
            trap(
                "all tests passed and lint is clean",
                of="the last item of the task list is to run tests and lint",
                keys=["tests", "passed|green|succeeded", "lint is clean|lint clean|0 issues"],
            ),
        ],
    )
    log.probe(
        "notes-or-trailer",
        "decision",
        "Why is our link by trailer held to last longer than the git notes of git-ai: what "
        "happens to each of the two when a pull request is squashed in the GitHub UI, what do the "
        "docs of git-ai say about such merges, and where must git-ai be installed?",
        [
            fact(
                "Git AI is installed per machine, not per repo",
                type="constraint",
                keys=[
                    "per-machine|per machine|machine",
                    "install|installed|installs|installation|setup",
                ],
            ),
            fact(
                "the notes are orphaned because they hang on commit SHAs that change",
                type="reason",
                keys=[
                    "notes|git notes|note",
                    "orphaned|orphan|dead SHAs|unreachable|no longer reachable",
                    "SHA|SHAs|commit|commits|rebase|squash|merge",
                ],
                said_in=log.holding(
                    "The notes on the original commits become", "**Notes orphaned**"
                ),
            ),
            fact(
                "GitHub's squash keeps the trailers",
                type="reason",
                keys=[
                    "squash|squash merge|squash and merge|squashing",
                    "trailer|trailers|Entire-Checkpoint",
                    "keep|keeps|kept|preserve|preserves|preserved|survive|survives|retain|"
                    "retains|travels",
                ],
            ),
            fact(
                "the docs of git-ai do not mention merges in the GitHub UI",
                type="state",
                keys=[
                    "GitHub UI|server-side|GitHub/GitLab|merge button|merges on GitHub|UI merges",
                    "no explicit mention|no mention|not mention|nothing|silent|not documented|"
                    "undocumented|not covered|never mention|no limitation",
                ],
            ),
        ],
        [
            trap(
                "the trailer is lost in a squash merge",
                of="GitHub's squash keeps the trailers",
                keys=["trailer|Entire-Checkpoint", "lost|dropped|removed|disappears|gone"],
            ),
        ],
    )
    log.probe(
        "agent-standard",
        "recall",
        "The user asked which standard agents must follow to report to git-ai. Which subcommand "
        "do they call and by which way does the JSON reach it, which length of session hash is "
        "still accepted from older versions, what is left out of the stored messages, and in "
        "which repositories does a checkpoint refuse to run?",
        [
            fact(
                "agents call git-ai checkpoint agent-v1 with JSON over stdin",
                type="identifier",
                keys=[
                    "agent-v1|checkpoint agent-v1|git-ai checkpoint agent-v1",
                    "stdin|standard input|hook-input",
                ],
            ),
            fact(
                "hashes of 7 characters are accepted for backward compatibility",
                type="value",
                keys=[
                    "7|seven|7-character",
                    "hash|hashes",
                    "backward|backwards|compat|compatibility|earlier versions|older|legacy|"
                    "accepted|accept",
                ],
            ),
            fact(
                "tool responses are not stored in the messages",
                type="constraint",
                keys=[
                    "tool response|tool responses|tool results|tool outputs|tool result",
                    "not contain|excluded|excludes|exclude|left out|not stored|omitted|minus|"
                    "without|not included|no tool",
                ],
            ),
            fact(
                "a checkpoint cannot run on bare repositories",
                type="error",
                keys=[
                    "bare repository|bare repositories|bare repos|bare",
                    "cannot run|not run|refuse|error|rejected|fails|not supported|unsupported",
                ],
            ),
        ],
    )


def _after_the_lost_branch(log: ImportedLog) -> None:
    fact, trap = log.fact, log.trap
    log.probe(
        "too-many-lines",
        "decision",
        "The metadata of the first real commit did not agree with GitHub. Which checkpoint was "
        "it, what total did it claim, what did GitHub show, what was the mistake, and what does "
        "the calculation compare since then?",
        [
            fact(
                "the metadata claimed 4617 lines",
                type="value",
                keys=["4617|4,617", "total|lines|agent_lines|total_committed|claimed|counted"],
            ),
            fact(
                "the trailer names checkpoint f2ad525b80cd",
                type="identifier",
                keys=[
                    "f2ad525b80cd|f2/ad525b80cd",
                    "checkpoint|Entire-Checkpoint|metadata.json|trailer",
                ],
            ),
            fact(
                "GitHub showed +582",
                type="value",
                keys=["582", "GitHub|insertions|git diff|changed lines|added|lines changed"],
            ),
            fact(
                "all lines of the touched files were counted instead of the changed lines",
                type="reason",
                keys=[
                    "touched files|files touched|whole files|entire files|complete files",
                    "total lines|all lines|every line|ALL lines|total line count",
                    "counting|count|counted|counts|summed",
                ],
                said_in=log.holding("total lines in touched files", "all lines in touched files"),
            ),
            fact(
                "CalculateAttribution takes the base tree of state.BaseCommit as well",
                type="decision",
                keys=[
                    "baseTree|base tree|BaseCommit|base commit|parent commit",
                    "CalculateAttribution|parameter|calculation|changed lines|"
                    "lines that changed|argument",
                ],
                said_in=log.holding("to take `baseTree` parameter"),
            ),
        ],
        [
            trap(
                "GitHub showed 627 for commit 3f3384a",
                of="GitHub showed +582",
                keys=[
                    "627",
                    "3f3384a|first commit|f2ad525b80cd",
                ],
            ),
            trap(
                "the metadata claimed 582 lines",
                of="the metadata claimed 4617 lines",
                keys=[
                    "582",
                    "claimed",
                ],
            ),
        ],
    )
    log.probe(
        "reset-commit",
        "continuation",
        "The user put everything into one commit and asks whether its numbers can be right. "
        "Which checkpoint does that commit name, how many lines does its metadata attribute, how "
        "many insertions does git count, which base commit does the session state name, and what "
        "becomes of a shadow branch when a commit is condensed?",
        [
            fact(
                "the new commit 164ceba names checkpoint 764ea1a5fad1",
                type="identifier",
                keys=["764ea1a5fad1|76/4ea1a5fad1", "checkpoint|Entire-Checkpoint|metadata|commit"],
                said_in=log.holding("Entire-Checkpoint: 764ea1a5fad1"),
            ),
            fact(
                "its metadata attributes 77 lines",
                type="value",
                keys=[
                    "77",
                    "agent_lines|total_committed|attribution|attributed|attributes|metadata",
                ],
            ),
            fact(
                "git counts 627 insertions",
                type="value",
                keys=[
                    "627",
                    "insertions|GitHub|git diff|git shows|git counts|added|lines added",
                ],
            ),
            fact(
                "the session state has 9b6bd9e as its base commit",
                type="identifier",
                keys=[
                    "9b6bd9e|9b6bd9ecf69acf2106ee8dc76039523f07a30e11",
                    "base commit|base_commit|BaseCommit|session|base|make agent type a constant",
                ],
            ),
            fact(
                "old shadow branches are deleted once their data is on entire/sessions",
                type="state",
                keys=[
                    "shadow branch|shadow branches",
                    "delete|deleted|deletes|removed|cleaned up|cleans up|removes",
                    "entire/sessions|condense|condensed|condensation|data",
                ],
            ),
        ],
        [
            trap(
                "checkpoint 764ea1a5fad1 attributes 4617 lines",
                of="its metadata attributes 77 lines",
                keys=[
                    "4617",
                    "764ea1a5fad1|164ceba",
                ],
            ),
            trap(
                "commit 164ceba has 582 insertions",
                of="git counts 627 insertions",
                keys=[
                    "582",
                    "164ceba|764ea1a5fad1",
                ],
            ),
        ],
    )
    log.probe(
        "meaningful-test",
        "file",
        "Which test of the strategy is to guard the attribution, in which file was it added, "
        "which numbers does it log since the calculation was corrected, and why did the other "
        "new tests, which wrote metadata, go again?",
        [
            fact(
                "the test is TestCondenseSession_IncludesInitialAttribution",
                type="identifier",
                keys=[
                    "TestCondenseSession_IncludesInitialAttribution",
                    "test|verifies|guard|added|PASS|attribution",
                ],
            ),
            fact(
                "cmd/entire/cli/strategy/manual_commit_test.go was modified",
                type="path",
                keys=["cmd/entire/cli/strategy/manual_commit_test.go"],
                change="modified",
            ),
            fact(
                "the test logs 4 agent lines and 80%",
                type="command",
                keys=["agent=4|4 agent lines|agent 4|4 lines agent", "80.0%|80%|80 percent"],
            ),
            fact(
                "the others only test that writing the metadata works",
                type="reason",
                keys=[
                    "metadata|serialization|metadata.json",
                    "just testing|only test|just test|merely|nothing but|only verify|"
                    "only check|not useful|not so useful|useless",
                    "writing|written|serialization|write|works",
                ],
                said_in=log.holding("just testing that writing", "just test the metadata"),
            ),
        ],
        [
            trap(
                "the test logs 9 agent lines and 90%",
                of="the test logs 4 agent lines and 80%",
                keys=["agent=9|9 agent lines|agent 9", "90.0%|90%|90 percent"],
            ),
        ],
    )
    log.probe(
        "left-alone",
        "decision",
        "What do we do about attribution in auto-commit, what was the offered reason, and what "
        "became of the request to write the correct values into metadata.json of the last "
        "checkpoint?",
        [
            fact(
                "for auto-commit nothing is done",
                type="decision",
                keys=[
                    "auto-commit|auto commit|auto commits",
                    "do nothing|nothing|omit|omitted|not set|no attribution|left out|nil|absent|"
                    "not calculate|no initial_attribution",
                ],
                said_in=log.holding(
                    "simply doesn't set `InitialAttribution`", "Omit entirely for auto-commit"
                ),
            ),
            fact(
                "auto-commit leaves no opportunity for human edits",
                type="reason",
                keys=[
                    "auto-commit|auto commit|commits automatically",
                    "no opportunity|no human edits|by definition|implicitly 100|"
                    "no edits between|infer 100%|always 100% agent|no room",
                ],
                said_in=log.holding("no opportunity for human edits"),
            ),
            fact(
                "the clone of entire/sessions into a temporary folder was rejected",
                type="command",
                keys=[
                    "clone|entire-sessions-fix|temp dir|tmp|tool use",
                    "rejected|refused|denied|doesn't want to proceed|interrupted|stopped|declined",
                ],
            ),
        ],
        [
            trap(
                "auto-commit always fills in 100 percent",
                of="for auto-commit nothing is done",
                keys=[
                    "auto-commit|auto commit",
                    "fills in 100%|writes 100%|static 100%|set to 100",
                ],
            ),
            trap(
                "the metadata of the last checkpoint was corrected to 582",
                of="the clone of entire/sessions into a temporary folder was rejected",
                keys=["metadata|metadata.json", "corrected|updated|rewritten|fixed", "582"],
            ),
        ],
    )
    log.probe(
        "build-troubles",
        "recall",
        "Which type did the first build refuse to pass to the existing countLines, which takes "
        "another, and what is our own function called now; which rule did the linter report about "
        "the test strings and which constant came of it; and which unchecked return value did it "
        "report in the condensation?",
        [
            fact(
                "a string could not be passed to countLines, which takes []byte",
                type="error",
                keys=[
                    "string",
                    "[]byte|byte|bytes",
                    "countLines",
                ],
            ),
            fact(
                "ours is called countLinesStr",
                type="identifier",
                keys=["countLinesStr", "func|function|renamed|called|name|counts lines|ours"],
            ),
            fact(
                "goconst reported the repeated test string",
                type="error",
                keys=[
                    "goconst",
                    "occurrences|string|constant|repeated|lint|duplicate",
                ],
            ),
            fact(
                "the repeated string became the constant testThreeLines",
                type="identifier",
                keys=[
                    "testThreeLines",
                    "const|constant|string|line1|checkpoint|committed|content",
                ],
            ),
            fact(
                "errcheck reported that the error of baseCommit.Tree is not checked",
                type="error",
                keys=[
                    "baseCommit.Tree",
                    "not checked|unchecked|errcheck|ignored|not handled",
                ],
            ),
        ],
        [
            trap(
                "goconst reported baseCommit.Tree",
                of="errcheck reported that the error of baseCommit.Tree is not checked",
                keys=["goconst", "baseCommit.Tree"],
            ),
        ],
    )
    log.probe(
        "commit-flow",
        "recall",
        "From the study of the manual-commit code: how is a shadow branch named, what does the "
        "post-commit hook do with a commit that has no Entire-Checkpoint trailer, to what are "
        "CheckpointCount and BaseCommit set after a condensation, and which error comes if the "
        "shadow branch is missing?",
        [
            fact(
                "shadow branches are named entire/ and the first 7 characters of the base commit",
                type="identifier",
                keys=[
                    "shadow branch|shadow branches|branch",
                    "entire/<base-commit-hash[:7]>|entire/<hash>|entire/<base-commit>|entire/",
                    "7|seven|short hash|hash[:7]",
                ],
            ),
            fact(
                "without the trailer the hook exits silently",
                type="state",
                keys=[
                    "trailer|Entire-Checkpoint|missing",
                    "silent exit|exits silently|silently exits|treats as manual|treated as manual",
                ],
                said_in=log.holding("silent exit"),
            ),
            fact(
                "CheckpointCount is reset to 0 after condensation",
                type="state",
                keys=[
                    "CheckpointCount|checkpoint count|checkpoint counter",
                    "reset|resets|set back|zeroed|set to",
                    "0|zero",
                ],
            ),
            fact(
                "BaseCommit becomes the new HEAD after condensation",
                type="state",
                keys=[
                    "BaseCommit|base commit",
                    "new HEAD|HEAD hash|updated to HEAD|updates to HEAD|moved to HEAD|set to HEAD",
                ],
                said_in=log.holding("`BaseCommit` → new HEAD"),
            ),
            fact(
                'CondenseSession fails with "shadow branch not found"',
                type="error",
                keys=["shadow branch not found", "CondenseSession|condens|error|fails|Errorf"],
            ),
        ],
        [
            trap(
                "CheckpointCount is kept after condensation",
                of="CheckpointCount is reset to 0 after condensation",
                keys=["CheckpointCount|checkpoint count", "kept|preserved|carried over"],
            ),
        ],
    )


def _during_the_review(log: ImportedLog) -> None:
    fact, trap = log.fact, log.trap
    log.probe(
        "edits-between-prompts",
        "decision",
        "Why did a user's edit between two prompts count as agent work, why were separate "
        "shadow commits for such edits given up, what did the user want recorded at every prompt "
        "start, and which kind of edit still cannot be told apart?",
        [
            fact(
                "a checkpoint snapshots the whole worktree, so the user's edit goes into it",
                type="reason",
                keys=[
                    "worktree|working directory|working tree",
                    "snapshot|snapshots|captures|captured|mixed|baked",
                    "edit|edits|user",
                ],
            ),
            fact(
                "separate commits would break rewind and diff, which need cumulative snapshots",
                type="reason",
                keys=[
                    "rewind|diff",
                    "broken|break|breaks|not valid|not be valid|cumulative|not be clean|"
                    "wouldn't make sense|not make sense",
                    "separate|separated|commits|shadow branch|checkpoint 2|snapshots|"
                    "committed tree",
                ],
            ),
            fact(
                "agent lines are to be kept at each prompt start as well as user lines",
                type="decision",
                keys=[
                    "agent lines|agent_so_far|AgentLinesAdded|agent's lines|lines of the agent",
                    "prompt start|start of each prompt|start of a prompt|"
                    "start of every prompt|each prompt|every prompt",
                    "keep|kept|capture|captured|record|recorded|store|stored|tracks|track|"
                    "tracked|also|as well",
                ],
                said_in=log.saying("keep agent lines at each prompt start"),
            ),
            fact(
                "edits to the same file that the agent touches in that checkpoint cannot be "
                "separated",
                type="constraint",
                keys=[
                    "same file|files the agent IS touching|same files|one file",
                    "agent",
                    "cannot be separated|can't distinguish|cannot be distinguished|"
                    "cannot separate|not separable|indistinguishable|cannot be told apart|"
                    "can't be separated|mixed",
                ],
                said_in=log.holding("cannot be separated (both"),
            ),
        ],
        [
            trap(
                "it works even if the user edits the same file as the agent",
                of="edits to the same file that the agent touches in that checkpoint cannot be "
                "separated",
                keys=["same file", "works even|precisely|correctly separated|exactly"],
            ),
            trap(
                "user changes get shadow commits of their own",
                of="separate commits would break rewind and diff, which need cumulative snapshots",
                keys=[
                    "user changes|user edits",
                    "own shadow commit|separate shadow commit|committed individually|"
                    "Entire-User-Changes",
                ],
            ),
        ],
    )
    log.probe(
        "multi-step-test",
        "recall",
        "Which multi-step test covers edits between checkpoints? It failed twice: what did "
        "checkpoint 1 report each time in place of no user lines, and what was the cause each "
        "time?",
        [
            fact(
                "the test is TestMultiCheckpoint_UserEditsBetweenCheckpoints",
                type="identifier",
                keys=[
                    "TestMultiCheckpoint_UserEditsBetweenCheckpoints",
                ],
            ),
            fact(
                "checkpoint 1 got 4",
                type="error",
                keys=[
                    "got 4|4 user lines|four user lines|reported 4|4 instead of 0|4 lines",
                    "user lines|expected 0|checkpoint 1",
                ],
                said_in=log.holding("expected 0 user lines added, got 4"),
            ),
            fact(
                "the calculation ran after the agent's changes and counted them as the user's",
                type="reason",
                keys=[
                    "agent changes|agent's changes|agent made changes|changes of the agent",
                    "counting|counted|counts|count|taken|treated|attributed",
                    "as user changes|user changes|user edits|as the user's|as user",
                ],
                said_in=log.holding("counting agent changes as user changes"),
            ),
            fact(
                "checkpoint 1 got 2",
                type="error",
                keys=[
                    "got 2|2 user lines|two user lines|reported 2|2 instead of 0|2 lines",
                    "user lines|expected 0|checkpoint 1",
                ],
                said_in=log.holding("expected 0 user lines added, got 2"),
            ),
            fact(
                "files of the .entire metadata directory were taken for user changes",
                type="reason",
                keys=[
                    ".entire",
                    "metadata directory|metadata|directory|session data",
                    "user changes|user edits|user code|as user|user files|user's changes",
                ],
                said_in=log.holding("are being detected as user changes"),
            ),
        ],
    )
    log.probe(
        "second-session",
        "decision",
        "A reviewer said that a second session overwrites the attribution of the first in one "
        "checkpoint. What does the code do now with attribution and with the counts of checkpoints, "
        "what reason did the user give, and which reservation came up when the comment there was "
        "explained?",
        [
            fact(
                "existing attribution is kept when sessions are merged",
                type="decision",
                keys=[
                    "existing attribution|existing InitialAttribution|"
                    "first session's attribution|first attribution|"
                    "existingMetadata.InitialAttribution|attribution of the first",
                    "keep|keeps|kept|preserve|preserves|preserved|retain|retained|"
                    "not overwritten|reused",
                    "merging|merge|merged|multi-session|second session|sessions|combined|"
                    "existingMetadata",
                ],
            ),
            fact(
                "the shadow branch holds the work of all sessions combined",
                type="reason",
                keys=[
                    "shadow branch|shadow tree",
                    "sessions' agent work|sessions' work|work of all sessions|"
                    "work of both sessions|both sessions|combined|multiple sessions|"
                    "all agent work",
                    "agent work|work|combined|reflects|contains|holds|share|shares|independent",
                ],
                said_in=log.holding(
                    "contains ALL sessions' agent work", "contains **all agent work"
                ),
            ),
            fact(
                "checkpoint counts are summed when sessions merge",
                type="state",
                keys=[
                    "CheckpointsCount|checkpoint counts|counts of checkpoints|"
                    "number of checkpoints",
                    "sum|summed|sums|added up|adds up|added together",
                ],
            ),
            fact(
                "the PromptAttributions of two sessions might differ",
                type="constraint",
                keys=[
                    "PromptAttributions|prompt attributions",
                    "session 1|session 2|sessions|each session",
                    "differ|different|diverge|not identical|not the same",
                ],
            ),
        ],
        [
            trap(
                "the second session recalculates the attribution",
                of="existing attribution is kept when sessions are merged",
                keys=[
                    "second session|session 2",
                    "overwrites the attribution|recalculates the attribution|replaces the attribution",
                ],
            ),
            trap(
                "attributions are stored per session in an array",
                of="existing attribution is kept when sessions are merged",
                keys=["attribution|attributions", "array|per-session list", "stored|store|kept"],
            ),
        ],
    )
    log.probe(
        "checked-commits",
        "recall",
        "The user had the last two commits of the branch, 1887972 and df4989c, checked. How many "
        "insertions does git show for each of them, what was found when they were held against "
        "the agent lines in the metadata, and why do deletions not show there?",
        [
            fact(
                "1887972 has 592 insertions",
                type="value",
                keys=[
                    "592",
                    "1887972|18879723|more work",
                ],
            ),
            fact(
                "df4989c has 76 insertions",
                type="value",
                keys=[
                    "76",
                    "df4989c",
                ],
            ),
            fact(
                "the agent lines of both commits match the insertions",
                type="state",
                keys=[
                    "agent_lines|agent lines|attribution|metadata|both commits|numbers|"
                    "calculations",
                    "match|matches|matched|agree|agrees|add up|adds up|check out",
                    "insertions|git diff|git|exactly|correctly",
                ],
                said_in=log.holding("matches the insertions count"),
            ),
            fact(
                "deletions are not counted because lines added are tracked",
                type="reason",
                keys=[
                    "deletions|deleted lines|removals",
                    "not counted|aren't counted|not count|not tracked|not included|ignored|"
                    "left out",
                ],
                said_in=log.holding("The deletions (-6 and -7)"),
            ),
        ],
        [
            trap(
                "df4989c has 71 insertions",
                of="df4989c has 76 insertions",
                keys=["71", "df4989c"],
            ),
        ],
    )
    log.probe(
        "removal-review",
        "continuation",
        "Feedback on CalculateAttribution is being worked in. Which variable was wrong and what "
        "did it give in the reviewer's example where 1 was due, what is added up now, and by which "
        "command do the tests run that must follow?",
        [
            fact(
                "actualHumanRemoved gave 0 where 1 is right",
                type="error",
                keys=[
                    "actualHumanRemoved",
                    "should be 1|incorrect|0 instead of 1|wrong|0 rather than 1|logic issue",
                ],
            ),
            fact(
                "pureHumanRemoved is used directly",
                type="decision",
                keys=[
                    "pureHumanRemoved",
                    "directly|use|used|totalHumanRemoved|instead|right value",
                ],
            ),
            fact(
                "the tests are run with mise run test",
                type="identifier",
                keys=["mise run test", "test|tests|run"],
            ),
        ],
        [
            trap(
                "actualHumanRemoved is capped at pureHumanRemoved",
                of="pureHumanRemoved is used directly",
                keys=["actualHumanRemoved", "capped|cap", "pureHumanRemoved"],
            ),
        ],
    )
    log.probe(
        "standing-decisions",
        "recall",
        "From the time before the first code: which two things did the user strike out of the "
        "proposed attribution data and why, which link between commit and metadata counts as the "
        "stable one, how does the diff library stand in go.mod, and where does the session go that "
        "wrote to a checkpoint before another one?",
        [
            fact(
                "a reference to the commit was removed as someone might assume it to be a stable link",
                type="constraint",
                keys=[
                    "stable link|stable reference|stale link|not stable|permanent link",
                    "assume|assumes|assumed|risk|mistake|mistaken|misleading|mislead|"
                    "taken for|take it for|believe|think",
                ],
            ),
            fact(
                "figures by file were refused as too much",
                type="decision",
                keys=[
                    "by file|by_file|per file|per-file|file breakdown|file-level|each file",
                    "too much|to much|noise|overkill|excessive",
                ],
            ),
            fact(
                "the trailer in the commit is the stable link",
                type="decision",
                keys=[
                    "trailer|trailers",
                    "stable link|stable|durable|robust|lasting",
                ],
                said_in=log.holding("The trailer in the commit is the stable link"),
            ),
            fact(
                "go-diff is in go.mod as an indirect dependency",
                type="state",
                keys=[
                    "go-diff",
                    "indirect",
                ],
            ),
            fact(
                "an older session of the same checkpoint is archived in a numbered subfolder",
                type="state",
                keys=[
                    "numbered|subfolder|subfolders",
                    "archive|archived|archives|archiving",
                    "session|sessions|older|previous",
                ],
            ),
        ],
        [
            trap(
                "the commit SHA in the metadata is the stable link",
                of="the trailer in the commit is the stable link",
                keys=["commit_sha|commit SHA", "is the stable link|stable link back|bidirectional"],
            ),
        ],
    )


def _at_the_end(log: ImportedLog) -> None:
    fact, trap = log.fact, log.trap
    log.probe(
        "last-repair",
        "continuation",
        "Where does the repair of the human removals stand: which compile error did it cause at "
        "first and under which name did the linter report it, what did lint say at last, and what "
        "was the reviewer's example?",
        [
            fact(
                "commitRemoved was declared and not used",
                type="error",
                keys=["commitRemoved", "declared and not used|unused|not used|no longer used"],
            ),
            fact(
                "the linter reported it as a typecheck issue",
                type="error",
                keys=[
                    "typecheck",
                    "lint|linter|issue|issues|golangci-lint|commitRemoved|strategy",
                ],
            ),
            fact(
                "lint ended with 0 issues",
                type="command",
                keys=["lint|linter|golangci-lint", "0 issues|clean|no issues"],
            ),
            fact(
                "the agent adds two lines and the human removes one of them",
                type="reason",
                keys=[
                    "lineB|adds two lines|two lines|added lines|lines the agent added|"
                    "agent adds lines|lines agent added|lines that the agent",
                    "human removes|human removed|human then removed|removed by the human|"
                    "human deletes|then removed",
                ],
                said_in=log.holding('human removes "lineB"'),
            ),
        ],
    )
    log.probe(
        "state-files",
        "file",
        "Which files outside the attribution, condensation and test files were changed to carry "
        "PromptAttributions through the session state and to record them when a checkpoint is "
        "saved?",
        [
            fact(
                "cmd/entire/cli/session/state.go was modified",
                type="path",
                keys=["cmd/entire/cli/session/state.go"],
                change="modified",
            ),
            fact(
                "cmd/entire/cli/strategy/manual_commit_types.go was modified",
                type="path",
                keys=["cmd/entire/cli/strategy/manual_commit_types.go"],
                change="modified",
            ),
            fact(
                "cmd/entire/cli/strategy/manual_commit.go was modified",
                type="path",
                keys=["cmd/entire/cli/strategy/manual_commit.go"],
                change="modified",
            ),
            fact(
                "cmd/entire/cli/strategy/manual_commit_git.go was modified",
                type="path",
                keys=["cmd/entire/cli/strategy/manual_commit_git.go"],
                change="modified",
            ),
        ],
        [
            trap(
                "cmd/entire/cli/strategy/manual_commit_session.go was modified",
                keys=[
                    "cmd/entire/cli/strategy/manual_commit_session.go",
                    "modified|changed|edited|updated",
                ],
            ),
        ],
    )
    log.probe(
        "log-lines",
        "recall",
        "Why did the user want logging in the attribution, what does the code log when a "
        "checkpoint is saved and when the starting state of the session is not to be had, which "
        "clash of a variable did that bring, and which linter rule had to be silenced for the "
        "multi-step test before?",
        [
            fact(
                "the attribution fails silently if a step returns an error",
                type="reason",
                keys=[
                    "silently|silent",
                    "fail|fails|failing|failed",
                    "attribution|calculation|error|step",
                ],
            ),
            fact(
                'a checkpoint logs "prompt attribution at checkpoint save"',
                type="identifier",
                keys=[
                    "prompt attribution at checkpoint save",
                    "DEBUG|Debug|log|logs|logged|logging",
                ],
            ),
            fact(
                'the message is "attribution: base commit unavailable"',
                type="identifier",
                keys=[
                    "base commit unavailable|base commit",
                    "unavailable|cannot be read|not available|not readable|could not be read",
                ],
            ),
            fact(
                'The compiler said of logCtx: "no new variables on left side of :="',
                type="error",
                keys=[
                    "logCtx|attrLogCtx|variable name|no new variables",
                    "no new variables|conflict|renamed|clash|redeclared|already declared",
                ],
            ),
            fact(
                "maintidx is silenced for the multi-step test",
                type="constraint",
                keys=[
                    "maintidx",
                    "nolint|silenced|suppressed|Maintainability Index|ignored|disabled|"
                    "inherently complex",
                ],
            ),
        ],
        [
            trap(
                'that log line begins with "attribution skipped"',
                of='the message is "attribution: base commit unavailable"',
                keys=["attribution skipped"],
            ),
        ],
    )
    log.probe(
        "comments-and-origins",
        "decision",
        "What do the comments of AgentLines and TotalCommitted say now, which other field of "
        "that struct is marked as not exact, and what did the user correct early on about squash "
        "merges, which made our commit line a better link than the notes of git-ai?",
        [
            fact(
                "AgentLines says lines added by agent (base → shadow diff)",
                type="value",
                keys=["AgentLines|agent_lines", "lines added by agent|added by agent|base shadow"],
                said_in=log.holding("Lines added by agent (base"),
            ),
            fact(
                "TotalCommitted says total lines added in commit (agent + human)",
                type="value",
                keys=[
                    "TotalCommitted|total_committed",
                    "total lines added|lines added in commit|added in commit|agent + human",
                ],
                said_in=log.holding("Total lines added in commit (agent"),
            ),
            fact(
                "HumanModified is marked as an estimate",
                type="value",
                keys=[
                    "HumanModified|human_modified|modified by human",
                    "estimate|estimated|estimation|approximate",
                ],
            ),
            fact(
                "the squash in GitHub keeps trailers",
                type="reason",
                keys=[
                    "squash|squash merge|squash and merge|squashing",
                    "trailer|trailers|Entire-Checkpoint",
                    "keep|keeps|kept|preserve|preserves|preserved|survive|survives|retain|"
                    "retains|travels",
                ],
            ),
        ],
        [
            trap(
                "AgentLines says lines unchanged from checkpoint",
                of="AgentLines says lines added by agent (base → shadow diff)",
                keys=["AgentLines|agent_lines", "unchanged from checkpoint|lines unchanged"],
            ),
            trap(
                "TotalCommitted says total lines in committed files",
                of="TotalCommitted says total lines added in commit (agent + human)",
                keys=["TotalCommitted|total_committed", "lines in committed files|in the files"],
            ),
            trap(
                "the squash in GitHub drops trailers",
                of="the squash in GitHub keeps trailers",
                keys=["trailer|trailers", "lost|drops|dropped|loses"],
            ),
        ],
    )


SESSION = RealSession(
    ask,
    "claude-code-compacted/session-5.jsonl",
    "feature",
    "Commits learn how many of their lines an agent wrote, and the count proves wrong twice",
    "MIT",
    "https://github.com/entireio/cli",
    conversation="",
)
