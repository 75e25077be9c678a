"""One commit of the user becomes four commits of checkpoints; stale sessions after a git reset."""

from imported import ImportedLog, RealSession

OLD = "old|orphaned|leftover|before the reset|stale|pre-reset"
NEW = "new|fresh|started after the reset|post-reset|newly started"
ISSUE = "ISSUE-orphaned-sessions.md"


def ask(log: ImportedLog) -> None:
    """What is asked after each point."""
    _ask_causes(log)
    _ask_issue(log)
    log.go_on()
    _ask_before_the_first_point(log)
    _ask_batching(log)


def _ask_causes(log: ImportedLog) -> None:
    fact, trap = log.fact, log.trap
    log.probe(
        "duplicate-commits",
        "recall",
        "In the gemini_test repository several commits on entire/sessions carry one checkpoint: how many "
        "checkpoints does its metadata.json count, and which commit wrote which session?",
        [
            fact(
                "the metadata counts 4 checkpoints",
                type="value",
                keys=["checkpoints_count|CheckpointsCount|checkpoints", "4|four"],
                said_in=log.holding('"checkpoints_count": 4'),
            ),
            fact(
                "commit 81aee64 wrote session d45a7c90",
                type="identifier",
                keys=["81aee64", "d45a7c90"],
            ),
            fact(
                "commit c714042 wrote session ae4b7c68",
                type="identifier",
                keys=["c714042", "ae4b7c68"],
            ),
            fact(
                "commit 9d9db08 wrote session 34157bc5",
                type="identifier",
                keys=["9d9db08", "34157bc5"],
            ),
            fact(
                "commit 7f78b38 wrote session 0eb220a6",
                type="identifier",
                keys=["7f78b38", "0eb220a6"],
            ),
        ],
        [
            trap(
                "commit 81aee64 wrote session 0eb220a6",
                of="commit 81aee64 wrote session d45a7c90",
                keys=["81aee64", "0eb220a6"],
            ),
        ],
    )
    log.probe(
        "commit-per-session",
        "decision",
        "Why does entire/sessions grow by several entries at once: which function does the post-commit "
        "hook run on what it found and how, in which file, what does the function behind it do every "
        "time, and is any data lost?",
        [
            fact(
                "the post-commit hook loops over the sessions and calls CondenseSession for each",
                type="reason",
                keys=[
                    "CondenseSession|condense",
                    "each|loop|loops|one after the other|per session|separately|sequentially|iterates",
                    "sessionsWithContent|session|sessions",
                ],
            ),
            fact(
                "cmd/entire/cli/strategy/manual_commit_hooks.go was read",
                type="path",
                change="read",
                keys=["cmd/entire/cli/strategy/manual_commit_hooks.go"],
            ),
            fact(
                "each WriteCommitted call creates a separate commit",
                type="reason",
                keys=[
                    "WriteCommitted|createCommit",
                    "separate|own|every|individual|another commit|one commit each|new commit",
                ],
                said_in=["m0030"],
            ),
            fact(
                "the data is correct, only the history of entire/sessions is messier than needed",
                type="state",
                keys=[
                    "data",
                    "correct|intact|properly archived|not lost|no loss|nothing lost|no data lost",
                ],
            ),
        ],
        [
            trap(
                "the data of the four commits is corrupted",
                of="the data is correct, only the history of entire/sessions is messier than needed",
                keys=["data", "corrupt|corrupted|lost|overwritten"],
            ),
        ],
    )
    log.probe(
        "old-and-new",
        "recall",
        "Four sessions were condensed by commit 803390c. Which two were left over from before the "
        "git reset and which two were new, and which shadow branches did the two pairs stand on?",
        [
            fact(
                "session 34157bc5 was left over from before the reset",
                type="state",
                keys=["34157bc5", OLD + "|288a28a|entire/288a28a"],
            ),
            fact(
                "session ae4b7c68 was left over from before the reset",
                type="state",
                keys=["ae4b7c68", OLD + "|288a28a|entire/288a28a"],
            ),
            fact(
                "session 0eb220a6 was new",
                type="state",
                keys=["0eb220a6", NEW + "|82b4027|entire/82b4027"],
            ),
            fact(
                "session d45a7c90 was new",
                type="state",
                keys=["d45a7c90", NEW + "|82b4027|entire/82b4027"],
            ),
            fact(
                "the old sessions came from the shadow branch entire/288a28a",
                type="identifier",
                keys=["entire/288a28a|288a28a", OLD + "|34157bc5|ae4b7c68"],
            ),
        ],
        [
            trap(
                "session 0eb220a6 was left over from before the reset",
                of="session 0eb220a6 was new",
                keys=["0eb220a6", "old|orphaned|left over|leftover|stale|288a28a|entire/288a28a"],
            ),
            trap(
                "session d45a7c90 was left over from before the reset",
                of="session d45a7c90 was new",
                keys=["d45a7c90", "old|orphaned|left over|leftover|stale|288a28a|entire/288a28a"],
            ),
        ],
    )
    log.probe(
        "users-account",
        "continuation",
        "What did the user say about how many sessions ran in parallel and how the other sessions had "
        "been closed, and what did the user suspect, and which document did the user ask for?",
        [
            fact(
                "the user ran two sessions in parallel",
                type="value",
                keys=[
                    "2 sessions|two sessions",
                    "parallel|concurrent|simultaneous|at the same time",
                ],
            ),
            fact(
                "two earlier sessions had been closed with /quit",
                type="state",
                keys=["/quit|quit", "closed|ended|exited|quit|stopped|terminated|shut down|left"],
                said_in=log.saying("I closed them by running"),
            ),
            fact(
                "the user suspects that /quit did not work correctly",
                type="reason",
                keys=[
                    "/quit|quit",
                    "didn't work|not work correctly|not work|malfunction|failed|not clean up|broken",
                ],
            ),
            fact(
                "the user wanted the issue and the options in a Markdown file for later",
                type="constraint",
                keys=[
                    "md file|Markdown|.md|" + ISSUE,
                    "summary|summarise|summarize|write up|document|issue|options|notes",
                    "later|pick up|resume|future|come back",
                ],
            ),
        ],
        [
            trap(
                "the user ran four sessions in parallel",
                of="the user ran two sessions in parallel",
                keys=["4|four", "parallel|concurrent|simultaneous|at the same time"],
            ),
        ],
    )
    log.probe(
        "state-cleanup-rule",
        "file",
        "How does the code decide today what to do with a session whose shadow branch is gone: when "
        "does listAllSessionStates clear its state, in which file is that, what does "
        "sessionHasNewContent return, and with which error does CondenseSession fail?",
        [
            fact(
                "the state is cleared only if CheckpointCount > 0",
                type="value",
                keys=[
                    "CheckpointCount > 0|at least one checkpoint",
                    "clear|cleanup|clean up|delete|remove|LastCheckpointID",
                ],
            ),
            fact(
                "the state is cleared only if LastCheckpointID is empty",
                type="value",
                keys=[
                    'LastCheckpointID == ""|no LastCheckpointID|LastCheckpointID is empty|'
                    "empty LastCheckpointID|without LastCheckpointID|LastCheckpointID empty",
                    "clear|cleanup|clean up|delete|remove|orphan|CheckpointCount",
                ],
            ),
            fact(
                "cmd/entire/cli/strategy/manual_commit_session.go was read",
                type="path",
                change="read",
                keys=["cmd/entire/cli/strategy/manual_commit_session.go"],
            ),
            fact(
                "without a shadow branch sessionHasNewContent returns false",
                type="state",
                keys=[
                    "sessionHasNewContent|no shadow branch|new content|has new content",
                    "return false|returns false|false|no new content",
                ],
                said_in=log.holding("Expected: no shadow branch = no new content"),
            ),
            fact(
                'CondenseSession fails with "shadow branch not found"',
                type="error",
                keys=["shadow branch not found"],
            ),
        ],
        [
            trap(
                "listAllSessionStates is in manual_commit_hooks.go",
                of="cmd/entire/cli/strategy/manual_commit_session.go was read",
                keys=["listAllSessionStates", "manual_commit_hooks.go"],
            ),
            trap(
                "without a shadow branch sessionHasNewContent returns true",
                of="without a shadow branch sessionHasNewContent returns false",
                keys=["sessionHasNewContent", "return true|returns true|true"],
            ),
        ],
    )


