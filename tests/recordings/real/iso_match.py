"""The Pony compiler lets a match alias an iso field; an edit of match.c and a build that fails."""

from imported import ImportedLog, RealSession

MATCH = "src/libponyc/expr/match.c"
BASE = "e5398b7ab793e2b11f930aa375b9212887614b03|e5398b7ab793|e5398b7"


def ask(log: ImportedLog) -> None:
    """What is asked after each of the three points."""
    ask_issue(log)
    ask_match_file(log)
    log.go_on()
    ask_edits(log)
    ask_idea(log)
    log.go_on()
    ask_change(log)
    ask_build(log)
    ask_rest(log)


def ask_issue(log: ImportedLog) -> None:
    """The issue and the user's rules, as known at the first point."""
    fact, trap = log.fact, log.trap
    log.probe(
        "issue",
        "recall",
        "In the ponyc issue on iso and match: which function does compile although it should not, "
        "which expression in its body does the compiler reject correctly, and with which version of "
        "ponyc was that seen?",
        [
            fact(
                "the function take should be caught by the compiler",
                type="identifier",
                keys=[
                    "take|take()",
                    "function|fun|caught|compiles|compile|reject|rejected|accepted|accepts|match|"
                    "error",
                ],
                said_in=["m0001"],
            ),
            fact(
                "consume _foo already gives a compiler error",
                type="error",
                keys=[
                    "consume _foo|consuming _foo|consume the field|consuming the field|"
                    "direct consume|consuming a field",
                    "compiler error|error|rejected|rejects|reject|refused|not compile|"
                    "not allowed|forbidden|correctly",
                ],
                said_in=["m0001"],
            ),
            fact(
                "it was seen with ponyc 0.58.9-cabe71e",
                type="value",
                keys=["0.58.9|0.58.9-cabe71e"],
                said_in=["m0001"],
            ),
        ],
        [
            trap(
                "it was seen with ponyc 18.1.3",
                of="it was seen with ponyc 0.58.9-cabe71e",
                keys=["ponyc|version", "18.1.3|15.0.7"],
            ),
        ],
    )
    log.probe(
        "user-rules",
        "decision",
        "Which rules did the user set for the ponyc change about test files, packages and the size "
        "of the change, and with which commit is the result to be compared at the end?",
        [
            fact(
                "the tests must not be modified",
                type="constraint",
                keys=[
                    "test|tests|test files|testing logic",
                    "not modify|not be modified|not modified|don't modify|DON'T have to modify|"
                    "not change|not be changed|not touch|not be touched|not edit|no changes|"
                    "already taken care|leave alone|left alone|untouched|unchanged|off limits",
                ],
                said_in=["m0001"],
            ),
            fact(
                "other packages need not be installed",
                type="constraint",
                keys=[
                    "package|packages|dependency|dependencies|environment",
                    "not install|not installed|don't need to install|no need to install|"
                    "no install|no installation|nothing to install|already installed|"
                    "already set up|not need|without installing|no new",
                ],
                said_in=["m0001"],
            ),
            fact(
                "only minimal changes to non-test files in /workspace",
                type="constraint",
                keys=[
                    "minimal|minimum|small|smallest|as few",
                    "change|changes|edit|edits|non-test|diff",
                ],
                said_in=["m0001"],
            ),
            fact(
                "the base commit is e5398b7ab793e2b11f930aa375b9212887614b03",
                type="identifier",
                keys=[BASE],
                said_in=["m0001"],
            ),
        ],
        [
            trap(
                "the base commit is cabe71e",
                of="the base commit is e5398b7ab793e2b11f930aa375b9212887614b03",
                keys=[
                    "cabe71e",
                    "base|base commit|compare|compared|comparison|diff|difference",
                ],
            ),
        ],
    )


