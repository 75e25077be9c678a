"""A terminal agent gets colour themes, its tests and colours are mended, and a release fails."""

from imported import ImportedLog, RealSession


def ask(log: ImportedLog) -> None:
    """What is asked after each point."""
    _before_the_renderer(log)
    log.go_on()
    _amid_the_tests(log)
    log.go_on()
    _at_the_truncated_line(log)
    log.go_on()
    _amid_the_links(log)
    log.go_on()
    _after_the_crash(log)
    log.go_on()
    _at_the_failed_release(log)


def _before_the_renderer(log: ImportedLog) -> None:
    fact, trap = log.fact, log.trap
    log.probe(
        "selector-port",
        "decision",
        "How was the selector of user messages ported to themes in the end: in which file, why "
        "was there a second attempt, what became of its own list class, and from where does "
        "its border come?",
        [
            fact(
                "the user undid the changes of the first attempt",
                type="reason",
                keys=[
                    "undid|undo|undone|reverted|reverts|rolled back|discarded",
                    "changes|attempt|component|port|first",
                ],
                said_in=log.saying("i undid your changes"),
            ),
            fact(
                "the custom class UserMessageList stays",
                type="decision",
                keys=[
                    "UserMessageList",
                    "intact|still|kept|keeps|stays|remains|retained|preserved",
                ],
            ),
            fact(
                "DynamicBorder is imported from dynamic-border.js",
                type="state",
                keys=["DynamicBorder|border", "dynamic-border.js|./dynamic-border.js|shared"],
            ),
            fact(
                "packages/coding-agent/src/tui/user-message-selector.ts was modified",
                type="path",
                keys=["packages/coding-agent/src/tui/user-message-selector.ts"],
                change="modified",
            ),
        ],
        [
            trap(
                "the custom class UserMessageList was removed",
                of="the custom class UserMessageList stays",
                keys=["UserMessageList", "removed|dropped|deleted|simplified away"],
            ),
        ],
    )
    log.probe(
        "theme-rules",
        "recall",
        "What do the theme docs demand: how many colour tokens are there and which of "
        "them may be absent from a theme, in which folder do one's own themes lie, and which "
        "colour mode is used if the terminal cannot be recognised?",
        [
            fact(
                "there are 37 color tokens",
                type="value",
                keys=["37", "color tokens|colour tokens|tokens|colors|total"],
            ),
            fact(
                "there are no optional colors",
                type="constraint",
                keys=[
                    "no optional|not optional|none is optional|all required|are required|"
                    "none optional",
                    "colors|color|colours|tokens|token",
                ],
                said_in=log.holding("There are no optional colors"),
            ),
            fact(
                "custom themes are loaded from ~/.pi/agent/themes/*.json",
                type="identifier",
                keys=[
                    "~/.pi/agent/themes/*.json|~/.pi/agent/themes",
                    "custom|loaded|load|own|json",
                ],
            ),
            fact(
                "the fallback is 256-color mode",
                type="state",
                keys=[
                    "256-color|256 color|256color|256 colours",
                    "fallback|falls back|fall back|detection fails",
                ],
            ),
        ],
    )
    log.probe(
        "renderer-left",
        "continuation",
        "Which file does the user think is the only one left, and which three names does it "
        "import from the theme module besides theme itself?",
        [
            fact(
                "tui-renderer.ts is the one file left to fix",
                type="next_step",
                keys=["tui-renderer.ts|tui-renderer", "left|remaining|remains|last|next|only one"],
            ),
            fact(
                "packages/coding-agent/src/tui/tui-renderer.ts was read",
                type="path",
                keys=["packages/coding-agent/src/tui/tui-renderer.ts"],
                change="read",
            ),
            fact(
                "getEditorTheme, getMarkdownTheme and setTheme are imported",
                type="identifier",
                keys=["getEditorTheme", "getMarkdownTheme", "setTheme"],
            ),
        ],
        [
            trap(
                "user-message-selector.ts is the one file left to fix",
                of="tui-renderer.ts is the one file left to fix",
                keys=["user-message-selector", "left|remaining|next"],
            ),
        ],
    )


