"""The change of a file in a sentence: created, modified, deleted, renamed or read."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from pytest_compaction.text.groups import KeyMatch, Weighed
from pytest_compaction.text.parsed import Parsed

OBJECT_VERBS: Final = {
    "created": r"creat\w*|generat\w*|scaffold\w*|touch|introduc\w*|add(?:ed|s|ing)?|writ\w+|wrote|"
    r"new(?: \w+)? files?|new|committed|saved?|produc\w+|started",
    "modified": r"modif\w*|edit\w*|chang\w*|updat\w*|fix\w*|refactor\w*|extend\w*|adjust\w*|"
    r"patch\w*|rewrit\w*|rewrote|rewritten|correct\w*|rework\w*|amend\w*|adapt\w*|tweak\w*|"
    r"clean\w* up|simplif\w*|touched|expand\w*|appended|trimmed|bump\w*",
    "deleted": r"delet\w*|remov\w*|dropp\w*|drops?|unlink\w*|gone|no longer exists?|erased?",
    "renamed": r"renam\w*|mov(?:e|es|ed|ing)|relocat\w*|becomes?|became|become|goes by|"
    r"now called|now known as",
    "read": r"read(?:s|ing)?|open(?:s|ed|ing)?|look(?:s|ed|ing)|inspect\w*|view(?:s|ed|ing)|"
    r"examin\w*|review(?:s|ed|ing)|stud(?:y|ied|ies)|check(?:s|ed|ing)|analy[sz](?:e|ed|es|ing)|"
    r"explor\w*|"
    r"brows\w*|consult\w*|scann\w*|saw|seen|investigat(?:e|ed|es|ing)|grepp\w*|listed|walked|"
    r"went through",
}
INSIDE: Final = re.compile(
    r"\b(?:to|in|into|inside|within|from)\b(?! (?:this|that|the (?:\w+ )?(?:session|step|round|"
    r"turn))\b)"
)
"""Words between a verb and the file in which something was done, and not the time."""
EDIT_VERBS: Final = re.compile(
    r"\b(?:add\w*|wrote|writ\w+|creat\w*|introduc\w*|implement\w*|insert\w*|remov\w*|delet\w*|"
    r"renam\w*|mov\w+|replac\w*|switch\w*|set|rais\w*|lower\w*|now \w+s|uses?|put|"
    r"convert\w*|split\w*|wrap\w*|guard\w*|import\w*|pass\w*|return\w*)\b"
)
VERBS: Final = {change: re.compile(rf"\b(?:{verbs})\b") for change, verbs in OBJECT_VERBS.items()}
PLANNED: Final = re.compile(
    r"\b(?:will|(?<!used )to be|(?:is|are|was|were|has|have|had) to \w+|should|needs? to|todo|"
    r"plan(?:s|ned)?|going to|still to|remaining|pending|"
    r"want(?:s|ed)?|wanted|let's|ideas?|propos\w+|could|not (?:\w+ )?yet)\b"
)
DENIED: Final = re.compile(
    r"\b(?:not|never|n't|nobody|no one|nothing)(?: \w+){0,2}? (?:creat|modif|edit|chang|updat|"
    r"delet|"
    r"remov|renam|mov|writ|touch|wrote|add|read|open)\w*|^there (?:is|was) no\b"
)
NEGATION: Final = re.compile(
    r"\b(?:not|never|\w+n't|no|none|without|nothing|nobody)(?: [\w']+){0,3} $"
)
NEW: Final = re.compile(r"\bnew file\b|^(?:created|new)\b(?! \w+ (?:function|class|method))")
KEPT: Final = re.compile(
    r"^[^,;:(]{0,40}?\b(?:left|leave|stay(?:s|ed)?|remain(?:s|ed)?|kept|keeps?|is|was|are|were)\b"
    r"[^,;:(]{0,20}?\b(?:untouched|unchanged|unmodified|unaltered|intact|alone|the same|"
    r"as (?:it|they) (?:is|was|are|were|stood|stands?))\b"
)
EXISTED: Final = re.compile(
    r"^[^,;:(]{0,20}?\b(?:existed|(?:was|were) (?:already )?there|(?:is|was) (?:not|no) "
    r"(?:a )?new)\b(?! (?:only|not|no))"
)
"""A file that was there before has not been created."""
LEFT: Final = re.compile(r"\b(?:left|leav(?:e|es|ing)|kept|keeps?) $")
AS_IT_WAS: Final = re.compile(
    r"^ (?:untouched|unchanged|unmodified|unaltered|intact|alone|as (?:it|they) (?:is|was|are|"
    r"were))"
)
LISTED: Final = re.compile(
    r"^[^,;:]{0,20}?\b(?:turned up|turns up|showed up|shows up|appear(?:s|ed)|came up|was listed)\b"
)
"""A file that only turns up somewhere has not been read."""
ASIDE: Final = re.compile(
    r"; |\. |\(|, (?:which|that|who|whose|where)\b(?! (?:is|was|has|had|will|should|must|still)\b)"
)
"""Where a sentence turns from what happened to a file to what is in it, or to something else."""
MODIFIER: Final = re.compile(
    r"^,? ?(?:(?:with|under|in|of|from|along with|together with|including|and) [^,;:]{1,50}? )"
    r"(?=(?:is|was|were|are|has been|have been|had been|got)\b)"
)
CALLS: Final = (
    ("renamed", re.compile(r"(?:^|[\s;&|])(?:git mv|mv|rename\w*|move\w*)\s")),
    ("deleted", re.compile(r"(?:^|[\s;&|])(?:git rm|rm|unlink|delete_?\w*|remove_?\w*)\s")),
    ("created", re.compile(r"^\W*(?=\w*(?:edit|replace))\w+ create\b")),
    ("modified", re.compile(r"(?:sed -i|perl -p?i|>>|tee -a|git apply|patch -p)")),
    (
        "modified",
        re.compile(
            r"^(?:\W*)(?:\w*edit\w*|\w*str_replace\w*|\w*replace\w*|apply_patch|applypatch|"
            r"patch\w*|update_\w+|insert\w*|multiedit|append\w*|search_replace|\* update file)\b"
        ),
    ),
    (
        "created",
        re.compile(
            r"^(?:\W*)(?:write\w*|create\w*|\w+_create|save_file|new_file|\* add file)\b"
            r"|(?:^|[\s;&|])(?:touch|tee|install)\s|(?<![->\d])>\s*(?=[\w./~])|(?:^|\s)cp\s"
        ),
    ),
    (
        "read",
        re.compile(
            r"^(?:\W*)(?:read\w*|view\w*|open_?\w*|get_file\w*|cat_file|show\w*|grep\w*|"
            r"search\w*)\b"
            r"|(?:^|[\s;&|])(?:cat|head|tail|less|more|nl|wc|grep|rg|sed -n|awk|bat|diff|"
            r"git (?:show|diff|blame|log))\s"
        ),
    ),
)
TOOL: Final = re.compile(
    r"^(?:[$%>]\s+|(?:bash|shell|run\w*|exec\w*|terminal|execute\w*|local_shell|sh)\s+|\*\*\* )?"
    r"(?:[a-z]+_[a-z_]+|bash|write|edit|read|create|view|cat|head|tail|sed|grep|rg|git|mv|rm|cp|"
    r"touch|nl|wc|awk|echo|printf|python3?|cd|mkdir|apply_patch|str_replace\w*|multiedit|\*\*\*)\s"
)


def weigh_change(
    parsed: Parsed,
    above: Sequence[str],
    groups: Sequence[Sequence[KeyMatch]],
    change: str,
    weighed: Weighed,
    planned: bool,
) -> Weighed:
    """Whether a sentence that names a file also says that this happened to it.

    Without any word on what happened the file counts as read or modified if it is named, and as
    nothing else. A tool call that writes a file may create or change it. What is only planned
    is uncertain, unless the statement itself is a plan (``planned``).
    """
    own = [one.match for group in groups for one in group if one.own]
    place = min((match.start for match in own), default=None)
    end = min((match.end for match in own), default=0)
    named = any(one.own for one in groups[0])
    said = _said_changes(parsed.normal, place if named else None, end, above)
    outcome, why = weighed.outcome, weighed.why
    before, behind = parsed.normal[: place or 0], parsed.normal[end:]
    # The part of the sentence that says what happened to the file, not what is in it.
    governed = "" if _calls(parsed.normal) else parsed.normal
    if named and governed:
        start = max((match.end() for match in ASIDE.finditer(governed, 0, place or 0)), default=0)
        aside = ASIDE.search(governed, end)
        governed = governed[start : aside.start() if aside else len(governed)]
    denied = DENIED.search(governed)
    if denied and (  # that this change did not happen, or any where it is not a reading
        VERBS["read"].search(denied[0]) or denied[0].startswith("there")
        if change == "read"
        else said
    ):
        outcome, why = "contradicted", "said not to have happened"
    elif (
        named
        and change != "read"
        and governed
        and (KEPT.match(behind) or (LEFT.search(before) and AS_IT_WAS.match(behind)))
    ):
        outcome, why = "contradicted", "said to be left as it was"
    elif named and change == "created" and EXISTED.match(behind):
        outcome, why = "contradicted", "said to have existed before"
    elif not planned and PLANNED.search(governed):
        outcome, why = "uncertain", "only planned"
    elif named and change == "read" and not said and LISTED.match(behind):
        outcome, why = "uncertain", "only listed"
    elif change in said:
        why = f"said to be {change}"
    elif said:
        other = " or ".join(sorted(said))
        outcome = "uncertain" if _calls(parsed.normal) or "read" in said else "contradicted"
        outcome = "uncertain" if change == "read" else outcome
        why = f"said to be {other}, not {change}"
    elif change in {"created", "deleted", "renamed"}:
        outcome, why = "uncertain", "named, without a word on what happened to it"
    else:
        why = "named, and nothing else is said to have happened to it"
    return replace(weighed, outcome=outcome, why=why)


def folder_gone(normal: str, folder: str, change: str) -> bool:
    """Whether a command or its output deletes or renames a whole folder."""
    name = re.escape(folder)
    if change == "renamed":
        return re.search(rf"(?:^|[\s;&|])(?:git )?mv (?:-\w+ )*{name}/? ", normal) is not None
    # The last "rm" before the name: one that starts further ahead would find no more.
    between = r"(?:(?!\srm\b)[^;&|])*"
    removed = rf"(?:^|[\s;&|])(?:git )?rm\b{between} {name}/?(?=$|[\s;&|])|^removing {name}/?$"
    return re.search(removed, normal) is not None


def _said_changes(normal: str, place: int | None, end: int, above: Sequence[str]) -> set[str]:
    """The changes that a sentence, or else the nearest heading above it, names for a file.

    ``place`` is where the file's name begins, ``None`` if it stands in a heading.
    """
    if _calls(normal):
        called = next((change for change, form in CALLS if form.search(normal)), None)
        return {"created", "modified"} if called == "created" else {called} if called else set()
    if place is not None:
        said = _before(normal[:place]) or _after(normal[end:])
    elif NEW.search(normal):
        said = {"created"}
    else:
        said = {change for change, _ in _asserted(normal)}
        said = {"modified"} if said - {"read"} or EDIT_VERBS.search(normal) else said
    for heading in reversed(above):
        if said:
            return said
        changes = {change for change, _ in _asserted(heading)}
        said = changes if len(changes) == 1 else set()
    return said


def _calls(normal: str) -> bool:
    return TOOL.match(normal) is not None and not normal.rstrip().endswith((".", ":"))


def _before(text: str) -> set[str]:
    """Changes by the last verb before the file's name."""
    last = max(_asserted(text), key=lambda one: one[1].start(), default=None)
    if last is None:
        return {"modified"} if EDIT_VERBS.search(text) and INSIDE.search(text) else set()
    change, match = last
    verb, between = text[match.start() :], text[match.end() :].rpartition(":")[2]
    if verb.startswith(("writ", "wrote", "sav", "generat", "produc")) and INSIDE.search(between):
        return {"created", "modified"}
    if change in {"created", "deleted"} and INSIDE.search(between):
        return {"modified"}
    return {change}


