"""What a sentence says happened to a file: created, modified, deleted, renamed or read."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from pytest_compaction.text.file_changes import change_forms
from pytest_compaction.text.groups import Found, Weighed
from pytest_compaction.text.parsed import Parsed


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
    governed = (
        "" if _calls(parsed.normal) else _governed(parsed.normal, place if named else None, end)
    )
    if (said or change == "read") and _is_denied(governed, change):
        outcome, why = "contradicted", "said not to have happened"
    elif named and change != "read" and governed and _is_kept(parsed.normal, place or 0, end):
        outcome, why = "contradicted", "said to be left as it was"
    elif named and change == "created" and change_forms.EXISTED.match(parsed.normal[end:]):
        outcome, why = "contradicted", "said to have existed before"
    elif said and not planned and is_planned(governed):
        outcome, why = "uncertain", "only planned"
    elif named and change == "read" and not said and change_forms.LISTED.match(parsed.normal[end:]):
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
    return Weighed(outcome, weighed.words, why, weighed.signature, weighed.width)


def folder_gone(normal: str, folder: str, change: str) -> bool:
    """Whether a command or its output deletes or renames a whole folder."""
    name = re.escape(folder)
    if change == "renamed":
        return re.search(rf"(?:^|[\s;&|])(?:git )?mv (?:-\w+ )*{name}/? ", normal) is not None
    # The last "rm" before the name: one that starts further ahead would find no more.
    between = r"(?:(?!\srm\b)[^;&|])*"
    removed = rf"(?:^|[\s;&|])(?:git )?rm\b{between} {name}/?(?=$|[\s;&|])|^removing {name}/?$"
    return re.search(removed, normal) is not None


def is_planned(normal: str) -> bool:
    """Whether a sentence speaks of something still to be done."""
    return change_forms.PLANNED.search(normal) is not None


def without_past(parsed: Parsed) -> Parsed:
    """Without the cues for what is no longer so: the old name of a renamed file is one."""
    cues = tuple(cue for cue in parsed.sense.cues if cue.kind != "past")
    return replace(parsed, sense=replace(parsed.sense, cues=cues))


def _governed(normal: str, place: int | None, end: int) -> str:
    """The part of a sentence that says what happened to the file, not what is in it."""
    if place is None:
        return normal
    start = max((match.end() for match in change_forms.ASIDE.finditer(normal, 0, place)), default=0)
    aside = change_forms.ASIDE.search(normal, end)
    return normal[start : aside.start() if aside else len(normal)]


def _is_denied(governed: str, change: str) -> bool:
    """Whether it says that this change, or any where it is not a reading, did not happen."""
    denied = change_forms.DENIED.search(governed)
    if denied is None or change != "read":
        return denied is not None
    return change_forms.VERBS["read"].search(denied[0]) is not None or denied[0].startswith("there")


def _is_kept(normal: str, place: int, end: int) -> bool:
    """Whether a file is said to have been left as it was."""
    if change_forms.KEPT.match(normal[end:]):
        return True
    return bool(
        change_forms.LEFT.search(normal[:place]) and change_forms.AS_IT_WAS.match(normal[end:])
    )


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
    return change_forms.TOOL.match(normal) is not None and not normal.rstrip().endswith((".", ":"))


def _called(normal: str) -> set[str]:
    for change, pattern in change_forms.CALLS:
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
        return {"modified"} if said - {"read"} or change_forms.EDIT_VERBS.search(normal) else said
    said = _before(normal[:place])
    return said or _after(normal[end:])


def _before(text: str) -> set[str]:
    """What the last verb before the file's name says about it."""
    best: tuple[int, str, int] | None = None
    for change, match in _asserted(text):
        if best is None or match.start() > best[0]:
            best = (match.start(), change, match.end())
    if best is None:
        return (
            {"modified"}
            if change_forms.EDIT_VERBS.search(text) and change_forms.INSIDE.search(text)
            else set()
        )
    _, change, end = best
    between = text[end:].rpartition(":")[2]
    verb = text[best[0] : end]
    if verb.startswith(
        ("writ", "wrote", "sav", "generat", "produc")
    ) and change_forms.INSIDE.search(between):
        return {"created", "modified"}
    if change in {"created", "deleted"} and change_forms.INSIDE.search(between):
        return {"modified"}
    return {change}


def _after(text: str) -> set[str]:
    """What stands after the file's name: "was created", "(new)", ": added retries"."""
    modifier = change_forms.MODIFIER.match(text)
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
    for change, verbs in change_forms.VERBS.items():
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
    if re.match(r"[\s]*[:(-]", rest) and change_forms.EDIT_VERBS.search(rest):
        return {"modified"}
    return set()


def _any_verb(text: str) -> set[str]:
    return {change for change, _ in _asserted(text)}


def _asserted(text: str) -> Iterator[tuple[str, re.Match[str]]]:
    """The verbs for changes that no negation stands before."""
    for change, verbs in change_forms.VERBS.items():
        for match in verbs.finditer(text):
            if not change_forms.NEGATION.search(text, 0, match.start()):
                yield change, match


def _said_by_heading(heading: str) -> set[str]:
    said = _any_verb(heading)
    return said if len(said) == 1 else set()