def _amid_the_tests(log: ImportedLog) -> None:
    fact, trap = log.fact, log.trap
    log.probe(
        "test-themes",
        "continuation",
        "What does the user want for the broken TUI tests and for which three components is it "
        "lacking, in which new file was it begun, and which of its exports does editor.test.ts "
        "get?",
        [
            fact(
                "default themes with chalk are to be shared across all the tests",
                type="next_step",
                keys=[
                    "default themes|default theme",
                    "shared|share|across|common",
                ],
                said_in=log.saying("create default themes shared across all the tests"),
            ),
            fact(
                "packages/tui/test/test-themes.ts was created",
                type="path",
                keys=["packages/tui/test/test-themes.ts"],
                change="created",
            ),
            fact(
                "editor.test.ts constructs its editors with defaultEditorTheme",
                type="identifier",
                keys=["defaultEditorTheme", "Editor|editor.test.ts|editors|import"],
            ),
            fact(
                "themes are lacking for select list, editor and markdown",
                type="reason",
                keys=["selectlist|select list|SelectList", "editor", "markdown|makrdown"],
            ),
        ],
    )
    log.probe(
        "type-errors",
        "recall",
        "In the reports of tsgo so far: which numbers of arguments does it give where "
        "markdown.test.ts constructs Markdown, which properties did it miss in the theme of "
        "the select list, what does it say about r in wrap-ansi.test.ts, and from which file "
        "does applyBackgroundToLine come?",
        [
            fact(
                "Expected 4-5 arguments, but got 3",
                type="error",
                keys=[
                    "4-5 arguments|4-5|four or five|4 or 5",
                    "got 3|3|three",
                ],
            ),
            fact(
                "'r' does not exist in type '(text: string) => string'",
                type="error",
                keys=[
                    "'r'|r",
                    "does not exist|not exist|unknown property|known properties|not known",
                    "(text: string) => string|string",
                ],
            ),
            fact(
                "SelectListTheme needs selectedPrefix, selectedText and scrollInfo",
                type="error",
                keys=[
                    "selectedPrefix",
                    "selectedText|scrollInfo",
                ],
            ),
            fact(
                "applyBackgroundToLine comes from utils.ts",
                type="identifier",
                keys=[
                    "utils.ts|utils.js|../utils.js|packages/tui/src/utils.ts",
                    "applyBackgroundToLine",
                ],
            ),
        ],
        [
            trap(
                "applyBackgroundToLine comes from wrap-ansi.ts",
                of="applyBackgroundToLine comes from utils.ts",
                keys=[
                    "wrap-ansi.ts|packages/tui/src/wrap-ansi.ts",
                    "applyBackgroundToLine",
                ],
            ),
            trap(
                "applyBackgroundToLine takes an RGB object",
                of="'r' does not exist in type '(text: string) => string'",
                keys=["applyBackgroundToLine", "RGB object|rgb"],
            ),
        ],
    )
    log.probe(
        "thinking-borders",
        "decision",
        "How is the border of the editor coloured by thinking level at this time: which tokens "
        "do the levels off and high use, are there tokens made for it, and who removed nearly "
        "all uses of chalk from the renderer?",
        [
            fact(
                "off uses dim",
                type="value",
                keys=["off", "dim"],
            ),
            fact(
                "high uses accent",
                type="value",
                keys=["high", "accent"],
            ),
            fact(
                "existing tokens are reused, no new tokens were needed",
                type="decision",
                keys=[
                    "existing theme tokens|existing tokens|existing theme colors|existing|no new",
                    "tokens|colors|reuse|reuses|reused|map|maps",
                ],
            ),
            fact(
                "the user removed almost all chalk uses by hand",
                type="state",
                keys=[
                    "manually|by hand|himself|themselves|user",
                    "chalk",
                    "removed|removes|remove",
                ],
            ),
        ],
        [
            trap(
                "high uses magenta",
                of="high uses accent",
                keys=["high", "magenta"],
            ),
            trap(
                "off uses borderMuted",
                of="off uses dim",
                keys=["off", "borderMuted"],
            ),
        ],
    )


