"""Words by which a sentence shows its role, by language: data for ``needed``."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Final

ENGLISH: Final[Mapping[str, Sequence[str]]] = {
    # How sentences begin that only lead to the next one.
    "filler": (
        "ok(?:ay)?|yes|yeah|yep|no|nope|and|but|so|well|also|now|then|please|just|actually|sure",
        "hm+|alright|great|good|perfect|nice|cool|btw|oh|ah|right|wait|first|finally|again|sorry",
    ),
    # How sentences begin that point at what stands before them.
    "dangling": (
        "it|it's|its|this|that|that's|these|those|they|he|she|which|or|because|same|here|there",
        "like|both|either|such|above|below|another|otherwise|hence|thus|therefore|instead|else",
    ),
    "pointer": (
        "it|it's|its|them|that (?:one|way|case)|that \\w+(?=$|[,.;:!])",
        "(?:here|there|above|below)(?=$|[^ ])",
        "(?:this|these|those)(?= (?:is|was|are|were|will|should|can|does|has|and|to|in|for|as)\\b"
        "|[^ ]|$| (?:again|from|way|one|time|case|stuff|shit)\\b)",
    ),
    # How the agent speaks to the user.
    "address": ("your|yours|you're|you (?:can|could|want|may|might|should)|if you|i'll|i'd",),
    # What the agent is about to do, or has just seen.
    "announcement": (
        "let me|let's|i'll|i will|i need|i'm|i am|i can|i see|i should|i have|i've|we need to",
        "i just|i found|i now|i want|you can|this is|here's|here is|there's|to (?:fix|test|verify)",
        "we can|we should|look(?:ing)?|read(?:ing)?|run(?:ning)?|check(?:ing)?|search(?:ing)?",
        "view(?:ing)?|see(?:ing)?|try(?:ing)?|verify(?:ing)?|test(?:ing)?|find(?:ing)?|using",
        "would you|do you|want me|should i|shall i|you're right|you are right",
    ),
    # How sentences begin that say what to do next.
    "imperative": (
        "add|update|fix|create|write|remove|delete|change|make|move|rename|replace|use|run|set|put",
        "implement|integrate|extend|ensure|apply|copy|import|build|start|restart|show|return|skip",
    ),
    "question": (
        "why|what|where|how|when|who|which|is|are|can|could|would|should|will|was",
        "(?:does|did)(?! not)|do(?= (?:you|we|i|they|it|these|those|the|all|any|both)(?!\\w))",
    ),
    # Thoughts that decide nothing.
    "musing": (
        "i (?:think|guess|suppose|wonder|assume|believe|feel|mean)|maybe|perhaps|probably|possibly",
        "(?:not|quite|pretty) sure|i (?:don't|do not) (?:understand|know|think|see|get)|hm+",
        "looks? like|seems?|might|could be|would be|what (?:you|i) mean|kind of|sort of|somehow",
        "alternative(?:ly)?|option [a-z\\d]|approach [a-z\\d]|assumption|challenging|curious",
        "confused|wondering|weird|strange|interesting",
    ),
    # Wishes for the next turn only.
    "wish": (
        "can you|could you|would you|will you|let me|go (?:on|ahead|back)|have a look",
        "look|read|check|try|wait|show|run|give|tell|see|find|commit|push|continue|explain|help",
        "do it|do that|review|take|start|stop|think|think about|investigate|analy[sz]e|plan",
    ),
    # Requests that end with their answer.
    "glance": (
        "look|read|check|show|explain|tell|give|see|find|try|run|commit|push|continue|start|open",
        "think|help|review|wait|stop|go|say|list|print|undo|redo|think",
    ),
    "rule": (
        "never|always|from now on|in (?:the )?future|must(?: not|n't)?|do not|don't|only|at most",
        "at least|no more than|whenever|every time|each time|under no circumstances|without|avoid",
        "make sure|ensure|should(?: not|n't)?|needs? to|has to|have to|may not|not allowed|require",
        "requires|required|no longer|keep",
    ),
    "lasting": (
        "never|always|from now on|in (?:the )?future|whenever|every time|each time|at all times",
        "under no circumstances|don't ever|must(?: not|n't)?|not allowed",
    ),
    # How a sentence begins that forbids or demands something.
    "bidding": (
        "do not|don't|never|always|only|avoid|make sure|ensure|keep|stick to|no more|must|use only",
    ),
    # An exact limit, up to its first digit.
    "limit": (
        "(?:at (?:most|least)|(?:no )?(?:more|less|fewer|longer) than|below|under|within|up to|max"
        "|min|maximum|minimum|limit(?:ed)?(?: of| to)?)(?: (?:of|the|a|is|to)){0,2} [$€£~]?\\d"
        "[\\d.,]*",
    ),
    # Words of rules that set none.
    "report": (
        "(?:i|we|they|it|he|she|you|there|that|this|which)(?: \\w+ly)?"
        " (?:don't|do not|doesn't|only|never)",
        "show(?:s|ed) only|only (?:show|expose)s?",
        "(?:i|we|they|it|he|she|you) (?:always|must have|didn't|(?:still )?(?:have|need|had) to)",
        "still don't",
        "don't (?:know|think|see|understand|get|worry|mind|care|have|want to|need)|if (?:not|only)",
        "not only|the only|only (?:one|thing|problem|issue|when i)|should be (?:good|fine)",
        "should (?:have|i|we|be ok|be able)|make sure (?:that )?i|can only|it's only",
    ),
    "choice": (
        "instead of|rather than|in favou?r of|let's (?:go (?:with|for)|use|keep|drop|skip|call)",
        "(?:we'll|we will|i'd rather|i would rather) (?:go with|use|keep|call|drop|skip|have)",
        "i (?:prefer|decided|chose)|we (?:decided|agreed|chose)|stick (?:with|to)|option \\w{1,2}",
        "no need (?:for|to)|go (?:with|for)|should (?:match|stay|remain|live|use|return|stop)",
        "(?:use|keep|call|name) \\S+(?: \\S+){0,4},? not",
    ),
    # A choice that names what was rejected.
    "rejected": ("instead of|rather than|in favou?r of|not \\w+|no need (?:for|to)|drop|skip",),
    "again": ("again|we said|still|remember|forgot|once more",),
    # Words by which the user reminds of what was said or agreed.
    "reminder": (
        "(?:as|like) (?:i|we) (?:already |just )?(?:said|told|mentioned|wrote|asked)",
        "(?:as|like) (?:i|we) (?:already |just )?(?:agreed|decided)",
        "(?:i|we)(?: have|'ve)? (?:already |just )?(?:said|told you|asked for|asked you)",
        "we(?: had| have|'ve)? (?:already )?(?:decided|agreed)|i (?:repeat|meant)|not what i",
    ),
    # How a sentence begins that corrects the agent.
    "refusal": ("no|nope|wrong|stop|don't|do not|not",),
    # Reasons, causes and decisions of the agent.
    "reason": (
        "because|due to|caused by|root cause|turns out|that's why|which means|this means|so that",
        "the (?:\\w+ )?(?:issue|problem|bug|reason|cause|culprit|error|fix) (?:is|was|here is)",
        "fail(?:s|ed)? (?:when|because|if|with|since)|only (?:when|if|after)|the key insight",
        "doesn't|does not|isn't|is not|cannot|can't|never \\w+ed|missing|incorrect(?:ly)?",
        "stale|broken",
    ),
    "decision": (
        "instead of|rather than|decided|chose|by design|intentional(?:ly)?|on purpose|trade-?off",
        "in favou?r of|should only|must only|no longer|must not",
    ),
    # Verbs of which a statement about the work has one.
    "verb": (
        "is|are|was|were|has|have|had|gets?|uses?|calls?|returns?|needs?|takes?|stores?|contains?",
        "creates?|handles?|runs?|does|do|can|will|must|should|holds?|means?|works?|reads?|writes?",
        "checks?|sets?|adds?|keeps?|expects?|allows?|requires?|fails?|goes|comes|starts?|stops?",
        "added|removed|changed|updated|moved|fixed|replaced|renamed|created|implemented|tracks?",
        "verif(?:y|ies)|calculates?|compares?|matches|maps?|sends?|loads?|saves?|exists?|lives?",
    ),
    # Errors of the machine rather than of the work.
    "environment": (
        "command not found|no module named|not installed|permission denied|no such file",
        "not supported|unknown (?:option|flag|command)|unrecogni[sz]ed|timed out|requires|denied",
        "cannot find|not recognized|unable to|no such|connection refused|unauthorized|deprecated",
    ),
}
GERMAN: Final[Mapping[str, Sequence[str]]] = {
    "again": ("noch ?mal|noch einmal|immer noch|schon wieder|denk daran|vergessen",),
    "reminder": (
        "wie (?:ich |wir )?(?:schon |bereits )?(?:gesagt|sagte|besprochen|vereinbart|beschlossen)",
        "(?:ich|wir) (?:habe|hatte|haben|hatten) (?:doch |dir |schon |bereits |uns ){0,3}"
        "(?:\\w+ ){0,6}(?:gesagt|geschrieben|gebeten|beschlossen|entschieden|geeinigt)|ich meinte",
    ),
    "refusal": ("nein|nicht|falsch|stopp|halt|kein\\w*",),
}
CHINESE: Final[Mapping[str, Sequence[str]]] = {
    "again": ("还是|又|再次|再说一遍|记得|忘了",),
    "reminder": (
        "(?:我|我们)(?:已经|刚才|之前|刚刚|都|不是)*(?:说|讲|提|写|要求)过?(?:了|的是|过)",
        "如我所说|我(?:们)?(?:已经)?(?:决定|说好|约定)|说好了|我(?:的意思|指的)是",
    ),
    "refusal": ("不是|不对|不要|别|错了|停",),
}
LANGUAGES: Final = (ENGLISH, GERMAN)


@cache
def cue(name: str) -> re.Pattern[str]:
    """The words of a cue in all languages; "dont" and "don’t" are "don't"."""
    words = "|".join(words for language in LANGUAGES for words in language.get(name, ()))
    words = words.replace("n't", "n['’]?t").replace("i'll", "i['’]ll").replace("'ve", "['’]ve")
    joined = "|".join(CHINESE.get(name, ()))  # written without spaces
    bounded = rf"(?<![\w'’])(?:{words})(?![\w'’])"
    return re.compile(f"{bounded}|{joined}" if joined else bounded, re.IGNORECASE)