def _after(text: str) -> set[str]:
    """Changes by the words after the file's name: "was created", "(new)", ": added retries"."""
    modifier = MODIFIER.match(text)
    text = text[modifier.end() :] if modifier else text
    passive = re.match(
        r"[\s,)]*(?:is|was|were|are|has been|have been|had been|got|gets|being|then|now|also|all|"
        r"\w{1,40}ly| |and (?:\S+\.\w+|\w+/\S+)|both)*\s*",
        text,
    )
    rest = text[passive.end() if passive else 0 :]
    marked = re.match(r"[\s:(\[-]*(?:a |the )?(?:brand )?new\b(?: file)?", rest)
    if marked:
        return {"created"}
    for change, verbs in VERBS.items():
        match = re.match(rf"[\s:(\[-]*(?:{verbs.pattern})", rest)
        if match is None:
            continue
        follows = rest[match.end() :]
        direct = not re.match(r"[\s]*[:(\[-]", rest) or re.match(
            r"\s*(?:$|[.,;)\]]|(?:with|by|for|to|as|in|on|from|and|at|after|so|because)\b)", follows
        )
        if change in {"created", "deleted", "renamed"} and not direct:
            return {"modified"}
        return {change}
    if re.match(r"\s*(?:→|-+>|=+>)\s*\S", text):
        return {"renamed"}
    if re.match(r"[\s]*[:(-]", rest) and EDIT_VERBS.search(rest):
        return {"modified"}
    return set()


def _asserted(text: str) -> Iterator[tuple[str, re.Match[str]]]:
    """The verbs for changes that no negation stands before."""
    for change, verbs in VERBS.items():
        for match in verbs.finditer(text):
            if not NEGATION.search(text, 0, match.start()):
                yield change, match