def _at_the_truncated_line(log: ImportedLog) -> None:
    fact, trap = log.fact, log.trap
    log.probe(
        "explicit-tokens",
        "decision",
        "What did the user decide about the border colours of thinking levels, how many tokens "
        "are there now, which colour does the highest level have in the dark theme, and which "
        "token serves for a level that is none of the five?",
        [
            fact(
                "themes need explicit tokens for the thinking level border",
                type="decision",
                keys=["explicit|dedicated|own", "tokens|token", "thinking|border"],
            ),
            fact(
                "there are 42 color tokens now",
                type="value",
                keys=["42", "tokens|color tokens|total|colors"],
            ),
            fact(
                "thinkingHigh is #ff00ff in the dark theme",
                type="value",
                keys=["#ff00ff|ff00ff", "thinkingHigh|high|highest|magenta"],
            ),
            fact(
                "an unknown level takes thinkingOff",
                type="state",
                keys=[
                    "default|unknown|other|otherwise|else|fallback",
                    "thinkingOff",
                ],
            ),
        ],
        [
            trap(
                "there are still 37 color tokens",
                of="there are 42 color tokens now",
                keys=[
                    "37",
                    "tokens|colors",
                    "still|now|currently",
                ],
            ),
            trap(
                "the border colours reuse existing tokens",
                of="themes need explicit tokens for the thinking level border",
                keys=["border|thinking", "existing tokens|no new tokens|existing theme tokens"],
            ),
        ],
    )
    log.probe(
        "width-rule",
        "continuation",
        "Which rule of components does the line of queued messages break, what must truncated "
        "text do at a line break, which test file was written for it, and how did its first run "
        "end?",
        [
            fact(
                "no line of render may be wider than the given width",
                type="constraint",
                keys=[
                    "wider than|exceed|not be wider|no wider|longer than",
                    "width|passed in width",
                ],
            ),
            fact(
                "truncated text must stop at a new line",
                type="constraint",
                keys=["stop|stops|cut|ends", "new line|newline|newlines|first line|line break"],
            ),
            fact(
                "packages/tui/test/truncated-text.test.ts was created",
                type="path",
                keys=["packages/tui/test/truncated-text.test.ts"],
                change="created",
            ),
            fact(
                "the test run of truncated-text.test.ts was aborted",
                type="command",
                keys=[
                    "aborted",
                    "command|Command|run|test",
                ],
                said_in=log.holding("test/*.test.ts truncated-text.test.ts"),
            ),
        ],
        [
            trap(
                "the test run of truncated-text.test.ts passed",
                of="the test run of truncated-text.test.ts was aborted",
                keys=["truncated-text|run", "passed|succeeded|green"],
            ),
        ],
    )
    log.probe(
        "constructor-order",
        "recall",
        "What did the repair of the TUI tests find: at which place does the constructor of "
        "Markdown take its theme, which type error did a gray given by name cause, what does a "
        "Loader take right after the UI, and which name was unknown in markdown.test.ts?",
        [
            fact(
                "Markdown takes the theme in the 4th position, before defaultTextStyle",
                type="value",
                keys=[
                    "theme|defaultMarkdownTheme",
                    "4th|fourth|paddingY, theme|before defaultTextStyle|paddingY theme defaultTextStyle",
                ],
            ),
            fact(
                "Type 'string' is not assignable to type '(text: string) => string'",
                type="error",
                keys=[
                    "not assignable|cannot be assigned|can't be assigned",
                    "string",
                ],
            ),
            fact(
                "Loader takes a function spinnerColorFn",
                type="identifier",
                keys=[
                    "spinnerColorFn|spinner color function|spinner colour function",
                    "string|function|Loader|parameter|private",
                ],
            ),
            fact(
                "markdown.test.ts lacked chalk: Cannot find name 'chalk'",
                type="error",
                keys=[
                    "Cannot find name|not imported|missing import|import missing|"
                    "lacks the import|missing",
                    "chalk",
                ],
                said_in=log.holding("Cannot find name 'chalk'"),
            ),
        ],
        [
            trap(
                "Markdown takes the theme in the 5th position",
                of="Markdown takes the theme in the 4th position, before defaultTextStyle",
                keys=["theme|defaultMarkdownTheme", "5th|fifth"],
            ),
            trap(
                "Markdown takes undefined in the 4th position",
                of="Markdown takes the theme in the 4th position, before defaultTextStyle",
                keys=["undefined", "4th|fourth"],
            ),
        ],
    )
    log.probe(
        "early-theme-facts",
        "recall",
        "From the reading at the very start: what two kinds of colour value does the schema in "
        "theme.ts admit, how many entries does the user message selector show at a time, and "
        "when does it close by itself?",
        [
            fact(
                "a color may be a number from 0 to 255",
                type="value",
                keys=["255", "number|integer|Integer|index|256"],
            ),
            fact(
                "a color may be a hex string or a variable",
                type="state",
                keys=["hex|#ff0000", "string|var|variable|reference|var ref"],
            ),
            fact(
                "the selector shows at most 10 messages",
                type="value",
                keys=[
                    "10|ten",
                    "maxVisible|visible|messages|at once|maximum|max",
                ],
                said_in=log.holding("maxVisible: number = 10"),
            ),
            fact(
                "the selector cancels itself after 100 ms with one message or none",
                type="value",
                keys=[
                    "100|100 ms|100ms",
                    "cancel|onCancel|auto-cancel|cancels|closes",
                ],
            ),
        ],
    )


