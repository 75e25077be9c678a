"""A commit is linked to a checkpoint of another session; the cause is found in several attempts."""

from imported import ImportedLog, RealSession

HOOKS = "cmd/entire/cli/strategy/manual_commit_hooks.go"


def ask(log: ImportedLog) -> None:
    """What is asked after each point."""
    _ask_symptom(log)
    _ask_options(log)
    log.go_on()
    _ask_causes(log)
    _ask_design(log)
    log.go_on()
    _ask_fix(log)
    _ask_issue(log)


def _ask_symptom(log: ImportedLog) -> None:
    fact, trap = log.fact, log.trap
    log.probe(
        "foreign-checkpoint",
        "recall",
        "Checkpoint e6d2bbd73e25 was found in a commit that it does not belong to. Which commit on "
        "entire/sessions wrote it, from which ephemeral branch, how many transcript lines had its "
        "session condensed, and what did the check of that session's base commit against HEAD give?",
        [
            fact(
                "1cba8f7 wrote the checkpoint",
                type="identifier",
                keys=["1cba8f7", "Checkpoint|e6d2bbd73e25|metadata|wrote|written|entire/sessions"],
            ),
            fact(
                "the checkpoint came from the ephemeral branch entire/c602022",
                type="identifier",
                keys=["entire/c602022"],
            ),
            fact(
                "the session had condensed 1193 transcript lines",
                type="value",
                keys=["condensed_transcript_lines|condensed|transcript lines|lines", "1193"],
            ),
            fact(
                "the base commit of the session is not an ancestor of HEAD",
                type="command",
                keys=["not ancestor|not an ancestor|no ancestor|unrelated to HEAD|not reachable"],
                said_in=log.holding("No, not ancestor\n", "No, not ancestor"),
            ),
        ],
        [
            trap(
                "the base commit of the session is an ancestor of HEAD",
                of="the base commit of the session is not an ancestor of HEAD",
                keys=["is an ancestor|yes, ancestor", "base commit|HEAD"],
            ),
            trap(
                "the checkpoint came from the ephemeral branch entire/d719ff8",
                of="the checkpoint came from the ephemeral branch entire/c602022",
                keys=["entire/d719ff8|entire/755d3e8", "ephemeral|e6d2bbd73e25"],
            ),
        ],
    )
    log.probe(
        "own-session",
        "recall",
        "What does the state of the session that made the commits say: its last checkpoint and the "
        "commit it stands on? Which shadow branch exists beside the one of that commit, how many "
        "sessions did the post-commit hook find, and how many checkpoints went into d599f72ee73a?",
        [
            fact(
                "4 checkpoints were condensed into d599f72ee73a",
                type="value",
                keys=["d599f72ee73a", "checkpoints_condensed|checkpoints", "4|four"],
            ),
            fact(
                "the last_checkpoint_id of session 0cf3db51 is null",
                type="state",
                keys=["last_checkpoint_id|LastCheckpointID", "null|nil|none|empty|unset"],
            ),
            fact(
                "session 0cf3db51 stands on d719ff8",
                type="identifier",
                keys=[
                    "base_commit|BaseCommit|base commit|stands on",
                    "d719ff8|d719ff868f74214a369b8c2bef7a73957fc7f9de",
                ],
            ),
            fact(
                "the shadow branch entire/03ba850 exists",
                type="identifier",
                keys=["entire/03ba850"],
            ),
            fact(
                "77 sessions were found by the post-commit hook",
                type="value",
                keys=["sessions_found|sessions", "77"],
            ),
        ],
        [
            trap(
                "the last_checkpoint_id of session 0cf3db51 is e6d2bbd73e25",
                of="the last_checkpoint_id of session 0cf3db51 is null",
                keys=["0cf3db51|current session|own session", "e6d2bbd73e25", "last_checkpoint_id"],
            ),
            trap(
                "session 0cf3db51 stands on 7d4baab",
                of="session 0cf3db51 stands on d719ff8",
                keys=["0cf3db51|current session|own session", "7d4baab"],
            ),
        ],
    )
    log.probe(
        "reuse-rules",
        "file",
        "How does the prepare-commit-msg hook choose a checkpoint to reuse when there is no new "
        "content: which sessions does it take first, which condition on the touched files applies, "
        "what for, and what does it mean if there are none, and when is LastCheckpointID cleared?",
        [
            fact(
                "sessions whose BaseCommit matches the current HEAD are taken first",
                type="state",
                keys=[
                    "BaseCommit|base commit",
                    "HEAD",
                    "match|matches|matching|equals|filter|same",
                ],
            ),
            fact(
                "an empty FilesTouched means commits made before the session stop",
                type="reason",
                keys=[
                    "FilesTouched|files_touched|touched files",
                    "before session stop|before the stop",
                ],
            ),
            fact(
                "a checkpoint is reused if FilesTouched is empty or overlaps with the staged files",
                type="state",
                keys=[
                    "FilesTouched|files_touched|touched files",
                    "empty|none",
                    "overlap|overlaps|overlapping|hasOverlappingFiles",
                ],
            ),
            fact(
                "the overlap of files prevents unrelated commits from reusing",
                type="reason",
                keys=["unrelated commits|unrelated commit", "reuse|reusing|overlap|overlapping"],
            ),
            fact(
                "LastCheckpointID is cleared on every new prompt",
                type="state",
                keys=[
                    "LastCheckpointID|last checkpoint",
                    "clear|cleared|reset|emptied",
                    "new prompt|every prompt|prompt|UserPromptSubmit",
                ],
            ),
        ],
        [
            trap(
                "LastCheckpointID is cleared after every commit",
                of="LastCheckpointID is cleared on every new prompt",
                keys=["LastCheckpointID", "cleared", "after every commit|on every commit"],
            ),
        ],
    )


