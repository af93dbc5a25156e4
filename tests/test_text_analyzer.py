from __future__ import annotations

import importlib
import importlib.util
import sqlite3
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindcache.text import (
    ANALYZER_VERSION,
    STEMMED_LANGUAGES,
    QueryTerm,
    analyze,
    analyzer,
    contains_phrase,
    detect_language,
    fold,
    forget_words,
    parse_phrases,
    query_terms,
    traits,
    traits_of,
)
from mindcache.text.stemming import stemmer
from mindcache.text.stopwords import STOPWORDS

LANGS = ["en", "de", "fr", "ru", ""]
ALL_LANGS = [*STEMMED_LANGUAGES, "", "zh", "ja", "th", "xx"]

# Text as people write it, mixed with what breaks tokenizers.
SNIPPETS = st.sampled_from(
    [
        "pre-edit",
        "C++",
        "C#",
        ".NET",
        "U.S.A.",
        "don't",
        "l'été",
        "1,234",
        "v1.0.21",
        "foo_bar",
        "a::b",
        "中文",
        "カタカナ",
        "한국어",
        "ราคาที่ดี",
        "👨\u200d👩\u200d👧",
        "é",
        "ß",
        "İ",
        "ǰ",
        " ",
        "\n",
        "\t",
        "\xa0",
        '"',
        "(",
        "*",
        "\u200b",
        "ﷺ",
        "́",
        "½",
        "¨",
    ]
)
TEXTS = st.one_of(st.text(max_size=60), st.lists(SNIPPETS, max_size=12).map("".join))


def found(
    query: str, text: str, lang: str = "en", langs: list[str] | None = None
) -> bool:
    """Whether every thing the query asks for (literal forms aside) is in the text."""
    index = set(analyze(text, lang))
    asked = [t for t in query_terms(query, langs or LANGS) if not t.joined]
    return bool(asked) and all(has(term, index) for term in asked)


def has(term: QueryTerm, index: set[str]) -> bool:
    if term.prefix:
        return any(word.startswith(term.terms[0]) for word in index)
    return not index.isdisjoint(term.terms)


def evidence(query: str, text: str, lang: str = "en") -> int:
    index = set(analyze(text, lang))
    return sum(has(term, index) for term in query_terms(query, LANGS))


# Words ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("Meetings were RUNNING late.", ["meet", "were", "run", "late"]),
        ("pre-edit", ["pre", "edit", "preedit"]),
        ("GB/s", ["gb", "s", "gb_s"]),
        ("2026.4.10", ["2026", "4", "10", "2026_4_10"]),
        ("2026-04-10", ["2026", "04", "10", "2026_04_10"]),
        ("v1.0.21", ["1", "0", "21", "1_0_21"]),
        ("foo_bar __init__", ["foo", "bar", "foo_bar", "init"]),
        ("grammar::fa", ["grammar", "fa", "grammar_fa"]),
        ("BENCH-100821", ["bench", "100821", "bench100821"]),
        ("user@host", ["user", "host", "user_host"]),
        ("U.S.A. e.g.", ["usa", "eg"]),
        ("C++ C# F# C", ["c++", "c#", "f#", "c"]),
        ("C++17", ["c++", "17"]),
        (".NET", ["net", "_net"]),
        ("wait...and", ["wait", "and"]),
        ("one--two, [three](four)", ["one", "two", "three", "four"]),
        ("blah=", ["blah"]),
        ("1,234,567", ["1", "234", "567", "1234567"]),
        ("don't Don’t", ["dont", "dont"]),
        ("Anna's Anna’s dogs'", ["anna", "anna", "dog"]),
        ("O'Brien", ["o", "brien", "obrien"]),
        ("#tag **bold** `code`", ["tag", "bold", "code"]),
        ("camelCase", ["camelcas"]),
        ("co\u00adoperate", ["cooper"]),
        ("ﬁne ＡＢＣ m²", ["fine", "abc", "m2"]),
        ("✅ done 👍🏽", ["✅", "done", "👍"]),
        ("", []),
        (" \n\t…—!", []),
    ],
)
def test_words_and_compounds(text: str, terms: list[str]) -> None:
    assert analyze(text, "en") == terms


