"""English: its function words, negations, and the forms of its cues (see ``cues``).

Its synonyms, irregular forms and opposites are the lists of the folder ``english``.
"""

from __future__ import annotations

import re
from typing import Final

STOPWORDS: Final = frozenset(
    """a about after again all also am an and any are as at be because been before being both but
    by can could did do does doing done during each for from further had has have having he her
    here him his how i if in into is it its itself just let me more most my now of off on once
    only or other our ours out over own please same she should so some such than that the their
    them then there these they this those through to too under until up us very was we were what
    when where which while who whom why will with would you your""".split()
)
NEGATIONS: Final = frozenset({"not", "no", "never", "without", "cannot", "none", "nor", "neither"})
COMMON: Final = STOPWORDS
"""The words that tell the language."""
FILE_CHANGES: Final = {
    "created": re.compile(r"\b(?:creat|add|writ|wrote|new)"),
    "modified": re.compile(r"\b(?:edit|modif|chang|updat|writ|wrote|replac|patch)"),
    "deleted": re.compile(r"\b(?:delet|remov|rm\b)"),
    "renamed": re.compile(r"\b(?:renam|mov|mv\b)"),
    "read": re.compile(r"\b(?:read|view|open|cat\b)"),
}
"""What a tool call did to a file, in a line without prose that a text of any language has."""

