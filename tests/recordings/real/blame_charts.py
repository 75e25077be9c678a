"""A bubble chart of aider's share of each release becomes two bar charts, over many undone edits."""

from imported import ImportedLog, RealSession

UNDONE = "removed|undone|undo|undid|reverted|rolled back|taken back|abandoned"


def ask(log: ImportedLog) -> None:
    """What is asked after each point."""
    _ask_bars(log)
    log.go_on()
    _ask_tooltip(log)
    log.go_on()
    _ask_two_charts(log)


def _ask_bars(log: ImportedLog) -> None:
    fact, trap = log.fact, log.trap
    log.probe(
        "users-wishes",
        "continuation",
        "Which wishes for the chart did the user state so far, from first to last? Name all four.",
        [
            fact(
                "the user wants a bar graph",
                type="constraint",
                keys=["bar graph|bar chart|bars", "user|do|switch|wants|make|asked|wish|requested"],
                said_in=log.saying("do a bar graph with", "switch to a bar graph"),
            ),
            fact(
                "the y-axis is to show the percentage of code",
                type="constraint",
                keys=["y-axis|y axis", "% code|percent of code|percentage of code|% of code|code"],
                said_in=log.saying("do a bar graph with", "switch to a bar graph"),
            ),
            fact(
                "the x-axis is to be the version number",
                type="constraint",
                keys=["x-axis|x axis", "version number|version numbers|version|versions"],
                said_in=log.saying("make the x-axis be the version number"),
            ),
            fact(
                "every version is to get a label",
                type="constraint",
                keys=[
                    "label every|every version|every single version",
                    "label|labelled|labeled|labels",
                ],
            ),
        ],
        [
            trap(
                "the x-axis is to be the release date",
                of="the x-axis is to be the version number",
                keys=["x-axis|x axis", "release date|dates|date"],
            ),
        ],
    )
    log.probe(
        "first-error",
        "recall",
        "The first attempt at bars failed in the browser. With which error, which list in the tooltip "
        "was to blame and what did the repair put around it, and what became of attempt and repair?",
        [
            fact(
                "SyntaxError: Unexpected number '182'",
                type="error",
                keys=["SyntaxError|Unexpected number", "182"],
            ),
            fact(
                "the list of aider_total values in the tooltip was the cause",
                type="reason",
                keys=[
                    "aider_total|site.data.blame|lines",
                    "join|list|values|comma|array|lines data",
                ],
                said_in=log.saying("This change wraps the"),
            ),
            fact(
                "the repair put square brackets around the list",
                type="decision",
                keys=["square brackets|brackets|[ ]|array literal|JavaScript array"],
            ),
            fact(
                "the repair 15443ec was undone",
                type="command",
                keys=["15443ec|repair|fix", UNDONE],
                said_in=log.holding("Removed: 15443ec"),
            ),
            fact(
                "the first attempt 6a478b4 was undone",
                type="command",
                keys=["6a478b4|first attempt|attempt|both", UNDONE],
                said_in=log.holding("Removed: 6a478b4"),
            ),
        ],
        [
            trap(
                "the repair 15443ec is in effect",
                of="the repair 15443ec was undone",
                keys=["15443ec", "in effect|kept|current|HEAD|stands"],
            ),
        ],
    )
    log.probe(
        "start-of-the-session",
        "file",
        "With which files in the chat and which main model did aider start, how many tokens has its map "
        "of the repository, and to which commit did the undone attempts at bars lead back?",
        [
            fact(
                "scripts/jekyll_run.sh was added to the chat",
                type="path",
                keys=["scripts/jekyll_run.sh"],
            ),
            fact(
                "scripts/Dockerfile.jekyll was added to the chat",
                type="path",
                keys=["scripts/Dockerfile.jekyll"],
            ),
            fact(
                "the main model is claude-3-5-sonnet-20240620",
                type="identifier",
                keys=["claude-3-5-sonnet-20240620"],
            ),
            fact(
                "the map of the repository has 1024 tokens",
                type="value",
                keys=["repo-map|repo map|repository map|map", "1024"],
            ),
            fact(
                "the undone attempts led back to a5dde70",
                type="identifier",
                keys=["a5dde70", "Updated blame|Now at|back|base|undone|undo|reset|returned"],
            ),
        ],
        [
            trap(
                "the undone attempts led back to 504cc96",
                of="the undone attempts led back to a5dde70",
                keys=["504cc96", "back|returned|Now at"],
            ),
            trap(
                "the main model is claude-3-haiku-20240307",
                of="the main model is claude-3-5-sonnet-20240620",
                keys=["main model|main", "claude-3-haiku-20240307"],
            ),
        ],
    )
    log.probe(
        "chart-now",
        "recall",
        "What did the change to versions on the x-axis leave as it was, and what not: what opacity has "
        "what is drawn, which text does the untouched legend still show, and which fields of "
        "context.raw does the untouched tooltip still read?",
        [
            fact(
                "the opacity is 0.8",
                type="value",
                keys=["backgroundColor|opacity|opaque|rgba|color|colour|alpha", "0.8"],
            ),
            fact(
                "the legend still shows 'Y-axis is percent of code, bubble size is lines of code'",
                type="state",
                keys=["bubble size", "percent of code|legend|lines of code"],
            ),
            fact(
                "the tooltip still reads the fields label, percentage and lines",
                type="state",
                keys=["label", "percentage", "lines", "context.raw|tooltip|raw"],
            ),
        ],
        [
            trap(
                "the opacity is 0.2",
                of="the opacity is 0.8",
                keys=["backgroundColor|opacity|opaque|bars", "0.2"],
            ),
        ],
    )