def test_french_and_italian_elisions_leave_the_word() -> None:
    assert analyze("l'école d’accord", "fr") == ["l", "ecol", "d", "accord"]
    assert found("arte", "nell'arte moderna", "it", ["it"])


def test_a_joined_number_is_no_ordinary_number() -> None:
    assert "20260410" not in analyze("2026-04-10", "en")
    assert not found("2026410", "release 2026.4.10")


def test_the_case_of_every_script_and_the_form_of_every_accent_fold() -> None:
    composed, decomposed = (
        "Zürich Ångström Ёлка",
        "Zu\u0308rich A\u030angstro\u0308m Е\u0308лка",
    )
    assert analyze(composed, "en") == analyze(decomposed, "en")
    assert found("zurich", "In Zürich", "de")
    assert found("ΟΔΌΣ", "οδός", "el", ["el"])
    assert found("Lodz", "Łódź")
    assert found("Øresund", "oresund")


def test_marks_that_carry_meaning_stay() -> None:
    assert analyze("दिन", "hi") != analyze("दान", "hi")
    assert analyze("ที่", "th") != analyze("ทา", "th")


def test_optional_vowel_points_go() -> None:
    assert analyze("كِتَاب", "ar") == analyze("كتاب", "ar")
    assert analyze("שָׁלוֹם", "he") == analyze("שלום", "he")


@pytest.mark.parametrize(
    ("lang", "query", "text"),
    [
        ("en", "decisions", "we decided on a decision"),
        ("en", "running", "she runs daily"),
        ("de", "Haus", "die alten Häuser am See"),
        ("de", "Entscheidung", "alle Entscheidungen von gestern"),
        ("de", "Strasse", "in der Straße"),
        ("fr", "décision", "les décisions du client"),
        ("fr", "cheval", "les chevaux"),
        ("es", "canción", "las canciones"),
        ("es", "reunion", "las reuniones"),
        ("ru", "книга", "много книг и книги"),
        ("ru", "ёлка", "зелёные елки"),
        ("el", "άνθρωπος", "οι άνθρωποι"),
        ("ar", "كتاب", "قرأت الكتاب"),
        ("hi", "किताब", "मेरी किताबें"),
        ("pt", "menina", "as meninas"),
        ("it", "decisione", "le decisioni"),
        ("nl", "vergadering", "de vergaderingen"),
        ("sv", "möte", "alla möten"),
        ("fi", "talo", "talossa"),
        ("tr", "kitap", "kitaplar"),
    ],
)
def test_inflected_forms_meet_whatever_else_the_vault_is_written_in(
    lang: str, query: str, text: str
) -> None:
    assert found(query, text, lang, ["en", lang])


def test_a_word_of_another_script_is_stemmed_as_its_own() -> None:
    assert analyze("книги", "en") == analyze("книга", "ru")
    assert analyze("decisions", "ja") == analyze("decision", "en")


def test_unknown_language_stems_ascii_words_as_english() -> None:
    assert analyze("Fixed parser bugs", "") == analyze("Fixed parser bugs", "en")
    assert found("bug", "Fixed parser bugs", "", ["de"])
    assert analyze("Häuser", "") == ["hauser"]


@pytest.mark.parametrize("lang", ["en-US", "EN", " en_GB "])
def test_a_notes_own_way_to_name_its_language(lang: str) -> None:
    assert analyze("decisions", lang) == ["decis"]


def test_languages_without_a_rule_of_their_own_are_one() -> None:
    analyzer._run_caches.clear()
    text = "Running ponies, б\u0435гущих лошадей and 合約."
    terms = analyze(text, "xx")
    for number in range(300):
        assert analyze(text, f"x{number}") == terms
    assert len(analyzer._run_caches) == 1
    asked = query_terms("running", ["en", *(f"x{n}" for n in range(300))])
    assert [term.terms for term in asked] == [("run", "running")]


def test_a_process_that_lives_on_keeps_a_few_words_and_the_same_terms() -> None:
    words = [f"walking{n:x}s" for n in range(9_000)]
    before = analyze(" ".join(words), "en")
    for start in range(0, 3_000, 50):
        traits_of(" ".join(words[start : start + 50]))
    forget_words()
    caches = (analyzer._run_caches, analyzer._term_caches)
    assert all(sum(map(len, each.values())) == 0 for each in caches)
    assert not traits._kinds
    few = analyze(" ".join(words[:50]), "en")
    forget_words()
    assert len(analyzer._run_caches["en"]) == 50
    assert few == before[: len(few)]