def _ask_issue(log: ImportedLog) -> None:
    fact, trap = log.fact, log.trap
    log.probe(
        "recommended-option",
        "decision",
        "Where was the issue about sessions after a git reset written down, which option is "
        "recommended there, and what safeguard goes with it when the base commit is unreachable?",
        [
            fact(
                f"{ISSUE} was created",
                type="path",
                change="created",
                keys=[ISSUE],
            ),
            fact(
                "option 1 is recommended: check in listAllSessionStates whether BaseCommit is "
                "reachable from HEAD",
                type="decision",
                keys=[
                    "listAllSessionStates|option 1",
                    "reachable|reachability|ancestor|isCommitReachable|orphaned",
                    "HEAD|BaseCommit|base commit|recommend|recommended",
                ],
            ),
            fact(
                "an unreachable session without a shadow branch is cleaned up immediately",
                type="decision",
                keys=[
                    "no shadow branch|without a shadow branch|shadow branch is gone|"
                    "shadow branch missing|no shadow branch exists|shadow branch does not exist",
                    "unreachable|not reachable|unreachability",
                    "clean up|cleaned up|cleanup|clear|cleared|delete|remove",
                ],
            ),
            fact(
                "an unreachable session whose shadow branch exists is skipped with a warning",
                type="decision",
                keys=[
                    "shadow branch exists|shadow branch still exists|has a shadow branch|"
                    "with a shadow branch|shadow branch remains|shadow branch is present",
                    "warn|warning|warned|notify|alert",
                    "skip|skipped|unreachable|orphaned|not reachable",
                ],
            ),
        ],
        [
            trap(
                "option 3 is recommended",
                of="option 1 is recommended: check in listAllSessionStates whether BaseCommit is "
                "reachable from HEAD",
                keys=["option 3|findSessionsForWorktree filter", "recommended|recommend|preferred"],
            ),
            trap(
                "an unreachable session whose shadow branch exists is deleted at once",
                of="an unreachable session whose shadow branch exists is skipped with a warning",
                keys=[
                    "shadow branch exists|shadow branch still exists|has a shadow branch",
                    "delete|remove|clean up immediately|cleared",
                ],
            ),
        ],
    )
    log.probe(
        "options-not-taken",
        "decision",
        "What speaks against the other two options in the issue file: the post-rewrite hook (option 2) "
        "and the filter in findSessionsForWorktree (option 3)? Two arguments each, and the file for the hook.",
        [
            fact(
                "no hook fires on git reset --hard, so option 2 does not handle it",
                type="reason",
                keys=[
                    "reset --hard",
                    "no hook fires|hook does not fire|hook not fired|no hook runs|not handle|"
                    "not trigger|hook is not called|misses|not covered|not cover|not catch",
                ],
            ),
            fact(
                "option 2 does not handle branch deletions",
                type="reason",
                keys=[
                    "branch deletion|branch deletions|deleted branch|deleting a branch",
                    "not handle|misses|not covered|not cover|not catch|not detect|ignores|unhandled",
                ],
            ),
            fact(
                "the post-rewrite hook would go into cmd/entire/cli/strategy/hooks.go",
                type="identifier",
                keys=["post-rewrite", "cmd/entire/cli/strategy/hooks.go"],
            ),
            fact(
                "option 3 leaves orphaned state files around",
                type="reason",
                keys=[
                    "state file|state files|orphaned files|session files",
                    "leave|leaves|left|remain|stay|accumulate|keep",
                    "clutter|option 3|filter|filtering|findSessionsForWorktree",
                ],
            ),
            fact(
                "with option 3 orphaned sessions might still show up in entire rewind list",
                type="reason",
                keys=["rewind list", "orphaned|show up|appear|visible|shown"],
            ),
        ],
        [
            trap(
                "option 2 handles git reset --hard",
                of="no hook fires on git reset --hard, so option 2 does not handle it",
                keys=["option 2|post-rewrite", "reset --hard", "handles|catches|covers|detects"],
            ),
        ],
    )
    log.probe(
        "fix-checklist",
        "continuation",
        "None of the fix for the orphaned sessions is implemented yet. What does the checklist of the "
        "issue file still ask for: which helper, which treatment of orphaned sessions, which tests, "
        "which documentation?",
        [
            fact(
                "the helper isCommitReachable() is to be added",
                type="next_step",
                keys=[
                    "isCommitReachable",
                    "add|write|create|introduce|helper|missing",
                ],
            ),
            fact(
                "logic to clean up or warn about orphaned sessions is to be added",
                type="next_step",
                keys=["warn|warning", "orphaned|orphan", "add|logic|clean up|cleanup"],
            ),
            fact(
                "tests for the git reset scenario are to be added",
                type="next_step",
                keys=[
                    "test|tests",
                    "git reset",
                    "scenario|add tests|write tests|cover|missing|needed",
                ],
            ),
            fact(
                "tests for the git rebase scenario are to be added",
                type="next_step",
                keys=[
                    "test|tests",
                    "rebase",
                    "scenario|add tests|write tests|cover|missing|needed",
                ],
            ),
            fact(
                "the documentation about git reset behavior is to be updated",
                type="next_step",
                keys=[
                    "documentation|docs|document",
                    "git reset|reset",
                    "update|describe|extend|write up|adapt",
                ],
            ),
        ],
        [
            trap(
                "isCommitReachable() is implemented already",
                of="the helper isCommitReachable() is to be added",
                keys=[
                    "isCommitReachable",
                    "already implemented|implemented already|is done|exists",
                ],
            ),
        ],
    )
    log.probe(
        "open-question",
        "continuation",
        "The last question of the user about shadow branches is still unanswered. What was it, and "
        "what did the look at gemini_test show: which entire branches are left, "
        "and how many of the six session states stand on which commits?",
        [
            fact(
                "the user asks whether creating a branch with the same name undeletes the old one",
                type="next_step",
                keys=[
                    "same name|same branch name|recreate|recreating|identical name",
                    "undelete|undeletes|restores|revives|resurrect|resurrects",
                ],
            ),
            fact(
                "git branch shows only entire/sessions",
                type="command",
                keys=[
                    "entire/sessions",
                    "only|sole|git branch|grep entire|just|nothing else|no other|* entire/sessions",
                ],
                said_in=log.holding("* entire/sessions\n"),
            ),
            fact(
                "four session states stand on 803390c",
                type="value",
                keys=["803390c|803390c7da6f78ad75be1ae764125b34ba88284b", "4|four"],
                said_in=["m0074"],
            ),
            fact(
                "one session state stands on 43c285d",
                type="value",
                keys=["43c285d|43c285d9d48b09bec3125d66d21a63c132f40664", "1|one|a single"],
            ),
            fact(
                "one session state stands on 82b4027",
                type="value",
                keys=["82b4027|82b4027982e6e34567fee58f66a78a69ae4aabdb", "1|one|a single"],
                said_in=["m0074"],
            ),
        ],
        [
            trap(
                "all six session states stand on 803390c",
                of="four session states stand on 803390c",
                keys=["803390c|803390c7da6f78ad75be1ae764125b34ba88284b", "all six|6|six|all of"],
            ),
            trap(
                "one session state stands on 288a28a",
                of="one session state stands on 43c285d",
                keys=["288a28a", "1|one|a single", "state|base_commit|session"],
            ),
        ],
    )


