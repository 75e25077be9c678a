"""Japanese. Experimental."""

import re
from typing import Final

from pytest_compaction.text.languages.language import Language, forms, patterns

COMMON: Final = frozenset("""は が を に の で と も から まで です ます した する""".split())
LANGUAGE: Final = Language(
    code="ja",
    common=COMMON,
    clause=re.compile(
        r"[,、;。!?()]|(?:ですが|ますが|だが|しかし|けれど|ので|ため(?=[、,に])|代わりに(?=.))"
    ),
    no_subject=re.compile(r"(?:最終的に|その後|結局|のちに|この案|その案|案|は|が|を|[,、 ])*"),
    no_object=re.compile(r"(?:され|し|と|なり|に|ました|ます|た|る|です|ている|ていた|[。! ])*"),
    ahead=re.compile(
        r"予定|計画|次の(?:ステップ|作業|手順)|これから|今後|あとで|後で|明日|来週|まだ|必要がある|つもり|たい(?:です|。|$)|"
        r"検討|提案|べき|残っている"
    ),
    done=re.compile(r"済み|完了|終わ|すでに|既に|ました(?!ら)|した(?=[。!]|$)"),
    forms=forms(
        (
            "negated",
            "before",
            r"(?<!かもしれ)(?<!なければなら)ない(?!と(?:いけ|なら)|といけ|わけに)|(?<!かもしれ)(?<!なければなり)ません|"
            r"なかった|(?<=[わかさたなまらせけめれべ])ず(?=に|[、,。]|$)|禁止|不要|不可|やめ|中止|廃止|停止|無効|避け|断念",
        ),
        ("negated", "after", r"ではなく|でなく"),
        ("negated", "before", r"(?:では|じゃ)(?:ない|ありません|なかった)"),
        (
            "rejected",
            "before",
            r"却下|破棄|取り消|取りやめ|撤回|否決|見送|拒否|放棄|除外|誤り|間違い|古い情報",
        ),
        (
            "replaced",
            "after",
            r"(?P<old>[^、,。;をはが]{1,30}?)から (?=[^、,。;]{1,30}(?:に|へ) ?(?:変更|移行|切り替え|移動|"
            r"改名|引き上げ|引き下げ|延長|短縮))",
        ),
        ("replaced", "after", r"(?P<old>\d[^、,。;]{0,12}?)から ?(?=\d)"),
        (
            "replaced",
            "after",
            r"(?P<old>[^\s、,。;はがを]{1,30}) ?(?:の代わりに|に代わ|に替え|をやめて)",
        ),
        ("replaced", "before", r"(?:に|で) ?(?:置き換えられ|取って代わられ|差し替えられ)"),
        ("replaced", "after", r"(?P<old>[^\s,;()]{1,40}) ?(?:->|→|=>)"),
        ("past", "after", r"以前は|かつて|もともと|当初|元々|旧(?=[値版設])"),
        (
            "uncertain",
            "both",
            r"かもしれ|たぶん|おそらく|可能性|らしい|ようです|と思われ|でしょう|見込み",
        ),
        ("supposed", "sentence", r"もし|(?:なら|れば|たら)(?=[、,])|場合(?:は|、|,)|仮に"),
        ("asked", "sentence", r"か\?? ?[。?]? ?$|\? ?$|未定|要確認|検討中"),
    ),
    stemmer="",
    decimal_comma=False,
    changes=patterns(
        created="作成|追加|新規|書き込|生成",
        modified="変更|修正|更新|編集|直し",
        deleted="削除|消し",
        renamed="改名|移動|リネーム|->",
        read="読|参照|確認|開い",
    ),
    particles="のを",
)