def ask_match_file(log: ImportedLog) -> None:
    """The file that was read, and the state of the search at the first point."""
    fact, trap = log.fact, log.trap
    log.probe(
        "match-file",
        "file",
        "Which source file of ponyc was opened as the suspect, which function in it gives the type "
        "of a pattern, and for which three node kinds does that function return the type without "
        "further work?",
        [
            fact(
                f"{MATCH} was read",
                type="path",
                keys=[MATCH],
                change="read",
                said_in=["m0010", "m0011"],
            ),
            fact(
                "make_pattern_type gives the type of a pattern",
                type="identifier",
                keys=["make_pattern_type"],
                said_in=["m0011"],
            ),
            fact(
                "TK_DONTCAREREF returns the type as it is",
                type="identifier",
                keys=["TK_DONTCAREREF|DONTCAREREF"],
                said_in=["m0011"],
            ),
            fact(
                "TK_MATCH_CAPTURE returns the type as it is",
                type="identifier",
                keys=["TK_MATCH_CAPTURE|MATCH_CAPTURE"],
                said_in=["m0011"],
            ),
            fact(
                "TK_MATCH_DONTCARE returns the type as it is",
                type="identifier",
                keys=["TK_MATCH_DONTCARE|MATCH_DONTCARE"],
                said_in=["m0011"],
            ),
        ],
        [
            trap(
                "infer_pattern_type gives the type of a pattern",
                of="make_pattern_type gives the type of a pattern",
                keys=[
                    "infer_pattern_type",
                    "returns the type|gives the type|type of a pattern|pattern's type",
                ],
            ),
            trap(
                "TK_TUPLE returns the type as it is",
                of="TK_MATCH_CAPTURE returns the type as it is",
                keys=[
                    "TK_TUPLE|TK_SEQ|TK_NONE",
                    "as it is|unchanged|directly|without further work|straight away",
                ],
            ),
        ],
    )
    log.probe(
        "search-state",
        "continuation",
        "How far has the search in match.c come: was the file shown whole, with "
        "which exit code did the search for iso end, which match "
        "result belongs to the message that a capture violates capabilities, what does the TODO in "
        "expr_case leave open, and which script must exist before the source is edited?",
        [
            fact(
                "the search for iso in match.c ended with exit code 1",
                type="command",
                keys=[
                    "iso|grep|search|command",
                    "exit code 1|code 1|exit status 1|status 1|exit 1",
                ],
                said_in=["m0013"],
            ),
            fact(
                "the view of match.c was clipped, only part of the file was shown",
                type="state",
                keys=[
                    "clipped|truncated|cut off|only part|partially shown|incomplete|not complete",
                    "file|match.c|response|output|view|listing",
                ],
                said_in=["m0011"],
            ),
            fact(
                "MATCHTYPE_DENY_CAP reports that the capture violates capabilities",
                type="error",
                keys=["MATCHTYPE_DENY_CAP"],
                said_in=["m0011"],
            ),
            fact(
                "the TODO wants the unaliased type reported when the body is a consume",
                type="state",
                keys=[
                    "unaliased|not aliased|without alias|alias removed",
                    "consume|consumed|consumes|consuming",
                ],
                said_in=["m0011"],
            ),
            fact(
                "a script that reproduces the error comes before the edit",
                type="next_step",
                keys=[
                    "script|program|test program|example",
                    "reproduce|reproduces|reproducing|reproduction|repro|replicate|confirm the "
                    "error|shows the error",
                ],
                said_in=["m0001"],
            ),
        ],
        [
            trap(
                "MATCHTYPE_REJECT reports that the capture violates capabilities",
                of="MATCHTYPE_DENY_CAP reports that the capture violates capabilities",
                keys=[
                    "MATCHTYPE_REJECT|MATCHTYPE_DENY_NODESC",
                    "violates|violate|violation|capability|capabilities",
                ],
            ),
            trap(
                "the reproduction script exists already",
                of="a script that reproduces the error comes before the edit",
                keys=[
                    "script",
                    "was written|was created|exists already|already exists|has been written|"
                    "confirmed the bug",
                ],
            ),
        ],
    )


