"""How people write down what somebody or something has for a value, as patterns.

English, and German where it is cheap. What is here once at a time (a city, a price) is
told from what there may be many of (likes, uses): only the first can be contradicted
by another value, both by a denial.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from mindcache.alike.nouns import HOLDERS, NOUNS, OPPOSITES

__all__ = [
    "FAVOURITE",
    "IS_OF",
    "LEADS",
    "NOUN",
    "NOUN_WORDS",
    "PATTERNS",
    "PHRASES",
    "PREFERS",
    "STATE",
    "TAILS",
    "UNSURE",
    "Pattern",
]


class Pattern(NamedTuple):
    """A form of a sentence: groups `s` (of whom) and `v` (the value), maybe `n` (a name).

    `attributes` are what it gives, `denies` whether it says that it is so no longer.
    `needs` is what the value has to be: "name", "time", "number" or "" for anything.
    """

    attributes: tuple[str, ...]
    form: re.Pattern[str]
    denies: bool = False
    needs: str = ""

    @property
    def cues(self) -> frozenset[str]:
        """Words of which a sentence of this form has one."""
        return _CUES[self.form.pattern]


_ADV = (
    r"(?:(?:now|currently|still|also|recently|just|already|finally|permanently|has|have"
    r"|is|are|since|today|jetzt|derzeit|inzwischen|nun|seitdem|always|usually|really"
    r"|only|mostly|mainly)\s+)*"
)
_NOT = (
    r"(?:no\s+longer|(?:does|do|is|are|has|have)(?:n['’]t|\s+not|\s+never)|never"
    r"|not(?:\s+\w+)?\s+anymore|(?:has\s+|have\s+)?(?:stopped|quit|given\s+up|gave\s+up)"
    r"|nicht\s+mehr)\s+(?:longer\s+)?"
)
_S = r"(?P<s>[^,;:!?]{1,80}?)\s+"
_V = r"(?P<v>.+)"
_A = r"(?:(?:a|an|the|his|her|its|their|my|our|one|some)\s+)?"


def _form(text: str) -> re.Pattern[str]:
    return re.compile(text, re.IGNORECASE | re.DOTALL)


_CUES: dict[str, frozenset[str]] = {}
# Words that stand in sentences of every form.
_SMALL = frozenset(
    {
        "to", "in", "at", "on", "by", "for", "of", "from", "up", "as", "a", "an", "the",
        "or", "be", "and", "with", "under", "via", "into", "now", "new", "back", "over",
    }
)  # fmt: skip


def _cues(text: str) -> frozenset[str]:
    """The words of a pattern that tell its form, with their optional letters or not."""
    for piece in (_S, _ADV, _NOT, _V, _A):
        text = text.replace(piece, " ")
    text = re.sub(r"\\[a-zA-Z]|\?P<\w+>|\?[:=!]|\?<[=!]", " ", text)
    found = set()
    for word, optional in re.findall(r"([^\W\d_]+)(\??)", text):
        found.add(word)
        if optional:
            found.add(word[:-1])
    return frozenset(map(str.lower, found)) - _SMALL


def _pattern_form(text: str) -> re.Pattern[str]:
    form = _form(text)
    _CUES[form.pattern] = _cues(text)
    return form


def _many(verb: str, words: str, ing: str) -> tuple[Pattern, Pattern]:
    """Of a verb that may have several objects: said, and denied."""
    return (
        Pattern((verb,), _pattern_form(rf"{_S}{_ADV}(?:{words})\s+{_A}{_V}")),
        Pattern(
            (verb,),
            _pattern_form(rf"{_S}{_NOT}(?:{words}|{ing})\s+{_A}{_V}"),
            denies=True,
        ),
    )


_VERSION = r"(?P<n>[A-Za-z][\w.+#-]*)\s+(?:version\s+|v)?(?P<v>\d[\w.]*)"

PATTERNS: Final[tuple[Pattern, ...]] = (
    # -- where
    Pattern(
        ("city",),
        _pattern_form(rf"{_S}{_ADV}(?:lives?|living|resides?|based|stays)\s+in\s+{_V}"),
        needs="name",
    ),
    Pattern(
        ("city",),
        _pattern_form(rf"{_S}{_NOT}(?:lives?|living|reside|based)\s+in\s+{_V}"),
        denies=True,
        needs="name",
    ),
    Pattern(
        ("city",),
        _pattern_form(
            rf"{_S}{_ADV}(?:moved|relocated)\s+(?:back\s+|over\s+)?"
            rf"(?:from\s+.{{2,40}}?\s+)?to\s+{_V}"
        ),
        needs="name",
    ),
    Pattern(
        ("city",),
        _pattern_form(rf"{_S}{_ADV}(?:wohnt|lebt)\s+{_ADV}in\s+{_V}"),
        needs="name",
    ),
    Pattern(
        ("city",),
        _pattern_form(rf"{_S}(?:ist\s+)?(?:\w+\s+)?nach\s+(?P<v>.+?)\s+(?:um)?gezogen"),
        needs="name",
    ),
    Pattern(
        ("city",), _pattern_form(rf"{_S}zog\s+(?:\w+\s+)?nach\s+{_V}"), needs="name"
    ),
    # -- work
    Pattern(
        ("employer",),
        _pattern_form(
            rf"{_S}{_ADV}(?:works?(?:\s+now)?|working|employed)\s+(?:at|for|by)\s+{_V}"
        ),
        needs="name",
    ),
    Pattern(
        ("employer",),
        _pattern_form(
            rf"{_S}{_ADV}(?:joined|started(?:\s+(?:working|a\s+(?:new\s+)?job))?\s+at"
            rf"|(?:got|took)\s+a\s+(?:new\s+)?job\s+at|switched\s+to\s+a\s+job\s+at)\s+{_V}"
        ),
        needs="name",
    ),
    Pattern(
        ("employer",),
        _pattern_form(rf"{_S}arbeitet\s+{_ADV}(?:bei|für)\s+(?:der\s+|dem\s+)?{_V}"),
        needs="name",
    ),
    Pattern(
        ("employer",),
        _pattern_form(
            rf"{_S}(?:{_NOT}(?:works?|working|employed)\s+(?:at|for|by)"
            r"|(?:has\s+|was\s+)?(?:quit|resigned\s+from|laid\s+off\s+(?:by|from)))\s+"
            rf"{_V}"
        ),
        denies=True,
        needs="name",
    ),
    Pattern(
        ("employer", "city"),
        _pattern_form(rf"{_S}(?:has\s+|recently\s+|just\s+)*left\s+{_V}"),
        denies=True,
        needs="name",
    ),
    Pattern(
        ("job",),
        _pattern_form(
            rf"{_S}{_ADV}(?:works?\s+as|became|(?:was\s+|got\s+)?promoted\s+to"
            rf"|employed\s+as|arbeitet\s+(?:jetzt\s+)?als)\s+{_A}{_V}"
        ),
    ),
    # -- money and time
    Pattern(
        ("price",),
        _pattern_form(rf"{_S}{_ADV}(?:costs?|kostet|kosten|priced\s+at)\s+{_ADV}{_V}"),
        needs="number",
    ),
    Pattern(
        ("deadline",),
        _pattern_form(rf"{_S}{_ADV}due\s+{_ADV}(?:on\s+|by\s+|in\s+|at\s+)?{_V}"),
        needs="time",
    ),
    Pattern(
        ("deadline",),
        _pattern_form(
            rf"{_S}(?:must|has\s+to|have\s+to|needs?\s+to)\s+be\s+(?:\w+\s+)?by\s+{_V}"
        ),
        needs="time",
    ),
    Pattern(
        ("deadline",),
        _pattern_form(
            rf"{_S}ist\s+(?:jetzt\s+)?(?:am\s+|bis\s+(?:zum\s+)?|zum\s+)?(?P<v>.+?)\s+fällig"
        ),
    ),
    Pattern(
        ("start",),
        _pattern_form(
            rf"{_S}{_ADV}(?:starts?|begins?|opens?|beginnt|startet|öffnet)\s+"
            rf"{_ADV}(?:on\s+|at\s+|in\s+|from\s+|am\s+|um\s+)?{_V}"
        ),
        needs="time",
    ),
    Pattern(
        ("end",),
        _pattern_form(
            rf"{_S}{_ADV}(?:ends?|closes?|expires?|finishes|endet|schließt)\s+"
            rf"{_ADV}(?:on\s+|at\s+|in\s+|am\s+|um\s+)?{_V}"
        ),
        needs="time",
    ),
    Pattern(
        ("when",),
        _pattern_form(
            rf"{_S}{_ADV}(?:takes?\s+place|held|scheduled\s+for|planned\s+for|launches"
            r"|ships|happens|rescheduled\s+(?:for|to)|moved\s+to"
            rf"|postponed\s+to|findet)\s+{_ADV}(?:on\s+|at\s+|in\s+|am\s+)?{_V}"
        ),
        needs="time",
    ),
    Pattern(
        ("when",),
        _pattern_form(rf"{_S}(?:is|are|ist)\s+{_ADV}(?:on|at|am|um)\s+{_V}"),
        needs="time",
    ),
    # -- versions
    Pattern(
        ("version",),
        _pattern_form(
            rf"{_S}{_ADV}(?:runs?(?:\s+on)?|uses?|requires?|needs?|targets?|on|at"
            r"|(?:was\s+|been\s+)?(?:upgraded|updated|migrated|moved|switched)\s+to"
            rf"|läuft\s+(?:auf|mit)|verwendet)\s+{_ADV}{_VERSION}"
        ),
    ),
    # -- names, birthdays, how to reach somebody
    Pattern(
        ("name",),
        _pattern_form(
            rf"{_S}{_ADV}(?:(?:was\s+|been\s+)?(?:called|named|renamed(?:\s+(?:to|as))?)"
            rf"|goes\s+by|heißt\s+{_ADV})\s+{_V}"
        ),
    ),
    Pattern(("birthday",), _pattern_form(rf"{_S}was\s+born\s+on\s+{_V}"), needs="time"),
    Pattern(("birthday",), _pattern_form(rf"{_S}wurde\s+am\s+(?P<v>.+?)\s+geboren")),
    Pattern(
        ("contact",),
        _pattern_form(
            rf"{_S}(?:can|is\s+to|may)\s+be\s+reached\s+{_ADV}"
            rf"(?:at|by|on|under|via)\s+{_V}"
        ),
    ),
    # -- what there may be many of
    *_many(
        "has",
        r"owns?|has|have|drives?|got(?!\s+rid)|bought|besitzt|hat|acquired",
        r"own|have|drive|owning|having|driving",
    ),
    Pattern(
        ("has",),
        _pattern_form(
            rf"{_S}(?:has\s+|have\s+|recently\s+|just\s+)*(?:sold|lost|scrapped|returned"
            rf"|given\s+away|gave\s+away|gotten\s+rid\s+of|got\s+rid\s+of)\s+{_A}{_V}"
        ),
        denies=True,
    ),
    Pattern(
        ("has",),
        _pattern_form(rf"{_S}hat\s+(?:\w+\s+)?(?P<v>.+?)\s+verkauft"),
        denies=True,
    ),
    *_many("likes", r"likes?|loves?|enjoys?|mag|liebt", r"like|love|enjoy|liking"),
    Pattern(
        ("likes",),
        _pattern_form(rf"{_S}{_ADV}(?:hates?|dislikes?|can['’]t\s+stand)\s+{_A}{_V}"),
        denies=True,
    ),
    *_many("uses", r"uses?|nutzt|verwendet|benutzt", r"use|using"),
    Pattern(
        ("uses",),
        _pattern_form(
            rf"{_S}{_ADV}(?:switched|migrated)\s+(?:over\s+)?from\s+"
            r"(?P<v>.{2,40}?)\s+to\s+.+"
        ),
        denies=True,
    ),
    *_many("knows", r"knows?|speaks?|kennt|spricht", r"know|speak|knowing|speaking"),
    *_many("eats", r"eats?|isst", r"eat|eating"),
    *_many("drinks", r"drinks?|trinkt", r"drink|drinking"),
    *_many("plays", r"plays?|spielt", r"play|playing"),
    *_many("supports", r"supports?|unterstützt", r"support|supporting"),
    *_many("attends", r"attends?|visits?|besucht", r"attend|attending|visit"),
    # "Smokes", and the like, have no object.
    Pattern(("smokes",), _pattern_form(rf"{_S}{_ADV}(?P<v>smokes?)\b.*")),
    Pattern(
        ("smokes",), _pattern_form(rf"{_S}{_NOT}(?P<v>smoke|smoking)\b.*"), denies=True
    ),
)

PREFERS: Final = _form(
    rf"{_S}{_ADV}(?:prefers?|bevorzugt|switched\s+to\s+preferring)\s+{_V}"
)

# -- attributes that are called by their name -------------------------------------

FAVOURITE: Final = r"fav(?:ou?rite)?"
NOUN: Final = "|".join(
    sorted(map(re.escape, (*NOUNS, *HOLDERS)), key=lambda n: (-len(n), n))
)
# Of these no word in front says that it is a value: "the backup job is slow".
_COMPOUND = "|".join(
    """deadline due\\ date price cost rent fee salary budget version phone\\ number
    email\\ address email address password passcode port rate\\ limit limit timeout
    capacity birthday default\\ branch opening\\ hours office\\ hours retention\\ period
    notice\\ period release\\ date launch\\ date start\\ date end\\ date time\\ zone
    appointment licence license database frist abgabetermin miete
    """.replace("\\ ", "\0").split()
).replace("\0", r"\s+")
_NAMED = rf"(?P<q>(?:[\w-]+\s+){{0,2}}?)(?P<a>{NOUN}|{FAVOURITE}\s+[\w-]+)"
_IS = (
    r"\s*(?:(?:is|are|remains?|ist|lautet|beträgt|stands?\s+at|became)\s+"
    r"(?:(?:now|still|currently|jetzt|nun|set\s+to|at|on|actually)\s+)*"
    r"|(?:(?:has|have|was|were|is|got|been)\s+)*(?:moved|changed|pushed|extended|postponed"
    r"|brought\s+forward|rescheduled|shifted|raised|lowered|increased|cut|reduced"
    r"|dropped|went\s+(?:up|down)|gone\s+(?:up|down)|rose|fell|set|updated|switched"
    r"|renamed|upgraded|bumped)\s+(?:back\s+)?(?:from\s+.{1,40}?\s+)?to\s+"
    r"|=\s*|:{1,2}\s+)"
)
_MOVED = (
    r"(?:we|i|they|he|she|[A-Z]\w+(?:\s+[A-Z]\w+)?|the\s+\w+)\s+"
    r"(?:have\s+|has\s+|just\s+|recently\s+)*"
    r"(?:moved|changed|pushed|extended|postponed|brought\s+forward|raised|lowered"
    r"|increased|cut|reduced|dropped|set|switched|updated|renamed|bumped)\s+(?=the|our|my)"
)

PHRASES: Final[tuple[re.Pattern[str], ...]] = tuple(
    _form(text)
    for text in (
        # We moved the deadline of the audit to May.
        (
            rf"{_MOVED}(?:the|our|my)\s+{_NAMED}\s+(?:of|for|at|in)\s+(?P<s>.{{1,60}}?)"
            rf"\s+(?:back\s+)?(?:from\s+.{{1,40}}?\s+)?to\s+{_V}"
        ),
        (
            rf"{_MOVED}(?:the|our|my)\s+(?P<s>[\w' -]{{1,60}}?)(?:['’]s)?\s+{_NAMED}"
            rf"\s+(?:back\s+)?(?:from\s+.{{1,40}}?\s+)?to\s+{_V}"
        ),
        # The deadline of the audit is May.
        (
            rf"(?:the\s+|our\s+|die\s+|der\s+|das\s+)?{_NAMED}\s+(?:of|for|at|in|von|für|der"
            rf"|des)\s+(?P<s>[^,;:]{{1,60}}?){_IS}{_V}"
        ),
        # The audit's deadline is May.
        rf"(?P<s>[^,;:]{{1,60}}?)['’]s?\s+{_NAMED}{_IS}{_V}",
        # My phone number is …
        rf"(?P<s>my|our|his|her|its|their|mein|meine|unser|unsere)\s+{_NAMED}{_IS}{_V}",
        # The audit deadline is May.
        (
            rf"(?P<s>(?:the\s+|our\s+)?[\w.'-]+(?:\s+[\w.'-]+){{0,3}}?)\s+(?P<q>)"
            rf"(?P<a>{_COMPOUND}){_IS}{_V}"
        ),
        # Deadline: May.
        rf"(?P<s>)(?:the\s+)?{_NAMED}{_IS}{_V}",
    )
)

NOUN_WORDS: Final = frozenset(
    word
    for noun in (*NOUNS, *HOLDERS, "favourite fav favorite")
    for word in noun.split()
)
"""Words of which each of these forms has one."""

IS_OF: Final[tuple[re.Pattern[str], ...]] = tuple(
    _form(text)
    for text in (
        (
            rf"(?P<v>[^,;:]{{1,60}}?)\s+{_ADV}(?:is|became|ist|wurde)\s+(?:\w+\s+)?"
            r"(?:the|our|die|der)\s+(?:new\s+|neue\s+)?(?P<q>)(?P<a>{h})\s+"
            r"(?:of|at|for|in|von|bei|der|des)\s+(?P<s>.+)"
        ),
        (
            r"(?P<v>[^,;:]{1,60}?)\s+(?:is|became)\s+(?:now\s+)?(?P<s>[^,;:]{1,60}?)['’]s?\s+"
            r"(?:new\s+)?(?P<q>)(?P<a>{h})"
        ),
    )
    for text in (
        text.replace("{h}", "|".join(sorted(HOLDERS, key=lambda n: (-len(n), n)))),
    )
)
"""Tom is the CEO of Acme."""

# -- values ---------------------------------------------------------------------

STATE: Final = _form(
    r"(?P<s>[^,;:!?]{1,80}?)\s+(?:is|are|ist|sind|has\s+been|remains?)\s+"
    r"(?P<not>not\s+|no\s+longer\s+|nicht\s+(?:mehr\s+)?)?"
    r"(?:(?:now|still|currently|again|always|jetzt|wieder)\s+)*"
    rf"(?P<v>{'|'.join(sorted(OPPOSITES, key=lambda w: (-len(w), w)))})\b(?P<rest>.*)"
)

UNSURE: Final = re.compile(
    r"\b(?:may(?!\s+\d|,|\.|$|\s+20)|might|maybe|perhaps|probably|possibly|would|could"
    r"|should|if|unless|whether|wants?\s+to|plans?\s+to|planning|hopes?|hoping"
    r"|considering|thinking|will|going\s+to|used\s+to|formerly|previously|until|once"
    r"|rumou?red|supposedly|apparently|asked|wonders?|almost|nearly|wishes|dreams?"
    r"|back\s+then|at\s+the\s+time|originally|vielleicht|früher|würde|könnte|wird"
    r"|wollte|will\s+nach|falls|ob|damals|ehemals)\b",
    re.IGNORECASE,
)
"""What makes a sentence say something else than what is."""

LEADS: Final = re.compile(
    r"(?:(?:as\s+of|since|from|in|on|ab|seit|effective|starting)\s+[^,]{1,30},"
    r"|(?:now|currently|today|update|note|fyi|actually|good\s+news|news|correction|by"
    r"\s+the\s+way|also|and|but|so|then)\b[,:]?|[-*+]|\d+[.)])\s+",
    re.IGNORECASE,
)

TAILS: Final = re.compile(
    r"\s*(?:[;!?()–—]|(?:[,:]|(?<!\d)\.)(?=\s|$)|\s-\s).*$"
    r"|\s+(?:since|as\s+of|until|now|again|these\s+days|at\s+the\s+moment|at\s+present"
    r"|because|but|and\s+(?:is|has|was|works?|lives?|will|the|his|her|it|he|she|they|we)"
    r"|where|which|who|with|after|before|while|when|instead|anymore|any\s+more|already"
    r"|for\s+(?:good|now|years|the\s+(?:time|last))|last\s+\w+|this\s+(?:week|month|year"
    r"|spring|summer|autumn|winter)|recently|today|as\s+(?:a|an|the)\s|seit|jetzt"
    r"|to\s+be\s|rather\s+than|instead\s+of|not\s)\b.*$",
    re.IGNORECASE | re.DOTALL,
)
"""What comes behind a value."""