def _ask_options(log: ImportedLog) -> None:
    fact, trap = log.fact, log.trap
    log.probe(
        "fix-options",
        "decision",
        "Which options for a fix of the prepare-commit-msg hook were offered (all of them), and how many "
        "lines of code is each about? What is the downside of the smallest one?",
        [
            fact(
                "option A: remove the fallback, about 3 lines",
                type="decision",
                keys=["fallback|option A", "3 lines|3-line|three lines|three-line|lines 3"],
                said_in=["m0042"],
            ),
            fact(
                "option B adds a recency check of 30 minutes, about 5 lines",
                type="decision",
                keys=["recency|recent|active|option B", "5 lines|five lines|30 minutes"],
            ),
            fact(
                "option C checks ancestry, about 10 lines",
                type="decision",
                keys=["ancestry|ancestor|option C", "10 lines|ten lines"],
            ),
            fact(
                "option A loses the feature of split commits",
                type="reason",
                keys=[
                    "split commits|split commit|multiple manual commits|splitting",
                    "lose|loses|losing|lost|downside|drawback|breaks|no longer",
                ],
            ),
        ],
        [
            trap(
                "option B accepts sessions of the last 5 minutes",
                of="option B adds a recency check of 30 minutes, about 5 lines",
                keys=["recency|recent|option B|active", "5 minutes|10 minutes"],
            ),
        ],
    )
    log.probe(
        "users-doubts",
        "continuation",
        "The agent suspected that subagents ran into each other when the hook saw no new content. What "
        "does the user say to that, how far apart in seconds did the agent find the commits, which of "
        "them came at 18:00:37, and what did the user ask before about Claude and its commits?",
        [
            fact(
                "the user does not think the reviewer would have been making commits",
                type="constraint",
                keys=["reviewer", "making commits|made commits|commit|commits|committed"],
                said_in=["m0073"],
            ),
            fact(
                "the commits were 58 seconds apart",
                type="value",
                keys=["commits|commit|apart", "58 seconds|58 s|58 sec"],
            ),
            fact(
                "1b72a7e was committed at 18:00:37",
                type="identifier",
                keys=["1b72a7e"],
            ),
            fact(
                "has claude done 2 commits without any prompts in between?",
                type="constraint",
                keys=[
                    "2 commits|two commits",
                    "prompts in between|without prompts|without any prompts",
                ],
            ),
        ],
        [
            trap(
                "the commits were 39 seconds apart",
                of="the commits were 58 seconds apart",
                keys=["commits", "39 seconds", "apart"],
            ),
        ],
    )
    log.probe(
        "swallowed-errors",
        "recall",
        "sessionHasNewContent takes any failed look at the shadow branch as no content: which "
        "contention could that hide, when is it normal by the comment of the code that the branch is "
        "missing, with which error does the function fail if the commit of the branch cannot be read, "
        "and what does filterSessionsWithNewContent do with a session when the check fails?",
        [
            fact(
                "an unreadable commit gives failed to get commit object",
                type="error",
                keys=["failed to get commit object|get commit object"],
            ),
            fact(
                "lock contention could be hidden",
                type="reason",
                keys=["lock contention|index.lock|git lock|locking"],
            ),
            fact(
                "a missing shadow branch is expected after condensation",
                type="reason",
                keys=["expected", "after condensation|BaseCommit was updated"],
            ),
            fact(
                "on error the session is included",
                type="state",
                keys=[
                    "error|fails",
                    "include|included|includes|fail open|kept",
                    "session|sessions",
                ],
                said_in=log.holding("On error, include the session (fail open for hooks)"),
            ),
        ],
        [
            trap(
                "on error the session is skipped",
                of="on error the session is included",
                keys=["on error|error", "skipped|left out|excluded", "session"],
            ),
        ],
    )