def _amid_the_links(log: ImportedLog) -> None:
    fact, trap = log.fact, log.trap
    log.probe(
        "dark-colours",
        "recall",
        "The colours of the dark theme were changed many times at the user's word. Which values "
        "hold now for accent, error, markdown headings, link text and dimGray?",
        [
            fact(
                "accent is #8abeb7",
                type="value",
                keys=["#8abeb7|8abeb7", "accent"],
            ),
            fact(
                "error is #cc6666",
                type="value",
                keys=["#cc6666|cc6666", "error|red"],
            ),
            fact(
                "mdHeading is #f0c674",
                type="value",
                keys=["#f0c674|f0c674", "mdHeading|heading|headings"],
            ),
            fact(
                "mdLink is #81a2be", type="value", keys=["#81a2be|81a2be", "mdLink|link text|link"]
            ),
            fact(
                "dimGray is #666666",
                type="value",
                keys=["#666666|666666", "dimGray|dim"],
            ),
        ],
        [
            trap(
                "accent is cyan",
                of="accent is #8abeb7",
                keys=[
                    "cyan|#00d7ff",
                    "accent",
                ],
            ),
            trap(
                "mdLink is #b5bd68",
                of="mdLink is #81a2be",
                keys=["#b5bd68|b5bd68", "mdLink|link text"],
            ),
            trap(
                "dimGray is #585858",
                of="dimGray is #666666",
                keys=["#585858|#444444", "dimGray|dim"],
            ),
        ],
    )
    log.probe(
        "grey-levels",
        "decision",
        "Why did the greys look alike in one of the user's two terminals: which setting was it "
        "and to which value must it be set, what may the theme files hold since then, and which "
        "script prints all colours?",
        [
            fact(
                "minimumContrastRatio of VS Code is to be set to 1",
                type="value",
                keys=[
                    "minimumContrastRatio|minimum contrast ratio|contrast ratio|contrast",
                    "1",
                ],
            ),
            fact(
                "themes must use rgb values, no indices",
                type="constraint",
                keys=[
                    "rgb|RGB|hex",
                    "no indices|no rgb indices|not indices|instead of indices|no palette|values in the themes|no index|all colors use hex",
                ],
            ),
            fact(
                "packages/coding-agent/test/test-theme-colors.ts was created",
                type="path",
                keys=["packages/coding-agent/test/test-theme-colors.ts"],
                change="created",
            ),
        ],
        [
            trap(
                "VS Code loads the light theme",
                of="minimumContrastRatio of VS Code is to be set to 1",
                keys=["VS Code", "light theme", "loads|detects|detected|uses"],
            ),
        ],
    )
    log.probe(
        "stale-background",
        "file",
        "What did not change its colour when the theme was switched and why, in which file was "
        "that mended, and how was the footer made dimmer without touching the theme?",
        [
            fact(
                "the background of tool executions does not change",
                type="state",
                keys=["tool execution|tool exectuion|tool", "bg color|background|bg|backgrounds"],
                said_in=log.saying("the bg color of the tool"),
            ),
            fact(
                "Text did not implement invalidate()",
                type="reason",
                keys=[
                    "Text",
                    "doesn't implement|not implement|no invalidate|lacks|lacked|missing|without",
                    "invalidate",
                ],
            ),
            fact(
                "packages/tui/src/components/text.ts was modified",
                type="path",
                keys=["packages/tui/src/components/text.ts"],
                change="modified",
            ),
            fact(
                "the footer uses dim instead of muted",
                type="decision",
                keys=["footer|statsLine|pwd", "dim"],
            ),
        ],
        [
            trap(
                "the closures keep the old theme",
                of="Text did not implement invalidate()",
                keys=["closure|closures", "old theme", "keep|reference|references|captured"],
            ),
            trap(
                "the footer uses muted",
                of="the footer uses dim instead of muted",
                keys=["footer", "uses muted|with muted|is muted"],
            ),
        ],
    )
    log.probe(
        "link-url",
        "continuation",
        "Work on a colour token for links has begun. What is the new token called and which "
        "colour did its part have in the old pi, which function was added to the markdown "
        "interface, and how many markdown colours does the schema count with it?",
        [
            fact(
                "the new token is mdLinkUrl",
                type="identifier",
                keys=["mdLinkUrl", "token|new|add|theme|separate"],
            ),
            fact(
                "in old pi the link url is 666666",
                type="value",
                keys=["666666|#666666", "link url|url|URL|mdLinkUrl"],
                said_in=log.saying("in old pi link url as 666666"),
            ),
            fact(
                "linkUrl was added to MarkdownTheme",
                type="identifier",
                keys=["linkUrl", "MarkdownTheme|interface|string"],
            ),
            fact(
                "the schema has Markdown (10 colors)",
                type="value",
                keys=["10|ten", "Markdown|markdown", "colors|colours|tokens"],
            ),
        ],
        [
            trap(
                "the schema has Markdown (9 colors)",
                of="the schema has Markdown (10 colors)",
                keys=["9|nine", "Markdown|markdown", "colors|colours|tokens"],
            ),
        ],
    )


