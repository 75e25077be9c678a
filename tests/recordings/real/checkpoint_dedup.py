"""Hooks that fire twice leave commits of session metadata without a code commit."""

from imported import ImportedLog, RealSession

AUTO = "auto-commit|auto commit|autocommit|AutoCommitStrategy|auto_commit.go"
MANUAL = "manual-commit|manual commit|ManualCommitStrategy|other strategy|manual strategy"
SESSIONS = "entire/sessions|sessions branch|metadata branch"
NO_METADATA = (
    "skip metadata creation|metadata creation skipped|metadata not created|not create metadata|"
    "no metadata commit|metadata not written|not write metadata|metadata step skipped|"
    "metadata left out|leaves out metadata|prevents orphaned metadata|no metadata"
)


def ask(log: ImportedLog) -> None:
    """What is asked after each point."""
    ask_first(log)
    log.go_on()
    ask_tests(log)
    ask_earlier(log)


def ask_first(log: ImportedLog) -> None:
    """The half-verified change of auto-commit."""
    fact, trap = log.fact, log.trap
    log.probe(
        "strategies",
        "recall",
        "How do the two strategies differ: where does auto-commit keep code and where its "
        "metadata, "
        "where does manual-commit keep code, and which write function does auto-commit leave aside?",
        [
            fact(
                "auto-commit keeps code on the active branch, as real commits",
                type="state",
                keys=[
                    AUTO,
                    "code|changes|code storage|code commit",
                    "active branch|current branch|real commits|real commit|user's branch|"
                    "working branch|checked-out branch",
                ],
                said_in=["m0005"],
            ),
            fact(
                "auto-commit keeps metadata on entire/sessions only",
                type="state",
                keys=[AUTO, "metadata|metadata storage|session metadata", SESSIONS],
            ),
            fact(
                "the code of manual-commit is on the shadow branch entire/<hash>",
                type="state",
                keys=[
                    MANUAL,
                    "code|changes|code storage|checkpoint|checkpoints|snapshot",
                    "shadow branch|shadow branches|entire/<hash>|shadow",
                ],
                said_in=["m0005"],
            ),
            fact(
                "auto-commit does not use WriteTemporary",
                type="identifier",
                keys=[
                    "WriteTemporary",
                    "not use|doesn't use|unused|never uses|not call|never calls|only manual-commit|"
                    "manual-commit only|not used|leaves aside|left aside|without|avoids",
                ],
                said_in=["m0005"],
            ),
        ],
        [
            trap(
                "auto-commit keeps code on the shadow branch",
                of="auto-commit keeps code on the active branch, as real commits",
                keys=[AUTO, "code", "shadow branch|shadow branches|entire/<hash>"],
            ),
        ],
    )
    log.probe(
        "duplicate-hooks",
        "decision",
        "What went wrong under auto-commit when AfterAgent and SessionEnd fired one after another "
        "on "
        "the same state: what did SessionEnd still create although nothing had changed, and why "
        "was "
        "that held to be tolerable at first?",
        [
            fact(
                "SessionEnd creates metadata without a code commit",
                type="reason",
                keys=[
                    "SessionEnd|session end",
                    "metadata|metadata commit|metadata commits",
                    "creates|create|created|still creates|writes|wrote|adds|made|makes|duplicate|"
                    "orphaned|leaves|left",
                ],
            ),
            fact(
                "metadata commits are cheap and stay out of the user's branch history",
                type="reason",
                keys=[
                    "metadata|they|duplicates|extra commits",
                    "cheap|small|inexpensive|lightweight|not pollute|doesn't pollute|"
                    "no pollution|separate branch",
                ],
                said_in=["m0005"],
            ),
        ],
        [
            trap(
                "SessionEnd doubled the code commits too",
                of="SessionEnd creates metadata without a code commit",
                keys=["code commit|code commits", "doubled|duplicated|twice|polluted"],
            ),
        ],
    )
    log.probe(
        "one-to-one",
        "decision",
        "Which rule for trailers did the user set, which way to deduplicate auto-commit had been "
        "offered just before, and how is the rule to be kept instead?",
        [
            fact(
                "the trailer on a real commit must match exactly one commit in entire/sessions",
                type="constraint",
                keys=[
                    "trailer|trailers|Entire-Checkpoint|code commit|real commit|checkpoint ID",
                    "exactly one|one-to-one|1:1|one to one|exactly 1",
                    SESSIONS + "|metadata commit|metadata|metadata commits",
                ],
                said_in=["m0006"],
            ),
            fact(
                "a tree hash comparison could be added to WriteCommitted (offered)",
                type="decision",
                keys=[
                    "tree hash|tree-hash|hash of the tree|tree hashes|comparing tree hashes",
                    "WriteCommitted",
                ],
                said_in=["m0005"],
            ),
            fact(
                "commitCodeToActive returns whether a commit was created",
                type="decision",
                keys=[
                    "commitCodeToActive|code step|code commit step",
                    "return|returns|returning|reports|tells|signals|result|Created flag",
                    "created|Created flag|commit was made|commit was actually created",
                ],
            ),
        ],
        [
            trap(
                "a trailer may match several commits in entire/sessions",
                of="the trailer on a real commit must match exactly one commit in entire/sessions",
                keys=["trailer|Entire-Checkpoint", "several|multiple|many", SESSIONS],
            ),
            trap(
                "the tree hash comparison in WriteCommitted was implemented",
                of="commitCodeToActive returns whether a commit was created",
                keys=[
                    "tree hash|tree-hash",
                    "WriteCommitted",
                    "implemented|chosen|adopted",
                ],
            ),
        ],
    )
    log.probe(
        "result-type",
        "recall",
        "What does commitCodeToActive give back now: what is the new struct called, which two "
        "fields "
        "does it have, which hash comes with which flag if nothing had to be committed, and which "
        "expression decides in SaveChanges?",
        [
            fact(
                "commitCodeToActive returns the new struct commitCodeResult",
                type="identifier",
                keys=["commitCodeResult"],
            ),
            fact(
                "it has the fields CommitHash and Created",
                type="identifier",
                keys=["CommitHash", "Created"],
            ),
            fact(
                "without changes it returns the hash of HEAD with Created false",
                type="value",
                keys=[
                    "HEAD|head.Hash()|head hash|current HEAD",
                    "Created false|Created: false|Created=false|marked as not created|false",
                ],
                said_in=["m0011", "m0012"],
            ),
            fact(
                "SaveChanges decides by !codeResult.Created",
                type="identifier",
                keys=["codeResult.Created|!codeResult.Created|codeResult"],
            ),
        ],
        [
            trap(
                "commitCodeToActive returns a plumbing.Hash",
                of="commitCodeToActive returns the new struct commitCodeResult",
                keys=[
                    "commitCodeToActive",
                    "returns plumbing.Hash|returns a plumbing.Hash|return type plumbing.Hash|"
                    "returns only the hash|returns a bare hash",
                ],
            ),
            trap(
                "without changes it returns the zero hash",
                of="without changes it returns the hash of HEAD with Created false",
                keys=["ZeroHash|zero hash|empty hash|empty result", "no changes|not created|false"],
            ),
        ],
    )
    log.probe(
        "skipped-save",
        "recall",
        "What does SaveChanges of auto-commit do now if there was no code commit: what does it "
        "log, "
        "what does it print to stderr, which step is left out and what does the caller get?",
        [
            fact(
                "it logs 'checkpoint skipped (no changes)'",
                type="value",
                keys=[
                    "checkpoint skipped (no changes)",
                    "log|logs|logged|logging|INFO|slog|logger",
                ],
                said_in=["m0009", "m0010"],
            ),
            fact(
                "it prints 'Skipped checkpoint (no changes since last commit)'",
                type="value",
                keys=[
                    "Skipped checkpoint (no changes since last commit)",
                    "since last commit",
                ],
            ),
            fact(
                "metadata creation is skipped if no code commit was created",
                type="state",
                keys=[
                    NO_METADATA,
                    "no code commit|not created|no changes|!codeResult.Created|Created false|"
                    "without a code commit|nothing committed|nothing to commit|Created is false",
                ],
                said_in=["m0009", "m0010"],
            ),
            fact(
                "the skip returns nil, it is no error",
                type="value",
                keys=[
                    "nil|no error|not an error|without error|success|without an error",
                    "return|returns|returned|gets|caller|skip|skipped",
                ],
                said_in=["m0009", "m0010"],
            ),
        ],
        [
            trap(
                "the skip returns an error",
                of="the skip returns nil, it is no error",
                keys=[
                    "skip|skipped|no changes",
                    "returns an error|an error is returned|fails with",
                ],
            ),
            trap(
                "SessionEnd creates metadata only",
                of="metadata creation is skipped if no code commit was created",
                keys=["SessionEnd", "creates metadata|metadata only"],
            ),
            trap(
                "metadata is still stored with the hash of HEAD",
                of="metadata creation is skipped if no code commit was created",
                keys=["metadata", "can still be stored|still be stored|still stored|still written"],
            ),
        ],
    )
    log.probe(
        "edited-file",
        "file",
        "Which source file was edited, in which two functions, and which function beside them, "
        "unchanged, writes the metadata, through which method of the checkpoint store, and from "
        "what "
        "does it take the session ID?",
        [
            fact(
                "cmd/entire/cli/strategy/auto_commit.go was modified",
                type="path",
                keys=["cmd/entire/cli/strategy/auto_commit.go"],
                change="modified",
            ),
            fact(
                "SaveChanges was edited",
                type="state",
                keys=[
                    "SaveChanges",
                    "codeResult|edited|changed|modified|updated|now checks|now skips|skips|edit|"
                    "change|rewritten|functions",
                ],
                said_in=["m0009", "m0010"],
            ),
            fact(
                "commitCodeToActive was edited",
                type="state",
                keys=[
                    "commitCodeToActive",
                    "edited|changed|modified|updated|returns|return|update|commitCodeResult|edit|"
                    "change|rewritten|functions",
                ],
            ),
            fact(
                "commitMetadataToMetadataBranch writes metadata through WriteCommitted",
                type="identifier",
                keys=["commitMetadataToMetadataBranch", "WriteCommitted"],
                said_in=["m0004"],
            ),
            fact(
                "the session ID is the base name of MetadataDir",
                type="value",
                keys=[
                    "session ID|sessionID|SessionID",
                    "filepath.Base|base name|basename|last path component|last component|"
                    "folder name|directory name",
                    "MetadataDir|metadata directory|metadata dir|metadata folder",
                ],
                said_in=["m0004"],
            ),
        ],
        [
            trap(
                "commitMetadataToMetadataBranch writes through WriteTemporary",
                of="commitMetadataToMetadataBranch writes metadata through WriteCommitted",
                keys=["commitMetadataToMetadataBranch", "WriteTemporary"],
            ),
        ],
    )
    log.probe(
        "write-the-test",
        "continuation",
        "You go on with a test of the skip in auto-commit. Which lists of SaveContext must be "
        "empty, "
        "what does commitCodeToActive then print, and which branch must not get a commit, so that "
        "which kind of commit does not come about?",
        [
            fact(
                "ModifiedFiles, NewFiles and DeletedFiles must all be empty",
                type="identifier",
                keys=["ModifiedFiles", "NewFiles", "DeletedFiles"],
            ),
            fact(
                "commitCodeToActive prints 'No code changes to commit to active branch'",
                type="value",
                keys=["No code changes to commit to active branch"],
            ),
            fact(
                "no orphaned metadata commit may arise on entire/sessions",
                type="constraint",
                keys=[
                    "orphaned|orphan|no corresponding code commit|no matching code commit|"
                    "lacks a code commit|without its code commit|without corresponding code commit",
                    "metadata|metadata commit|metadata commits",
                ],
                said_in=["m0007", "m0010"],
            ),
        ],
        [
            trap(
                "commitCodeToActive prints 'No changes to commit (files already committed)'",
                of="commitCodeToActive prints 'No code changes to commit to active branch'",
                keys=["No changes to commit (files already committed)"],
            ),
        ],
    )


