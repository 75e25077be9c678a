"""A list of logged agent sessions is turned round: checkpoints by branch, then sessions."""

from imported import ImportedLog, RealSession


def ask(log: ImportedLog) -> None:
    """What is asked after each point."""
    ask_origin(log)
    ask_begun(log)
    log.go_on()
    ask_done(log)
    ask_earlier(log)


def ask_origin(log: ImportedLog) -> None:
    """Where the numbers come from, and what the user wants."""
    fact, trap = log.fact, log.trap
    log.probe(
        "label-places",
        "recall",
        "At which three places of the code (file and line) does a label with a number of "
        "checkpoints "
        "in brackets arise, and after how many characters does the one of `entire session list` "
        "cut "
        "the session ID and the description?",
        [
            fact(
                "list/tree.go:98",
                type="identifier",
                keys=["tree|tree.go", "98"],
            ),
            fact(
                "list/view.go:448",
                type="identifier",
                keys=["view|view.go", "448"],
            ),
            fact(
                "session.go:515 is that of entire session list",
                type="identifier",
                keys=["session|session.go", "515"],
            ),
            fact(
                "the session ID is cut to 19 characters",
                type="value",
                keys=["ID|displayID|session ID|IDs|identifier", "19|19 characters|[:19]"],
                said_in=["m0004"],
            ),
            fact(
                "the description is cut above 40 characters",
                type="value",
                keys=["description|desc|descriptions", "40|37|40 characters|37 characters"],
                said_in=["m0004"],
            ),
        ],
        [
            trap(
                "session.go:563 is that of entire session list",
                of="session.go:515 is that of entire session list",
                keys=["session|session.go", "563"],
            ),
            trap(
                "the session ID is cut to 8 characters",
                of="the session ID is cut to 19 characters",
                keys=["ID|displayID|session ID", "8|12|40 characters"],
            ),
        ],
    )
    log.probe(
        "source-of-count",
        "recall",
        "Which function fills Session.Checkpoints, through which call and from which branch does "
        "it "
        "get them, by what does it group them, and how does it treat the checkpoints of sessions "
        "that a strategy adds?",
        [
            fact(
                "ListSessions in strategy/session.go fills it",
                type="identifier",
                keys=["ListSessions"],
                said_in=["m0010", "m0011"],
            ),
            fact(
                "ListCheckpoints reads them from entire/sessions",
                type="identifier",
                keys=["ListCheckpoints", "entire/sessions"],
                said_in=["m0011"],
            ),
            fact(
                "checkpoints are grouped by session ID",
                type="state",
                keys=[
                    "group|groups|grouped|grouping|bucketed|map|mapped",
                    "session ID|SessionID|session identifier",
                ],
                said_in=["m0010", "m0011"],
            ),
            fact(
                "those of additional sessions are merged, deduplicated by CheckpointID",
                type="state",
                keys=[
                    "deduplicate|deduplicated|deduplicates|deduplication|dedupe|deduped|"
                    "without duplicates|skips duplicates|duplicates",
                    "CheckpointID|checkpoint ID",
                ],
                said_in=["m0010"],
            ),
        ],
        [
            trap(
                "additional sessions are deduplicated by commit hash",
                of="those of additional sessions are merged, deduplicated by CheckpointID",
                keys=[
                    "deduplicated|dedupe|deduplicates",
                    "commit hash|commit|timestamp|ToolUseID|tool use ID",
                ],
            ),
            trap(
                "ListSessions groups checkpoints by branch",
                of="checkpoints are grouped by session ID",
                keys=["ListSessions|grouped|groups", "branch|by branch|commit"],
            ),
        ],
    )
    log.probe(
        "meaning-of-count",
        "recall",
        "What does the number in `entire session list` count and what does it not count, so that "
        "its "
        "word was held to be right? And which two other lines of the commands print a bare "
        "'Checkpoints:' with a number?",
        [
            fact(
                "it counts the Entire-Checkpoint entries of a session",
                type="state",
                keys=[
                    "Entire-Checkpoint|commit-level checkpoint|commit-level checkpoints|"
                    "commit-level|rewind to",
                    "count|counts|counting|number|len|entries|entry|len(sess.Checkpoints)",
                ],
                said_in=["m0005", "m0011"],
            ),
            fact(
                "the number is not the steps count from the metadata",
                type="reason",
                keys=[
                    "not steps|not the steps|not count steps|not the steps count|not step|"
                    "rather than steps|not the number of steps|no steps|instead of steps|"
                    "not the step count"
                ],
                said_in=["m0005", "m0011"],
            ),
            fact(
                "explain.go:372",
                type="identifier",
                keys=["explain|explain.go", "372"],
            ),
            fact(
                "session.go:563",
                type="identifier",
                keys=["session|session.go", "563"],
            ),
        ],
        [
            trap(
                "it counts the steps of the session",
                of="it counts the Entire-Checkpoint entries of a session",
                keys=["counts|count|counting", "steps|step|steps count"],
            ),
        ],
    )
    log.probe(
        "wanted-order",
        "decision",
        "Which levels, from the top, did the user ask `entire list` to show, what does a "
        "checkpoint "
        "hang on, and what did he say about a session as time goes by?",
        [
            fact(
                "the hierarchy shall be Branch → Checkpoint → Session",
                type="constraint",
                keys=[
                    "checkpoint|checkpoints",
                    "branch|branches",
                    "session|sessions",
                ],
                said_in=["m0012"],
            ),
            fact(
                "checkpoints belong to commits",
                type="reason",
                keys=[
                    "checkpoint|checkpoints|they",
                    "belong|belongs|tied|attached|linked|bound|correspond|corresponds|associated|"
                    "anchored",
                    "commit|commits",
                ],
                said_in=["m0012", "m0013"],
            ),
            fact(
                "the same session may be in several checkpoints, at different points in time",
                type="reason",
                keys=[
                    "session|sessions",
                    "multiple checkpoints|several checkpoints|many checkpoints|more checkpoints|"
                    "different checkpoints|two checkpoints|checkpoints",
                    "multiple|several|different points in time|points in time|point in time|"
                    "different times|evolves|different states|state at",
                ],
                said_in=["m0012"],
            ),
        ],
        [
            trap(
                "the hierarchy shall be Branch → Session → Checkpoint",
                of="the hierarchy shall be Branch → Checkpoint → Session",
                keys=["Branch → Session → Checkpoint"],
            ),
            trap(
                "a session stands in one checkpoint only",
                of="the same session may be in several checkpoints, at different points in time",
                keys=["session", "one checkpoint only|a single checkpoint|exactly one checkpoint"],
            ),
        ],
    )