def test_norwegian_goes_by_three_codes() -> None:
    assert analyze("møtene", "nb") == analyze("møtene", "nn") == analyze("møtene", "no")


def test_pure_and_compiled_stemmers_agree() -> None:
    words = (
        "decisions häuser chevaux canciones книги möten kokousta decisões نكتب ελληνικά"
    )
    for algorithm in STEMMED_LANGUAGES.values():
        name = "".join(part.title() for part in algorithm.split("_")) + "Stemmer"
        module = importlib.import_module(f"snowballstemmer.{algorithm}_stemmer")
        pure = getattr(module, name)()
        compiled = importlib.import_module("snowballstemmer").stemmer(algorithm)
        for word in words.split():
            assert pure.stemWord(word) == compiled.stemWord(word), (algorithm, word)


STEMS = """
import sys
from concurrent.futures import ThreadPoolExecutor
from mindcache.text import stemming
from mindcache.text.stemming import algorithms, stemmer
words = "walking häuser chevaux книги möten ελληνικά".split()
pure = "--pure" in sys.argv
if pure:
    stemming._compiled = lambda: None
with ThreadPoolExecutor(8) as pool:
    list(pool.map(stemmer, sorted(algorithms()) * 4))
alone = {name: [stemmer(name).stemWord(w) for w in words] for name in algorithms()}
loaded = [name for name in sys.modules if name.startswith("snowballstemmer")]
assert not loaded, loaded
import snowballstemmer
assert set(snowballstemmer.algorithms()) == algorithms()
for name, stems in alone.items():
    whole = snowballstemmer.stemmer(name)
    assert [whole.stemWord(w) for w in words] == stems, name
"""


@pytest.mark.parametrize("kind", ["--pure", "--as-installed"])
def test_stemmers_loaded_alone_give_the_same_stems(kind: str) -> None:
    if kind != "--pure" and importlib.util.find_spec("Stemmer") is None:
        pytest.skip("PyStemmer is not installed")
    command = [sys.executable, "-c", STEMS, kind]
    assert subprocess.run(command, check=False).returncode == 0


def test_an_unknown_stemmer_is_none() -> None:
    with pytest.raises(KeyError):
        stemmer("klingon")


# Scripts without spaces -------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("中文合約", ["中文", "文合", "合約", "約"]),
        ("約", ["約"]),
        ("BBDown视频下载", ["bbdown", "视频", "频下", "下载", "载"]),
        ("2026年", ["2026", "年"]),
        ("カタカナ・ｶﾞｷﾞ", ["カタ", "タカ", "カナ", "ナ", "ガギ", "ギ"]),
        ("회의록을", ["회의", "의록", "록을", "을"]),
        ("ดีมาก", ["ดีม", "มา", "าก", "ก"]),
    ],
)
def test_pairs_and_the_last_character(text: str, terms: list[str]) -> None:
    assert analyze(text, "") == terms


def test_a_part_of_a_run_is_found() -> None:
    assert found("合約", "中文合約轉換")
    assert found("タワー", "東京タワーで会った")
    assert found("ที่ดี", "ราคาที่ดีมาก")
    assert not found("合换", "中文合約轉換")


@pytest.mark.parametrize("character", "中文合約轉換")
def test_a_single_character_is_found_anywhere(character: str) -> None:
    assert query_terms(character, ["en"]) == [
        QueryTerm(character, (character,), prefix=True)
    ]
    assert found(character, "中文合約轉換")


def test_an_absent_segment_leaves_the_rest_of_the_evidence() -> None:
    query = "BBDown 视频下载"
    whole, partial = evidence(query, "BBDown视频下载"), evidence(query, "BBDown的说明")
    assert whole > partial > 0


# Queries --------------------------------------------------------------------------