def _ask_tooltip(log: ImportedLog) -> None:
    fact, trap = log.fact, log.trap
    log.probe(
        "tooltip-symptoms",
        "recall",
        "How did the tooltip misbehave from attempt to attempt: what did it show at first, what was the "
        "effect of the first attempt to mend it, what was odd about the line count after b38b92d, and "
        "what did it show for all releases after 9b0986f?",
        [
            fact(
                'the tooltip showed "undefined: NaN% (undefined lines)"',
                type="error",
                keys=["undefined: NaN%|NaN%|NaN", "undefined|tooltip|hover"],
            ),
            fact(
                "the first attempt resulted in no tooltip",
                type="state",
                keys=[
                    "no tooltip|tooltip vanished|tooltip disappeared|tooltip gone|tooltip missing",
                    "result|resulted|resulting|attempt|left|caused|made|led",
                ],
            ),
            fact(
                "why are the lines showing as a floating point number?",
                type="state",
                keys=["lines|line count", "floating point|float|decimal|fraction|fractional"],
            ),
            fact(
                "all tooltips showed 0 lines",
                type="state",
                keys=["0 lines|zero lines", "tooltip|tooltips|hover"],
                said_in=log.saying("it still shows 0 lines", "all the tooltips show 0 lines"),
            ),
        ],
        [
            trap(
                "after 9b0986f the tooltip showed the right number of lines",
                of="all tooltips showed 0 lines",
                keys=["9b0986f", "right|correct|correctly", "lines|number"],
            ),
        ],
    )
    log.probe(
        "undone-tooltip-fixes",
        "recall",
        "Which four commits with attempts at the tooltip were undone before c3d4031?",
        [
            fact(
                "eec9514 was undone",
                type="identifier",
                keys=["eec9514", UNDONE],
            ),
            fact(
                "52b4acb was undone",
                type="identifier",
                keys=["52b4acb", UNDONE],
            ),
            fact(
                "7a68f8e was undone",
                type="identifier",
                keys=["7a68f8e", UNDONE],
            ),
            fact(
                "5a32c83 was undone",
                type="identifier",
                keys=["5a32c83", UNDONE],
                said_in=log.holding("Removed: 5a32c83"),
            ),
        ],
        [
            trap(
                "b38b92d was undone",
                of="eec9514 was undone",
                keys=["b38b92d", UNDONE],
            ),
            trap(
                "a7b108a was undone",
                of="52b4acb was undone",
                keys=["a7b108a", UNDONE],
            ),
        ],
    )
    log.probe(
        "users-corrections",
        "continuation",
        "Which two objections did the user make to the agent's lines in the tooltip and where must the "
        "number come from? What did aider answer when an undo was refused, and which command did it "
        "name for that case?",
        [
            fact(
                "rounding is needless, the data has integers",
                type="constraint",
                keys=["integer|integers", "data|round|rounded|rounding|line count"],
            ),
            fact(
                "the lines in the tooltip are just the percent",
                type="state",
                keys=["lines", "just the percent|percent|percentage"],
                said_in=log.saying("lines is just the percent?"),
            ),
            fact(
                "the number of lines must come from aider_total in the dataset",
                type="constraint",
                keys=["aider_total", "dataset|data set|data|number of lines|lines"],
                said_in=log.saying("i want the number of lines from `aider_total`"),
            ),
            fact(
                "The last commit was not made by aider in this chat session",
                type="error",
                keys=[
                    "last commit",
                    "not made by aider|not aider's|not by aider|not from this chat|not made in this",
                ],
            ),
            fact(
                "one could try git reset --hard HEAD^, which is destructive",
                type="command",
                keys=["git reset --hard|reset --hard HEAD^|reset --hard"],
            ),
        ],
        [
            trap(
                "the number of lines must come from aider_percentage",
                of="the number of lines must come from aider_total in the dataset",
                keys=["lines|number of lines", "from aider_percentage|aider_percentage"],
            ),
        ],
    )
    log.probe(
        "bar-attempts",
        "recall",
        "Before the x-axis showed versions there were two rounds of bar graphs: which commit of the "
        "second round was undone? Which library does the page load for dates, and which commit later "
        "set autoSkip and was undone too?",
        [
            fact(
                "504cc96 was undone",
                type="identifier",
                keys=["504cc96", UNDONE],
            ),
            fact(
                "the page loads moment for dates",
                type="identifier",
                keys=["moment|chartjs-adapter-moment|moment.js"],
            ),
            fact(
                "7c80da7 with autoSkip: false was undone",
                type="identifier",
                keys=["7c80da7", UNDONE],
            ),
        ],
        [
            trap(
                "autoSkip: false is in effect",
                of="7c80da7 with autoSkip: false was undone",
                keys=["autoSkip", "in effect|active|kept|applied now|set now"],
            ),
        ],
    )
    log.probe(
        "pending-edit",
        "continuation",
        "What would the edit that was proposed last change: which values on the y-axis, which text in "
        "the legend? Which data file had the user added to the chat for "
        "this?",
        [
            fact(
                "the bars would show row.aider_total",
                type="next_step",
                keys=["aider_total", "data|row|y-axis|bars|value|values|y|lines"],
                said_in=log.saying("use the `aider_total` value for the number of lines instead"),
            ),
            fact(
                "the legend would say 'Y-axis is lines of code, tooltip shows percentage'",
                type="next_step",
                keys=[
                    "legend|Y-axis",
                    "lines of code",
                    "tooltip shows percentage|percentage in the tooltip",
                ],
            ),
            fact(
                "aider/website/_data/blame.yml was added to the chat",
                type="identifier",
                keys=["aider/website/_data/blame.yml|blame.yml"],
            ),
        ],
        [
            trap(
                "the bars would show row.aider_percentage",
                of="the bars would show row.aider_total",
                keys=["bars|y-axis", "would show|proposed", "aider_percentage"],
            ),
        ],
    )