def ask_begun(log: ImportedLog) -> None:
    """The refactoring after its first file."""
    fact, trap = log.fact, log.trap
    log.probe(
        "model-rewritten",
        "file",
        "Which file of the refactoring is done, what does BranchInfo contain there now, which new "
        "field of a node holds the steps, which one the commit's subject, and under what is "
        "SessionInfo "
        "shown now?",
        [
            fact(
                "cmd/entire/cli/list/model.go was modified",
                type="path",
                keys=["cmd/entire/cli/list/model.go"],
                change="modified",
            ),
            fact(
                "BranchInfo contains a branch and its checkpoints",
                type="state",
                keys=["BranchInfo", "checkpoint|checkpoints|CheckpointInfo|Checkpoints"],
                said_in=["m0019", "m0020"],
            ),
            fact("StepsCount holds the steps", type="identifier", keys=["StepsCount"]),
            fact("CommitMsg holds the commit message", type="identifier", keys=["CommitMsg"]),
            fact(
                "SessionInfo is shown under a checkpoint",
                type="state",
                keys=[
                    "SessionInfo",
                    "under a checkpoint|under checkpoint|under each checkpoint|below a checkpoint|"
                    "below checkpoints|under checkpoints|beneath a checkpoint|child of a checkpoint",
                ],
                said_in=["m0019", "m0020"],
            ),
        ],
        [
            trap(
                "cmd/entire/cli/list/data.go was modified",
                of="cmd/entire/cli/list/model.go was modified",
                keys=["list/data.go|data.go", "modified|updated|rewritten|changed|done|finished"],
            ),
            trap(
                "BranchInfo contains a branch and its associated sessions",
                of="BranchInfo contains a branch and its checkpoints",
                keys=["BranchInfo", "sessions|Sessions|SessionInfo"],
            ),
        ],
    )
    log.probe(
        "open-steps",
        "continuation",
        "What is still to be done by the plan: what in data.go, what in tree.go, in view.go and in "
        "actions.go, and what comes last?",
        [
            fact(
                "data.go shall fetch checkpoints first and group them by branch",
                type="next_step",
                keys=[
                    "data.go|list/data.go|FetchTreeData",
                    "group by branch|fetch checkpoints first|checkpoints first|"
                    "group checkpoints by branch|grouped by branch|fetch checkpoints|"
                    "fetching checkpoints first",
                ],
            ),
            fact(
                "tree.go shall build the tree with the new hierarchy",
                type="next_step",
                keys=[
                    "tree.go|list/tree.go|BuildTree",
                    "build tree|new hierarchy|build the tree|hierarchy|rebuild|nodes",
                ],
                said_in=["m0015", "m0021"],
            ),
            fact(
                "view.go shall display checkpoints with sessions",
                type="next_step",
                keys=[
                    "view.go|list/view.go",
                    "display|show|render|labels|displaying|showing|rendering",
                    "checkpoint|checkpoints",
                ],
                said_in=["m0015", "m0021"],
            ),
            fact(
                "actions.go shall be adjusted to the new hierarchy",
                type="next_step",
                keys=[
                    "actions.go|list/actions.go",
                    "adjust|adjusted|actions for new hierarchy|new hierarchy|adapt|adapted|update|"
                    "updated",
                ],
                said_in=["m0015", "m0021"],
            ),
            fact(
                "tests and lint are run last",
                type="next_step",
                keys=["test|tests|run tests", "lint|linter|linting|golangci-lint"],
                said_in=["m0015", "m0021"],
            ),
        ],
        [
            trap(
                "tests and lint are run already",
                of="tests and lint are run last",
                keys=["tests|test", "lint", "passed|pass|green|already|done|clean"],
            ),
            trap(
                "model.go is still to be done",
                keys=["model.go", "still to be done|pending|still open|next step|in progress"],
            ),
        ],
    )
    log.probe(
        "rewrite-data",
        "continuation",
        "For the rewrite of FetchTreeData: how many checkpoints and how many commits of a branch "
        "are "
        "scanned at most, which two branches come first in the list and in which order, and by "
        "which "
        "field of the new CheckpointInfo can its checkpoints be sorted?",
        [
            fact(
                "at most 50 checkpoints are scanned",
                type="value",
                keys=["maxCheckpointsToScan|checkpoint|checkpoints", "50"],
            ),
            fact(
                "at most 50 commits of a branch are scanned",
                type="value",
                keys=["maxCommitsToScanPerBranch|commit|commits", "50"],
            ),
            fact(
                "the current branch comes first, then main",
                type="state",
                keys=[
                    "current branch|current|checked-out branch",
                    "first|top|before main|ahead",
                    "main|main branch|master|default branch",
                ],
            ),
            fact(
                "CheckpointInfo has CreatedAt",
                type="identifier",
                keys=["CreatedAt|created_at"],
            ),
        ],
        [
            trap(
                "the branches are sorted by name",
                of="the current branch comes first, then main",
                keys=["branch|branches", "by name|alphabetical|alphabetically|alphabetic"],
            ),
            trap(
                "CheckpointInfo is sorted by Timestamp",
                of="CheckpointInfo has CreatedAt",
                keys=["Timestamp|StartTime", "sort|sorted|sorting|field"],
            ),
        ],
    )
    log.probe(
        "will-break",
        "file",
        "Since BranchInfo was changed, what no longer fits: which function of data.go looks for "
        "sessions on a branch, which one computes the latest activity, and which file outside of "
        "the "
        "list package reads Session.Checkpoints of each session for its JSON, at which line first?",
        [
            fact(
                "findSessionsOnBranch looks for sessions on a branch",
                type="identifier",
                keys=["findSessionsOnBranch"],
            ),
            fact(
                "getMostRecentActivity computes the latest activity",
                type="identifier",
                keys=["getMostRecentActivity"],
            ),
            fact(
                "cmd/entire/cli/list.go reads it from line 162 on",
                type="identifier",
                keys=["list|list.go", "162"],
            ),
        ],
        [
            trap(
                "cmd/entire/cli/explain.go reads it for its JSON",
                of="cmd/entire/cli/list.go reads it from line 162 on",
                keys=["explain.go|cleanup.go", "JSON|162|reads"],
            ),
        ],
    )


