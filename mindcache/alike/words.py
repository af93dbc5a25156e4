"""The words by which two texts are told apart, or not: by language, folded.

English, German, French, Spanish, and the characters that Chinese, Japanese and Korean
write. For a language that is not here only equal words make two texts one.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from mindcache.text import fold

__all__ = [
    "AFTER",
    "DIRECTIONS",
    "ENDS",
    "FRAMES",
    "GUARDED",
    "MARKS",
    "NEGATIONS",
    "SUBJECTS",
    "TIMES",
    "UNSPACED_DIRECTIONS",
    "UNSPACED_FRAMES",
    "UNSPACED_NEGATIONS",
    "UNSPACED_NUMBERS",
]


def _folded(lines: str) -> frozenset[str]:
    return frozenset(map(fold, lines.split()))


GUARDED: Final = frozenset({"", "en", "de", "fr", "es", "zh", "ja", "ko"})
"""The languages of these lists, and the unknown, which is English most of the time."""

FRAMES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "en": """
            user users person people preference prefer prefers preferred like likes
            liked want wants wanted wish wishes favor favour favors favours choose
            chooses use uses used using usage utilise utilize go goes going keep keeps
            set sets setting make makes sure note noted remember reminder fyi please
            always usually generally normally every everything everywhere case thing
            things way comes come happen happens take takes place get gets got gotten
            give given day days
        """,
        "de": """
            nutzer benutzer person bevorzugt bevorzugen mag mögen möchte wünscht
            wünschen nutzt nutzen benutzt benutzen verwendet verwenden bitte immer
            meistens gewöhnlich normalerweise merken gilt
        """,
        "fr": """
            utilisateur préfère préférer aime aimer veut vouloir souhaite utilise
            utiliser toujours habituellement note
        """,
        "es": """
            usuario prefiere preferir gusta quiere querer desea usa usar utiliza siempre
            normalmente nota
        """,
    }
)
"""Words that frame a fact and are none: who wants it, and how dearly."""

# Longest first, or a part would be taken for the whole.
UNSPACED_FRAMES: Final = (
    "用户|用戶|使用者|ユーザー?|偏好|喜欢|喜歡|偏爱|希望|想要|倾向于?|傾向|习惯|習慣"
    "|使用|总是|總是|通常|一般|请|請|所有的?|全部|好み|好む|好き|使う|使い|使って|使わ"
    "|いつも|すべて|全て|사용자|선호|항상"
    "|[的了在是和与與中里裡上於于会會都也就把被对對个們们它他她用这那這是"
    "はがをにのでともやへよりですますした]"
)

SUBJECTS: Final = _folded(
    """
    user users i we my our me us nutzer benutzer ich wir mein unser utilisateur je nous
    mon notre usuario yo nosotros mi nuestro
    """
)
"""Whose fact it is, wherever it was written down."""

NEGATIONS: Final = _folded(
    """
    no not never none nor neither cannot without nobody nothing nowhere hardly
    dislike dislikes disliked hate hates hated avoid avoids avoided avoiding stop stops
    stopped refuse refuses refused reject rejects rejected forbid forbids forbidden
    deny denies denied fail fails failed failing isnt arent wasnt werent dont doesnt
    didnt wont wouldnt cant couldnt shouldnt hasnt havent hadnt mustnt aint instead
    except unless
    nicht kein keine keinen keinem keiner nie niemals ohne statt vermeidet vermeiden
    pas jamais sans aucun aucune ni éviter évite ne
    nunca sin ningún ninguna jamás evita evitar
    """
)
UNSPACED_NEGATIONS: Final = (
    "[不没沒無无别別未非勿禁]|讨厌|討厭|避免|拒绝|ない|ません|なし|嫌い|않|없|못"
)

DIRECTIONS: Final = _folded(
    """
    before after until since off under over above below down less more fewer most least
    first last enabled disabled enable disable open opened closed close allow allowed
    increase increased decrease decreased increases decreases true false yes left right
    start started starts end ended ends formerly previously anymore ex maybe might
    perhaps older newer next both either by out behind
    sell sells sold quit quits resigned scrapped canceled cancelled verkauft gekündigt
    vor nach bis seit unter über mehr weniger avant après plus moins antes después más
    menos
    """
)
"""Words that a query drops and a fact turns on, and such as exclude each other."""

UNSPACED_DIRECTIONS: Final = (
    "[前后後左右多少深浅淺大小高低开開关關早晚新旧舊]|增加|减少|減少|允许|允許"
)
AFTER: Final = frozenset({"after", "once", "when", "following"})
"""Once the tests pass is after they do."""

TIMES: Final = _folded(
    """
    monday tuesday wednesday thursday friday saturday sunday mon tue tues wed thu thurs
    fri sat sun january february march april june july august september october
    november december jan feb mar apr jun jul aug sep sept oct nov dec today yesterday
    tomorrow tonight morning noon afternoon evening night weekend daily weekly monthly
    yearly hourly nightly annually quarterly spring summer autumn winter
    montag dienstag mittwoch donnerstag freitag samstag sonntag januar februar märz mai
    juni juli oktober dezember heute gestern morgen
    lundi mardi mercredi jeudi vendredi samedi dimanche janvier février mars avril juin
    juillet août septembre octobre novembre décembre
    lunes martes miércoles jueves viernes sábado domingo enero febrero marzo abril mayo
    junio julio agosto septiembre octubre noviembre diciembre hoy ayer mañana
    one two three four five six seven eight nine ten eleven twelve dozen hundred
    thousand million half twice second third
    """
)
"""Words for when and how many, in the singular."""

UNSPACED_NUMBERS: Final = "[〇零一二三四五六七八九十百千万萬亿億兩两月火水木金土]|今天|明天|昨天|今日|明日|昨日"

MARKS: Final = _folded(
    """
    at for in of from with by on to via into onto over than behind
    bei für von zu auf mit als chez pour avec sur de con para por en
    """
)
"""A name behind one of these does the same wherever in the sentence it stands."""

ENDS: Final = MARKS - _folded("in of with mit avec con de en")
"""What stands behind these is one end of a relation: from x to y is not from y to x.
"Editors in dark mode" are dark mode in editors."""