def _ask_before_the_first_point(log: ImportedLog) -> None:
    fact, trap = log.fact, log.trap
    log.probe(
        "dropped-commits",
        "recall",
        "According to the reflog of main in gemini_test: which commit was main reset to, which three "
        "commits did the reset drop, and which checkpoint does the last of them carry in its trailer?",
        [
            fact(
                "main was reset to 82b4027",
                type="identifier",
                keys=["82b4027", "reset|moving to|moved back|rolled back|back to|went back"],
            ),
            fact(
                "the reset dropped c67ebd5",
                type="identifier",
                keys=[
                    "c67ebd5",
                    "reset|drop|dropped|undid|undone|lost|orphaned|unreachable|discarded|removed|"
                    "adding random_letter",
                ],
            ),
            fact(
                "the reset dropped 43c285d",
                type="identifier",
                keys=[
                    "43c285d",
                    "reset|drop|dropped|undid|undone|lost|orphaned|unreachable|discarded|removed|"
                    "updated random letters",
                ],
            ),
            fact(
                "the reset dropped 288a28a",
                type="identifier",
                keys=[
                    "288a28a",
                    "reset|drop|dropped|undid|undone|lost|orphaned|unreachable|discarded|removed|"
                    "two sessions in parallel",
                ],
            ),
            fact(
                "288a28a carries the checkpoint 4e0f5ce0bbac",
                type="identifier",
                keys=[
                    "288a28a|two sessions in parallel|Entire-Checkpoint|trailer|last of them",
                    "4e0f5ce0bbac",
                ],
                said_in=log.holding("Entire-Checkpoint: 4e0f5ce0bbac"),
            ),
        ],
        [
            trap(
                "main was reset to 6c051d3",
                of="main was reset to 82b4027",
                keys=["6c051d3", "reset|moving to|moved back|rolled back"],
            ),
            trap(
                "288a28a carries the checkpoint 26d78927f8bf",
                of="288a28a carries the checkpoint 4e0f5ce0bbac",
                keys=[
                    "288a28a|two sessions in parallel|Entire-Checkpoint",
                    "26d78927f8bf|0efc3b8e31d1|5e05b5462051",
                ],
            ),
        ],
    )
    log.probe(
        "gemini-session-end",
        "file",
        "When does the SessionEnd hook of Gemini fire and what is it for, where does the main "
        "creation of checkpoints happen instead, and why must handleGeminiSessionEnd not parse stdin "
        "itself? In which file is it?",
        [
            fact(
                "SessionEnd fires when the user exits the session explicitly",
                type="state",
                keys=[
                    "SessionEnd|handleGeminiSessionEnd|fires",
                    "explicit|explicitly|logout|by command",
                    "exit|exits|logout|quit",
                ],
            ),
            fact(
                "SessionEnd is a fallback that commits changes that were not captured by AfterAgent",
                type="reason",
                keys=[
                    "SessionEnd|handleGeminiSessionEnd",
                    "fallback|fall-back|cleanup|safety net|backup",
                ],
            ),
            fact(
                "checkpoints are mainly created in AfterAgent",
                type="state",
                keys=[
                    "AfterAgent",
                    "primary|main|mainly|checkpoint creation|creates checkpoints|usual",
                ],
            ),
            fact(
                "stdin can only be read once",
                type="constraint",
                keys=[
                    "stdin|standard input",
                    "only be read once|read once|single read|read only once|one read|read a second|"
                    "not read twice",
                ],
            ),
            fact(
                "cmd/entire/cli/hooks_geminicli_handlers.go was read",
                type="path",
                change="read",
                keys=["cmd/entire/cli/hooks_geminicli_handlers.go"],
            ),
        ],
        [
            trap(
                "checkpoints are mainly created in SessionEnd",
                of="checkpoints are mainly created in AfterAgent",
                keys=[
                    "SessionEnd",
                    "primary|mainly|main checkpoint creation|creates the checkpoints",
                ],
            ),
        ],
    )