def ask_edits(log: ImportedLog) -> None:
    """The attempts to edit match.c up to the second point."""
    fact, trap = log.fact, log.trap
    log.probe(
        "lines-now",
        "file",
        "Which file has been changed for the iso fix so far, what do the inserted lines make of an "
        "iso type, is their place right, and where in the file do they belong, named by the "
        "statement and its line?",
        [
            fact(
                f"{MATCH} was modified",
                type="path",
                keys=[MATCH],
                change="modified",
                said_in=["m0026", "m0027", "m0040", "m0041"],
            ),
            fact(
                "the inserted lines turn TK_ISO into TK_TRN",
                type="state",
                keys=["TK_ISO|iso", "TK_TRN|trn"],
                said_in=["m0026", "m0041"],
            ),
            fact(
                "the inserted line is not placed correctly",
                type="state",
                keys=[
                    "line|lines|check|condition|code|insertion|place|placement|position|they",
                    "not correctly placed|not placed correctly|wrongly placed|misplaced|"
                    "wrong place|wrong position|wrong spot|not right|is wrong|are wrong|incorrect|"
                    "after the return|behind the return|unreachable|dead code",
                ],
                said_in=["m0028"],
            ),
            fact(
                "it belongs before the return statement at line 317",
                type="next_step",
                keys=["before|above|ahead of|in front of|precede", "return", "317"],
                said_in=["m0028"],
            ),
        ],
        [
            trap(
                "the check is placed correctly now",
                of="the inserted line is not placed correctly",
                keys=[
                    "check|condition|inserted|lines|insertion|placement",
                    "placed correctly|correctly placed|right place|stands before the return|"
                    "already before",
                ],
            ),
            trap(
                "it belongs before the return at line 449",
                of="it belongs before the return statement at line 317",
                keys=["before|above", "return", "449"],
            ),
        ],
    )
    log.probe(
        "failed-edits",
        "recall",
        "Which two different errors did the str_replace attempts on match.c end with, at which two "
        "lines does the text of the second error stand, and which kind of comparison does the code "
        "before the later of these two lines, in the same function, handle?",
        [
            fact(
                "str_replace failed because old_str did not appear verbatim",
                type="error",
                keys=[
                    "not appear verbatim|did not appear verbatim|not found verbatim|"
                    "not verbatim|not appear",
                ],
                said_in=["m0033"],
            ),
            fact(
                "str_replace failed because of multiple occurrences of return pattern_type;",
                type="error",
                keys=[
                    "multiple|ambiguous|not unique|unique|more than once|twice",
                    "occurrence|occurrences|return pattern_type|old_str|str_replace",
                ],
                said_in=["m0031", "m0039"],
            ),
            fact(
                "return pattern_type; stands in lines 317 and 449",
                type="value",
                keys=["317", "449"],
                said_in=["m0031", "m0039"],
            ),
            fact(
                "the code before the second return handles structural equality with eq",
                type="state",
                keys=["structural|structurally", "equality|eq|equal|equals"],
                said_in=["m0011", "m0017"],
            ),
        ],
        [
            trap(
                "return pattern_type; stands in lines 317 and 414",
                of="return pattern_type; stands in lines 317 and 449",
                keys=["317", "414|439|441|448"],
            ),
        ],
    )