def _ask_causes(log: ImportedLog) -> None:
    fact, trap = log.fact, log.trap
    log.probe(
        "log-timeline",
        "recall",
        "According to the log of the hooks: which checkpoint did the hook reuse at 18:08:20 and which at "
        "18:09:42, at what time was e6d2bbd73e25 reused for the first time, and which checkpoints came "
        "with new content at 18:18:15 and at 18:19:31?",
        [
            fact(
                "48cfe773289f came with new content at 18:19:31",
                type="identifier",
                keys=["18:19:31|2026-01-21T18:19:31", "48cfe773289f"],
            ),
            fact(
                "102b7007badc was reused at 18:08:20",
                type="identifier",
                keys=["18:08:20|2026-01-21T18:08:20", "102b7007badc"],
            ),
            fact(
                "e6d2bbd73e25 was first reused at 18:09:06",
                type="value",
                keys=["18:09:06|2026-01-21T18:09:06", "e6d2bbd73e25"],
            ),
            fact(
                "9e5aa3277660 was reused at 18:09:42",
                type="identifier",
                keys=["18:09:42|2026-01-21T18:09:42", "9e5aa3277660"],
            ),
            fact(
                "e12c3e2b3f2a came with new content at 18:18:15",
                type="identifier",
                keys=["18:18:15|2026-01-21T18:18:15", "e12c3e2b3f2a"],
            ),
        ],
        [
            trap(
                "e6d2bbd73e25 was first reused at 18:00:37",
                of="e6d2bbd73e25 was first reused at 18:09:06",
                keys=["18:00:37", "e6d2bbd73e25"],
            ),
            trap(
                "95648a30fde0 was reused at 18:08:20",
                of="102b7007badc was reused at 18:08:20",
                keys=["18:08:20", "95648a30fde0"],
            ),
        ],
    )
    log.probe(
        "clearing-history",
        "decision",
        "Why does the code clear LastCheckpointID, which commit brought that in, what does the test "
        "of it want after a new prompt, and which case does it leave out? How did the user comment on the "
        "agent's earlier findings?",
        [
            fact(
                "a new prompt is taken as fresh work",
                type="reason",
                keys=["new prompt|prompt|prompts", "fresh work|starting fresh"],
            ),
            fact(
                "the initial commit e72157d brought it in",
                type="identifier",
                keys=["e72157d", "initial|first|original|introduced|brought|day one|baked"],
            ),
            fact(
                "the test wants different checkpoint IDs after a new prompt",
                type="state",
                keys=[
                    "checkpoint IDs|checkpoint ID|IDs",
                    "different|differ|DIFFERENT",
                    "new prompt",
                ],
            ),
            fact(
                "the test does not cover commits before a Stop event",
                type="state",
                keys=[
                    "test|tests",
                    "not cover|doesn't cover|not covered|uncovered",
                    "Stop|during work|mid-work|committing during",
                ],
                said_in=["m0171"],
            ),
            fact(
                "the user thinks the root cause was called prematurely a couple of times",
                type="constraint",
                keys=["root cause", "prematurely|premature|too early|too soon|early"],
            ),
        ],
        [
            trap(
                "commit 40d13cb brought it in later",
                of="the initial commit e72157d brought it in",
                keys=["40d13cb", "introduced|brought in|added later|origin"],
            ),
        ],
    )
    log.probe(
        "before-the-compaction",
        "recall",
        "At the start of the investigation the log and the history were read: how many transcript lines "
        "were condensed at 17:59:39, which commit adds the failing test for the default checkpoint "
        "format, and which one implements the lookup of checkpoints by ID prefix?",
        [
            fact(
                "40893d7 adds the failing test for the default checkpoint format",
                type="identifier",
                keys=["40893d7", "failing test|test|default checkpoint format"],
            ),
            fact(
                "567 transcript lines were condensed at 17:59:39",
                type="value",
                keys=["transcript_lines|transcript lines|lines|condensed", "567"],
            ),
            fact(
                "03a2f88 implements the lookup by ID prefix",
                type="identifier",
                keys=["03a2f88", "lookup|ID prefix|prefix"],
            ),
        ],
        [
            trap(
                "5afb02e adds the failing test for the default checkpoint format",
                of="40893d7 adds the failing test for the default checkpoint format",
                keys=["5afb02e", "failing test|test"],
            ),
        ],
    )


