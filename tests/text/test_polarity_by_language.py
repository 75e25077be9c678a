"""Twenty sentences of each language that state something, and their opposites, written by hand.

A row is a statement with its keys, another wording of it, and what takes it back.
"""

import pytest

from pytest_compaction.text import (
    EXPERIMENTAL,
    NAMES,
    LanguageError,
    Statement,
    TextIndex,
    read_also,
)

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
FRENCH = """
Le délai du service de paiement est de 45 secondes | délai + 45 secondes | Le délai est passé de 30 à 45 secondes. | Le délai n'est pas de 45 secondes.
Le délai du service de paiement est de 45 secondes | délai + 45 secondes | Désormais le délai vaut 45 s. | Le délai est passé de 45 secondes à 30 secondes.
Le pool utilise PgBouncer | PgBouncer | Le pool utilise PgBouncer au lieu d'Odyssey. | Le pool utilise Odyssey au lieu de PgBouncer.
Le pool utilise PgBouncer | PgBouncer | Odyssey a été remplacé par PgBouncer. | PgBouncer a été remplacé par Odyssey.
Le pool utilise PgBouncer | PgBouncer | Nous avons abandonné Odyssey, PgBouncer est en place. | L'idée d'utiliser PgBouncer, finalement, a été rejetée.
Le pool utilise PgBouncer | PgBouncer | Nous avons migré d'Odyssey à PgBouncer. | Nous avons migré de PgBouncer à Odyssey.
Il ne faut pas modifier schema.sql | schema.sql + modifier/modifié/modification | Interdiction de modifier schema.sql. | schema.sql a été modifié.
Il ne faut pas modifier schema.sql | schema.sql + modifier/modifié/modification | Toute modification de schema.sql est interdite. | On peut modifier schema.sql.
Le cache est actif | cache + actif | Le cache reste actif. | Le cache n'est plus actif.
Le cache est actif | cache + actif | Maintenant, le cache est actif. | Le cache n'est pas encore actif.
Les tests passent | tests + passent | Tous les tests passent de nouveau. | Les tests ne passent pas.
La cause est une fuite de connexions | cause + fuite de connexions | La fuite de connexions en est la cause. | La fuite de connexions n'était pas la cause.
La passerelle écoute sur le port 8080 | passerelle + 8080 | Le port de la passerelle est 8080. | Auparavant la passerelle écoutait sur 8080.
La passerelle écoute sur le port 8080 | passerelle + 8080 | La passerelle est sur 8080. | Il est faux que la passerelle écoute sur 8080.
Les journaux sont gardés trente jours | journaux + 30 jours | Les journaux restent 30 jours. | Les journaux ne restent jamais 30 jours.
Le script de migration a été supprimé | script de migration + supprimé | Le script de migration est supprimé. | Le script de migration n'a jamais été supprimé.
La livraison est vendredi | livraison + vendredi | Vendredi est le jour de la livraison. | La livraison de vendredi est annulée.
Le client refuse un redémarrage de la base | redémarrage + base | Pas de redémarrage de la base, dit le client. | Le client souhaite un redémarrage de la base.
Le quota est de 500 requêtes | quota + 500 | Le quota vaut 500. | Le quota est peut-être de 500.
Le quota est de 500 requêtes | quota + 500 | Le quota a été fixé à 500. | Le quota est-il de 500 ?
"""
SPANISH = """
El tiempo límite del servicio de pagos es de 45 segundos | tiempo límite + 45 segundos | El tiempo límite subió de 30 a 45 segundos. | El tiempo límite no es de 45 segundos.
El tiempo límite del servicio de pagos es de 45 segundos | tiempo límite + 45 segundos | Ahora el tiempo límite vale 45 s. | El tiempo límite bajó de 45 segundos a 30 segundos.
El pool usa PgBouncer | PgBouncer | El pool usa PgBouncer en lugar de Odyssey. | El pool usa Odyssey en lugar de PgBouncer.
El pool usa PgBouncer | PgBouncer | Odyssey fue reemplazado por PgBouncer. | PgBouncer fue reemplazado por Odyssey.
El pool usa PgBouncer | PgBouncer | Descartamos Odyssey, PgBouncer queda instalado. | La propuesta de PgBouncer fue rechazada.
El pool usa PgBouncer | PgBouncer | Pasamos de Odyssey a PgBouncer. | Pasamos de PgBouncer a Odyssey.
No se debe modificar schema.sql | schema.sql + modificar/modificó/cambios | Prohibido modificar schema.sql. | Se modificó schema.sql.
No se debe modificar schema.sql | schema.sql + modificar/modificó/cambios | Los cambios en schema.sql están prohibidos. | Se puede modificar schema.sql.
La caché está activa | caché + activa | La caché sigue activa. | La caché ya no está activa.
La caché está activa | caché + activa | Ahora la caché está activa. | La caché todavía no está activa.
Las pruebas pasan | pruebas + pasan | Todas las pruebas pasan otra vez. | Las pruebas nunca pasan.
La causa es una fuga de conexiones | causa + fuga de conexiones | La fuga de conexiones es la causa. | La fuga de conexiones no era la causa.
La pasarela escucha en el puerto 8080 | pasarela + 8080 | El puerto de la pasarela es 8080. | Antes la pasarela escuchaba en 8080.
La pasarela escucha en el puerto 8080 | pasarela + 8080 | La pasarela está en 8080. | Es falso que la pasarela escuche en 8080.
Los registros se guardan treinta días | registros + 30 días | Los registros quedan 30 días. | Los registros no quedan 30 días.
El guion de migración fue borrado | guion de migración + borrado | El guion de migración está borrado. | El guion de migración nunca fue borrado.
La entrega es el viernes | entrega + viernes | El viernes es la entrega. | La entrega del viernes fue cancelada.
El cliente rechaza un reinicio de la base | reinicio + base | Ningún reinicio de la base, dice el cliente. | El cliente quiere un reinicio de la base.
La cuota es de 500 peticiones | cuota + 500 | La cuota vale 500. | La cuota quizás es de 500.
La cuota es de 500 peticiones | cuota + 500 | La cuota se fijó en 500. | ¿La cuota es de 500?
"""
PORTUGUESE = """
O tempo limite do serviço de pagamento é de 45 segundos | tempo limite + 45 segundos | O tempo limite subiu de 30 para 45 segundos. | O tempo limite não é de 45 segundos.
O tempo limite do serviço de pagamento é de 45 segundos | tempo limite + 45 segundos | Agora o tempo limite vale 45 s. | O tempo limite caiu de 45 segundos para 30 segundos.
O pool usa PgBouncer | PgBouncer | O pool usa PgBouncer em vez do Odyssey. | O pool usa Odyssey em vez do PgBouncer.
O pool usa PgBouncer | PgBouncer | Odyssey foi substituído por PgBouncer. | PgBouncer foi substituído por Odyssey.
O pool usa PgBouncer | PgBouncer | Descartamos o Odyssey, o PgBouncer fica. | A proposta de PgBouncer foi rejeitada.
O pool usa PgBouncer | PgBouncer | Mudamos do Odyssey para o PgBouncer. | Mudamos do PgBouncer para o Odyssey.
Não se deve alterar schema.sql | schema.sql + alterar/alterado/alterações | É proibido alterar schema.sql. | schema.sql foi alterado.
Não se deve alterar schema.sql | schema.sql + alterar/alterado/alterações | As alterações em schema.sql são proibidas. | Pode-se alterar schema.sql.
O cache está ativo | cache + ativo | O cache continua ativo. | O cache já não está ativo.
O cache está ativo | cache + ativo | Agora o cache está ativo. | O cache ainda não está ativo.
Os testes passam | testes + passam | Todos os testes passam de novo. | Os testes nunca passam.
A causa é uma fuga de conexões | causa + fuga de conexões | A fuga de conexões é a causa. | A fuga de conexões não era a causa.
O gateway escuta na porta 8080 | gateway + 8080 | A porta do gateway é 8080. | Antes o gateway escutava na 8080.
O gateway escuta na porta 8080 | gateway + 8080 | O gateway está na 8080. | É falso que o gateway escute na 8080.
Os registos são guardados trinta dias | registos + 30 dias | Os registos ficam 30 dias. | Os registos não ficam 30 dias.
O script de migração foi apagado | script de migração + apagado | O script de migração está apagado. | O script de migração nunca foi apagado.
A entrega é na sexta-feira | entrega + sexta-feira | Sexta-feira é a entrega. | A entrega de sexta-feira foi cancelada.
O cliente recusa um reinício da base | reinício + base | Nenhum reinício da base, diz o cliente. | O cliente quer um reinício da base.
A quota é de 500 pedidos | quota + 500 | A quota vale 500. | A quota talvez seja de 500.
A quota é de 500 pedidos | quota + 500 | A quota foi fixada em 500. | A quota é de 500?
"""
RUSSIAN = """
Тайм-аут платёжного сервиса 45 секунд | тайм-аут + 45 секунд | Тайм-аут увеличен с 30 до 45 секунд. | Тайм-аут не 45 секунд.
Тайм-аут платёжного сервиса 45 секунд | тайм-аут + 45 секунд | Теперь тайм-аут составляет 45 с. | Тайм-аут уменьшен с 45 секунд до 30 секунд.
Пул использует PgBouncer | PgBouncer | Пул использует PgBouncer вместо Odyssey. | Пул использует Odyssey вместо PgBouncer.
Пул использует PgBouncer | PgBouncer | Odyssey заменён на PgBouncer. | PgBouncer заменён на Odyssey.
Пул использует PgBouncer | PgBouncer | От Odyssey отказались, работает PgBouncer. | Предложение использовать PgBouncer отклонено.
Пул использует PgBouncer | PgBouncer | Мы перешли с Odyssey на PgBouncer. | Мы перешли с PgBouncer на Odyssey.
Нельзя менять schema.sql | schema.sql + менять/изменён/изменения | Запрещено менять schema.sql. | Файл schema.sql изменён.
Нельзя менять schema.sql | schema.sql + менять/изменён/изменения | Любые изменения schema.sql запрещены. | Можно менять schema.sql.
Кэш включён | кэш + включён | Сейчас кэш включён. | Кэш больше не включён.
Кэш включён | кэш + включён | Кэш снова включён. | Кэш ещё не включён.
Тесты проходят | тесты + проходят | Все тесты снова проходят. | Тесты не проходят.
Причина в утечке соединений | причина + утечке соединений | Утечка соединений и есть причина. | Утечка соединений не причина.
Шлюз слушает порт 8080 | шлюз + 8080 | Порт шлюза 8080. | Раньше шлюз слушал порт 8080.
Шлюз слушает порт 8080 | шлюз + 8080 | Шлюз работает на 8080. | Шлюз никогда не слушал порт 8080.
Журналы хранятся 30 дней | журналы + 30 дней | Журналы остаются 30 дней. | Журналы не хранятся 30 дней.
Скрипт миграции удалён | скрипт миграции + удалён | Скрипт миграции уже удалён. | Скрипт миграции не удалён.
Выпуск в пятницу | выпуск + пятницу | Решено: выпуск в пятницу. | Выпуск в пятницу отменён.
Клиент против: базу нельзя перезапускать | базу + перезапускать | Базу перезапускать запрещено. | Базу можно перезапускать.
Квота равна 500 запросам | квота + 500 | Квота составляет 500. | Возможно, квота равна 500.
Квота равна 500 запросам | квота + 500 | Квота установлена на 500. | Квота равна 500?
"""
JAPANESE = """
決済サービスのタイムアウトは45秒です | 決済サービス + タイムアウト + 45秒 | 決済サービスのタイムアウトを30秒から45秒に変更しました。 | 決済サービスのタイムアウトは45秒ではありません。
決済サービスのタイムアウトは45秒です | 決済サービス + タイムアウト + 45秒 | 現在、決済サービスのタイムアウトは四十五秒です。 | 決済サービスのタイムアウトを45秒から30秒に変更しました。
プールはPgBouncerを使用します | PgBouncer | Odysseyの代わりにPgBouncerを使用します。 | PgBouncerの代わりにOdysseyを使用します。
プールはPgBouncerを使用します | PgBouncer | プールにはPgBouncerを採用しました。 | PgBouncerの案は却下されました。
プールはPgBouncerを使用します | PgBouncer | OdysseyからPgBouncerに移行しました。 | PgBouncerからOdysseyに移行しました。
プールはPgBouncerを使用します | PgBouncer | プールではPgBouncerが動いています。 | PgBouncerは使用していません。
schema.sqlは変更禁止です | schema.sql + 変更 | schema.sqlは変更しないでください。 | schema.sqlを変更しました。
schema.sqlは変更禁止です | schema.sql + 変更 | schema.sqlの変更は不可です。 | schema.sqlは変更してもよい。
キャッシュは有効です | キャッシュ + 有効 | 今はキャッシュが有効です。 | キャッシュは有効ではありません。
キャッシュは有効です | キャッシュ + 有効 | キャッシュを有効にしました。 | キャッシュはまだ有効になっていません。
テストは成功しています | テスト + 成功 | すべてのテストが成功しました。 | テストは成功しなかった。
原因は接続リークです | 原因 + 接続リーク | 接続リークが原因でした。 | 接続リークは原因ではなかった。
ゲートウェイは8080で待ち受けます | ゲートウェイ + 8080 | ゲートウェイのポートは8080です。 | 以前はゲートウェイが8080で待ち受けていた。
ゲートウェイは8080で待ち受けます | ゲートウェイ + 8080 | ゲートウェイは8080を使います。 | ゲートウェイが8080というのは誤りです。
ログは30日間保存します | ログ + 30日間 | ログの保存期間は30日間です。 | ログは30日間保存しない。
移行スクリプトは削除済みです | 移行スクリプト + 削除 | 移行スクリプトを削除しました。 | 移行スクリプトは削除されていません。
リリースは金曜日です | リリース + 金曜日 | 金曜日にリリースします。 | 金曜日のリリースは中止です。
データベースは再起動しないこと | データベース + 再起動 | データベースの再起動は禁止です。 | データベースを再起動してください。
上限は500件です | 上限 + 500 | 上限を500に設定しました。 | 上限は500かもしれません。
上限は500件です | 上限 + 500 | 今の上限は500です。 | 上限は500ですか？
"""