def ask_idea(log: ImportedLog) -> None:
    """What is to be done with iso patterns, and the steps around it, at the second point."""
    fact, trap = log.fact, log.trap
    log.probe(
        "idea",
        "decision",
        "What was decided for the repair in match.c: which function is to be modified, which "
        "capability is tested for, to what is the type set and by which function, which variable "
        "gets the result where that is called already, and which node kind did the thought aim at "
        "and for which purpose?",
        [
            fact(
                "the condition is ast_id(pattern_type) == TK_ISO",
                type="decision",
                keys=[
                    "TK_ISO|iso",
                    "pattern_type|pattern type|ast_id|type of the pattern|captured type",
                ],
                said_in=["m0024", "m0026", "m0040"],
            ),
            fact(
                "set_cap_and_ephemeral sets it to TK_TRN with TK_EPHEMERAL",
                type="decision",
                keys=["set_cap_and_ephemeral|set|sets", "TK_TRN|trn", "TK_EPHEMERAL|ephemeral"],
                said_in=["m0024", "m0026", "m0040"],
            ),
            fact(
                "the captured iso is handled apart to prevent incorrect aliasing",
                type="reason",
                keys=[
                    "TK_MATCH_CAPTURE|capture|captures|captured",
                    "alias|aliasing|aliased|aliases",
                ],
                said_in=["m0018"],
            ),
            fact(
                "r_type gets the result of the existing call of set_cap_and_ephemeral",
                type="identifier",
                keys=["r_type"],
                said_in=["m0011", "m0017"],
            ),
            fact(
                "make_pattern_type is the function to be modified",
                type="identifier",
                keys=[
                    "make_pattern_type",
                    "modify|modified|change|changed|edit|edited|function|repair|fix|handle|adapt",
                ],
                said_in=["m0018"],
            ),
        ],
        [
            trap(
                "the type is set to TK_VAL or TK_REF",
                of="set_cap_and_ephemeral sets it to TK_TRN with TK_EPHEMERAL",
                keys=["TK_VAL|TK_REF|TK_BOX|TK_TAG", "TK_EPHEMERAL|set_cap_and_ephemeral|set"],
            ),
        ],
    )
    log.probe(
        "from-the-start",
        "continuation",
        "For the work that is left on the ponyc issue: which branch of the match in its example "
        "compiles although it should not, what does the user want tried beyond the plain case and "
        "where, which function in expr_case weighs the operand's type against the pattern's, which "
        "matches does match.c never take as exhaustive, and at which line of the unedited "
        "match.c did the search for alias find the TODO?",
        [
            fact(
                "the branch let b that consumes b compiles without an error",
                type="error",
                keys=[
                    "consume b|consumes b|consuming b|b is consumed|consumes the captured b|"
                    "consume the captured b",
                    "let b|branch|case|arm|capture|captured|match|no compiler error|no error|"
                    "compiles",
                ],
                said_in=["m0001"],
            ),
            fact(
                "edge cases are to be added to the reproduction script and run",
                type="next_step",
                keys=[
                    "edge case|edge cases|edgecase|edgecases|corner case|corner cases",
                    "script|reproduce|reproduction|repro|reproduce script",
                ],
                said_in=["m0001"],
            ),
            fact(
                "is_matchtype compares the type of the operand with that of the pattern",
                type="identifier",
                keys=["is_matchtype"],
                said_in=["m0011"],
            ),
            fact(
                "a match where all cases jump away is not taken as exhaustive",
                type="constraint",
                keys=[
                    "exhaustive|exhaustiveness|is_match_exhaustive",
                    "jump away|jumps away|jumping away|AST_FLAG_JUMPS_AWAY|return, error, break or "
                    "continue",
                ],
                said_in=["m0011"],
            ),
            fact(
                "the search for alias found the TODO at line 521",
                type="command",
                keys=["TODO|alias|aliased|unaliased|grep|hit|search", "521"],
                said_in=["m0015"],
            ),
        ],
        [
            trap(
                "is_match_exhaustive compares the type of the operand with that of the pattern",
                of="is_matchtype compares the type of the operand with that of the pattern",
                keys=[
                    "is_match_exhaustive|infer_pattern_type|is_subtype",
                    "compare|compares|comparison|operand|match type|pattern type",
                ],
            ),
        ],
    )


def ask_change(log: ImportedLog) -> None:
    """The state of match.c at the end."""
    fact, trap = log.fact, log.trap
    log.probe(
        "change-now",
        "file",
        "Which source file carries the iso change in the end, how does the check stand now, what "
        "became of the two lines inserted earlier, with which message did the last str_replace "
        "attempt on the indentation end, and which tool repaired the indentation of which line?",
        [
            fact(
                f"{MATCH} was modified",
                type="path",
                keys=[MATCH],
                change="modified",
                said_in=["m0042", "m0043", "m0053", "m0054"],
            ),
            fact(
                "the check for iso has been added correctly",
                type="state",
                keys=[
                    "condition|check|iso|TK_ISO|line|it",
                    "correctly added|added correctly|added|in place|in its place|"
                    "correctly placed|placed correctly|before the return|right place",
                ],
                said_in=["m0063"],
            ),
            fact(
                "the two duplicate lines were removed",
                type="state",
                keys=[
                    "duplicate|duplicates|duplicated|earlier lines|earlier two|two lines|"
                    "both lines|old lines|misplaced",
                    "removed|remove|deleted|delete|gone|replaced by nothing|taken out|dropped",
                ],
                said_in=["m0042", "m0044"],
            ),
            fact(
                "str_replace failed because new_str and old_str must be different",
                type="error",
                keys=[
                    "new_str|old_str|old and new|new and old|both strings|two strings",
                    "must be different|different|must differ|differ|identical",
                ],
                said_in=["m0058"],
            ),
            fact(
                "sed repaired the indentation of line 317",
                type="command",
                keys=["sed", "317|317s"],
                said_in=["m0059", "m0060"],
            ),
        ],
        [
            trap(
                "the check stands after the return",
                of="the check for iso has been added correctly",
                keys=[
                    "check|condition|TK_ISO",
                    "after the return|behind the return|unreachable|not correctly placed|"
                    "still misplaced|below the return",
                ],
            ),
            trap(
                "the two duplicate lines are still there",
                of="the two duplicate lines were removed",
                keys=[
                    "duplicate|duplicates|two lines|earlier lines",
                    "still there|remain|remains|still in the file|left in|not removed",
                ],
            ),
        ],
    )


