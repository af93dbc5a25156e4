"""The first phrases of German, French, Spanish, Chinese and Japanese; several at once."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest

from mindcache.when import find_phrases, parse_phrase
from mindcache.when.civil import BEGINNING, END
from mindcache.when.words import LANGUAGES, lexicon

NOW = datetime.fromisoformat("2025-06-04T15:00")  # a Wednesday


def span(written: str) -> tuple[datetime, datetime]:
    """ "2025-06-03" is that day, "A..B" from A to B, either of which may be open."""
    start, dots, end = written.partition("..")
    first = datetime.fromisoformat(start) if start else BEGINNING
    if not dots:
        return first, first + timedelta(days=1)
    return first, datetime.fromisoformat(end) if end else END


MEANT = {
    "de": [
        ("heute", "2025-06-04"),
        ("gestern", "2025-06-03"),
        ("morgen", "2025-06-05"),
        ("vorgestern", "2025-06-02"),
        ("übermorgen", "2025-06-06"),
        ("letzte Woche", "2025-05-26..2025-06-02"),
        ("diese Woche", "2025-06-02..2025-06-09"),
        ("nächste Woche", "2025-06-09..2025-06-16"),
        ("letzten Monat", "2025-05-01..2025-06-01"),
        ("nächstes Jahr", "2026-01-01..2027-01-01"),
        ("letztes Jahr", "2024-01-01..2025-01-01"),
        ("am Montag", "2025-06-02"),
        ("letzten Dienstag", "2025-06-03"),
        ("nächsten Freitag", "2025-06-13"),
        ("im März", "2025-03-01..2025-04-01"),
        ("März 2025", "2025-03-01..2025-04-01"),
        ("5. März 2025", "2025-03-05"),
        ("am 5. März", "2025-03-05"),
        ("5.3.2025", "2025-03-05"),
        ("am 5.3.", "2025-03-05"),
        ("vor zwei Wochen", "2025-05-21"),
        ("vor 3 Tagen", "2025-06-01"),
        ("in drei Tagen", "2025-06-07"),
        ("in 2 Monaten", "2025-08-04"),
        ("seit Montag", "2025-06-02.."),
        ("seit 2024", "2024-01-01.."),
        ("vor Juni", "..2025-06-01"),
        ("bis Freitag", "..2025-06-07"),
        ("zwischen März und Mai", "2025-03-01..2025-06-01"),
        ("von Montag bis Freitag", "2025-06-02..2025-06-07"),
        ("gestern Abend", "2025-06-03T17:00..2025-06-04"),
        ("heute Morgen", "2025-06-04T05:00..2025-06-04T12:00"),
        ("Anfang März", "2025-03-01..2025-03-16"),
        ("Ende 2023", "2023-09-01..2024-01-01"),
        ("Ende des Monats", "2025-06-16..2025-07-01"),
        ("letzten Sommer", "2024-06-01..2024-09-01"),
        ("Weihnachten", "2024-12-25"),
        ("um 15 Uhr", "2025-06-04T15:00..2025-06-04T16:00"),
        ("um 15:30 Uhr", "2025-06-04T15:30..2025-06-04T15:31"),
        ("die letzten drei Tage", "2025-06-01..2025-06-05"),
        ("Montag letzter Woche", "2025-05-26"),
        ("im März letzten Jahres", "2024-03-01..2024-04-01"),
        ("vom 3. bis 7. Mai", "2025-05-03..2025-05-08"),
        ("vor dem 5. März", "..2025-03-05"),
        ("Q3 2025", "2025-07-01..2025-10-01"),
        ("letzte Nacht", "2025-06-03T20:00..2025-06-04T05:00"),
        ("am Wochenende", "2025-05-31..2025-06-02"),
        ("im Jahr 2020", "2020-01-01..2021-01-01"),
        ("nach Ostern", "2025-04-21.."),
    ],
    "fr": [
        ("aujourd'hui", "2025-06-04"),
        ("hier", "2025-06-03"),
        ("demain", "2025-06-05"),
        ("avant-hier", "2025-06-02"),
        ("après-demain", "2025-06-06"),
        ("la semaine dernière", "2025-05-26..2025-06-02"),
        ("cette semaine", "2025-06-02..2025-06-09"),
        ("la semaine prochaine", "2025-06-09..2025-06-16"),
        ("le mois dernier", "2025-05-01..2025-06-01"),
        ("l'année prochaine", "2026-01-01..2027-01-01"),
        ("l'an dernier", "2024-01-01..2025-01-01"),
        ("lundi", "2025-06-02"),
        ("lundi dernier", "2025-06-02"),
        ("mardi prochain", "2025-06-10"),
        ("en mars", "2025-03-01..2025-04-01"),
        ("mars 2025", "2025-03-01..2025-04-01"),
        ("le 5 mars 2025", "2025-03-05"),
        ("le 1er mai", "2025-05-01"),
        ("il y a deux semaines", "2025-05-21"),
        ("il y a 3 jours", "2025-06-01"),
        ("dans trois jours", "2025-06-07"),
        ("dans 2 mois", "2025-08-04"),
        ("depuis lundi", "2025-06-02.."),
        ("depuis 2024", "2024-01-01.."),
        ("avant juin", "..2025-06-01"),
        ("jusqu'à vendredi", "..2025-06-07"),
        ("entre mars et mai", "2025-03-01..2025-06-01"),
        ("de lundi à vendredi", "2025-06-02..2025-06-07"),
        ("du 3 au 7 mai", "2025-05-03..2025-05-08"),
        ("hier soir", "2025-06-03T17:00..2025-06-04"),
        ("ce matin", "2025-06-04T05:00..2025-06-04T12:00"),
        ("début mars", "2025-03-01..2025-03-16"),
        ("mi-mars", "2025-03-10..2025-03-21"),
        ("fin 2023", "2023-09-01..2024-01-01"),
        ("fin du mois", "2025-06-16..2025-07-01"),
        ("l'été dernier", "2024-06-01..2024-09-01"),
        ("Noël", "2024-12-25"),
        ("à 15h30", "2025-06-04T15:30..2025-06-04T15:31"),
        ("à 15h", "2025-06-04T15:00..2025-06-04T16:00"),
        ("les trois derniers jours", "2025-06-01..2025-06-05"),
        ("5/3/2025", "2025-03-05"),
        ("le mois prochain", "2025-07-01..2025-08-01"),
        ("en mars dernier", "2025-03-01..2025-04-01"),
        ("depuis le 5 mars", "2025-03-05.."),
    ],
    "es": [
        ("hoy", "2025-06-04"),
        ("ayer", "2025-06-03"),
        ("mañana", "2025-06-05"),
        ("anteayer", "2025-06-02"),
        ("pasado mañana", "2025-06-06"),
        ("la semana pasada", "2025-05-26..2025-06-02"),
        ("esta semana", "2025-06-02..2025-06-09"),
        ("la próxima semana", "2025-06-09..2025-06-16"),
        ("la semana que viene", "2025-06-09..2025-06-16"),
        ("el mes pasado", "2025-05-01..2025-06-01"),
        ("el año pasado", "2024-01-01..2025-01-01"),
        ("el lunes", "2025-06-02"),
        ("el lunes pasado", "2025-06-02"),
        ("el próximo viernes", "2025-06-13"),
        ("en marzo", "2025-03-01..2025-04-01"),
        ("marzo de 2025", "2025-03-01..2025-04-01"),
        ("5 de marzo de 2025", "2025-03-05"),
        ("el 5 de marzo", "2025-03-05"),
        ("hace dos semanas", "2025-05-21"),
        ("hace 3 días", "2025-06-01"),
        ("en tres días", "2025-06-07"),
        ("dentro de 2 meses", "2025-08-04"),
        ("desde el lunes", "2025-06-02.."),
        ("desde 2024", "2024-01-01.."),
        ("antes de junio", "..2025-06-01"),
        ("hasta el viernes", "..2025-06-07"),
        ("entre marzo y mayo", "2025-03-01..2025-06-01"),
        ("de lunes a viernes", "2025-06-02..2025-06-07"),
        ("ayer por la noche", "2025-06-03T17:00..2025-06-04"),
        ("esta mañana", "2025-06-04T05:00..2025-06-04T12:00"),
        ("a finales de marzo", "2025-03-16..2025-04-01"),
        ("fin de mes", "2025-06-16..2025-07-01"),
        ("el verano pasado", "2024-06-01..2024-09-01"),
        ("Navidad", "2024-12-25"),
        ("a las 15:30", "2025-06-04T15:30..2025-06-04T15:31"),
        ("los últimos tres días", "2025-06-01..2025-06-05"),
        ("5/3/2025", "2025-03-05"),
        ("anoche", "2025-06-03T20:00..2025-06-04T05:00"),
        ("el fin de semana pasado", "2025-05-31..2025-06-02"),
        ("el lunes de la semana pasada", "2025-05-26"),
        ("después de Navidad", "2024-12-26.."),
    ],
    "zh": [
        ("今天", "2025-06-04"),
        ("昨天", "2025-06-03"),
        ("明天", "2025-06-05"),
        ("前天", "2025-06-02"),
        ("后天", "2025-06-06"),
        ("上周", "2025-05-26..2025-06-02"),
        ("这周", "2025-06-02..2025-06-09"),
        ("下周", "2025-06-09..2025-06-16"),
        ("上个月", "2025-05-01..2025-06-01"),
        ("下个月", "2025-07-01..2025-08-01"),
        ("去年", "2024-01-01..2025-01-01"),
        ("明年", "2026-01-01..2027-01-01"),
        ("周一", "2025-06-02"),
        ("上周五", "2025-05-30"),
        ("下周三", "2025-06-11"),
        ("三月", "2025-03-01..2025-04-01"),
        ("2025年3月", "2025-03-01..2025-04-01"),
        ("2025年3月5日", "2025-03-05"),
        ("3月5日", "2025-03-05"),
        ("三天前", "2025-06-01"),
        ("两周前", "2025-05-21"),
        ("三天后", "2025-06-07"),
        ("3个月后", "2025-09-04"),
        ("2024年以来", "2024-01-01.."),
        ("六月之前", "..2025-06-01"),
        ("从三月到五月", "2025-03-01..2025-06-01"),
        ("从周一到周五", "2025-06-02..2025-06-07"),
        ("昨天晚上", "2025-06-03T17:00..2025-06-04"),
        ("今晚", "2025-06-04T17:00..2025-06-05"),
        ("昨天下午3点", "2025-06-03T15:00..2025-06-03T16:00"),
        ("去年3月", "2024-03-01..2024-04-01"),
        ("过去三天", "2025-06-01..2025-06-05"),
        ("最近两周", "2025-05-21..2025-06-05"),
        ("圣诞节", "2024-12-25"),
        ("去年夏天", "2024-06-01..2024-09-01"),
        ("五年前", "2020-06-04"),
        ("1年前", "2024-06-04"),
    ],
    "ja": [
        ("今日", "2025-06-04"),
        ("昨日", "2025-06-03"),
        ("明日", "2025-06-05"),
        ("一昨日", "2025-06-02"),
        ("明後日", "2025-06-06"),
        ("先週", "2025-05-26..2025-06-02"),
        ("今週", "2025-06-02..2025-06-09"),
        ("来週", "2025-06-09..2025-06-16"),
        ("先月", "2025-05-01..2025-06-01"),
        ("来月", "2025-07-01..2025-08-01"),
        ("去年", "2024-01-01..2025-01-01"),
        ("来年", "2026-01-01..2027-01-01"),
        ("月曜日", "2025-06-02"),
        ("先週の月曜日", "2025-05-26"),
        ("来週の金曜日", "2025-06-13"),
        ("3月", "2025-03-01..2025-04-01"),
        ("2025年3月", "2025-03-01..2025-04-01"),
        ("2025年3月5日", "2025-03-05"),
        ("3月5日", "2025-03-05"),
        ("3日前", "2025-06-01"),
        ("2週間前", "2025-05-21"),
        ("3日後", "2025-06-07"),
        ("2か月後", "2025-08-04"),
        ("月曜日から", "2025-06-02.."),
        ("2024年以降", "2024-01-01.."),
        ("6月以前", "..2025-06-01"),
        ("金曜日まで", "..2025-06-07"),
        ("3月から5月まで", "2025-03-01..2025-06-01"),
        ("月曜日から金曜日まで", "2025-06-02..2025-06-07"),
        ("昨日の夜", "2025-06-03T17:00..2025-06-04"),
        ("今朝", "2025-06-04T05:00..2025-06-04T12:00"),
        ("昨夜", "2025-06-03T17:00..2025-06-04"),
        ("今年の3月", "2025-03-01..2025-04-01"),
        ("過去3日間", "2025-06-01..2025-06-05"),
        ("クリスマス", "2024-12-25"),
        ("去年の夏", "2024-06-01..2024-09-01"),
        ("15時30分", "2025-06-04T15:30..2025-06-04T15:31"),
        ("昨日15時30分", "2025-06-03T15:30..2025-06-03T15:31"),
        ("２０２５年３月５日", "2025-03-05"),
    ],
}


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [(language, *each) for language, rows in MEANT.items() for each in rows],
)
def test_a_phrase_means_this(language: str, text: str, expected: str) -> None:
    (found,) = find_phrases(text, NOW, (language,))
    assert found.text == text
    assert found.interval is not None
    assert (found.interval.start, found.interval.end) == span(expected)
    alone = parse_phrase(text, NOW, (language,))
    assert alone == found.interval


@pytest.mark.parametrize(
    ("language", "text", "phrases"),
    [
        ("de", "Was haben wir letzte Woche, am 5.3., beschlossen?", ["letzte Woche", "am 5.3."]),
        ("fr", "Qu’a-t-on décidé la semaine dernière à Paris ?", ["la semaine dernière"]),
        ("es", "¿Qué decidimos la semana pasada sobre precios?", ["la semana pasada"]),
        ("zh", "上周我们决定了什么？昨天晚上呢？", ["上周", "昨天晚上"]),
        ("ja", "先週何を決めましたか。昨日の夜は？", ["先週", "昨日の夜"]),
        ("zh", "到周五为止", ["到周五"]),
        ("zh", "自周一以来", ["自周一"]),
    ],
)  # fmt: skip
def test_phrases_are_found_in_sentences(
    language: str, text: str, phrases: list[str]
) -> None:
    found = find_phrases(text, NOW, (language,))
    assert [p.text for p in found] == phrases
    assert [text[p.start : p.end] for p in found] == phrases


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("de", "Guten Morgen zusammen, am Morgen ist es kühl. Jeden Montag."),
        ("de", "Im Mittel 5.3 Punkte, Version 2.0.1, die dritte Runde, der Sommer."),
        ("fr", "Il a été là, sur Mars, chaque lundi, la dernière fois, le premier."),
        ("es", "Por la mañana, cada lunes, la última vez, el primero, buenos días."),
        ("zh", "我们每周一开会，第三次，版本2.0。"),
        ("ja", "三回目、毎週、バージョン2.0。"),
    ],
)
def test_what_is_no_time_is_left_alone(language: str, text: str) -> None:
    found = find_phrases(text, NOW, (language,))
    assert [p.text for p in found if p.interval] == []


def test_each_language_is_read_by_itself_and_the_longest_phrase_wins() -> None:
    text = "Yesterday, gestern, hier, ayer, 昨天 and am 5. März 2025 or 5 March 2025."
    found = find_phrases(text, NOW, ("en", "de", "fr", "es", "zh"))
    assert [p.text for p in found] == [
        *("Yesterday", "gestern", "hier", "ayer", "昨天"),
        *("am 5. März 2025", "5 March 2025"),
    ]
    assert find_phrases(text, NOW, ("de",))[0].text == "gestern"


def test_the_day_or_the_month_comes_first_as_the_language_has_it() -> None:
    for language, start in (("en", "2025-03-05"), ("de", "2025-05-03")):
        found = parse_phrase("3/5/2025", NOW, (language,))
        assert found is not None
        assert found.start == datetime.fromisoformat(start)


def test_unknown_languages_are_passed_over() -> None:
    assert find_phrases("yesterday", NOW, ("tlh", "")) == []
    assert len(find_phrases("yesterday", NOW, ("tlh", "en", "en"))) == 1
    assert find_phrases("yesterday", NOW, ()) == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_table_has_what_a_phrase_needs(language: str) -> None:
    found = lexicon(language)
    assert found is not None
    table = found.table
    assert {-2, -1, 0, 1, 2} <= set(table.days)
    assert {-1, 0, 1} == set(table.shifts)
    assert {"day", "week", "month", "year", "weekend", "quarter"} <= set(table.units)
    assert len(table.weekdays) == 7
    assert len(table.months) in {0, 12}
    for entry, role, _ in table.entries():
        assert entry == entry.strip().lower(), (entry, role)
