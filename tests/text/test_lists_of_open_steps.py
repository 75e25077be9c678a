"""Lead-ins over what is not done yet, plans in the plural, and what replaces what."""

import pytest

from pytest_compaction.text import Statement, TextIndex

NOT_DONE = {
    "en": ("Not done yet:", "## Not finished", "What has not been done yet:", "Still open:"),
    "de": ("Noch nicht erledigt:", "## Nicht fertig", "Noch offen:", "Steht noch aus:"),
    "zh": ("还没做的：", "## 未完成", "尚未完成的：", "没有做的："),
}
STEP = {
    "en": ("Write the migration", "migration", "The migration is written"),
    "de": ("Die Migration schreiben", "Migration", "Die Migration ist geschrieben"),
    "zh": ("编写迁移脚本", "迁移脚本", "迁移脚本已写好"),
}


def read(text, said, keys, type="state", language="en"):
    groups = tuple(tuple(group.split("/")) for group in keys.split(" + "))
    return TextIndex(text).read(Statement(said, keys=groups, type=type, language=language)).outcome


@pytest.mark.parametrize(
    ("code", "lead"), [(code, row) for code in NOT_DONE for row in NOT_DONE[code]]
)
def test_a_list_of_what_is_not_done_states_steps_and_denies_what_is_done(code, lead):
    step, key, done = STEP[code]
    text = f"{lead}\n- {step}"
    assert read(text, step, key, "next_step", code) == "stated"
    assert read(text, done, key, "state", code) in {"contradicted", "uncertain"}
    assert read(f"- {done}", done, key, "state", code) == "stated"


@pytest.mark.parametrize(
    ("code", "plan", "said", "keys"),
    [
        ("en", "They plan to run the importer on two workers.", "", "importer + workers"),
        ("en", "The team intends to run the importer on two workers.", "", "importer + workers"),
        ("de", "Wir planen, den Importer auf zwei Workern zu starten.", "", "Importer + Workern"),
        ("de", "Geplant ist, den Importer auf zwei Workern zu starten.", "", "Importer + Workern"),
        ("zh", "我们计划让导入程序用两个进程。", "", "导入程序 + 两个进程"),
        ("zh", "他们打算让导入程序用两个进程。", "", "导入程序 + 两个进程"),
    ],
)
def test_what_people_plan_is_no_state(code, plan, said, keys):
    states = {
        "en": "The importer runs on two workers.",
        "de": "Der Importer läuft auf zwei Workern.",
        "zh": "导入程序用两个进程。",
    }
    assert read(plan, states[code], keys, "state", code) == "uncertain"
    assert read(plan, states[code], keys, "next_step", code) == "stated"
    assert read(states[code], states[code], keys, "state", code) == "stated"


@pytest.mark.parametrize(
    "text",
    [
        "PgBouncer ersetzt Odyssey.",
        "Im Pool ersetzt PgBouncer den alten Odyssey.",
        "PgBouncer hat Odyssey ersetzt.",
        "Odyssey wurde ersetzt, PgBouncer läuft.",
        "PgBouncer läuft, weil es Odyssey ersetzt.",
        "Odyssey wurde verworfen: PgBouncer läuft.",
        "Odyssey wurde verworfen – PgBouncer läuft.",
        "PgBouncer ist die Wahl: Odyssey wurde verworfen.",
        "Verworfen: Odyssey. PgBouncer läuft.",
    ],
)
def test_what_replaces_or_outlives_another_stands_in_german(text):
    assert read(text, "Der Pool nutzt PgBouncer", "PgBouncer", language="de") == "stated"


@pytest.mark.parametrize(
    "text",
    [
        "PgBouncer ersetzt Odyssey.",
        "Im Pool ersetzt PgBouncer den alten Odyssey.",
        "PgBouncer hat Odyssey ersetzt.",
        "PgBouncer soll Odyssey ersetzen.",
        "Odyssey wurde ersetzt, PgBouncer läuft.",
        "Odyssey wurde verworfen: PgBouncer läuft.",
        "Verworfen: Odyssey. PgBouncer läuft.",
    ],
)
def test_what_is_replaced_or_rejected_is_denied_in_german(text):
    assert read(text, "Der Pool nutzt Odyssey", "Odyssey", language="de") == "contradicted"


def test_a_thing_that_was_replaced_may_be_what_is_asked_for_in_german():
    keys = "Zähler + getauscht/ersetzt"
    said = "Der Zähler wurde getauscht"
    assert read("Am 25.10. wurde der Zähler ersetzt.", said, keys, language="de") == "stated"
    assert read("Der Zähler wurde ersetzt.", said, keys, language="de") == "stated"
    assert read("Der Zähler wurde nicht ersetzt.", said, keys, language="de") == "contradicted"


def test_a_denial_reaches_over_the_dots_of_a_date_in_german():
    said, keys = "Der Lauf ist am Mittwoch, 19.11.", "Lauf + 19.11."
    assert read("Der Lauf ist am Mittwoch, 19.11.", said, keys, language="de") == "stated"
    denied = "Der Lauf ist nicht am Mittwoch, 19.11. um neun Uhr."
    assert read(denied, said, keys, language="de") == "contradicted"