def ask_build(log: ImportedLog) -> None:
    """The build that does not come about."""
    fact, trap = log.fact, log.trap
    log.probe(
        "build-errors",
        "recall",
        "With which error did the ponyc build end each time: the first plain make, make after "
        "build_release was created by hand, and make with LLVM_DIR exported; and on which network "
        "error did the attempt to install llvm-dev stumble?",
        [
            fact(
                "the first make could not cd to build/build_release",
                type="error",
                keys=[
                    "cd|change into|enter|change directory|directory|folder",
                    "build_release|build/build_release|buildDir",
                    "can't|cannot|could not|missing|not exist|no such|failed|fail|unable",
                ],
                said_in=["m0064", "m0066", "m0068"],
            ),
            fact(
                "make after that ended with could not load cache",
                type="error",
                keys=[
                    "could not load cache|not load cache|load cache|load the cache|cache could "
                    "not be loaded|no cache|CMake cache missing|cache missing",
                ],
                said_in=["m0082", "m0084"],
            ),
            fact(
                "apt-get update for llvm-dev ended with Temporary failure resolving",
                type="error",
                keys=[
                    "temporary failure resolving|temporary failure|DNS|name resolution|"
                    "sys-proxy-rd-relay.byted.org",
                ],
                said_in=["m0088"],
            ),
            fact(
                "make with LLVM_DIR exported had no rule to make target Makefile",
                type="error",
                keys=[
                    "no rule|No such file|Makefile missing|missing Makefile|Makefile does not exist",
                    "Makefile",
                ],
                said_in=["m0094"],
            ),
        ],
        [
            trap(
                "make with LLVM_DIR exported ended with could not load cache",
                of="make with LLVM_DIR exported had no rule to make target Makefile",
                keys=["LLVM_DIR", "load cache|load the cache"],
            ),
        ],
    )
    log.probe(
        "llvm",
        "decision",
        "How did cmake get to know LLVM in the end and which folder was named, which way of naming "
        "it had not helped, in which version was the LLVM package there already, what does apt "
        "list of LLVM 15, and what did apt-get say to the package that should be installed next?",
        [
            fact(
                "-DLLVM_DIR=/usr/lib/llvm-14/cmake on the command line of cmake got past LLVM",
                type="command",
                keys=["LLVM_DIR|DLLVM_DIR", "/usr/lib/llvm-14/cmake"],
                said_in=["m0097"],
            ),
            fact(
                "LLVM_DIR as an environment variable was not picked up",
                type="reason",
                keys=[
                    "environment|environment variable|export|exported|exporting|env",
                    "not picked up|not pick up|not being picked up|ignored|no effect|not help|"
                    "not helped|not work|not worked|fail|failed|useless|in vain|not seen|"
                    "not recognised|not recognized|had not helped",
                ],
                said_in=["m0097"],
            ),
            fact(
                "llvm-14-dev was installed already in version 1:14.0.0",
                type="value",
                keys=[
                    "llvm-14-dev|LLVM|package|version",
                    "1:14.0.0|14.0.0|1:14.0.0-1ubuntu1.1|14.0.0-1ubuntu1.1",
                ],
                said_in=["m0092"],
            ),
            fact(
                "of LLVM 15 apt lists only the runtime library libllvm15",
                type="state",
                keys=["libllvm15|LLVM 15|llvm-15", "runtime|runtime library"],
                said_in=["m0090"],
            ),
            fact(
                "apt-get could not locate libgtest-dev",
                type="error",
                keys=[
                    "libgtest-dev",
                    "unable to locate|not locate|could not locate|cannot locate|not located|"
                    "not found|not available|unavailable|cannot be installed|missing",
                ],
                said_in=["m0100"],
            ),
        ],
        [
            trap(
                "exporting LLVM_DIR got past LLVM",
                of="LLVM_DIR as an environment variable was not picked up",
                keys=[
                    "environment|environment variable|export|exported|exporting",
                    "solved|succeeded|worked|did the trick|got past|found LLVM",
                ],
            ),
            trap(
                "LLVM 15 was installed",
                of="llvm-14-dev was installed already in version 1:14.0.0",
                keys=["15.0.7|llvm-15|LLVM 15|llvm-15-dev", "install|installed|package|dev"],
            ),
            trap(
                "libgtest-dev was installed",
                of="apt-get could not locate libgtest-dev",
                keys=[
                    "GTest|libgtest-dev|googletest",
                    "was installed|is installed|successfully installed|got installed|found after",
                ],
            ),
        ],
    )
    log.probe(
        "build-folders",
        "file",
        "Before somebody repairs the ponyc build: in which file was the definition of buildDir "
        "looked up, where below the build folder does it put libsOutDir, what had befallen the "
        "whole build folder, with which C compiler does make call cmake there, and which one did "
        "cmake take when it was run by hand?",
        [
            fact(
                "Makefile was read",
                type="path",
                keys=["Makefile"],
                change="read",
                said_in=["m0070", "m0071"],
            ),
            fact(
                "libsOutDir is build/libs",
                type="identifier",
                keys=[
                    "libsOutDir|libs folder|libs|library folder|libraries",
                    "build/libs",
                ],
                said_in=["m0076"],
            ),
            fact(
                "the whole build folder was deleted with rm -rf",
                type="command",
                keys=[
                    "rm|rm -rf|deleted|delete|removed|remove|wiped|erased",
                    "build|build folder|build directory",
                ],
                said_in=["m0067", "m0083"],
            ),
            fact(
                "make calls cmake with clang",
                type="value",
                keys=["clang", "make|cmake|CC"],
                said_in=["m0078"],
            ),
            fact(
                "cmake run by hand took GNU 11.4.0",
                type="value",
                keys=["GNU|gcc|/usr/bin/cc", "11.4.0"],
                said_in=["m0086"],
            ),
        ],
        [
            trap(
                "libsOutDir is build/build_libs",
                of="libsOutDir is build/libs",
                keys=["libsOutDir", "build_libs|build/build_libs"],
            ),
            trap(
                "make calls cmake with gcc",
                of="make calls cmake with clang",
                keys=["make calls|make uses|make passes|make runs", "gcc|GNU"],
            ),
        ],
    )