@pytest.mark.parametrize(
    "literal",
    [
        "pre-edit",
        "BENCH-100821",
        "don't",
        "GB/s",
        "grammar::fa",
        "blah=",
        "2026.4.10",
        "1.0.21",
        "covid-19",
        "c++",
        "a.b",
        "x:y",
        "http://x",
        "#tag",
        "a/b",
        "it's",
        "50%",
    ],
)
def test_a_literal_is_found_and_beats_its_scattered_parts(literal: str) -> None:
    note = f"we saw {literal}, and left"
    assert evidence(literal, note) == len(query_terms(literal, LANGS)) > 0
    parts = [term for term in query_terms(literal, LANGS) if not term.joined]
    if len(parts) > 1:
        scattered = " and ".join(term.text for term in reversed(parts))
        assert found(literal, scattered)
        assert evidence(literal, scattered) < evidence(literal, note)


def test_open_and_closed_spellings_meet() -> None:
    assert has(query_terms("e-mail", ["en"])[-1], set(analyze("emails", "en")))
    assert found("utf8", "in utf-8")
    assert found("USA", "the U.S.A.")
    assert found("Anna", "Anna’s laptop")
    assert found("1.0.21", "since v1.0.21")


def test_languages_with_the_same_name_stay_apart() -> None:
    assert not found("C", "C++ and C# and F#")
    assert not found("C++", "plain C")


@pytest.mark.parametrize("query", ["", '"', "(", "*", "   ", "…", "\x00", "\ud800"])
def test_a_query_without_words_asks_for_nothing(query: str) -> None:
    assert query_terms(query, ["en"]) == []


def test_operators_are_words_or_nothing() -> None:
    assert [t.text for t in query_terms("cats AND dogs NOT NEAR(x", ["en"])] == [
        "cats",
        "dogs",
        "near",
        "x",
    ]


def texts(query: str, langs: list[str]) -> list[str]:
    return [term.text for term in query_terms(query, langs)]


def test_function_words_are_dropped_unless_nothing_else_is_left() -> None:
    query = "what did we decide about pricing last week?"
    assert texts(query, ["en"]) == ["decide", "pricing", "last", "week"]
    assert texts("who is it", ["en"]) == ["who", "is", "it"]
    assert texts("Was haben wir über den Preis entschieden?", ["en", "de"]) == [
        "preis",
        "entschieden",
    ]


def test_function_words_of_another_language_are_kept() -> None:
    assert "war" in texts("the war on drugs", ["en", "de"])
    assert "war" not in texts("das war der Plan", ["en", "de"])


def test_an_acronym_is_no_function_word() -> None:
    assert texts("IT budget of the US", ["en"]) == ["it", "budget", "us"]
    assert texts("WHAT IS THE BUDGET", ["en"]) == ["budget"]


def test_repeats_are_asked_once() -> None:
    assert texts("price price PRICE", ["en"]) == ["price"]


def test_alternatives_of_all_languages_are_merged() -> None:
    (term,) = query_terms("Häuser", ["en", "de"])
    assert term.terms == ("hauser", "haus")


def test_a_pasted_page_is_capped() -> None:
    page = " ".join(f"word{n}" for n in range(5000))
    terms = query_terms(page, ["en"])
    assert len(terms) == 64
    assert terms[0].text == "word0"
    assert len(query_terms("漢字" * 5000 + "a" * 5000, ["en"])) <= 64


@given(TEXTS, st.lists(st.sampled_from(ALL_LANGS), max_size=3))
def test_a_query_never_raises_and_its_terms_are_index_terms(
    text: str, langs: list[str]
) -> None:
    terms = query_terms(text, langs)
    assert len(set(terms)) == len(terms) <= 64
    for term in terms:
        assert term.terms
        assert all(word and not word.isspace() for word in term.terms)
        assert term.prefix is False or len(term.terms) == 1


@given(TEXTS, st.sampled_from(ALL_LANGS))
def test_a_text_has_all_it_is_asked_for_by_its_own_words(text: str, lang: str) -> None:
    index = set(analyze(text, lang))
    for term in query_terms(text, ["en", lang]):
        assert has(term, index), term


# FTS5 -----------------------------------------------------------------------------


@pytest.fixture(scope="module")
def fts() -> sqlite3.Connection:
    db = sqlite3.connect(":memory:")
    db.execute(
        """create virtual table f using fts5(body, tokenize="ascii tokenchars '+#_'")"""
    )
    db.execute("create virtual table v using fts5vocab(f, 'instance')")
    return db