def _after_the_crash(log: ImportedLog) -> None:
    fact, trap = log.fact, log.trap
    log.probe(
        "selector-crash",
        "continuation",
        "The user reports a crash from the theme selector. Which error was it, which custom theme "
        "was just being written, which of its variables does its accent name, and what does the "
        "user say of such crashes?",
        [
            fact(
                "Variable reference not found: dimGray",
                type="error",
                keys=[
                    "Variable reference not found|variable not found|unresolved variable|missing variable|reference",
                    "dimGray",
                ],
            ),
            fact(
                "~/.pi/agent/themes/nord.json was created",
                type="path",
                keys=["~/.pi/agent/themes/nord.json|nord.json"],
                change="created",
            ),
            fact(
                "accent is nord8 in the new theme",
                type="identifier",
                keys=["nord8", "accent"],
                said_in=log.doing("edit", r"accent\": \"nord8"),
            ),
            fact(
                "a crash should never happen",
                type="constraint",
                keys=["crash|crashes|exception|fail", "never happen|should never|must never|never"],
                said_in=log.saying("that should never happen"),
            ),
        ],
        [
            trap(
                "accent is nord10 in the new theme",
                of="accent is nord8 in the new theme",
                keys=["nord10", "accent"],
            ),
        ],
    )
    log.probe(
        "live-reload",
        "decision",
        "How does live reload of themes work: which themes are watched, what happens if the "
        "file is deleted, and what became of putting the selector's change off to the next "
        "tick and why?",
        [
            fact(
                "only custom themes are watched, not built-in ones",
                type="state",
                keys=[
                    "custom theme|custom themes",
                    "watch|watched|watches|watching|watcher",
                ],
            ),
            fact(
                "a deleted theme file falls back to the dark theme",
                type="state",
                keys=[
                    "deleted|delete|deletion|removed",
                    "dark",
                    "fall back|falls back|fallback|falling back|revert|reverts|fallen back",
                ],
            ),
            fact(
                "setImmediate was undone",
                type="decision",
                keys=[
                    "setImmediate|next tick",
                    "undo|undone|without|removed|reverted|no longer|taken back",
                ],
            ),
            fact(
                "the artifacts came from console logs in theme.ts",
                type="reason",
                keys=[
                    "console.logs|console logs|console.log|console output|logging",
                    "artifacts|fuck up|theme.ts|causing|caused|cause",
                ],
            ),
        ],
        [
            trap(
                "setImmediate is used in the selector",
                of="setImmediate was undone",
                keys=["setImmediate", "used|uses|stays|in place|defers"],
            ),
        ],
    )
    log.probe(
        "docs-and-prompt",
        "file",
        "Which file got the section on themes and which line of it did the user have removed, "
        "with what does its workflow begin, and in which file is the system prompt that now "
        "speaks of creating themes?",
        [
            fact(
                "packages/coding-agent/README.md was modified",
                type="path",
                keys=["packages/coding-agent/README.md"],
                change="modified",
            ),
            fact(
                "the line on tips for creating harmonious themes is removed",
                type="decision",
                keys=[
                    "tips|harmonious",
                    "kill|removed|dropped|remove|line|harmonious",
                ],
                said_in=log.saying("Tips for creating harmonious themes"),
            ),
            fact(
                "the workflow begins with a copy of a built-in theme",
                type="state",
                keys=[
                    "copy|copying|copies|cp",
                    "built-in theme|built-in|template|starting point",
                ],
            ),
            fact(
                "packages/coding-agent/src/main.ts was modified",
                type="path",
                keys=["packages/coding-agent/src/main.ts"],
                change="modified",
            ),
        ],
        [
            trap(
                "AGENTS.md holds the system prompt",
                of="packages/coding-agent/src/main.ts was modified",
                keys=["AGENTS.md", "system prompt"],
            ),
        ],
    )
    log.probe(
        "levels-and-limits",
        "recall",
        "Which colour does the highest thinking level have in the dark theme now, from which "
        "percentages on does the footer warn and show an error, which var serves for inline code "
        "in the light theme, and which type error came when link URLs got their own colour?",
        [
            fact(
                "mdCode is teal in the light theme",
                type="value",
                keys=[
                    "teal|#5f8787",
                    "mdCode|inline code",
                ],
            ),
            fact(
                "thinkingHigh is #b294bb",
                type="value",
                keys=["#b294bb|b294bb", "thinkingHigh|high"],
            ),
            fact(
                "context usage above 70% is shown as warning",
                type="constraint",
                keys=[
                    "70%|70|70 percent",
                    "warning|warn|yellow",
                ],
            ),
            fact(
                "context usage above 90% is shown as error",
                type="constraint",
                keys=[
                    "90%|90|90 percent",
                    "error|red",
                ],
            ),
            fact(
                "'linkUrl' does not exist in type 'MarkdownTheme'",
                type="error",
                keys=[
                    "linkUrl",
                    "does not exist|not exist|unknown|missing|known properties",
                    "MarkdownTheme|type",
                ],
            ),
        ],
        [
            trap(
                "thinkingHigh is #875f87",
                of="thinkingHigh is #b294bb",
                keys=[
                    "#875f87|875f87",
                    "thinkingHigh|high",
                ],
            ),
            trap(
                "mdCode is darkCyan in the light theme",
                of="mdCode is teal in the light theme",
                keys=["darkCyan|#008899", "mdCode|inline code"],
            ),
        ],
    )