def rows(text, language):
    for line in text.strip().splitlines():
        said, keys, states, opposite = (part.strip() for part in line.split("|"))
        groups = tuple(tuple(group.split("/")) for group in keys.split(" + "))
        groups = tuple(tuple(key.strip() for key in group) for group in groups)
        yield Statement(said, keys=groups, type="state", language=language), states, opposite


MEASURED = [*rows(CHINESE, "zh"), *rows(GERMAN, "de")]
EXPERIMENTAL_ROWS = [
    *rows(FRENCH, "fr"),
    *rows(SPANISH, "es"),
    *rows(PORTUGUESE, "pt"),
    *rows(RUSSIAN, "ru"),
    *rows(JAPANESE, "ja"),
]
ALL = [*MEASURED, *EXPERIMENTAL_ROWS]


@pytest.fixture(autouse=True)
def experimental():
    read_also(EXPERIMENTAL)
    yield
    read_also(())


@pytest.mark.parametrize(("statement", "states", "opposite"), ALL, ids=[row[1][:40] for row in ALL])
def test_a_sentence_is_told_from_its_opposite(statement, states, opposite):
    assert TextIndex(statement.text).read(statement).outcome == "stated"
    assert TextIndex(states).read(statement).outcome == "stated"
    assert TextIndex(opposite).read(statement).outcome in {"contradicted", "uncertain"}