def seen_by_fts(db: sqlite3.Connection, terms: list[str]) -> list[str]:
    db.execute("delete from f")
    db.execute("insert into f(body) values (?)", (" ".join(terms),))
    rows = db.execute('select term from v order by doc, "offset"').fetchall()
    return [term for (term,) in rows]


@given(text=TEXTS, lang=st.sampled_from(ALL_LANGS))
def test_fts5_sees_exactly_the_terms(
    fts: sqlite3.Connection, text: str, lang: str
) -> None:
    terms = analyze(text, lang)
    assert seen_by_fts(fts, terms) == terms


@pytest.mark.parametrize(
    "text",
    [
        "x" * 900000,
        "a-" * 20000,
        "漢" * 5000,
        "́" * 5000,
        "ê" * 40000,
        "".join(map(chr, range(1, 55296))),
        "".join(map(chr, range(57344, 131072))),
    ],
    ids=[
        "letters",
        "parts",
        "han",
        "marks",
        "accents",
        "all characters",
        "higher ones",
    ],
)
def test_fts5_sees_exactly_the_terms_of_hostile_text(
    fts: sqlite3.Connection, text: str
) -> None:
    terms = analyze(text, "en")
    assert seen_by_fts(fts, terms) == terms


# Folding and phrases --------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("  Größe \n\n der STRASSE ", "grosse der strasse"),
        ("Cafe\u0301 Ångström", "cafe angstrom"),
        ("Anna’s", "anna's"),
        ("ＡＢＣ\u3000ﬁ", "abc fi"),
        ("की ที่", "की ที่"),
        ("1.0.21 (GB/s)", "1.0.21 (gb/s)"),
    ],
)
def test_fold(text: str, folded: str) -> None:
    assert fold(text) == folded


@given(TEXTS)
def test_fold_twice_is_fold_once_for_its_spaces(text: str) -> None:
    folded = fold(text)
    assert folded == " ".join(folded.split())
    assert fold(text.replace(" ", "  \n")) == folded


@pytest.mark.parametrize(
    ("text", "phrase", "is_there"),
    [
        ("We decided on the new pricing.", "new PRICING", True),
        ("We decided on\nthe new", "on the", True),
        ("a renewed pricing", "new", False),
        ("renew a new idea", "new", True),
        ("version 11.0.21", "1.0.21", False),
        ("version v 1.0.21.", "1.0.21", True),
        ("中文合約轉換", "合約", True),
        ("視acd视cd", "cd", True),
        ("We chose **Postgres** today", "chose postgres today", True),
        ("met [[Anna Schmidt|Anna]] in Bonn", "met Anna in Bonn", True),
        ("met [[Anna]] in Bonn", "met anna in", True),
        ("met [[Anna]] in Bonn", "met in", False),
        ("C++ (2026)", "c++ (2026)", True),
        ("anything", "", True),
    ],
)
def test_contains_phrase(text: str, phrase: str, *, is_there: bool) -> None:
    assert contains_phrase(fold(text), fold(phrase)) is is_there


@pytest.mark.parametrize(
    ("query", "rest", "phrases"),
    [
        ('prices "last week" now', "prices now", ["last week"]),
        ("„guten Tag“ “good day” ”bra dag”", "", ["guten Tag", "good day", "bra dag"]),
        (
            "«bon jour» ＂full width＂ 「引用」『二重』",
            "",
            ["bon jour", "full width", "引用", "二重"],
        ),
        ('an "open end', 'an "open end', []),
        ('a 5" disk and a 3" disk', 'a 5" disk and a 3" disk', []),
        ('""  "  " x', "x", []),
        ('"1.0.21"', "", ["1.0.21"]),
        ("don't 'quote' me", "don't 'quote' me", []),
        ("", "", []),
    ],
)
def test_parse_phrases(query: str, rest: str, phrases: list[str]) -> None:
    assert parse_phrases(query) == (rest, phrases)