AUX: Final = (
    r"(?:is|are|was|were|be|been|being|am|do|does|did|has|have|had|can|could|will|would|shall|"
    r"should|may|might|must|need|gets?|got|'s|'re)"
)
SUBJECT: Final = r"(?:i|we|you|he|she|it|they|this|that|there|these|those|the \w+ (?:is|was|are))"
BOUNDARY: Final = re.compile(
    r"(?P<explains>\b(?:because|since|so that|due to|owing to|as it|as they|as the|given that)\b"
    r"|[:(]| - )"
    rf"|(?P<ends>[;)?!]|\.(?=\s|$)|,(?! (?:however|yet|in fact|for now|so far|too),)"
    r"|\b(?:but|although|though|while|whereas|unless|until|however|whose|which|so|then|"
    r"except|only that|when|after|before)\b"
    rf"|\b(?:and|or)(?= (?:{SUBJECT}|{AUX}|now|instead|then|so|still|keeps?|not|\w+ed)\b"
    r"| (?:the|an?|every|each|its|their|all|this|our) \w+(?: \w+)? (?:is|was|are|were|has|have|"
    r"had|will|fails?|pass(?:es)?|stays?|keeps?|needs?|takes?|uses?|runs?|goes|gets|works?|"
    r"\w+ed) ))"
)
BRACKETS: Final = re.compile(r"\([^()]*\)|\[[^\[\]]*\]")
WHOLE: Final = re.compile(
    r"\b(?:it(?: is|'s| was) (?:not|n't|never) (?:the case|true|so|correct|right|a fact)(?: that)?|"
    r"it (?:is|was)n't (?:the case|true|so|correct)(?: that)?|"
    r"(?:it(?: is|'s| was) |that(?: is|'s) )?(?:false|untrue|wrong|incorrect|a mistake)(?: that)|"
    r"contrary to(?: what)?|by no means|nobody (?:said|claims?) that)\b"
    r"|^(?:not|false|untrue|wrong|no)(?: true)? ?[:(]"
)
BOUND: Final = (
    r"(?:no|not|never) (?:\w+ ){0,2}?(?:more|fewer|less|later|earlier|sooner|higher|lower) "
    r"(?:often |frequently )?than\b"
)
"""A limit is no denial of its value: "no more than 12", "may not have more than 12"."""
ON_VERB: Final = re.compile(
    r"\b(?P<longer>no longer|not any ?more|never again)\b"
    r"|\b(?P<verb>(?:fail(?:s|ed|ing)?|refus(?:e|es|ed|ing)|unable|neglect(?:s|ed)?|"
    r"forg[eo]t(?:s|ten)?|omit(?:s|ted)?|declin(?:e|es|ed)) to)\b"
    rf"|\b(?!{BOUND})(?P<not>not|never|cannot|hardly|\w+n't)\b"
)
UNABLE: Final = re.compile(r"cannot|can't|couldn't|(?:fail\w*|unable|refus\w+) to")
"""Failures that deny nothing of their object: "can't decode byte 0xfd"."""
UNTIL: Final = re.compile(r"\b(?:until|unless)\b")
"""Negations that end: "not done until" something happens means done then."""
NEEDLESS: Final = re.compile(r" (?:need to |have to )?(?:wait|be held|stay|remain)\b")
"""But what need not wait until something happens does not wait at all."""
NO_REASON: Final = re.compile(
    r" (?:because(?: of)?|since|due to|owing to|on account of|as a result of|for the sake of|"
    r"thanks to|for fear of|so that)\b"
)
"""A reason that is denied: "not because of the cold"."""
NO_PART: Final = re.compile(
    r"\b(?:(?:had|has|have|having|with) nothing(?: at all| whatever)? to do with|"
    r"(?:ha[sd]|have|play(?:s|ed)?|takes?|took|bears?|bore|makes?|made|of|counts? as|"
    r"counted as|poses?|posed) "
    r"no (?:\w+ )?(?:effect|part|influence|impact|bearing|role|share|difference|problem|obstacle|"
    r"hindrance|issue|reason|cause|factor|consequence|importance|concern)"
    r"|(?:ha[sd]|have) no (?:\w+ )?\w+ in (?:it|this|that|them)\b"
    r"|(?:do|does|did)(?:n't| not) (?:really )?(?:matter|come into|enter into|count))\b"
)
"""Denials of a part in something: "the cold played no part"."""
RELATIVE: Final = re.compile(r"\b(?:that|who) (?=(?:\w+ ){0,2}$)")
COPULA: Final = re.compile(r"\b(?:is|was|are|were|be|been|remains?|proved|turned out to be) $")
NEW_SUBJECT: Final = re.compile(r"\b(?:the|an?|i|we|you|he|she|it|they|this|that|our|its|their)\b")
NEXT_WORD: Final = re.compile(r"(?: be| have| \w+ly)* [\w'-]+")
ON_NOUN: Final = re.compile(
    rf"(?<![=.,\d])\b(?!{BOUND})(?P<noun>no|without|zero|0(?! ?(?:%|ms\b|s\b|sec|min|hour|day|kb|"
    rf"mb|gb|bytes?\b)))"
    r"(?= [\w\"'(])"
    r"|\b(?P<pro>none(?: of)?|nothing(?! but\b)|nobody|neither|no one)\b"
    r"|\b(?P<lack>lacks?|lacked|lacking|free of|absence of|instead of|rather than|in place of|"
    r"as opposed to|in lieu of|unlike|avoid(?:s|ed|ing)?|anything but|except(?: for)?|"
    r"other than|stop(?:s|ped)? \w+ing|(?<!come )(?<!comes )(?<!came )out of(?= \w+ing\b)|"
    r"(?:refrain|abstain|desist)(?:s|ed)? from)\b"
)
REJECT: Final = re.compile(
    r"\b(?:reject(?:s|ed|ing)?|abandon(?:s|ed|ing)?|revert(?:s|ed|ing)?|ruled? out|ruling out|"
    r"pass(?:es|ed|ing)? over|vot(?:es|ed) down|thrown out|threw out|discard(?:s|ed|ing)?|"
    r"dismiss(?:es|ed|ing)?|turn(?:s|ed|ing) down|gave up on|given up|giving up on|"
    r"roll(?:s|ed|ing)? back|decided against|decides? against|advised? against|undid|undone|"
    r"back(?:ed)? out|withdr[ae]wn?|taken back|takes? back|took back|scrapped|vetoed|overruled|"
    r"only (?:proposed|suggested|discussed|considered|mentioned|thought of|an idea)|"
    r"not chosen|cancell?ed|retracted|dropped(?! (?:from|to|by|below|under)\b)|left out|"
    r"(?:is|was|are|were) (?:false|wrong|untrue|incorrect|obsolete|outdated|stale|superseded)|"
    r"forbid(?:s|den)?|forbade|prohibit(?:s|ed)?|disallow(?:s|ed)?|ban(?:s|ned)?)\b(?!\s?[=:]\s?\d)"
)
SHARING: Final = re.compile(
    r"(?:(?:and|but|or|yet|then|later|finally|eventually|soon|also|again|quickly|ultimately|"
    r"in the end|at last|is|was|are|were|has been|have been|had been|got|being|be|\w{1,40}ed)"
    r"(?: |\Z))*"
)
"""Words before a verb that shares the subject of the clause before it."""
PRONOUN: Final = re.compile(r" (?:it|them|this|that|both|all of (?:it|them))\b")
FOLLOWS: Final = re.compile(
    r" ?(?:$|[.,;:)(]|-(?!\w)|"
    r"(?:by|for|because|since|as|on|in|at|after|due|over|when|from|with|again)\b)"
)
"""Words that follow a passive verb: no object."""
REPLACE: Final = re.compile(
    r"\b(?P<verb>replac(?:e|es|ed|ing)|swap(?:s|ped|ping)?|substitut(?:e|es|ed|ing)|"
    r"exchang(?:e|es|ed|ing)|supersed(?:e|es|ed|ing)|overrid(?:e|es|den|ing)|overrode)\b"
)
PAST: Final = re.compile(
    r"\b(?:used to(?: be)?|formerly|no more(?! than)|once was|(?:its |the )?(?:old|former|stale|"
    r"outdated) "
    r"(?=value|limit|setting|default|\d)|(?:up|down) from(?! [^,;:.()]{1,40} to \d)|until then|"
    r"previously(?! \w+ed\b)|"
    r"originally|at first|initially)\b"
)
BEFORE: Final = re.compile(
    r"\b(?:before|prior to|until) (?:the |this |that |our |my )?(?:change|fix|patch|edit|update|"
    r"correction|refactoring|rewrite)\b"
)
"""Phrases for a state that a change has ended."""
WAS: Final = re.compile(
    r"\b(?:was|were|had been|stood at|so far|up to now|until now|hitherto)\b(?= )"
)
NOW: Final = re.compile(
    r"\b(?:(?<!until )(?<!up to )now|nowadays|currently|today|since then|is (?=\d)|"
    r"became|becomes|has since)\b"
)
FROM_TO: Final = re.compile(
    r"\b(?:from|out of) (?P<old>(?:(?!\bfrom\b|[;:(]|, |\. ).){1,60}?)(?: up| down| over| back)? "
    r"(?:to|into|onto) (?P<new>\S)"
)
CHANGES: Final = re.compile(
    r"\b(?:rais|lower|chang|mov|renam|switch|migrat|increas|decreas|reduc|bump|convert|extend|"
    r"shorten|doubl|halv|cut|drop|fell|fall|rise|rose|grew|grow|shrink|shrank|went|goes|go|gone|"
    r"set|reset|adjust|improv|correct|updat|modif|port|transition|upgrad|downgrad|brought|bring|"
    r"push|pull|jump|swap|replac|tighten|loosen|relax|widen|narrow|edit|amend|revis)\w*"
)
ARROW: Final = re.compile(r"(?:→|⇒|➜|(?<!-)-+>|(?<!=)=+>)")
OPERAND: Final = re.compile(r"[^\s,;:()=]+(?: (?:s|ms|sec\w*|min\w*|hours?|days?|[kmg]i?b|%))? ?$")
SUPPOSED: Final = re.compile(
    r"\b(?P<may>might|maybe|perhaps|possibly|presumably|probably|apparently|supposedly|allegedly|"
    r"likely|(?:could|may) (?:be|have|well|also|help|work)(?! (?:[\w.-]+ ){0,3}(?:at most|"
    r"only|up to|no more)\b))\b"
    r"|\b(?P<if>if|suppose|supposing|assuming|hypothetically|in case|what if|whether|wish)\b"
    r"|\b(?P<would>would (?:be|become|have been)|"
    r"(?:i|we|you|one|they|user|he|she)(?:'d| would| could)(?! (?:rather|prefer|like)\b))"
    r"|\b(?P<ask>should (?:we|i|it|they)|do (?:we|you)|shall (?:we|i)|open question|unclear|"
    r"asked (?:whether|if)|wonder(?:s|ed|ing)?|not sure|unsure|to be (?:decided|clarified))\b"
)
THEN: Final = re.compile(r"\b(?:we|i|you|they|it|he|she|then)\b")
LAST_QUESTION: Final = re.compile(r"[.!?:] (?=[^.!?]*\?[\s)\"']*$)")
REQUEST: Final = re.compile(
    r"\b(?:can|could|would|will) you (?:please )?(?!(?:tell|explain|say)\b)"
)
"""A question that asks for something to be done."""
_REFUTED: Final = (
    r"(?:refuted|dis(?:proved|proven|credited|carded|puted|missed)|debunked|retracted|withdrawn|"
    r"rejected|abandoned|superseded|overturned|scrapped|cancell?ed|deleted|outdated|stale|obsolete|"
    r"old|former|un(?:verified|confirmed|founded|proven)|anonymous|mistaken|wrong|false|incorrect|"
    r"erroneous|baseless)"
)
_SOURCE: Final = (
    r"(?:notes?|comments?|drafts?|proposals?|plans?|reports?|summar(?:y|ies)|versions?|documents?|"
    r"docs?|readme|messages?|posts?|articles?|tickets?|memos?|e?mails?|wikis?|pages?|suggestions?|"
    r"ideas?|statements?|estimates?)"
)
_SAYS: Final = (
    r"(?:says?|said|claim(?:s|ed)?|assert(?:s|ed)?|state[sd]?|reads?|held|holds?|maintain(?:s|ed)?|"
    r"alleg(?:es?|ed)|insist(?:s|ed)?|suggest(?:s|ed)?|believe[sd]?|thinks?|thought)"
)
_SOMEBODY: Final = (
    r"(?:some(?:body|one)(?: else)?|(?:some|other|many) (?:people|users)|others|people|"
    r"third part\w+|strangers?|(?:an?|one|some) (?:\w+ )?(?:blogs?|forums?|web ?sites?|tweets?|"
    r"colleagues? of)(?: \w+){0,3}?|an? (?:anonymous|unknown|unnamed) \w+)"
)
_UNPROVEN: Final = (
    r"(?:un(?:confirmed|verified|proven|substantiated|corroborated)|disputed|"
    r"not (?:yet )?(?:been )?(?:confirmed|verified|proven)|(?:a )?rumou?rs?|hearsay|gossip|"
    r"speculati(?:on|ve)|(?:a )?guess(?:es|work)?|conjectures?|allegations?|(?:a )?hunch(?:es)?)"
)
CLAIMED: Final = re.compile(
    rf"\b{_REFUTED} (?:\w+ ){{0,2}}?{_SOURCE}(?: \w+){{0,4}}?,? (?:had )?{_SAYS}\b"
    rf"|\b{_SOURCE}\b[^.;:]{{0,30}}? {_REFUTED},? (?:had )?{_SAYS}\b"
    rf"|\b{_SOMEBODY} (?:have |has |had )?(?:once )?{_SAYS}\b"
    r"|(?<!\bis )(?<!\bare )(?<!\bwas )(?<!\bwere )(?<!\bbeen )"
    r"\b(?:claim|alleg|purport|speculat|insinuat)(?:s|es|ed|ing)(?: that\b|:)"
    r"|\b(?:thinks?|thought|believes?|believed|suspect(?:s|ed)?|guess(?:es|ed)?|assume[sd]?|"
    r"supposes?|imagines?|hopes?|hoped|doubt(?:s|ed)?|rumou?red|speculation) that\b"
    r"|\bit is (?:said|reported|alleged|claimed|thought) that\b"
    r"|\b(?:rumou?r|legend|gossip|word) has it\b|\bword on the street is\b|\brumou?rs? that\b"
    rf"|\baccording to (?:an?|one|some) (?:\w+ ){{0,2}}?(?:{_REFUTED}|forum|blog|rumou?r)\b"
    r"|\b(?:doubtful|questionable|(?:un|not (?:at all |so |really )?)(?:sure|certain|convinced|"
    r"proven|confirmed)) (?:that|whether|if)\b"
    r"|\b(?:no|any|little|without) (?:evidence|proof|indication|confirmation)"
    r"(?: yet| so far| at all)? that\b"
    r"|^(?:supposedly|allegedly|reportedly|purportedly|maybe|perhaps|possibly|presumably|apparently|"
    r"hopefully|conceivably|hypothetically|seemingly|in theory)\b(?:(?: \w+){0,3}:|,)"
    rf"|^(?:(?:pure|mere|just|only|an?|wild|sheer) ){{0,2}}{_UNPROVEN}(?: so far)?:"
    r"|\b(?:some|one) day,? (?:\w+ )?(?:might|may|could)\b"
    r"|\b(?:suggested|proposed|discussed|considered|floated),? (?:though|but|and) "
    r"(?:it was )?(?:not|never) (?:yet )?(?:agreed|decided|approved|accepted|adopted)\b"
    r"|\bin the (?:hypothetical|unlikely|theoretical) (?:case|event)\b"
)
"""What another said, or what is doubted: it opens what the rest of the sentence says."""
TAKEN_FOR_CLAIM: Final = re.compile(
    rf"\b(?:all|most|none|any|much) of (?:that|this|it|these|those|them|the above)\b[^,;]{{0,30}}?"
    rf"(?:{_UNPROVEN}|\b(?:confirmed|verified|proven|checked)\b)"
    rf"|\b(?:but|though|although|yet) (?:that|this|it) (?:is|was|remains) (?:\w+ )?{_UNPROVEN}\b"
    r"|\b(?:but|though|although|yet) (?:that|this|it) (?:was|has) never (?:been )?"
    r"(?:confirmed|verified|proven)\b"
    r"|\bwhich (?:nobody|no one|nothing)\b[^,;]{0,40}?\b(?:confirm|back|pro[vo]|verif|support)"
    r"|, (?:or )?so [^,;]{1,40}?\b(?:says?|said|claim(?:s|ed)?|goes)\b"
    rf"|[(\[](?:{_UNPROVEN}|allegedly|supposedly|doubtful)[)\]]\W*$"
    r"|\bif (?:one|you|we|it is|the \w+ is) (?:(?:can|may|to) )?(?:be )?(?:believe|trust|true)"
)
"""What says of all that stands before it that another said it or that it is doubted."""
CLAIM_HEADING: Final = re.compile(
    rf"\b(?:{_UNPROVEN}|(?:claim|alleg|purport)(?:ed|s by|s of|s from|ations?)|maybe|perhaps|"
    r"possibly|supposed(?:ly)?|(?:some|one) day|wish ?list|doubtful|baseless|"
    r"(?:believed|assumed|asserted)\b.*\b(?:without|none|never)|not (?:yet )?decided|"
    r"nothing (?:is |was )?(?:yet )?decided|undecided|hypothetical|"
    r"nobody (?:could|can|has) (?:confirm|verif|check|prove))"
    rf"|\b(?:from|of|in|quot\w+|excerpts?)\b.*\b{_REFUTED} (?:\w+ )?{_SOURCE}\b"
)
"""Headings and lead-ins over what another said or what is doubted."""
PLANNED: Final = re.compile(
    r"\b(?:planned|scheduled|intended|proposed|suggested|ideas?|plans?|wish(?:es)?) for "
    r"(?:the |a |an |some )?(?:next|later|future|distant|coming|\w+ quarter)\b"
    r"|\b(?:in|for) (?:the|a|some) (?:later|future|next|coming) (?:version|release|quarter|year)\b"
    r"|\bfuture (?:plans|work|ideas)\b|\broadmap\b|\bunder (?:consideration|discussion)\b"
    r"|^(?:planned|proposed|proposals?|suggested|suggestions?):"
    r"|\b(?:we (?:plan|intend|hope|want)|(?:they|i|you|us|\w\ws) (?:plan|intend|hope)|plans|"
    r"intends) (?:that|to)\b"
)
"""What is only planned; a statement that plans, rules or decides may stand there."""
CONDITION: Final = re.compile(
    r"^(?=[^:()=\[\]{}<>_]*\b(?:the|an?|we|they|it|this|that|you|there|any\w*|ever|our|their)\b)"
    r"(?:(?:but )?(?:only )?(?:if|in case|in the event)\b[^:()=\[\]{}<>_]{3,40}(?::(?= |$)|$)"
    r"|(?:provided|assuming|supposing|presuming|on condition)(?: that)?\b[^,:]{3,60}(?:[,:]|$)"
    r"|should (?:the|an?|we|they|it|this|any\w*) [^,:]{3,60}(?:[,:]|$))"
)
"""A condition in prose on all that follows it in the sentence, or that stands below it."""
CLAIM_WORDS: Final = tuple(
    """refut disprov debunk discredit retract withdrawn reject discard abandon supersed outdated
    stale obsolete unverified anonymous mistaken erroneous disputed baseless unfounded proven
    somebody someone people others third stranger blog forum site tweet colleague unknown unnamed
    claim alleg purport specul insinuat legend street rumo according doubtful questionable sure
    certain convinced confirm evidence proof indication supposedly reportedly maybe perhaps possibly
    guess hearsay gossip word conject hunch day suggested proposed discussed considered floated
    verified hypothetical unlikely theoretical think thought believe suspect assume suppose imagine
    hope wrong false incorrect old former overturned scrapped cancel deleted dismissed seemingly
    presumably apparently conceivably theory said reported many""".split()
)
PARTICIPLE: Final = re.compile(
    r" (?:yet |been |be |being |\w+ly )?(?:\w+ed|\w+en|done|run|built|found|made|set|sent|kept|"
    r"touched|put|read|met|left|lost|held|known|shown|sure|yet|in use|needed|allowed|ok|true)\b"
)
PREPOSITION: Final = re.compile(
    r"\b(?:in|on|at|with|for|during|after|before|under|by|from|to|into|across|over|within|when|"
    r"that|as|are|is|was|were|and|but|will|has|have|had|would|could|can|should|must|may|does|did)\b"
)
LIMIT: Final = re.compile(
    r"(?:no|not|never|cannot|\w+n't) (?:(?:\w+ )?(?:more|fewer|less|later|earlier|longer|shorter|"
    r"larger|bigger|smaller|higher|lower|wider|deeper) (?:often |frequently )?than|exceed\w*)\b"
)
"""Limits: "no more than twelve" denies a thirteenth, not the twelve."""
HEADING_CUE: Final = re.compile(
    r"\b(?P<reject>rejected|ruled out|abandoned|discarded|reverted|dropped|decided against|"
    r"dead ends?|discarded|withdrawn|obsolete|outdated|superseded|former(?:ly)?|old values?|"
    r"not chosen|not taken|turned down)\b"
    r"|^(?:\w+ ){0,2}(?P<not>not|never|no longer|false|untrue|wrong|mistakes?|without|none|don't)\b"
    r"|(?P<ask>\bopen questions?\b|\bquestions?\b|\bunclear\b|\bto clarify\b|\bhypothe\w+|"
    r"\bideas?\b|\?)"
)
BARE: Final = frozenset({"not", "no", "false", "untrue", "wrong", "not true", "not so"})
REPLACING: Final = frozenset(
    {"instead of", "rather than", "in place of", "as opposed to", "in lieu of"}
)
BY: Final = re.compile(r" (?:by|with|for)\b")
TAKING_BACK_WORDS: Final = tuple("never false untrue wrong incorrect mistake contrary".split())
ON_VERB_WORDS: Final = ("never", "hardly", " to")
ON_NOUN_WORDS: Final = tuple(
    (
        "without|zero|0|neither|lack|free of|absence|instead|rather than|in place|as opposed|"
        "in lieu|unlike|avoid|anything but|except|other than|stop|out of|refrain|abstain|desist"
    ).split("|")
)
REPLACE_WORDS: Final = tuple("replac swap substitut exchang supersed overr".split())
ARROW_SIGNS: Final = (">", "→", "⇒", "➜")
"""Words of which a sentence must hold one for a cue of each form, unless it has "no" or "n't"."""
