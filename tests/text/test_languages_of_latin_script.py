"""Which language a sentence and a conversation in Latin script are in, with code taken out."""

import subprocess
import sys

import pytest

from pytest_compaction.text import language_of, language_of_conversation

SENTENCES = {
    "en": """
Restarting workers drops pending uploads silently.
Null timestamps break nightly exports, alert Maria beforehand.
Retry budget exhausted, circuit breaker tripped, traffic shifted elsewhere.
Failing integration tests block release candidates; bisecting `main` continues tomorrow morning.
Uploads larger than 20 MB get rejected by `nginx`, therefore chunked transfer needs enabling.
""",
    "de": """
Rückwärtskompatibilität bestehender Schnittstellen gewährleisten.
Fehlende Zeitstempel verhindern nächtliche Exporte, Maria vorher benachrichtigen.
Neustarts verwerfen ausstehende Uploads stillschweigend, siehe `worker.py`.
Hochladen größerer Dateien scheitert regelmäßig, daher braucht `nginx` eine höhere Obergrenze.
Fehlgeschlagene Integrationstests blockieren Auslieferungen; die Suche geht am Morgen weiter.
""",
    "fr": """
Redémarrer `worker.py` supprime silencieusement certains envois.
Horodatages manquants : exports nocturnes impossibles, prévenir Maria avant.
Plusieurs essais échouent encore lorsque la connexion expire pendant la migration.
L'équipe préfère attendre la prochaine version avant d'activer ce nouveau mécanisme partout.
Supprimer l'ancienne table demande une validation, car plusieurs rapports mensuels l'utilisent.
""",
    "es": """
Reiniciar `worker.py` descarta silenciosamente envíos pendientes.
Faltan marcas temporales, avisar previamente a quien mantiene las exportaciones.
Varias pruebas siguen fallando cuando caduca la conexión durante la migración.
El equipo prefiere esperar la próxima versión antes de activar este mecanismo en todas partes.
Borrar la tabla antigua requiere aprobación previa, ya que varios informes mensuales la utilizan.
""",
    "pt": """
Reiniciar `worker.py` descarta silenciosamente envios pendentes.
Faltam carimbos temporais, avisar previamente quem mantém as exportações.
Vários testes continuam falhando quando a conexão expira durante a migração.
A equipe prefere esperar pela próxima versão antes de ativar este mecanismo em todo lugar.
Apagar a tabela antiga exige aprovação prévia, pois vários relatórios mensais ainda a utilizam.
""",
}
ROWS = [
    (code, sentence) for code, text in SENTENCES.items() for sentence in text.strip().splitlines()
]


@pytest.mark.parametrize(("code", "sentence"), ROWS)
def test_a_sentence_is_in_the_language_of_the_conversation_or_in_english(code, sentence):
    for home in SENTENCES if code == "en" else (code,):
        assert language_of(sentence, home) == code


@pytest.mark.parametrize("code", SENTENCES)
def test_a_conversation_is_in_the_language_of_its_sentences(code):
    assert language_of_conversation(SENTENCES[code].strip().splitlines()) == code


def test_code_and_quotations_do_not_tell_the_language():
    sentence = "Die Meldung `the connection to the server was closed by the other side` ist neu."
    assert language_of(sentence, "de") == "de"
    assert language_of_conversation(["```\nder die das und oder nicht ist\n```", "Fix it."]) == "en"
    assert language_of_conversation(["for i in range(9): jobs.put(zeile, block=True)"] * 9) == "en"


def test_no_model_of_letters_is_loaded_for_english():
    program = (
        "import sys;"
        "from pytest_compaction.text import language_of, language_of_conversation as of;"
        "text = 'The tests of the parser pass, and the release is planned for Friday – at noon';"
        "assert of([text]) == language_of(text) == 'en' and 'py3langid' not in sys.modules;"
        "assert language_of(text, 'de') == 'en' and 'py3langid' in sys.modules"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