# Languages ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("lang", "text"),
    [
        ("en", "The meeting is on Monday and we will decide."),
        ("de", "Wir haben uns am Montag mit der Firma getroffen."),
        ("fr", "Nous avons décidé de la suite avec le client."),
        ("es", "Hemos decidido que el precio es alto."),
        ("pt", "Decidimos que o preço não é alto."),
        ("it", "Abbiamo deciso che il prezzo è alto."),
        ("nl", "We hebben besloten dat het niet kan."),
        ("sv", "Vi har beslutat att det inte är bra."),
        ("da", "Vi har besluttet, at det ikke er godt nok for hende."),
        ("no", "Vi har bestemt at det ikke er bra nok for henne."),
        ("fi", "Päätimme että se on hyvä ja niin on hinta."),
        ("pl", "Zdecydowaliśmy, że nie jest to dobre."),
        ("cs", "Rozhodli jsme se, že to není dobré."),
        ("hu", "Úgy döntöttünk, hogy ez nem jó."),
        ("tr", "Fiyatın çok yüksek olduğu için bu iyi değil."),
        ("ro", "Am decis că prețul este prea mare și nu e bun."),
        ("ru", "Мы решили, что цена слишком высокая."),
        ("uk", "Ми вирішили, що ціна висока."),
        ("bg", "Решихме, че цената е твърде голяма."),
        ("el", "Αποφασίσαμε για την τιμή."),
        ("ar", "قررنا السعر أمس"),
        ("fa", "تصمیم گرفتیم که قیمت چند است"),
        ("he", "החלטנו על המחיר"),
        ("hi", "हमने कीमत तय की"),
        ("th", "เราตกลงราคาแล้ว"),
        ("ko", "우리는 가격을 결정했다"),
        ("ja", "東京で価格を決めました"),
        ("zh", "我们在 GitHub 上决定了价格"),
        ("", "Anna Berlin Docker"),
        ("", "Fixed parser bug"),
        ("", "- Author: [[J.D. Salinger]]\n- Tag: [[Non-Fiction]]"),
        ("", "Alias:: Lei Zhe, https://com.example.com/de/la/que"),
        ("", "2026-04-10 12:30"),
        ("", ""),
    ],
)
def test_detect_language(lang: str, text: str) -> None:
    assert detect_language(text) == lang


def test_a_foreign_name_does_not_turn_a_language() -> None:
    assert (
        detect_language("We met 山田 in Tokyo and talked about the price of it.")
        == "en"
    )


@given(TEXTS)
def test_detect_language_answers_any_text_the_same_way(text: str) -> None:
    assert detect_language(text) == detect_language(text)


def test_stop_words_are_spelled_as_the_analyzer_spells_words() -> None:
    for lang, words in STOPWORDS.items():
        query = [term.text for word in words for term in query_terms(word, [lang])]
        assert set(query) == words, lang


# The module -----------------------------------------------------------------------


def test_the_version_names_what_changes_terms() -> None:
    assert "unicode" in ANALYZER_VERSION
    assert "snowball" in ANALYZER_VERSION


def test_importing_text_loads_no_heavy_library() -> None:
    code = (
        "import sys, mindcache.text; print([m for m in"
        " ('yaml', 'frontmatter', 'numpy', 'sqlite3', 'pathlib') if m in sys.modules])"
    )
    run = subprocess.run(
        [
            sys.executable,
            "-S",
            "-c",
            f"import sys; sys.path[:0] = {sys.path!r}; {code}",
        ],
        capture_output=True,
        text=True,
        check=True,
    )
    assert run.stdout.strip() == "[]"


@pytest.mark.parametrize(
    "unit", ["a", "[[", "`", "%%", "(", "e\u0301\u0323", "a-", "'a"]
)
def test_a_big_text_of_one_thing(unit: str) -> None:
    # Work that grows with the square of the length would not come to an end here.
    text = unit * (400_000 // len(unit))
    assert all(len(term) < 256 for term in analyze(text, "en"))
    assert len(query_terms(text, ["en"])) <= 64
    assert parse_phrases(text)[1] == []
    assert contains_phrase(fold(text), fold(text[:1000]))


@given(
    st.text('("', max_size=2),
    st.text("abXYZéd", min_size=1, max_size=200),
    st.text('.,;:!?)"', max_size=3),
    st.sampled_from(ALL_LANGS),
)
def test_punctuation_about_a_word_changes_nothing(
    before: str, word: str, after: str, lang: str
) -> None:
    # An emoji beside it keeps the run from being taken for a plain word.
    assert analyze(before + word + after, lang) == analyze(f"🙂{word}", lang)[1:]
