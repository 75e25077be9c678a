"""What a sentence says happened to a file: created, modified, deleted, renamed or read."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from pytest_compaction.text.groups import Found, Weighed
from pytest_compaction.text.parsed import Parsed

_OBJECT_VERBS: Final = {
    "created": r"creat\w*|generat\w*|scaffold\w*|touch|introduc\w*|add(?:ed|s|ing)?|writ\w+|wrote|"
    r"new(?: \w+)? files?|new|committed|saved?|produc\w+|started",
    "modified": r"modif\w*|edit\w*|chang\w*|updat\w*|fix\w*|refactor\w*|extend\w*|adjust\w*|"
    r"patch\w*|rewrit\w*|rewrote|rewritten|correct\w*|rework\w*|amend\w*|adapt\w*|tweak\w*|"
    r"clean\w* up|simplif\w*|touched|expand\w*|appended|trimmed|bump\w*",
    "deleted": r"delet\w*|remov\w*|dropp\w*|drops?|unlink\w*|gone|no longer exists?|erased?",
    "renamed": r"renam\w*|mov(?:e|es|ed|ing)|relocat\w*|becomes?|became",
    "read": r"read(?:s|ing)?|open(?:s|ed|ing)?|look(?:s|ed|ing)|inspect\w*|view(?:s|ed|ing)|"
    r"examin\w*|review(?:s|ed|ing)|stud(?:y|ied|ies)|check(?:s|ed|ing)|analy[sz](?:e|ed|es|ing)|explor\w*|"
    r"brows\w*|consult\w*|scann\w*|saw|seen|investigat(?:e|ed|es|ing)|grepp\w*|listed|walked|"
    r"went through",
}
_INSIDE: Final = re.compile(r"\b(?:to|in|into|inside|within|from)\b")
_EDIT_VERBS: Final = re.compile(
    r"\b(?:add\w*|wrote|writ\w+|creat\w*|introduc\w*|implement\w*|insert\w*|remov\w*|delet\w*|"
    r"renam\w*|mov\w+|replac\w*|switch\w*|set|rais\w*|lower\w*|now \w+s|uses?|put|"
    r"convert\w*|split\w*|wrap\w*|guard\w*|import\w*|pass\w*|return\w*)\b"
)
_VERBS: Final = {change: re.compile(rf"\b(?:{verbs})\b") for change, verbs in _OBJECT_VERBS.items()}
_PLANNED: Final = re.compile(
    r"\b(?:will|to be|should|needs? to|todo|plan(?:s|ned)?|going to|still to|remaining|pending|"
    r"want(?:s|ed)?|wanted|let's|ideas?|propos\w+|could|not (?:\w+ )?yet)\b"
)
_DENIED: Final = re.compile(
    r"\b(?:not|never|n't)(?: \w+)? (?:creat|modif|edit|chang|updat|delet|remov|renam|mov|writ|"
    r"touch|wrote|add|read|open)\w*"
)
_CALLS: Final = (
    ("renamed", re.compile(r"(?:^|[\s;&|])(?:git mv|mv|rename\w*|move\w*)\s")),
    ("deleted", re.compile(r"(?:^|[\s;&|])(?:git rm|rm|unlink|delete_?\w*|remove_?\w*)\s")),
    ("created", re.compile(r"^\W*\w*(?:edit|replace)\w* create\b")),
    ("modified", re.compile(r"(?:sed -i|perl -p?i|>>|tee -a|git apply|patch -p)")),
    (
        "modified",
        re.compile(
            r"^(?:\W*)(?:\w*edit\w*|\w*str_replace\w*|\w*replace\w*|apply_patch|applypatch|"
            r"patch\w*|update_\w+|insert\w*|multiedit|append\w*|search_replace|\*+ update file)\b"
        ),
    ),
    (
        "created",
        re.compile(
            r"^(?:\W*)(?:write\w*|create\w*|\w+_create|save_file|new_file|\*+ add file)\b"
            r"|(?:^|[\s;&|])(?:touch|tee|install)\s|(?<![->\d])>\s*(?=[\w./~])|(?:^|\s)cp\s"
        ),
    ),
    (
        "read",
        re.compile(
            r"^(?:\W*)(?:read\w*|view\w*|open_?\w*|get_file\w*|cat_file|show\w*|grep\w*|search\w*)\b"
            r"|(?:^|[\s;&|])(?:cat|head|tail|less|more|nl|wc|grep|rg|sed -n|awk|bat|diff|"
            r"git (?:show|diff|blame|log))\s"
        ),
    ),
)
_TOOL: Final = re.compile(
    r"^(?:[$%>]\s+|(?:bash|shell|run\w*|exec\w*|terminal|execute\w*|local_shell|sh)\s+|\*\*\* )?"
    r"(?:[a-z]+_[a-z_]+|bash|write|edit|read|create|view|cat|head|tail|sed|grep|rg|git|mv|rm|cp|"
    r"touch|nl|wc|awk|echo|printf|python3?|cd|mkdir|apply_patch|str_replace\w*|multiedit|\*\*\*)\s"
)
_NEAR: Final = frozenset({("created", "modified")})


def weigh_change(
    parsed: Parsed,
    above: Sequence[str],
    groups: Sequence[Sequence[Found]],
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
    said = said_changes(parsed.normal, place if named else None, end, above)
    outcome, why = weighed.outcome, weighed.why
    if said and not _calls(parsed.normal) and is_denied(parsed.normal):
        outcome, why = "contradicted", "said not to have happened"
    elif said and not planned and is_planned(parsed.normal) and not _calls(parsed.normal):
        outcome, why = "uncertain", "only planned"
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
    return Weighed(outcome, weighed.words, why, weighed.signature, weighed.width)


def folder_gone(normal: str, folder: str, change: str) -> bool:
    """Whether a command or its output deletes or renames a whole folder."""
    name = re.escape(folder)
    if change == "renamed":
        return re.search(rf"(?:^|[\s;&|])(?:git )?mv (?:-\w+ )*{name}/? ", normal) is not None
    removed = rf"(?:^|[\s;&|])(?:git )?rm\b[^;&|]* {name}/?(?=$|[\s;&|])|^removing {name}/?$"
    return re.search(removed, normal) is not None


def is_planned(normal: str) -> bool:
    """Whether a sentence speaks of something still to be done."""
    return _PLANNED.search(normal) is not None


def is_denied(normal: str) -> bool:
    """Whether a sentence says of its first verb that it did not happen."""
    return _DENIED.search(normal) is not None


def said_changes(normal: str, place: int | None, end: int, above: Sequence[str]) -> set[str]:
    """The changes that a sentence, or else the nearest heading above it, names for a file.

    ``place`` is where the file's name begins, ``None`` if it stands in a heading.
    """
    if _calls(normal):
        return _called(normal)
    said = _said(normal, place, end)
    for heading in reversed(above):
        if said:
            return said
        said = _said_by_heading(heading)
    return said


def _calls(normal: str) -> bool:
    return _TOOL.match(normal) is not None and not normal.rstrip().endswith((".", ":"))


def _called(normal: str) -> set[str]:
    for change, pattern in _CALLS:
        if pattern.search(normal):
            return {"created", "modified"} if change == "created" else {change}
    return set()


def _said(normal: str, place: int | None, end: int) -> set[str]:
    if place is None:
        new = re.search(
            r"\bnew file\b|^(?:created|new)\b(?! \w+ (?:function|class|method))", normal
        )
        said = _any_verb(normal)
        if new:
            return {"created"}
        return {"modified"} if said - {"read"} or _EDIT_VERBS.search(normal) else said
    said = _before(normal[:place])
    return said or _after(normal[end:])


def _before(text: str) -> set[str]:
    """What the last verb before the file's name says about it."""
    best: tuple[int, str, int] | None = None
    for change, verbs in _VERBS.items():
        for match in verbs.finditer(text):
            if best is None or match.start() > best[0]:
                best = (match.start(), change, match.end())
    if best is None:
        return {"modified"} if _EDIT_VERBS.search(text) and _INSIDE.search(text) else set()
    _, change, end = best
    between = text[end:]
    verb = text[best[0] : end]
    if verb.startswith(("writ", "wrote", "sav", "generat", "produc")) and _INSIDE.search(between):
        return {"created", "modified"}
    if change in {"created", "deleted"} and _INSIDE.search(between):
        return {"modified"}
    return {change}


def _after(text: str) -> set[str]:
    """What stands after the file's name: "was created", "(new)", ": added retries"."""
    passive = re.match(
        r"[\s,)]*(?:is|was|were|are|has been|have been|had been|got|gets|being|then|now|also|all|"
        r"\w+ly| |and (?:\S+\.\w+|\w+/\S+)|both)*\s*",
        text,
    )
    rest = text[passive.end() if passive else 0 :]
    marked = re.match(r"[\s:(\[-]*(?:a |the )?(?:brand )?new\b(?: file)?", rest)
    if marked:
        return {"created"}
    for change, verbs in _VERBS.items():
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
    if re.match(r"[\s]*[:(-]", rest) and _EDIT_VERBS.search(rest):
        return {"modified"}
    return set()


def _any_verb(text: str) -> set[str]:
    return {change for change, verbs in _VERBS.items() if verbs.search(text)}


def _said_by_heading(heading: str) -> set[str]:
    said = _any_verb(heading)
    return said if len(said) == 1 else set()