def ask_done(log: ImportedLog) -> None:
    """The finished refactoring."""
    fact, trap = log.fact, log.trap
    log.probe(
        "lint-and-tests",
        "continuation",
        "You report on the checks. What did the first and what the second run of the linter find "
        "(name and file each), how did it end, how did the tests end, and which changed package "
        "has "
        "none?",
        [
            fact(
                "first: undefined getDescriptionForCheckpoint in strategy/session.go",
                type="error",
                keys=["undefined|not defined|undeclared|unresolved", "getDescriptionForCheckpoint"],
                said_in=["m0086"],
            ),
            fact(
                "second: branch.Sessions undefined in cmd/entire/cli/list.go",
                type="error",
                keys=[
                    "branch.Sessions|BranchInfo.Sessions|BranchInfo|Sessions field",
                    "undefined|no field|missing field|no longer exists|not defined|unknown field|"
                    "old field|no such field",
                ],
                said_in=["m0094"],
            ),
            fact(
                "the linter ended with 0 issues",
                type="command",
                keys=[
                    "lint|linter|golangci-lint|mise run lint",
                    "0 issues|no issues|clean|passes|pass|passed|zero issues",
                ],
                said_in=["m0103"],
            ),
            fact(
                "all tests pass",
                type="command",
                keys=[
                    "test|tests|mise run test|go test",
                    "pass|passed|passes|ok|green|succeeded|successful",
                ],
                said_in=["m0107"],
            ),
            fact(
                "the package cli/list has no test files",
                type="state",
                keys=[
                    "cli/list|entire.io/cli/cmd/entire/cli/list|list package|package list|list",
                    "no test files|no tests|no test|without tests|untested",
                ],
                said_in=["m0104"],
            ),
        ],
        [
            trap(
                "first: undefined findSessionsOnBranch",
                of="first: undefined getDescriptionForCheckpoint in strategy/session.go",
                keys=["undefined|not defined", "findSessionsOnBranch|getMostRecentActivity"],
            ),
            trap(
                "the package strategy has no test files",
                of="the package cli/list has no test files",
                keys=["strategy package|strategy", "no test files|untested"],
            ),
        ],
    )
    log.probe(
        "description-helper",
        "file",
        "Which function of the strategy package was exported for the list package and in which "
        "file, "
        "which file got a wrapper for it, what did the edit for the wrapper damage at first, and "
        "from "
        "which two files is a description taken, in order?",
        [
            fact(
                "cmd/entire/cli/strategy/session.go was modified",
                type="path",
                keys=["cmd/entire/cli/strategy/session.go"],
                change="modified",
            ),
            fact(
                "GetDescriptionForCheckpoint was exported",
                type="identifier",
                keys=["GetDescriptionForCheckpoint"],
                said_in=["m0049", "m0050", "m0107"],
            ),
            fact(
                "cmd/entire/cli/list/data.go was modified",
                type="path",
                keys=["cmd/entire/cli/list/data.go"],
                change="modified",
            ),
            fact(
                "the signature of a function got mangled by that edit",
                type="error",
                keys=[
                    "signature|getMostRecentCheckpointActivity|func line|function header|"
                    "declaration",
                    "mangled|damaged|lost|broken|broke|swallowed|removed|dropped|deleted|garbled|"
                    "missing|destroyed",
                ],
                said_in=["m0053"],
            ),
            fact(
                "the description is the first line of the prompt file, else of the context file",
                type="state",
                keys=[
                    "PromptFileName|prompt.txt|prompt file|prompt",
                    "ContextFileName|context.md|context file|context",
                ],
                said_in=["m0046"],
            ),
        ],
        [
            trap(
                "cmd/entire/cli/strategy/common.go was modified",
                of="cmd/entire/cli/strategy/session.go was modified",
                keys=["strategy/common.go|common.go", "modified|changed|edited|exported|updated"],
            ),
            trap(
                "getSessionDescriptionFromTree was exported",
                of="GetDescriptionForCheckpoint was exported",
                keys=["getSessionDescriptionFromTree", "exported|renamed|public|made public"],
            ),
        ],
    )
    log.probe(
        "new-functions",
        "recall",
        "In data.go, what came in place of findSessionsOnBranch, of findBranchesForCheckpoint and "
        "of "
        "getMostRecentActivity, to how many characters is the hash of a commit cut, and what "
        "happens "
        "with a checkpoint that a commit names but that is not in entire/sessions?",
        [
            fact(
                "findCheckpointsOnBranch",
                type="identifier",
                keys=["findCheckpointsOnBranch"],
            ),
            fact(
                "findBranchesAndCommitsForCheckpoint",
                type="identifier",
                keys=["findBranchesAndCommitsForCheckpoint"],
            ),
            fact(
                "getMostRecentCheckpointActivity",
                type="identifier",
                keys=["getMostRecentCheckpointActivity"],
            ),
            fact(
                "the hash is cut to 7 characters",
                type="value",
                keys=[
                    "hash|Hash|CommitHash|commit hash|c.Hash.String()",
                    "7|7 characters|[:7]|seven",
                ],
                said_in=["m0035", "m0036", "m0037", "m0038"],
            ),
            fact(
                "a checkpoint that is not in entire/sessions is left out, it may be pruned",
                type="state",
                keys=[
                    "left out|skipped|skip|ignored|dropped|pruned|omitted|not listed|not shown",
                    "checkpoint|it|checkpoints",
                ],
                said_in=["m0035", "m0036"],
            ),
        ],
        [
            trap(
                "the hash is cut to 8 characters",
                of="the hash is cut to 7 characters",
                keys=["hash|commit hash|CommitHash", "8|12|40|8 characters"],
            ),
        ],
    )
    log.probe(
        "labels",
        "recall",
        "How does the view speak now: what is its title, what does it say of an empty list, after "
        "how many characters does view.go shorten a commit message, and after how many tree.go?",
        [
            fact(
                "the title is Entire Checkpoints",
                type="value",
                keys=["Entire Checkpoints", "title|titleStyle|heading|header|headline"],
                said_in=["m0069", "m0070"],
            ),
            fact(
                "an empty list says: No checkpoints found.",
                type="value",
                keys=[
                    "No checkpoints found",
                    "empty|message|says|prints|shows|list|WriteString|text",
                ],
            ),
            fact(
                "view.go shortens a commit message above 40 characters",
                type="value",
                keys=["view.go|message|msg|commit message|formatNodeLabel", "40|37"],
                said_in=["m0067", "m0068"],
            ),
            fact(
                "tree.go shortens a commit message above 50 characters",
                type="value",
                keys=["tree.go|message|msg|commit message|formatCheckpointLabel", "50|47"],
                said_in=["m0059", "m0060"],
            ),
        ],
        [
            trap(
                "the title is Entire Sessions",
                of="the title is Entire Checkpoints",
                keys=["Entire Sessions"],
            ),
            trap(
                "an empty list says: No sessions found.",
                of="an empty list says: No checkpoints found.",
                keys=["No sessions found"],
            ),
            trap(
                "view.go shortens a commit message above 50 characters",
                of="view.go shortens a commit message above 40 characters",
                keys=["view.go|formatNodeLabel", "50|47|30"],
            ),
            trap(
                "tree.go shortens a commit message above 40 characters",
                of="tree.go shortens a commit message above 50 characters",
                keys=["tree.go|formatCheckpointLabel", "40|37|30"],
            ),
        ],
    )
    log.probe(
        "actions",
        "decision",
        "How do open, resume and rewind find what they need now: where does a checkpoint node have "
        "its session from, where a session node its checkpoint, what does resume take for a "
        "branch, "
        "and for which nodes alone is rewind allowed?",
        [
            fact(
                "a checkpoint node stores its session info directly",
                type="decision",
                keys=[
                    "checkpoint|checkpoint node|node.SessionID|NodeTypeCheckpoint",
                    "directly|SessionID field|node.SessionID|own SessionID",
                    "session|session info|SessionID|session ID",
                ],
                said_in=["m0077", "m0078", "m0081"],
            ),
            fact(
                "a session node gets its checkpoint from its parent",
                type="decision",
                keys=[
                    "session|session node|NodeTypeSession",
                    "parent|node.Parent|parent node",
                    "checkpoint|CheckpointID|checkpointID",
                ],
                said_in=["m0077", "m0078", "m0079", "m0080"],
            ),
            fact(
                "resume of a branch takes the first child, the most recent checkpoint",
                type="state",
                keys=[
                    "most recent checkpoint|latest checkpoint|newest checkpoint|first child|"
                    "Children[0]",
                    "branch|resume|PerformResume|child",
                ],
                said_in=["m0079", "m0080"],
            ),
            fact(
                "rewind is only available for checkpoints",
                type="constraint",
                keys=["rewind|PerformRewind", "checkpoint|checkpoints|NodeTypeCheckpoint", "only"],
                said_in=["m0076", "m0081", "m0082"],
            ),
        ],
        [
            trap(
                "rewind is available for sessions as well",
                of="rewind is only available for checkpoints",
                keys=["rewind|PerformRewind", "sessions as well|sessions too|any node|every node"],
            ),
            trap(
                "resume of a branch takes the most recent session",
                of="resume of a branch takes the first child, the most recent checkpoint",
                keys=["resume|branch", "most recent session|latest session|newest session"],
            ),
        ],
    )
    log.probe(
        "json-output",
        "file",
        "Which file makes the output of the --json flag and was changed, which struct now carries "
        "session_id and steps_count, what does a branch hold there, and by which call is the "
        "output "
        "really printed?",
        [
            fact(
                "cmd/entire/cli/list.go was modified",
                type="path",
                keys=["cmd/entire/cli/list.go"],
                change="modified",
                said_in=["m0099", "m0100"],
            ),
            fact(
                "checkpointJSON carries session_id and steps_count",
                type="identifier",
                keys=["checkpointJSON"],
                said_in=["m0099", "m0100"],
            ),
            fact(
                "branchJSON holds checkpoints",
                type="state",
                keys=[
                    "branchJSON|branch|branches",
                    "Checkpoints|checkpoints|[]checkpointJSON",
                    "JSON|json|branchJSON|field|array|holds|carries|instead",
                ],
                said_in=["m0099", "m0100"],
            ),
            fact(
                "the output is printed by fmt.Printf with %+v, not marshalled",
                type="state",
                keys=["fmt.Printf|Printf|%+v"],
                said_in=["m0099", "m0100"],
            ),
        ],
        [
            trap(
                "sessionJSON carries session_id and steps_count",
                of="checkpointJSON carries session_id and steps_count",
                keys=["sessionJSON", "session_id|steps_count|carries|holds"],
            ),
            trap(
                "branchJSON holds sessions",
                of="branchJSON holds checkpoints",
                keys=["branchJSON|branch", "holds sessions|sessions list|Sessions []sessionJSON"],
            ),
            trap(
                "the output is printed by json.Marshal",
                of="the output is printed by fmt.Printf with %+v, not marshalled",
                keys=["json.Marshal|json.MarshalIndent|json.NewEncoder|encoding/json"],
            ),
        ],
    )


