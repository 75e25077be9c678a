"""Words that key groups leave out or word otherwise, and words that begin a request."""

from __future__ import annotations

from typing import Final

from pytest_compaction.text import stem


def _stems(text: str) -> frozenset[str]:
    return frozenset(stem(word) for word in text.split())


WEAK: Final = _stems(
    """able accept actual actually additional allow already also always another apply around back
    bad based basic best better bit certain change clear code common complete consider contain
    correct correctly course create current currently default different directly do done easy else
    end ensure enough entire every everything exactly existing expect extra far few file final find
    fine first fix follow full get give go going good great handle happen help high hold
    important include instead intend keep kind know last later leave less let like likely little
    look lot main make many matter mean might modify much must need new next nice normal
    note nothing old one open original part pass please possible prefer present previous
    probably problem proper properly provide put quite ran read ready real really regular
    related remain return right run same see seem separate set several shall show similar simple
    simply since single small something sort specific specify still sure take tell
    thing think today together total true try turn two use used useful usual various via want way
    well whole within without wonder work write wrong yes yet agent assistant session three four
    five six ten kept took gave came goes makes made gets got begin happening mention allowed
    according across along although away become however never none upon whether adjusts bring
    may might could would added accordingly behave behavior encounter issue"""
)
"""Stems of words that say little about a subject; no key group holds one alone."""

FILLERS: Final = _stems(
    "try trying give option class reservation detail kind way case example line part version"
)
"""Stems of words in a request that a right answer easily leaves out."""

NEGATIVE: Final = frozenset(
    {"not", "no", "never", "without", "cannot", "none", "nor", "neither", "nothing"}
)

NEGATED: Final = {
    "not found": ("not found", "missing", "no such", "cannot find", "does not exist", "unknown"),
    "not find": ("not find", "not found", "missing", "cannot find"),
    "no exported": ("no exported", "not exported", "missing export"),
    "not defined": ("not defined", "undefined", "not found"),
    "no such": ("no such", "not found", "missing", "does not exist"),
    "cannot find": ("cannot find", "not found", "missing", "no such"),
    "not modify": ("not modify", "never modify", "untouched", "unchanged", "leave as is"),
    "not change": ("not change", "never change", "untouched", "unchanged", "leave as is"),
    "not touch": ("not touch", "never touch", "untouched", "unchanged", "leave as is"),
    "not edit": ("not edit", "never edit", "untouched", "unchanged"),
    "not work": ("not work", "fails", "broken"),
    "not correct": ("not correct", "incorrect", "wrong"),
    "not correctly": ("not correctly", "incorrectly", "wrongly", "not properly"),
    "not exist": ("not exist", "missing", "not found", "no such"),
    "not support": ("not support", "unsupported", "no support"),
    "not assignable": ("not assignable", "cannot assign", "incompatible"),
}
"""Usual wordings of a negation and the word after it."""

REQUESTS: Final = _stems(
    """add adjust allow analyse analyze apply ask avoid bring build bump call cancel change check
    clean close commit compare compute convert copy create debug define delete deploy describe
    disable display do document download drop enable ensure exclude explain export expose extend
    extract filter find finish fix format generate give group handle hide implement import improve
    include increase insert install integrate investigate keep leave let limit link list load log
    look lower make mark merge migrate mock modify move open optimize order parse paste pick pin
    plot prepare prevent print publish push put raise rebase redo reduce refactor refund release
    remove rename render replace report reset resolve restore restrict retry return revert review
    rewrite round run save search select send set show simplify skip sort split start stop store
    strip summarize support swap switch test track translate treat trim try turn undo update
    upgrade upload use validate verify wait warn wrap write book order reserve schedule exchange
    examine plot inspect understand identify locate establish fetch gather
    never always don't do"""
)
"""Stems of verbs that begin a request."""