def ask_tests(log: ImportedLog) -> None:
    """What came after the first point: proof and tests."""
    fact, trap = log.fact, log.trap
    log.probe(
        "red-test",
        "recall",
        "How did the first run of TestWriteTemporary_Deduplication fail: at which two lines of the "
        "test file, with which message at the first of them, what was the cause, and which line "
        "mended it?",
        [
            fact(
                "checkpoint_test.go:301: third checkpoint with modified content should NOT be "
                "skipped",
                type="error",
                keys=["301", "third checkpoint", "should not be skipped|should NOT be skipped"],
                said_in=["m0054"],
            ),
            fact(
                "304 failed too",
                type="error",
                keys=[
                    "304",
                    "different commit hash|same hash|hash should differ|different hash|"
                    "commit hash|hash|line|lines|failed|checkpoint_test.go",
                ],
                said_in=["m0054"],
            ),
            fact(
                "the test had not changed to the temp directory",
                type="reason",
                keys=[
                    "not changing to|not changed to|did not change to|never changed to|"
                    "didn't change to|not chdir|missing chdir|did not chdir|not in the|"
                    "not switch to|wrong working directory|wrong directory|"
                    "not run in|ran outside|did not switch",
                    "temp directory|temp dir|temporary directory|tempDir|working directory|"
                    "temp repo|RepoRoot",
                ],
                said_in=["m0055"],
            ),
            fact(
                "t.Chdir(tempDir) was added, so that paths.RepoRoot() works",
                type="decision",
                keys=["t.Chdir(tempDir)|t.Chdir|Chdir(tempDir)"],
                said_in=["m0055", "m0056"],
            ),
        ],
        [
            trap(
                "the failure was caused by a bug in WriteTemporary",
                of="the test had not changed to the temp directory",
                keys=[
                    "WriteTemporary|deduplication|temporary.go",
                    "bug|wrong|faulty|broken|incorrectly skipped",
                    "caused|cause|because|due",
                ],
            ),
            trap(
                "the error was that the second checkpoint should be skipped",
                of="checkpoint_test.go:301: third checkpoint with modified content should NOT be "
                "skipped",
                keys=["second checkpoint", "should be skipped", "failed|error|message|301"],
            ),
        ],
    )
    log.probe(
        "checks",
        "recall",
        "Which commands check this project as a whole, and how did each end after the change: the "
        "tests, the linter (which one does it run), and the new test of the auto-commit skip?",
        [
            fact(
                "mise run test runs go test ./... and all packages are ok",
                type="command",
                keys=[
                    "mise run test|go test ./...|all tests|go test",
                    "ok|pass|passed|passes|green|succeeded|successful|no failures",
                ],
                said_in=["m0019", "m0067"],
            ),
            fact(
                "mise run lint runs golangci-lint: 0 issues",
                type="command",
                keys=[
                    "golangci-lint|mise run lint|lint|linter",
                    "0 issues|no issues|clean|zero issues",
                ],
            ),
            fact(
                "TestAutoCommitStrategy_SaveChanges_NoChangesSkipped passed",
                type="command",
                keys=[
                    "TestAutoCommitStrategy_SaveChanges_NoChangesSkipped|NoChangesSkipped",
                    "PASS|passed|passes|green|ok|succeeded|successful",
                ],
            ),
        ],
        [
            trap(
                "the linter found issues",
                of="mise run lint runs golangci-lint: 0 issues",
                keys=["golangci-lint|lint|linter", "1 issue|2 issues|found issues|warnings|failed"],
            ),
            trap(
                "TestAutoCommitStrategy_SaveChanges_NoChangesSkipped failed at first",
                of="TestAutoCommitStrategy_SaveChanges_NoChangesSkipped passed",
                keys=["NoChangesSkipped", "failed|fails|FAIL|red"],
            ),
        ],
    )
    log.probe(
        "test-files",
        "file",
        "The user asked about coverage of the new logic. Which test files were extended, with "
        "which "
        "new test function each, and what must WriteTemporary hand back, by the first of them, "
        "when "
        "it skips?",
        [
            fact(
                "cmd/entire/cli/checkpoint/checkpoint_test.go was modified",
                type="path",
                keys=["cmd/entire/cli/checkpoint/checkpoint_test.go"],
                change="modified",
                said_in=["m0041", "m0042", "m0056"],
            ),
            fact(
                "cmd/entire/cli/strategy/auto_commit_test.go was modified",
                type="path",
                keys=["cmd/entire/cli/strategy/auto_commit_test.go"],
                change="modified",
            ),
            fact(
                "the test of the tree hash is TestWriteTemporary_Deduplication",
                type="identifier",
                keys=["TestWriteTemporary_Deduplication"],
            ),
            fact(
                "the test of auto-commit is TestAutoCommitStrategy_SaveChanges_NoChangesSkipped",
                type="identifier",
                keys=["TestAutoCommitStrategy_SaveChanges_NoChangesSkipped"],
            ),
            fact(
                "a skipped checkpoint must return the previous commit hash",
                type="constraint",
                keys=[
                    "skipped checkpoint|skipped|second checkpoint|duplicate|Skipped|second|"
                    "identical",
                    "previous commit hash|previous hash|result1.CommitHash|same commit hash|same "
                    "hash|"
                    "hash of the first|first checkpoint's hash|hash of the previous|existing hash",
                ],
                said_in=["m0041", "m0042"],
            ),
        ],
        [
            trap(
                "cmd/entire/cli/strategy/manual_commit_test.go was modified",
                of="cmd/entire/cli/strategy/auto_commit_test.go was modified",
                keys=[
                    "manual_commit_test.go",
                    "modified|changed|extended|edited|updated|added",
                ],
            ),
        ],
    )
    log.probe(
        "tree-hash",
        "recall",
        "How does WriteTemporary deduplicate: what does it compare with what, what does it return "
        "for a duplicate, which files go into the first checkpoint of a session and which into "
        "later "
        "ones, and with which message does it refuse an empty base commit?",
        [
            fact(
                "it skips if the tree hash matches that of the last checkpoint",
                type="state",
                keys=[
                    "tree hash|treeHash|tree hashes|hash of the tree",
                    "last checkpoint|previous checkpoint|lastTreeHash|last commit|"
                    "last checkpoint's|latest checkpoint|parent commit|shadow branch",
                    "match|matches|compare|compares|compared|identical|equal|same|equals|==",
                ],
            ),
            fact(
                "a duplicate returns the last commit's hash with Skipped true",
                type="value",
                keys=[
                    "Skipped: true|Skipped true|Skipped=true|Skipped",
                    "parentHash|previous commit hash|existing commit hash|existing commit|"
                    "previous hash|last commit's hash|hash of the last commit|parent hash|"
                    "last commit hash|old hash|existing hash|parent commit",
                ],
                said_in=["m0019"],
            ),
            fact(
                "the first checkpoint captures all files of the working directory",
                type="state",
                keys=[
                    "first checkpoint|IsFirstCheckpoint|first",
                    "working directory|collectWorkingDirectoryFiles|every file|untracked files|"
                    "whole worktree|entire worktree|working tree",
                ],
                said_in=["m0034"],
            ),
            fact(
                "later checkpoints take only modified and new files",
                type="state",
                keys=[
                    "subsequent|later|following|next|further|after that|afterwards|then",
                    "modified|ModifiedFiles|changed",
                    "new|NewFiles|added",
                ],
                said_in=["m0034"],
            ),
            fact(
                "without a base commit it fails: BaseCommit is required for temporary checkpoint",
                type="error",
                keys=["BaseCommit is required for temporary checkpoint"],
            ),
        ],
        [
            trap(
                "a duplicate returns the zero hash",
                of="a duplicate returns the last commit's hash with Skipped true",
                keys=["Skipped|duplicate|skip", "ZeroHash|zero hash|empty hash"],
            ),
        ],
    )
    log.probe(
        "empty-commit",
        "continuation",
        "Before you call the 1:1 rule kept, look at the path where the user committed the files "
        "before the hook ran. Which error of go-git does commitOrHead catch there, what does it "
        "print and return, and which value of Created does commitCodeToActive set after that call?",
        [
            fact(
                "commitOrHead catches git.ErrEmptyCommit",
                type="error",
                keys=["ErrEmptyCommit"],
            ),
            fact(
                "it prints 'No changes to commit (files already committed)'",
                type="value",
                keys=["No changes to commit (files already committed)"],
            ),
            fact(
                "commitOrHead returns the hash of HEAD for an empty commit",
                type="state",
                keys=[
                    "commitOrHead|empty commit|ErrEmptyCommit|commit would be empty",
                    "HEAD|HEAD hash|head.Hash()|hash of HEAD|current HEAD",
                    "return|returns|returned|falls back|gives",
                ],
            ),
            fact(
                "commitCodeToActive sets Created: true after that call in any case",
                type="state",
                keys=[
                    "Created|flag|Created flag",
                    "true",
                ],
                said_in=["m0011", "m0012", "m0038"],
            ),
        ],
        [
            trap(
                "commitCodeToActive returns Created: false after an empty commit",
                of="commitCodeToActive sets Created: true after that call in any case",
                keys=[
                    "Created: false|Created false|Created=false",
                    "commitOrHead|ErrEmptyCommit|empty commit|already committed",
                ],
            ),
            trap(
                "it prints 'No code changes to commit to active branch'",
                of="it prints 'No changes to commit (files already committed)'",
                keys=["No code changes to commit to active branch"],
            ),
        ],
    )
    log.probe(
        "no-changes-test",
        "file",
        "What does the new test of auto-commit prove about HEAD, about entire/sessions and about "
        "the "
        "outcome of SaveChanges, which session ID does it use, and what does its setup call so "
        "that "
        "the sessions branch exists?",
        [
            fact(
                "HEAD must still be the initial commit",
                type="state",
                keys=[
                    "HEAD",
                    "initial commit|initialCommit|first commit|unchanged|did not move|not moved",
                ],
                said_in=["m0051", "m0052", "m0067"],
            ),
            fact(
                "entire/sessions must have no new commits",
                type="state",
                keys=[
                    SESSIONS,
                    "no new commit|no new commits|not have new commits|unchanged|"
                    "no metadata commit|not create a metadata commit|"
                    "does not create a metadata commit|did not move|not move",
                ],
                said_in=["m0051", "m0052", "m0067"],
            ),
            fact(
                "SaveChanges must succeed, a skip is not an error",
                type="constraint",
                keys=[
                    "SaveChanges|skip|skipped",
                    "not an error|no error|without error|succeed|succeeds|nil",
                ],
                said_in=["m0051", "m0052"],
            ),
            fact(
                "its session ID is 2025-12-22-no-changes-test",
                type="identifier",
                keys=["2025-12-22-no-changes-test"],
            ),
            fact(
                "the setup calls EnsureSetup",
                type="identifier",
                keys=["EnsureSetup|s.EnsureSetup()"],
                said_in=["m0051", "m0052"],
            ),
        ],
        [
            trap(
                "its session ID is 2025-12-22-test-session-init",
                of="its session ID is 2025-12-22-no-changes-test",
                keys=["2025-12-22-test-session-init|2025-12-12-test-checkpoint-jsonl"],
            ),
        ],
    )