def ask_earlier(log: ImportedLog) -> None:
    """What was said before the first point and is still needed at the second."""
    fact, trap = log.fact, log.trap
    log.probe(
        "why-turned-round",
        "decision",
        "A reviewer wants the checkpoints below their session again. What speaks against it by the "
        "words of the user, and which other command, at which line of session.go, still prints a "
        "number of checkpoints that counts what?",
        [
            fact(
                "checkpoints in entire/sessions belong to a commit",
                type="reason",
                keys=[
                    "checkpoint|checkpoints|they",
                    "belong|belongs|tied|attached|linked|bound|correspond|corresponds|associated|"
                    "anchored",
                    "commit|commits",
                ],
                said_in=["m0012", "m0013"],
            ),
            fact(
                "the same session might be in multiple checkpoints, at different points in time",
                type="reason",
                keys=[
                    "session|sessions",
                    "multiple checkpoints|several checkpoints|many checkpoints|checkpoints",
                    "multiple|several|different points in time|points in time|point in time|"
                    "different times|evolves|different states|state at",
                ],
                said_in=["m0012"],
            ),
            fact(
                "entire session list prints it at session.go:515",
                type="identifier",
                keys=["session|session.go", "515"],
                said_in=["m0003", "m0005"],
            ),
            fact(
                "that number counts Entire-Checkpoint entries, no steps",
                type="state",
                keys=[
                    "Entire-Checkpoint|commit-level checkpoint|commit-level checkpoints|"
                    "commit-level",
                    "count|counts|counting|number|entries|entry|len(sess.Checkpoints)",
                ],
                said_in=["m0005", "m0011"],
            ),
        ],
        [
            trap(
                "that number counts steps",
                of="that number counts Entire-Checkpoint entries, no steps",
                keys=["counts|count|counting", "steps|step|steps count"],
            ),
            trap(
                "entire session list prints it at session.go:563",
                of="entire session list prints it at session.go:515",
                keys=["session|session.go", "563"],
            ),
        ],
    )
    log.probe(
        "scan-rules",
        "recall",
        "By which rules, unchanged by the refactoring, does data.go work: when does a session with "
        "a "
        "state file count as active, which commit ends the scan of a branch, which branches are "
        "passed over by their prefix, and what is the name of the main branch if nothing is found?",
        [
            fact(
                "active if its base commit is among the last 20 commits of the current branch",
                type="value",
                keys=[
                    "20|maxRecentCommits",
                    "base commit|BaseCommit|commits|history|recent|maxRecentCommits",
                ],
            ),
            fact(
                "the scan stops at the merge-base with main",
                type="state",
                keys=[
                    "merge-base|merge base|mergeBase|mergeBaseHash",
                    "stop|stops|stopped|end|ends|reached|halts|until|up to",
                ],
            ),
            fact(
                "branches that begin with entire/ are skipped",
                type="state",
                keys=[
                    "entire/|shadow branches|shadow branch",
                    "skip|skips|skipped|ignored|passed over|left out|excluded|ignores",
                ],
            ),
            fact(
                "without a remote HEAD, main or master it falls back to main",
                type="value",
                keys=[
                    "main",
                    "fallback|fall back|falls back|default|defaults|return|returns|assumed|assumes",
                ],
            ),
        ],
        [
            trap(
                "active if its base commit is among the last 50 commits",
                of="active if its base commit is among the last 20 commits of the current branch",
                keys=["50", "base commit|BaseCommit|active"],
            ),
            trap(
                "the scan stops at the first trailer",
                of="the scan stops at the merge-base with main",
                keys=["stop|stops|ends", "first trailer|first checkpoint trailer"],
            ),
        ],
    )


SESSION = RealSession(
    ask,
    "claude-code-compacted/session-3.jsonl",
    "refactoring",
    "The list of a session logger is turned round: branch, checkpoint, session",
    "MIT",
    "https://github.com/entireio/cli",
)