def _ask_design(log: ImportedLog) -> None:
    fact, trap = log.fact, log.trap
    log.probe(
        "users-view",
        "continuation",
        "How does the user see the reuse of checkpoints: what is 'no new content' really, on what alone "
        "does the code go, for which scenario is the reuse meant, and how many files did the user "
        "change by hand?",
        [
            fact(
                "'no new content' is really 'no new chat activity'",
                type="constraint",
                keys=[
                    "no new content|new content",
                    "no new chat activity|chat activity|chat events",
                ],
                said_in=["m0147"],
            ),
            fact(
                "the code goes only on the events that are watched",
                type="state",
                keys=["events|event", "watch|watched|watching|observe|observed"],
                said_in=["m0149"],
            ),
            fact(
                "reuse is for the user's own additional commit while Claude is dormant",
                type="constraint",
                keys=["dormant|idle|inactive|not working", "reuse|user|additional commit"],
            ),
            fact(
                "the user made zero manual file changes",
                type="constraint",
                keys=["manual file changes|manual changes|changes by hand", "zero|0|no|none"],
            ),
        ],
        [
            trap(
                "reuse is for commits while Claude is working",
                of="reuse is for the user's own additional commit while Claude is dormant",
                keys=["reuse", "is for|meant for", "Claude is working|active session"],
            ),
        ],
    )
    log.probe(
        "uncaptured-lines",
        "recall",
        "How large was the gap between the transcript of the current session and what had been captured: "
        "how many lines has the transcript, how many are condensed, how many are uncaptured? At what "
        "time had that session started?",
        [
            fact(
                "the transcript has 1305 lines",
                type="value",
                keys=["transcript|lines|jsonl", "1305"],
            ),
            fact(
                "989 lines are condensed",
                type="value",
                keys=["condensed_transcript_lines|condensed|captured|lines", "989"],
            ),
            fact(
                "316 lines are uncaptured",
                type="value",
                keys=["316", "uncaptured|not captured|missing|lines|gap"],
            ),
            fact(
                "the session started at 16:17:41",
                type="value",
                keys=["started_at|started|start|began", "16:17:41|2026-01-21T16:17:41"],
            ),
        ],
        [
            trap(
                "1274 lines are condensed",
                of="989 lines are condensed",
                keys=["1274", "condensed"],
            ),
            trap(
                "285 lines are uncaptured",
                of="316 lines are uncaptured",
                keys=["285|315", "uncaptured|not captured|gap"],
            ),
        ],
    )
    log.probe(
        "captured-events",
        "file",
        "Which hooks of Claude save something: what does Stop call, what do PreTask and PostTask call, "
        "when does PostTodo skip silently? Does the auto-commit strategy use LastCheckpointID, and in "
        "which file are the handlers of the hooks?",
        [
            fact(
                "Stop calls SaveChanges",
                type="state",
                keys=["Stop", "SaveChanges"],
            ),
            fact(
                "PreTask and PostTask call SaveTaskCheckpoint",
                type="state",
                keys=["PreTask|PostTask|pre-task|post-task|subagent", "SaveTaskCheckpoint"],
            ),
            fact(
                "PostTodo skips silently if not in subagent context",
                type="state",
                keys=[
                    "skips silently|skip|skips|skipped",
                    "main agent|not in subagent|outside subagent",
                ],
                said_in=log.holding("Skips silently if not in subagent context"),
            ),
            fact(
                "auto-commit does not use LastCheckpointID",
                type="command",
                keys=[
                    "auto-commit|auto_commit.go|auto",
                    "LastCheckpointID|last checkpoint|no reuse|reuse",
                    "doesn't use|not use|no use|no matches|never uses|unused|not used",
                ],
                said_in=["m0189"],
            ),
            fact(
                "cmd/entire/cli/hooks_claudecode_handlers.go was read",
                type="path",
                change="read",
                keys=["cmd/entire/cli/hooks_claudecode_handlers.go"],
            ),
        ],
        [
            trap(
                "UserPromptSubmit calls SaveChanges",
                of="Stop calls SaveChanges",
                keys=["UserPromptSubmit", "SaveChanges"],
            ),
        ],
    )