def _ask_two_charts(log: ImportedLog) -> None:
    fact, trap = log.fact, log.trap
    log.probe(
        "commits-by-step",
        "file",
        "Which commits stand at the end for these steps: the version on the x-axis, correct data in the "
        "tooltip, aider_total in the tooltip, the second chart?",
        [
            fact(
                "a7b108a put the version on the x-axis",
                type="identifier",
                keys=["a7b108a", "version|x-axis"],
            ),
            fact(
                "b38b92d made the tooltip display correct data",
                type="identifier",
                keys=["b38b92d", "tooltip|correct data|callback"],
            ),
            fact(
                "99d7c79 added aider_total to the tooltip",
                type="identifier",
                keys=["99d7c79", "tooltip|aider_total"],
            ),
            fact(
                "4ea4fb4 added the second chart",
                type="identifier",
                keys=["4ea4fb4", "bar chart|second chart|new chart|another chart|number of lines"],
            ),
        ],
        [
            trap(
                "34fbf52 added aider_total to the tooltip",
                of="99d7c79 added aider_total to the tooltip",
                keys=["34fbf52", "aider_total"],
            ),
            trap(
                "504cc96 put the version on the x-axis",
                of="a7b108a put the version on the x-axis",
                keys=["504cc96", "version|x-axis"],
            ),
        ],
    )
    log.probe(
        "own-commits",
        "recall",
        "Five times aider first committed changes that stood in the file already, before it applied "
        "its edit. Which were the first four of these commits, and what does the subject of each say?",
        [
            fact(
                "cc79294: use aider_total instead of lines",
                type="identifier",
                keys=["cc79294", "instead of lines|aider_total"],
            ),
            fact(
                "c3d4031: use aider_total variable correctly",
                type="identifier",
                keys=["c3d4031", "variable|aider_total"],
            ),
            fact(
                "34fbf52: add console.log statement to debug tooltip label",
                type="identifier",
                keys=["34fbf52", "console.log|console log"],
            ),
            fact(
                "4473940: improve tooltip and label text",
                type="identifier",
                keys=["4473940", "tooltip|label text|label"],
            ),
        ],
        [
            trap(
                "4473940: add console.log statement",
                of="4473940: improve tooltip and label text",
                keys=["4473940", "console.log|console log"],
            ),
        ],
    )
    log.probe(
        "lines-in-tooltip",
        "decision",
        "How do the lines get into the tooltip in the end: which field of the data points holds them "
        "and from what, and what does the callback read? Before that, which commit that showed lines "
        "of code on the y-axis was undone, to which commit did the undo go back, and which error did "
        "the Liquid expression in the callback give?",
        [
            fact(
                "604bcdd was undone",
                type="command",
                keys=["604bcdd", UNDONE],
            ),
            fact(
                "the field lines of each data point holds row.aider_total",
                type="value",
                keys=["lines: {{ row.aider_total }}|lines", "row.aider_total|aider_total"],
                said_in=log.saying("modify the JavaScript code to include the `aider_total`"),
            ),
            fact(
                "the callback reads context.raw.lines",
                type="identifier",
                keys=["context.raw.lines|raw.lines"],
            ),
            fact(
                "SyntaxError: Unexpected token '||'",
                type="error",
                keys=["SyntaxError|syntax error", "Unexpected token"],
                said_in=log.saying("SyntaxError: Unexpected token"),
            ),
            fact(
                "the undo went back to b38b92d",
                type="identifier",
                keys=["b38b92d", "Now at|back|undo|undone|returned|reverted|again"],
            ),
        ],
        [
            trap(
                "after c05a40d the undo went back to a7b108a",
                of="the undo went back to b38b92d",
                keys=["a7b108a", "c05a40d|604bcdd"],
            ),
            trap(
                "the callback reads context.raw.aider_total",
                of="the callback reads context.raw.lines",
                keys=["context.raw.aider_total|raw.aider_total"],
            ),
        ],
    )
    log.probe(
        "charts-at-the-end",
        "recall",
        "How do the two charts stand now: the colour of the bars of the second one, the titles of the "
        "two y-axes after the changes of the user, and how are the legends hidden?",
        [
            fact(
                "the second chart has the colour rgba(255, 99, 132, 0.8)",
                type="value",
                keys=["rgba|backgroundColor|colour|color|red", "255, 99, 132|255,99,132"],
            ),
            fact(
                "the y-axis of the first chart is titled 'Percent of new code'",
                type="value",
                keys=["Percent of new code", "y-axis|text|title|titled"],
            ),
            fact(
                "the y-axis of the second chart is titled 'Lines of new code'",
                type="value",
                keys=["Lines of new code", "y-axis|text|title|titled"],
            ),
            fact(
                "the legends are hidden with display: false",
                type="value",
                keys=["legend|legends", "display: false|display to false|display false"],
            ),
        ],
        [
            trap(
                "the second chart has the colour rgba(54, 162, 235, 0.8)",
                of="the second chart has the colour rgba(255, 99, 132, 0.8)",
                keys=["second chart|linesChart|lines chart", "54, 162, 235|54,162,235"],
            ),
            trap(
                "the y-axis of the first chart is titled 'Aider Contribution (% of code)'",
                of="the y-axis of the first chart is titled 'Percent of new code'",
                keys=["Aider Contribution", "y-axis|title|titled"],
            ),
        ],
    )
    log.probe(
        "crowded-labels",
        "decision",
        "If labels on the x-axis get crowded, which four alternatives were named when every version "
        "was to be labelled?",
        [
            fact(
                "the labels could be rotated to 90 degrees",
                type="decision",
                keys=["rotate|rotated|rotating|rotation", "90"],
            ),
            fact(
                "increasing the chart width",
                type="decision",
                keys=["chart width|width of the chart", "increase|increasing|enlarge|larger"],
                said_in=log.saying("Increasing the chart width"),
            ),
            fact(
                "the x-axis could be scrollable",
                type="decision",
                keys=["scrollable|scroll|scrolling", "x-axis|axis|chart"],
            ),
            fact(
                "every nth label could be displayed",
                type="decision",
                keys=["nth label|every nth|nth|each nth|skip labels"],
            ),
        ],
    )


SESSION = RealSession(
    ask,
    "aider/chat-history.md",
    "feature",
    "A bubble chart of releases turns into two bar charts whose tooltips take many attempts",
    "Apache-2.0",
    "https://github.com/Aider-AI/aider",
)