@pytest.mark.parametrize(
    ("text", "keys", "states", "opposite"),
    [
        ("不使用 Redis", "Redis + not used/rejected", "Redis was rejected.", "Redis is used."),
        ("不使用 Redis", "Redis + not use", "Never use Redis.", "We do use Redis."),
        ("不使用 Redis", "Redis + use", "We do not use Redis.", "We use Redis."),
        ("不得修改 a.sql", "a.sql + not edit/untouched", "Do not edit a.sql.", "Edit a.sql."),
        ("放弃了 Kafka", "Kafka + rejected", "Kafka is rejected.", "Kafka is not rejected."),
        (
            "索引还没有删除",
            "index + dropped/deleted",
            "The index is not dropped.",
            "The index is dropped.",
        ),
        ("使用 Redis", "Redis + use", "We use Redis.", "We do not use Redis."),
    ],
)
def test_an_english_sentence_denies_what_a_chinese_fact_denies(text, keys, states, opposite):
    english = tuple(tuple(group.split("/")) for group in keys.split(" + "))
    fact = Statement(text, keys=((text,),), language="zh", keys_in=(("en", english),))
    assert TextIndex(states).read(fact).outcome == "stated"
    assert TextIndex(opposite).read(fact).outcome == "contradicted"


def test_each_language_has_twenty_rows():
    assert {
        code: sum(row[0].language == code for row in ALL) for code in NAMES if code != "en"
    } == {code: 20 for code in NAMES if code != "en"}


def test_a_language_that_is_not_named_is_not_read():
    read_also(())
    for statement, states, opposite in EXPERIMENTAL_ROWS:
        for text in (states, opposite):
            reading = TextIndex(text).read(statement)
            assert reading.outcome == "unread"
            assert f"--compaction-languages={statement.language}" in reading.why


def test_a_language_that_no_file_describes_is_refused_by_name():
    with pytest.raises(LanguageError, match="xx is no language that can be read; name some of fr"):
        read_also(["xx"])