def _ask_fix(log: ImportedLog) -> None:
    fact, trap = log.fact, log.trap
    log.probe(
        "fix-in-hooks",
        "file",
        "What was changed in the hooks: what does PostCommit do now when there is nothing to condense "
        "on which log level does it report that, and with which message if the update fails, what happens in PrepareCommitMsg when no session "
        "matches HEAD, and which file was edited?",
        [
            fact(
                "PostCommit updates BaseCommit even with nothing to condense",
                type="decision",
                keys=[
                    "BaseCommit",
                    "update|updates|updated|updating",
                    "no content|nothing to condense|without condensation|no condensation|"
                    "even when no|no new content",
                ],
                said_in=["m0253", "m0285"],
            ),
            fact(
                "no new content to condense is logged on level Debug",
                type="value",
                keys=["logging.Debug|Debug", "no new content to condense|log level|level|Warn"],
            ),
            fact(
                "a warning says post-commit: failed to update session BaseCommit",
                type="error",
                keys=["failed to update session BaseCommit", "logging.Warn|warning|Warn|warns"],
            ),
            fact(
                "without a session that matches HEAD no trailer is added",
                type="decision",
                keys=[
                    "no trailer|not add a trailer|don't add a trailer|trailer is omitted",
                    "HEAD|match|matches|session|sessions",
                ],
                said_in=["m0259", "m0285"],
            ),
            fact(
                f"{HOOKS} was modified",
                type="path",
                change="modified",
                keys=[HOOKS],
            ),
        ],
        [
            trap(
                "without a session that matches HEAD all sessions are taken",
                of="without a session that matches HEAD no trailer is added",
                keys=["all sessions", "are taken now|still falls back|falls back now"],
            ),
        ],
    )
    log.probe(
        "regression-test",
        "recall",
        "Which regression test was added to which file, at which of its commits did it fail at first "
        "and which checkpoint had it wanted there, why was that expectation wrong, and how did the "
        "tests of the strategy package end in the full run?",
        [
            fact(
                "TestShadowStrategy_BaseCommitUpdatedOnReuse was added",
                type="identifier",
                keys=["TestShadowStrategy_BaseCommitUpdatedOnReuse"],
            ),
            fact(
                "cmd/entire/cli/integration_test/last_checkpoint_id_test.go was modified",
                type="path",
                change="modified",
                keys=["cmd/entire/cli/integration_test/last_checkpoint_id_test.go"],
            ),
            fact(
                "the third commit should have reused f9a2b688c72c",
                type="error",
                keys=["third commit|Third commit|third", "f9a2b688c72c"],
            ),
            fact(
                "file C was not in the transcript, so it was a manual commit",
                type="reason",
                keys=[
                    "file C|fileC.txt|fileC|third file",
                    "wasn't in|not in|not part of|manual commit|not touched|outside",
                ],
            ),
            fact(
                "the tests of cmd/entire/cli/strategy passed",
                type="command",
                keys=["strategy", "ok|pass|passed|passes|green"],
                said_in=log.holding("6.996s"),
            ),
        ],
        [
            trap(
                "the second commit should have reused f9a2b688c72c and failed",
                of="the third commit should have reused f9a2b688c72c",
                keys=["second commit", "f9a2b688c72c", "failed|fails"],
            ),
        ],
    )
    log.probe(
        "other-sessions",
        "recall",
        "Which other session of the same day was looked at in this worktree, on which base commit and with "
        "which last checkpoint? Why does the code match sessions by worktree and not by BaseCommit, "
        "and what did the search for the base commit of the old session give?",
        [
            fact(
                "the other session is 0cd9edf7",
                type="identifier",
                keys=["2026-01-21-0cd9edf7-459c-4900-af40-cf2c64dea525|0cd9edf7"],
            ),
            fact(
                "its base commit is 863bfd3",
                type="identifier",
                keys=[
                    "base_commit|BaseCommit|base commit|stands on",
                    "863bfd360cb2276744079fc63e814ad14be42570|863bfd3",
                ],
            ),
            fact(
                "its last checkpoint is d599f72ee73a",
                type="identifier",
                keys=["last_checkpoint_id|LastCheckpointID|last checkpoint", "d599f72ee73a"],
            ),
            fact(
                "the user may have made intermediate commits without entering new prompts",
                type="reason",
                keys=["intermediate commits", "diverge|diverged|without entering new prompts"],
            ),
            fact(
                "7d4baab was not found in recent history",
                type="command",
                keys=["not found", "history|7d4baab"],
                said_in=log.holding("Not found in recent history"),
            ),
        ],
        [
            trap(
                "0cd9edf7 has the last checkpoint e6d2bbd73e25",
                of="its last checkpoint is d599f72ee73a",
                keys=["0cd9edf7", "e6d2bbd73e25"],
            ),
        ],
    )


