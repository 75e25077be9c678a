"""Sessions in other languages are asked about in the language of their user."""

import pytest
from support.probe_logs import Log, facts, named

from pytest_compaction.case_making import derive_probes

ROLES = {
    "zh": (
        "上传队列监听48155端口，直到服务关闭为止。",
        "空白处各是什么值",
        "创建或修改",
        "创建了 src/lease.py",
    ),
    "de": (
        "Die Warteschlange für Uploads lauscht auf Port 48155, bis der Dienst beendet wird.",
        "Welcher Wert gehört in die Lücke",
        "angelegt oder geändert",
        "src/lease.py wurde angelegt",
    ),
}


READ = {
    "zh": ("读取了哪些文件", "读取了 src/lease.py"),
    "de": ("gelesen", "src/lease.py wurde gelesen"),
}
CHATTER = {"zh": ("好的，明白。", "请继续。"), "de": ("Ja, das ist klar.", "Dann bitte weiter so.")}


def point(log, language):
    for _ in range(30):
        log.say("assistant", CHATTER[language][0]).say("user", CHATTER[language][1])
    log.points.append(len(log.messages) - 1)
    return log


def probes_of(language):
    log = Log().say("assistant", ROLES[language][0]).call("write", path="src/lease.py", content="x")
    point(log.call("edit", path="src/pool.py", oldText="a", newText="b"), language)
    log.call("edit", path="src/stop.ts", oldText="a", newText="await drain(48155)")
    return log.call("read", path="src/lease.py", output="y").probes()


@pytest.mark.parametrize("language", ROLES)
def test_files_are_asked_for_in_the_language_of_the_user(language):
    (asked,) = named(probes_of(language), "changed-files")
    assert ROLES[language][2] in asked["question"]
    assert facts(asked) == [ROLES[language][3]]


@pytest.mark.parametrize("language", READ)
def test_files_that_were_read_are_asked_for_in_the_language_of_the_user(language):
    log = Log().call("read", path="src/lease.py", output="y")
    (asked,) = named(point(log, language).probes(), "read-files")
    assert READ[language][0] in asked["question"]
    assert facts(asked) == [READ[language][1]]


def test_a_value_is_asked_for_in_the_language_of_the_user_and_found_by_itself():
    (asked,) = named(probes_of("de"), "values")
    assert ROLES["de"][1] in asked["question"]
    assert asked["facts"][0]["keys"] == [["48155"]]


@pytest.mark.parametrize(
    ("language", "said", "again"),
    [
        (
            "zh",
            "上传队列的重试间隔写在 `retry.toml` 里，不要写进代码。",
            "我说过，重试间隔写在 `retry.toml` 里。",
        ),
        (
            "zh",
            "租约表不要放进数据库，用 `leases.csv` 保存。",
            "不对，租约表要用 `leases.csv` 保存。",
        ),
        (
            "de",
            "Die Wartezeit der Warteschlange soll unter zwei Sekunden bleiben.",
            "Wie gesagt, die Wartezeit bleibt unter zwei Sekunden.",
        ),
        (
            "de",
            "Die Tabelle der Leihgaben kommt in eine einfache Datei und nicht in die Datenbank.",
            "Nein, die Leihgaben kommen in eine einfache Datei.",
        ),
    ],
)
def test_what_the_user_says_again_is_found_in_their_language(language, said, again):
    log = point(Log().say("user", said), language).call("read", path="a", output="b")
    log.say("user", again).call("read", path="a", output="b")
    (asked,) = named(log.probes(), "said-again")
    assert facts(asked)[0].rstrip("。.") == said.rstrip("。.")


def test_searches_that_read_english_prose_are_not_made_and_are_named():
    log = point(Log().say("user", ROLES["zh"][0]), "zh")
    log.call("read", path="src/lease.py", output="y")
    unasked = derive_probes(log.messages, log.points).unasked
    assert "rules and decisions of the user" in unasked
    assert "failing tests" not in unasked
    english = (
        Log().say("user", "The upload queue listens on a port until the service stops.").point()
    )
    assert derive_probes(english.messages, english.points).unasked == ()