def ask_earlier(log: ImportedLog) -> None:
    """What was said before the first point and is still needed at the second."""
    fact, trap = log.fact, log.trap
    log.probe(
        "commit-order",
        "decision",
        "Why does SaveChanges of auto-commit commit code before metadata, what copes with metadata "
        "that is missing for a code commit, which rewriting of history does the trailer survive, "
        "and "
        "at which path on the metadata branch is a checkpoint found by its ID?",
        [
            fact(
                "code comes first to avoid orphaned metadata if that step fails",
                type="reason",
                keys=[
                    "code first|code before metadata|code comes first|code is committed first|"
                    "commits code first|do code first|first code|order",
                    "orphaned metadata|orphan metadata|orphaned|orphans|dangling metadata",
                ],
            ),
            fact(
                "the Entire-Checkpoint trailer survives amend and rebase",
                type="reason",
                keys=[
                    "trailer|Entire-Checkpoint|checkpoint ID",
                    "amend|amending|amended",
                    "rebase|rebasing|rebased|rebases",
                ],
            ),
            fact(
                "GetRewindPoints handles missing metadata",
                type="identifier",
                keys=["GetRewindPoints"],
            ),
            fact(
                "the path is sharded: <checkpointID[:2]>/<checkpointID[2:]>/",
                type="value",
                keys=[
                    "sharded|shard|checkpointID[:2]|checkpointID[:2]/checkpointID[2:]|"
                    "first two characters|first 2 characters|two-character prefix|"
                    "first two chars|first two hex",
                    "checkpoint ID|checkpointID|checkpoint|checkpointID[2:]|ID",
                ],
            ),
        ],
        [
            trap(
                "metadata comes first",
                of="code comes first to avoid orphaned metadata if that step fails",
                keys=[
                    "metadata first|metadata before code|metadata comes first|metadata is written "
                    "first"
                ],
            ),
        ],
    )
    log.probe(
        "hold-the-rule",
        "decision",
        "Someone proposes to let auto-commit store metadata again after each hook. What had the "
        "user "
        "asked of trailer and entire/sessions, which two hooks fire on the same state, and what "
        "does SaveChanges do by now against them, on which condition? And what is the default of "
        "the "
        "setting that pushes entire/sessions along with the user's push?",
        [
            fact(
                "a trailer on a real commit should match exactly one commit in entire/sessions",
                type="constraint",
                keys=[
                    "trailer|trailers|Entire-Checkpoint|code commit|real commit",
                    "exactly one|one-to-one|1:1|one to one|exactly 1",
                    SESSIONS + "|metadata commit|metadata|metadata commits",
                ],
                said_in=["m0006", "m0019"],
            ),
            fact(
                "the hooks are AfterAgent and SessionEnd",
                type="identifier",
                keys=["AfterAgent", "SessionEnd"],
            ),
            fact(
                "SaveChanges of auto-commit skips metadata if Created is false",
                type="decision",
                keys=[
                    NO_METADATA,
                    "no code commit|not created|no changes|!codeResult.Created|Created false|"
                    "Created: false|without a code commit|nothing committed|nothing to commit|"
                    "Created is false|Created",
                ],
                said_in=["m0009", "m0010", "m0019"],
            ),
            fact(
                "push_sessions defaults to prompt: ask the user",
                type="value",
                keys=["prompt", "default|defaults|by default|ask user|ask the user|asks"],
                said_in=["m0036"],
            ),
        ],
        [
            trap(
                "each hook should store metadata of its own",
                of="a trailer on a real commit should match exactly one commit in entire/sessions",
                keys=["each hook|every hook", "metadata", "own|separate"],
            ),
            trap(
                "auto-commit compares tree hashes too",
                of="SaveChanges of auto-commit skips metadata if Created is false",
                keys=[AUTO, "tree hash|tree hashes|treeHash", "compares|compare|comparison"],
            ),
        ],
    )


SESSION = RealSession(
    ask,
    "claude-code-compacted/session-1.jsonl",
    "debugging",
    "Repeated hooks leave session metadata without a code commit",
    "MIT",
    "https://github.com/entireio/cli",
)