def _ask_batching(log: ImportedLog) -> None:
    fact, trap = log.fact, log.trap
    log.probe(
        "users-retry",
        "continuation",
        "The user doubted the explanation that shadow branches outlive a git reset. What is the user "
        "quite sure of, what did the agent admit about its timeline, what should normally keep "
        "sessions without a shadow branch from being condensed, and how many commits did the retry of "
        "the user give?",
        [
            fact(
                "condensation deleted the shadow branches, of which the user is quite sure",
                type="state",
                keys=[
                    "branches|shadow branch|shadow branches",
                    "deleted|removed|gone|cleaned up",
                    "condensation|condensing|condensed|condense",
                ],
            ),
            fact(
                "if condensation deleted the shadow branches, the timeline of the agent is wrong",
                type="state",
                keys=["timeline|account", "wrong|incorrect|false|mistaken|not hold"],
                said_in=["m0091"],
            ),
            fact(
                "filterSessionsWithNewContent should filter out sessions without a shadow branch",
                type="reason",
                keys=[
                    "filterSessionsWithNewContent",
                    "no shadow branch|no shadow branches|without shadow branch|"
                    "shadow branch is gone",
                ],
            ),
            fact(
                "the retry of the user still gave two commits",
                type="value",
                keys=["2 commits|two commits", "still|retry|retried|again"],
            ),
        ],
        [
            trap(
                "the retry of the user gave four commits",
                of="the retry of the user still gave two commits",
                keys=["4 commits|four commits", "retry|retried"],
            ),
            trap(
                "the retry confirmed the timeline of the agent",
                of="if condensation deleted the shadow branches, the timeline of the agent is wrong",
                keys=["timeline|account", "confirmed|correct|proved right"],
            ),
        ],
    )
    log.probe(
        "same-for-claude",
        "recall",
        "Does Claude differ from Gemini in how its sessions get to entire/sessions, and why (not)? Which "
        "integration test has concurrent sessions condensed and in which file, which session_count "
        "does it expect, and what does it leave unverified?",
        [
            fact(
                "Claude and Gemini use the same post-commit hook, so both create several commits",
                type="reason",
                keys=[
                    "Claude|both agents|both|either agent",
                    "same|share|shared|common|identical",
                    "post-commit hook|post-commit|manual_commit_hooks.go",
                ],
            ),
            fact(
                "the test is TestGeminiConcurrentSessions_BothCondensedOnCommit",
                type="identifier",
                keys=["TestGeminiConcurrentSessions_BothCondensedOnCommit"],
            ),
            fact(
                "cmd/entire/cli/integration_test/gemini_concurrent_session_test.go was read",
                type="path",
                change="read",
                keys=["cmd/entire/cli/integration_test/gemini_concurrent_session_test.go"],
            ),
            fact(
                "the test expects a session_count of 2",
                type="value",
                keys=["session_count|SessionCount", "2|two"],
            ),
            fact(
                "the test does not check the number of commits",
                type="state",
                keys=[
                    "test|TestGeminiConcurrentSessions_BothCondensedOnCommit",
                    "number of commits|commit count|how many commits|count of commits",
                    "doesn't check|not check|not verify|not assert|not tested|not count|ignores|"
                    "unchecked|not test|never checks",
                ],
            ),
        ],
        [
            trap(
                "Claude has a separate hook",
                of="Claude and Gemini use the same post-commit hook, so both create several commits",
                keys=["Claude", "separate hook|different hook|dedicated hook"],
            ),
            trap(
                "the test checks the number of commits",
                of="the test does not check the number of commits",
                keys=["test", "checks|asserts|verifies", "number of commits|commit count"],
            ),
        ],
    )
    log.probe(
        "existing-checkpoint",
        "file",
        "What does WriteCommitted do when the checkpoint exists already from another session: where do "
        "the files of the earlier session go, and how are the session count, the touched files and "
        "the checkpoint counts of the two put together? In which file is that?",
        [
            fact(
                "the existing session is archived to a numbered subfolder",
                type="state",
                keys=[
                    "archive|archived|archives|archiveExistingSession|moved|moves",
                    "numbered subfolder|subfolder|numbered folder|numbered directory|1/|subdirectory",
                ],
            ),
            fact(
                "the session count is the existing count plus one",
                type="value",
                keys=[
                    "SessionCount|session_count",
                    "existingCount|plus one|incremented|increment|increased by one",
                ],
            ),
            fact(
                "the touched files are merged without duplicates",
                type="state",
                keys=[
                    "FilesTouched|files_touched|files touched|touched files|mergeFilesTouched",
                    "deduplicated|without duplicates|dedupe|unique|union|mergeFilesTouched|no duplicates",
                ],
            ),
            fact(
                "the checkpoint counts are summed",
                type="state",
                keys=[
                    "CheckpointsCount|checkpoint counts|checkpoints_count|checkpoint count",
                    "sum|summed|sums|added up|adds up|added together",
                ],
            ),
            fact(
                "cmd/entire/cli/checkpoint/committed.go was read",
                type="path",
                change="read",
                keys=["cmd/entire/cli/checkpoint/committed.go"],
            ),
        ],
        [
            trap(
                "the earlier session is overwritten",
                of="the existing session is archived to a numbered subfolder",
                keys=[
                    "existing session|earlier session|previous session",
                    "overwritten|overwrites",
                ],
            ),
        ],
    )
    log.probe(
        "batching-decision",
        "decision",
        "Before the user chose to leave it: which two ways to write all sessions at once were proposed "
        "and which one was recommended, and how does the issue file rate that problem?",
        [
            fact(
                "option A, the recommended one, adds a function WriteCommittedBatch",
                type="decision",
                keys=[
                    "WriteCommittedBatch",
                    "option A|recommended|recommend|recommendation",
                ],
            ),
            fact(
                "option B: refactor WriteCommitted to split it into phases",
                type="decision",
                keys=[
                    "WriteCommitted|option B",
                    "phases|phase|phased",
                ],
            ),
            fact(
                "the issue file calls the several commits a separate issue of lower priority",
                type="state",
                keys=[
                    "lower priority|low priority|less important",
                    "separate issue|separate|issue",
                ],
            ),
        ],
        [
            trap(
                "option B adds WriteCommittedBatch",
                of="option A, the recommended one, adds a function WriteCommittedBatch",
                keys=["option B", "WriteCommittedBatch"],
            ),
        ],
    )
    log.probe(
        "issue-file-now",
        "file",
        "Which file did the agent edit after the user's doubts about undeleted branches, which two "
        "sections did it add there, which logic does the file blame now, and for which legitimate "
        "case is that logic meant?",
        [
            fact(
                f"{ISSUE} was modified",
                type="path",
                change="modified",
                keys=[ISSUE],
            ),
            fact(
                "a section Detailed Timeline was added",
                type="identifier",
                keys=["Detailed Timeline"],
            ),
            fact(
                "a section Common Misconception was added",
                type="identifier",
                keys=["Common Misconception|misconception"],
            ),
            fact(
                "the migration logic does not check whether the old BaseCommit is reachable",
                type="reason",
                keys=[
                    "migration|migrates|migrate",
                    "not check|doesn't check|no check|without checking|never checks|lacks",
                    "reachable|reachability|ancestor",
                ],
            ),
            fact(
                "the migration logic is meant for stash, pull and unstash",
                type="reason",
                keys=["migration|migrates|migrate", "stash|unstash", "pull"],
            ),
        ],
        [
            trap(
                f"{ISSUE} has been deleted",
                of=f"{ISSUE} was modified",
                keys=[ISSUE + "|issue file", "deleted|removed"],
            ),
        ],
    )


SESSION = RealSession(
    ask,
    "claude-code-compacted/session-2.jsonl",
    "debugging",
    "One commit writes four checkpoints, and sessions from before a git reset come along",
    "MIT",
    "https://github.com/entireio/cli",
)