def ask_rest(log: ImportedLog) -> None:
    """What is left at the end."""
    fact, trap = log.fact, log.trap
    log.probe(
        "what-is-left",
        "continuation",
        "The work on the ponyc change goes on: what was make to show, which rule of the user "
        "speaks against fetching GTest or LLVM with apt, what is to be run again after the edit, "
        "which result of is_matchtype already stands for a violated capability, and which commit "
        "is the base for the final comparison?",
        [
            fact(
                "the compiler is recompiled to verify that the change fixes the issue",
                type="next_step",
                keys=[
                    "recompile|recompiling|compile|compiling|rebuild|rebuilding|build",
                    "verify|verifies|verification|test|tests|testing|check|confirm|prove|fix|fixes",
                ],
                said_in=["m0063"],
            ),
            fact(
                "the environment is set up and other packages need not be installed",
                type="constraint",
                keys=[
                    "package|packages|dependency|dependencies|environment",
                    "not install|not installed|don't need to install|no need to install|"
                    "no install|no installation|already installed|already set up|not need|"
                    "without installing|not necessary",
                ],
                said_in=["m0001"],
            ),
            fact(
                "the reproduce script is to be run again to confirm the fix",
                type="next_step",
                keys=[
                    "script|reproduce script|reproduction script",
                    "reproduce|reproduces|reproduction|repro|replicate",
                ],
                said_in=["m0001"],
            ),
            fact(
                "MATCHTYPE_DENY_CAP reports that a capture violates capabilities",
                type="identifier",
                keys=["MATCHTYPE_DENY_CAP"],
                said_in=["m0011"],
            ),
            fact(
                "the base commit is e5398b7ab793e2b11f930aa375b9212887614b03",
                type="identifier",
                keys=[BASE],
                said_in=["m0001"],
            ),
        ],
        [
            trap(
                "the build succeeded",
                of="the compiler is recompiled to verify that the change fixes the issue",
                keys=[
                    "build|compile|recompile|make|compilation",
                    "succeeded|successful|passed",
                ],
            ),
        ],
    )


SESSION = RealSession(
    ask,
    "openhands/multi_swe_bench_example_output.jsonl",
    "debugging",
    "The Pony compiler lets a match alias an iso field; the first repair cannot be built",
    "MIT",
    "https://github.com/OpenHands/OpenHands",
    conversation="ponylang__ponyc-4588",
)