def _ask_issue(log: ImportedLog) -> None:
    fact, trap = log.fact, log.trap
    log.probe(
        "linear-card",
        "continuation",
        "Where was the problem filed: which issue, project, milestone and status? How are the changes "
        "of this session to be taken on?",
        [
            fact(
                "the issue is ENT-112",
                type="identifier",
                keys=["ENT-112"],
            ),
            fact(
                "the project is Troy",
                type="constraint",
                keys=["Troy", "project|issue|Linear|ENT-112"],
                said_in=log.saying("attach it to project Troy"),
            ),
            fact(
                "the milestone is R1",
                type="constraint",
                keys=["milestone", "R1"],
                said_in=log.saying("Milestone R1"),
            ),
            fact(
                "the status is Backlog",
                type="value",
                keys=["status|state", "Backlog"],
            ),
            fact(
                "the changes go to a new branch that references the same issue",
                type="next_step",
                keys=[
                    "new branch|separate branch|fresh branch",
                    "same issue|issue|ENT-112|reference",
                ],
                said_in=log.saying("we will take our changes to a new branch"),
            ),
        ],
        [
            trap(
                "problem 2 is filed as a card of its own",
                of="the issue is ENT-112",
                keys=["ENT-113|second card|two cards|separate card"],
            ),
            trap(
                "ENT-112 is In Progress",
                of="the status is Backlog",
                keys=["ENT-112|issue", "In Progress"],
            ),
        ],
    )
    log.probe(
        "stale-reuse",
        "decision",
        "How was the scenario of a blind reuse corrected when the user asked back: who makes the commits "
        "in it? Which cause is left open after this session? Which error did a call to the Linear "
        "server give while the card was prepared?",
        [
            fact(
                "Claude makes the commits",
                type="state",
                keys=[
                    "Claude",
                    "making the commits|makes the commits|commits again|commits itself",
                ],
                said_in=["m0289"],
            ),
            fact(
                "the growth of the transcript remains unfixed",
                type="state",
                keys=[
                    "transcript growth|transcript has grown|transcript grew|growth of the transcript|"
                    "problem 2",
                    "unfixed|not fixed|not addressed|remains|still open|not checked",
                ],
                said_in=["m0287", "m0291"],
            ),
            fact(
                "(0 , import_dist.default) is not a function",
                type="error",
                keys=["import_dist.default|import_dist", "not a function"],
            ),
        ],
        [
            trap(
                "the user makes the commits by hand",
                of="Claude makes the commits",
                keys=["user", "makes the commits by hand|commits by hand"],
            ),
        ],
    )
    log.probe(
        "style-cleanup",
        "recall",
        "Before the debugging the session had cleaned up the explain command: what was replaced by "
        "what, in which file and which two functions, and which tests were run then?",
        [
            fact(
                "fmt.Fprintf replaced sb.WriteString(fmt.Sprintf())",
                type="decision",
                keys=["fmt.Fprintf|Fprintf", "WriteString|fmt.Sprintf|Sprintf"],
            ),
            fact(
                "cmd/entire/cli/explain.go was modified",
                type="path",
                change="modified",
                keys=["cmd/entire/cli/explain.go"],
            ),
            fact(
                "formatSessionInfo was changed",
                type="identifier",
                keys=["formatSessionInfo"],
            ),
            fact(
                "formatCommitInfo was changed",
                type="identifier",
                keys=["formatCommitInfo"],
            ),
            fact(
                "go test -run TestFormat was run after it",
                type="command",
                keys=["TestFormat"],
            ),
        ],
        [
            trap(
                "outputWithPager was changed",
                of="formatCommitInfo was changed",
                keys=["outputWithPager", "changed|replaced|cleaned"],
            ),
        ],
    )


SESSION = RealSession(
    ask,
    "claude-code-compacted/session-4.jsonl",
    "debugging",
    "A commit carries the checkpoint of an old session, and the cause moves with every look",
    "MIT",
    "https://github.com/entireio/cli",
)