def _at_the_failed_release(log: ImportedLog) -> None:
    fact, trap = log.fact, log.trap
    log.probe(
        "release-state",
        "continuation",
        "How far did the release get: which version and why that step, which commit is it, was "
        "its tag pushed, and which error does the build of the agent give, although the exports "
        "are there?",
        [
            fact(
                "the release is a minor one, a big change",
                type="decision",
                keys=["minor", "big change|new features|version|release|bump|0.8.0"],
            ),
            fact(
                "the release commit is 45ffe0a",
                type="identifier",
                keys=["45ffe0a", "main|commit|Release|release|v0.8.0"],
            ),
            fact(
                "the tag v0.8.0 was pushed",
                type="command",
                keys=["v0.8.0", "new tag|pushed|push|push origin"],
            ),
            fact(
                "pi-tui has no exported member EditorTheme",
                type="error",
                keys=[
                    "no exported member|not exported|does not export|missing export",
                    "EditorTheme|MarkdownTheme",
                ],
            ),
            fact(
                "setCustomBgFn does not exist on type Text",
                type="error",
                keys=["setCustomBgFn", "does not exist|not exist|missing|unknown"],
            ),
        ],
        [
            trap(
                "the release is a patch, 0.7.30",
                of="the release is a minor one, a big change",
                keys=["patch|0.7.30", "release|version|bump"],
            ),
        ],
    )
    log.probe(
        "house-rules",
        "recall",
        "Which rules do README.md and AGENTS.md of the repository give: on the version numbers of "
        "the packages, on editing them, on npm run dev, on inline imports, and on the command to "
        "run in the root after changes?",
        [
            fact(
                "all packages must always have the same version number",
                type="constraint",
                keys=[
                    "packages|package",
                    "same version|same number|lockstep",
                    "always|must|lockstep",
                ],
            ),
            fact(
                "never manually edit version numbers",
                type="constraint",
                keys=[
                    "never manually edit|never edit|not edit manually|no manual edits|"
                    "never by hand|not by hand",
                    "version numbers|version number|versions",
                ],
            ),
            fact(
                "never run npm run dev",
                type="constraint",
                keys=[
                    "npm run dev",
                    "NEVER run|never run|never be run|must not be run|do not run|not run",
                ],
            ),
            fact(
                "inline imports must not be used",
                type="constraint",
                keys=[
                    "inline imports|inline import|await import",
                    "NOT use|not be used|no inline|forbidden|avoid|never|must not",
                ],
            ),
            fact(
                "npm run check is run in the root after code changes",
                type="command",
                keys=["npm run check", "root", "after|code changes|changes|always"],
            ),
        ],
    )
    log.probe(
        "invalid-themes",
        "decision",
        "What did the user demand of invalid themes after which error at start, what does "
        "setTheme give back now, what does initTheme do, and what is not wanted in both?",
        [
            fact(
                "invalid themes must never explode",
                type="constraint",
                keys=[
                    "invalid themes|invalid theme|broken themes",
                    "NEVER explode|never explode|never crash|must never|not crash",
                ],
            ),
            fact(
                "Invalid hex color: #000cc",
                type="error",
                keys=["Invalid hex color|invalid color|hex color", "#000cc|000cc"],
            ),
            fact(
                "setTheme returns success and an optional error",
                type="identifier",
                keys=["setTheme|result", "success", "error"],
            ),
            fact(
                "initTheme falls back to the dark theme silently",
                type="state",
                keys=[
                    "initTheme|startup|start",
                    "dark",
                    "silent|silently|without a message|no message|no output",
                ],
            ),
            fact(
                "console logs are not wanted",
                type="constraint",
                keys=[
                    "console logs|console|conosle logs|console.error|console.log",
                    "no console|no conosle|not wanted|no logs|without",
                ],
            ),
        ],
        [
            trap(
                "setTheme throws the error again",
                of="setTheme returns success and an optional error",
                keys=["setTheme", "throws|rethrows|re-throws"],
            ),
            trap(
                "initTheme logs the error",
                of="initTheme falls back to the dark theme silently",
                keys=["initTheme|startup", "logs the error|prints the error|Log error"],
            ),
        ],
    )
    log.probe(
        "tokens-and-changelog",
        "file",
        "Which two tokens took the place of toolText and how many tokens are there now, which "
        "component got the text colour that was not used before, how much was the changelog to "
        "say, and which of the tokens may be absent from a theme?",
        [
            fact(
                "toolTitle and toolOutput took the place of toolText",
                type="identifier",
                keys=["toolTitle", "toolOutput"],
            ),
            fact(
                "there are 44 color tokens",
                type="value",
                keys=["44", "color tokens|tokens|total"],
            ),
            fact(
                "packages/coding-agent/src/tui/user-message.ts was modified",
                type="path",
                keys=["packages/coding-agent/src/tui/user-message.ts"],
                change="modified",
            ),
            fact(
                "the changelog just says that themes are supported",
                type="decision",
                keys=[
                    "CHANGELOG|changelog|announce|just want to say|just say",
                    "themes",
                    "supported|support",
                ],
                said_in=log.saying("announce that themes are now supported"),
            ),
            fact(
                "every theme must define all color tokens",
                type="constraint",
                keys=[
                    "no optional|not optional|all required|define all|defines all|none optional",
                    "colors|color|colours|tokens|token",
                    "theme|themes|must|total|required",
                ],
                said_in=log.holding("Every theme must define all color tokens"),
            ),
        ],
        [
            trap(
                "there are still 43 color tokens",
                of="there are 44 color tokens",
                keys=[
                    "43",
                    "tokens|colors",
                    "still|now|currently",
                ],
            ),
            trap(
                "toolText is still a token",
                of="toolTitle and toolOutput took the place of toolText",
                keys=[
                    "toolText",
                    "still|remains|stays",
                ],
            ),
        ],
    )


SESSION = RealSession(
    ask,
    "pi-agent/large-session.jsonl",
    "feature",
    "A terminal agent gets colour themes and goes through colours, crashes and a failed release",
    "MIT",
    "https://github.com/badlogic/pi-mono",
    conversation="",
)
