"""Twenty sentences of each language that state something, and their opposites, written by hand.

A row is a statement with its keys, another wording of it, and what takes it back.
"""

import pytest

from pytest_compaction.text import Statement, TextIndex

CHINESE = """
支付服务的超时是45秒 | 支付服务 + 超时 + 45秒 | 支付服务的超时从30秒改为四十五秒。 | 支付服务的超时不是45秒。
支付服务的超时是45秒 | 支付服务 + 超时 + 45秒 | 如今支付服务的超时设为 45 s。 | 支付服务的超时从45秒改为30秒。
连接池采用PgBouncer | PgBouncer | 用PgBouncer代替Odyssey。 | 用Odyssey代替PgBouncer。
连接池采用PgBouncer | PgBouncer | 采用PgBouncer而不是Odyssey。 | PgBouncer方案最终被否决。
连接池采用PgBouncer | PgBouncer | 我们放弃了Odyssey，改用PgBouncer。 | 考虑过PgBouncer，后来放弃了。
连接池采用PgBouncer | PgBouncer | 因为许可证的原因，不得不采用PgBouncer。 | PgBouncer已被Odyssey取代。
不要修改 schema.sql | schema.sql + 修改/改动/不变 | 请勿改动 schema.sql。 | 可以修改 schema.sql。
不要修改 schema.sql | schema.sql + 修改/改动/不变 | 保持 schema.sql 不变。 | 禁止修改 schema.sql 的规定已取消。
不要修改 schema.sql | schema.sql + 修改/改动/不变 | 严禁对 schema.sql 做任何修改。 | 已经修改了 schema.sql。
缓存已经启用 | 缓存 + 启用 | 现在缓存处于启用状态。 | 缓存尚未启用。
缓存已经启用 | 缓存 + 启用 | 团队启用了缓存。 | 缓存没有启用。
订单必须先校验库存 | 订单 + 校验库存 | 订单要先校验库存才能提交。 | 订单无需校验库存。
回归测试全部通过 | 回归测试 + 通过 | 回归测试都通过了。 | 回归测试未通过。
错误由连接泄漏引起 | 错误 + 连接泄漏 | 经确认，连接泄漏导致了这个错误。 | 错误并非由连接泄漏引起。
网关监听8080端口 | 网关 + 8080 | 网关使用端口8080。 | 网关不再监听8080端口。
网关监听8080端口 | 网关 + 8080 | 网关的端口由9090换成8080。 | 网关原来是8080端口。
日志保留三十天 | 日志 + 30天 | 日志保存30天。 | 说日志保留30天是错误的。
迁移脚本已经删除 | 迁移脚本 + 删除/删掉 | 迁移脚本删掉了。 | 不要删除迁移脚本。
发布时间定在周五 | 发布 + 周五 | 最后决定周五发布。 | 取消了周五的发布。
用户不同意重启数据库 | 数据库 + 重启 | 用户要求不得重启数据库。 | 用户同意重启数据库。
"""
GERMAN = """
Das Zeitlimit des Zahlungsdienstes ist 45 Sekunden | Zeitlimit + 45 Sekunden | Das Zeitlimit wurde von 30 auf 45 Sekunden erhöht. | Das Zeitlimit beträgt nicht 45 Sekunden.
Das Zeitlimit des Zahlungsdienstes ist 45 Sekunden | Zeitlimit + 45 Sekunden | Als Zeitlimit gelten nun fünfundvierzig Sekunden. | Das Zeitlimit sank von 45 Sekunden auf 30 Sekunden.
Der Pool nutzt PgBouncer | PgBouncer | Der Pool läuft mit PgBouncer statt Odyssey. | Der Pool läuft mit Odyssey statt PgBouncer.
Der Pool nutzt PgBouncer | PgBouncer | Odyssey wurde durch PgBouncer ersetzt. | PgBouncer wurde durch Odyssey ersetzt.
Der Pool nutzt PgBouncer | PgBouncer | Nicht Odyssey, sondern PgBouncer kommt zum Einsatz. | Der Vorschlag PgBouncer wurde verworfen.
Der Pool nutzt PgBouncer | PgBouncer | PgBouncer ersetzt Odyssey im Pool. | PgBouncer kommt nicht mehr zum Einsatz.
Der Pool nutzt PgBouncer | PgBouncer | Wir sind von Odyssey zu PgBouncer gewechselt. | Wir sind von PgBouncer zu Odyssey gewechselt.
schema.sql darf nicht geändert werden | schema.sql + geändert/Änderungen/unverändert | Änderungen an schema.sql sind verboten. | schema.sql wurde geändert.
schema.sql darf nicht geändert werden | schema.sql + geändert/Änderungen/ändern | Auf keinen Fall schema.sql ändern. | Es ist erlaubt, schema.sql zu ändern.
Der Cache ist aktiv | Cache + aktiv | Inzwischen ist der Cache aktiv. | Der Cache ist noch nicht aktiv.
Der Cache ist aktiv | Cache + aktiv | Der Cache bleibt aktiv. | Der Cache ist seit gestern nicht mehr aktiv.
Die Tests laufen durch | Tests + laufen | Alle Tests laufen wieder. | Die Tests laufen keineswegs.
Ursache war ein Verbindungsleck | Ursache + Verbindungsleck | Als Ursache hat sich ein Verbindungsleck bestätigt. | Ein Verbindungsleck war nicht die Ursache.
Das Gateway lauscht auf Port 8080 | Gateway + 8080 | Der Port des Gateways ist 8080. | Früher lauschte das Gateway auf 8080.
Das Gateway lauscht auf Port 8080 | Gateway + 8080 | Port 8080 gehört jetzt dem Gateway. | Es ist falsch, dass das Gateway auf 8080 lauscht.
Protokolle bleiben dreißig Tage erhalten | Protokolle + 30 Tage | Protokolle werden 30 Tage aufbewahrt. | Protokolle werden keine 30 Tage aufbewahrt.
Das Migrationsskript wurde gelöscht | Migrationsskript + gelöscht | Das Migrationsskript ist gelöscht. | Das Migrationsskript wurde nie gelöscht.
Die Freigabe ist am Freitag | Freigabe + Freitag | Freitag ist der Tag der Freigabe. | Die Freigabe am Freitag wurde abgelehnt.
Der Kunde lehnt einen Neustart der Datenbank ab | Neustart + Datenbank | Kein Neustart der Datenbank, sagt der Kunde. | Der Kunde wünscht einen Neustart der Datenbank.
Bestellungen ohne Bestand werden gesperrt | Bestellungen + gesperrt | Gesperrt werden Bestellungen ohne Bestand. | Bestellungen werden nicht gesperrt.
"""


def rows(text, language):
    for line in text.strip().splitlines():
        said, keys, states, opposite = (part.strip() for part in line.split("|"))
        groups = tuple(tuple(group.split("/")) for group in keys.split(" + "))
        groups = tuple(tuple(key.strip() for key in group) for group in groups)
        yield Statement(said, keys=groups, type="state", language=language), states, opposite


MEASURED = [*rows(CHINESE, "zh"), *rows(GERMAN, "de")]


@pytest.mark.parametrize(
    ("statement", "states", "opposite"), MEASURED, ids=[row[1][:40] for row in MEASURED]
)
def test_a_sentence_is_told_from_its_opposite(statement, states, opposite):
    assert TextIndex(statement.text).read(statement).outcome == "stated"
    assert TextIndex(states).read(statement).outcome == "stated"
    assert TextIndex(opposite).read(statement).outcome in {"contradicted", "uncertain"}


def test_each_measured_language_has_twenty_rows():
    assert [sum(row[0].language == code for row in MEASURED) for code in ("zh", "de")] == [20, 20]
