"""Questions of an imported session in the language of its user.

What a search looks for is the same in every language. A search that reads prose by English rules is
not made in another language, see ``derive``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

_ASKED: Final[Mapping[str, Mapping[str, str]]] = {
    "The work goes on from here. Which files, names and values does the next step build on, and "
    "what is known of each?": {
        "zh": "工作从这里继续。下一步要用到哪些文件、名称和数值？关于它们各知道些什么？",
        "de": "Von hier aus geht die Arbeit weiter. Auf welchen Dateien, Namen und Werten baut der "
        "nächste Schritt auf, und was ist von jedem bekannt?",
    },
    "Which file belongs in the gap of each sentence of the session: {}": {
        "zh": "会话中下列句子的空白处各是哪个文件：{}",
        "de": "Welche Datei gehört in die Lücke jedes Satzes der Sitzung: {}",
    },
    "Which value belongs in the gap of each sentence of the session: {}": {
        "zh": "会话中下列句子的空白处各是什么值：{}",
        "de": "Welcher Wert gehört in die Lücke jedes Satzes der Sitzung: {}",
    },
    "Which exact value did the user give in the gap of each sentence: {}": {
        "zh": "用户在下列句子的空白处给出的确切值各是什么：{}",
        "de": "Welchen genauen Wert nannte der Nutzer in der Lücke jedes Satzes: {}",
    },
    "Which files had been created or changed by then that the work goes on with, and which of the "
    "two was it? Answer as a list of paths.": {
        "zh": "到那时为止，后续工作要用到的哪些文件被创建或修改过？分别是创建还是修改？请以路径列表作答。",
        "de": "Welche Dateien, mit denen die Arbeit weitergeht, waren bis dahin angelegt oder "
        "geändert worden, und was von beidem? Antworte mit einer Liste von Pfaden.",
    },
    "Which files had been created or changed by then, and which of the two was it? Answer as a "
    "list of paths.": {
        "zh": "到那时为止，哪些文件被创建或修改过？分别是创建还是修改？请以路径列表作答。",
        "de": "Welche Dateien waren bis dahin angelegt oder geändert worden, und was von beidem? "
        "Antworte mit einer Liste von Pfaden.",
    },
    "With which error did this fail: {}?": {
        "zh": "下列命令因什么错误而失败：{}？",
        "de": "Mit welchem Fehler schlug das fehl: {}?",
    },
    "What had the user asked for, decided or ruled that has to be kept in mind?": {
        "zh": "用户此前要求、决定或规定了哪些需要记住的事？",
        "de": "Was hatte der Nutzer verlangt, entschieden oder festgelegt, das zu beachten ist?",
    },
    "Which files had been read by then? Answer as a list of paths.": {
        "zh": "到那时为止读取了哪些文件？请以路径列表回答。",
        "de": "Welche Dateien waren bis dahin gelesen worden? Antworte mit einer Liste von Pfaden.",
    },
    "Which tests still failed in the last test run?": {
        "zh": "最近一次测试运行中，哪些测试仍然失败？",
        "de": "Welche Tests schlugen im letzten Testlauf noch fehl?",
    },
}
_CHANGES: Final[Mapping[str, Mapping[str, str]]] = {
    "zh": {"created": "创建了 {}", "modified": "修改了 {}", "read": "读取了 {}"},
    "de": {
        "created": "{} wurde angelegt",
        "modified": "{} wurde geändert",
        "read": "{} wurde gelesen",
    },
}


def change_in(path: str, change: str, clause: str, language: str) -> str:
    """What happened to a file in the language of the user; else the clause that says it."""
    wording = _CHANGES.get(language, {}).get(change)
    return wording.format(path) if wording else clause


def asked_in(question: str, language: str) -> str:
    """A question in the language of the user; in English where there is no wording for it."""
    return _ASKED.get(question, {}).get(language, question)
