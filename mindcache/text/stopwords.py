"""Function words by language: dropped from queries, counted to tell languages apart.

Each list holds the articles, pronouns, prepositions, conjunctions, auxiliaries and
question words that carry no topic of their own. Words that also name things people
search for ("may", "second", "home") are left out. All words are casefolded and have
no apostrophes ("dont"), as the analyzer spells them; accents are kept.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

__all__ = ["STOPWORDS"]

_LISTS: Final = {
    "en": """
        a about after again all also am an and any anybody anyone anything are arent as
        at be because been before being both but by can cannot cant could couldnt did
        didnt do does doesnt doing dont during each either else ever every for from had
        hadnt has hasnt have havent having he hed hell her here hers herself hes him
        himself his how hows i id if ill im in into is isnt it itd itll its itself ive
        just let lets me might more most must my myself no nor not of on once only or
        other our ours ourselves out over own per please really same shall shant she
        shed shell shes should shouldnt since so some somebody someone something such
        than that thats the their theirs them themselves then there theres these they
        theyd theyll theyre theyve this those though through to too under until up upon
        us very was wasnt we wed well were werent weve what whatever whats when whenever
        where wheres whether which while who whom whos whose why will with within
        without wont would wouldnt yes yet you youd youll your youre yours yourself
        youve
    """,
    "de": """
        aber alle allem allen aller alles als also am an andere anderen auch auf aus bei
        beim bin bis bist da damit dann das dass dazu dein deine dem den denn der des
        deshalb dich die dies diese diesem diesen dieser dieses dir doch dort du durch
        ein eine einem einen einer eines er es etwas euch euer für gegen gewesen habe
        haben hat hatte hatten hier hinter ich ihm ihn ihnen ihr ihre ihrem ihren ihrer
        im in indem ins ist ja jede jedem jeden jeder jedes jener jetzt kann kannst kein
        keine keinem keinen keiner können könnte man manche mein meine meinem meinen
        meiner mich mir mit muss müssen nach nicht nichts noch nun nur ob oder ohne sehr
        sein seine seinem seinen seiner seit selbst sich sie sind so sollte sondern
        sonst soll sollen über um und uns unser unsere unter viel vom von vor wann war
        waren warum was weil welche welchem welchen welcher welches wenn wer werde
        werden wie wieder will wir wird wirst wo wollen worden wurde wurden während
        würde würden zu zum zur zwar zwischen
    """,
    "fr": """
        a ai aie aient ainsi alors as au aucun aucune aussi autre autres aux avait avant
        avec avez avoir avons c car ce ceci cela celle celles celui ces cet cette ceux
        chaque chez comme comment d dans de depuis des donc dont du elle elles en encore
        entre es est et été étaient était étant être eu eux fait il ils j je jusqu l la
        là le les leur leurs lorsque lui m ma mais me mes moi moins mon même mêmes n ne
        ni nos notre nous on ont ou où par parce pas pendant peu peut plus pour pourquoi
        qu quand que quel quelle quelles quels qui quoi s sa sans se sera ses seulement
        si sommes son sont sous sur t ta te tes toi ton tous tout toute toutes très tu
        un une vers vos votre vous y à ça
    """,
    "es": """
        a al algo algunas algunos ante antes aquel aquella así aunque cada como con
        contra cual cuando cuándo cuál cómo de del desde donde dónde dos durante e el él
        ella ellas ellos en entre era eran es esa esas ese eso esos esta está estaba
        están estar estas este esto estos fue fueron ha había han hasta hay he la las le
        les lo los más me mi mis mismo mucho muy nada ni no nos nosotros nuestra nuestro
        o os otra otras otro otros para pero poco por porque pues que qué quien quién se
        sea ser será si sí sido sin sobre son su sus también tanto te tiene tienen todo
        todos tu tus un una uno unos usted ustedes y ya yo
    """,
    "pt": """
        a ao aos aquela aquele as até cada com como contra da das de dela dele deles
        desde do dos durante e é ela elas ele eles em entre era eram essa esse esta está
        estava este estes estão eu foi foram há isso isto já lhe mais mas me mesmo meu
        meus minha muito na nas nem no nos nossa nosso não nós num numa o onde os ou
        para pela pelas pelo pelos por porque quais qual quando que quem se sem ser será
        seu seus sobre sua suas são só também te tem têm tinha tu tua um uma vai você
        vocês à às
    """,
    "it": """
        a abbiamo agli ai al alla alle allo anche ancora avere aveva c che chi ci come
        con contro cosa così cui d da dagli dai dal dalla dalle degli dei del della
        delle dello di dopo dove e è era erano essere fra già gli ha hai hanno ho i il
        in io l la le lei li lo loro lui ma mentre mi mia mie miei mio molto ne negli
        nei nel nella nelle nello noi non nostra nostro o ogni per perché però più poi
        prima quale quali quando quanto quella quelle quelli quello questa queste questi
        questo qui se sei senza si sia siamo solo sono sopra sotto stato su sua sue sugli
        sui sul sulla suo suoi tra tu tua tuo tutti tutto un una uno vi voi
    """,
    "nl": """
        aan al alle als altijd andere ben bij daar dan dat de der deze die dit doen door
        dus een eens en er ge geen had hadden heb hebben heeft hem het hier hij hoe hun
        iemand iets ik in is ja je jij jullie kan kon kunnen maar me meer men met mij
        mijn moet moeten na naar niet niets nog nu of om omdat onder ons onze ook op over
        reeds te tegen toch toen tot u uit uw van veel voor waar waarom wanneer want
        waren was wat we welke werd werden wie wij wil worden wordt zal ze zei zelf zich
        zij zijn zo zonder zou zullen
    """,
    "sv": """
        alla allt än är att av bara blev bli blir de dem den denna deras dess det detta
        dig din dina du där då efter eller en er ett från för ha hade han hans har hela
        helt henne hennes hon honom hur här i icke in inga ingen inget inte ja jag kan kommer
        kunde man med mellan men mig min mina mitt mot mycket nu när någon något några
        och om oss på samma sedan sig sin sina sitt skulle som så sådan till under upp ut
        utan vad var vara varför varit vem vi vid vilka vilken vilket åt över
    """,
    "da": """
        ad af alle alt altid anden at blev blive bliver da de dem den denne der deres det
        dette dig din dine disse dog du efter eller en end er et for fordi fra ham han
        hans har havde have hende hendes her hos hun hvad hvem hver hvilken hvis hvor
        hvordan hvorfor hvornår i ikke ind ja jeg jer jo kan kunne man mange med meget
        men mig min mine mit mod når ned noget nogen nogle nu og også om op os over på
        selv sig sin sine sit skal skulle som sådan thi til ud under uden var vi vil ville
        vor være været
    """,
    "no": """
        alle alt altså andre at av bare ble bli blir både da de deg dem den denne der
        deres det dette din disse du eller en enn er et etter for fordi fra få ha hadde
        ham han hans har henne hennes her hos hun hva hvem hver hvilken hvilke hvis hvor hvordan
        hvorfor i ikke ingen inn jeg kan kom kunne man mange med meg mellom men min mine
        mitt mot mye ned noe noen nå når og også om opp oss over på samme seg selv sin
        sine sitt skal skulle slik som så til under ut uten var ved vi vil ville vår være
        vært
    """,
    "fi": """
        ei eivät eli emme en että hän häneen hänen he heidän heitä ja jo joiden joka jolla
        jonka jos jossa jota jotka kaikki kanssa koska kuin kuka kun kuten me meidän
        mikä miksi milloin minä minun missä mitä mitään mukaan mutta mutta myös ne niiden
        niin niitä noin nyt näin oli olen olet oli olivat olla olleet ollut on ovat se
        sekä sen siellä siinä sinä sitten sitä tai te tuo tämä tämän tässä tätä vaan vai
        vaikka vain vielä voi
    """,
    "pl": """
        a aby albo ale ani bardzo bez bo być był była było były będzie ci co czy dla do
        dlaczego gdy gdzie go i ich ile im ja jak jako jakie jaki jego jej jest jestem
        jeszcze jeśli jeżeli już każdy kiedy kto która które który których lub ma mi
        mnie może można my na nad nam nas nie nim niż o od on ona one oni oraz po pod
        ponieważ przed przez przy się są ta tak tam te tego tej ten to tu ty tych tylko
        tym w was we wszystko wy z za ze że
    """,
    "cs": """
        a aby ale ani asi až bez bude budou by byl byla bylo být co což do ho i jak jako
        jaký je jeho jej její jejich jen ještě jestli ji již jsem jsme jsou k kam kde kdo
        kdy když ke která které který kteří ma mezi mi mít mě můj může na nad nebo než
        nic o od on ona oni po pod podle pokud pro proč proto před při s se si svůj ta
        tak také takže tam tato tedy ten tento to toho tohle tom tu tuto ty u už v ve však
        všechno z za ze že
    """,
    "hu": """
        a az azt abban ahogy aki akkor ami amikor amit annak azok arra bár be csak de
        egy egyik el ezek ez ezt ebben én és fel ha hanem hogy hol hogyan igen ilyen is
        itt ki kell la le lehet lesz ma már meg mert mi miért mikor mint mit most nagyon
        nem neki nincs ő ők olyan ott pedig s sem szerint ti több úgy után van vagy vagyok
        valami vissza volt voltak
    """,
    "tr": """
        ama ancak bana bazı belki ben beni benim bir biri biz bize bizim bu bunu çok
        çünkü da daha de değil diye en eğer gibi hem hep her hiç için ile ise kadar ki
        kim mı mi mu mü nasıl ne neden nerede o olan olarak oldu olduğu on ona onlar onu
        onun sen siz şey şu tüm var ve veya ya yani yok
    """,
    "ro": """
        a acea această acest acesta ai aici al ale am ar are așa au avea ca când care că
        ce cel cea cei cele cine cu cum da dacă dar de decât deci despre din după ea ei
        el ele era este eu fi fie fost în iar îi îl îmi își între la le lor lui mai mă
        mea meu mult ne nici nimic noi nu o or ori pe pentru prin sa sale sau să se și
        sunt te toate tot toți tu un una unde unei unui va voi vor
    """,
    "ru": """
        а без бы был была были было быть в вам вас весь во вот все всё всего вы где да
        для до его ее её если есть еще ещё же за здесь и из или им их к как какая какой
        ко когда который которая которые кто ли либо мне мной мы на над надо наш не него
        нее нет ни них но ну о об он она они оно от очень по под после потом потому при
        про с себя со так также такой там то тоже только том тот ту ты у уже хотя чего
        чем что чтобы чье чья эта эти это этот этого я
    """,
    "uk": """
        а або але без би був була були було бути в вам вас вже ви від він вона вони
        воно все всі де для до є з за зі і із її їх його й коли ми на над нам нас наш не
        немає ні о об один от по під після при про свій себе та так такий також там те
        ти то той тому у хто це цей ця чи чому що щоб ще я як яка який які якщо
    """,
    "el": """
        αλλά αν από αυτά αυτέσ αυτή αυτό αυτοί αυτόσ για δε δεν εγώ εδώ εκεί εκείνοσ είναι
        είμαι είσαι είτε εμείσ ένα ένασ εσύ έχει έχω έχουν η ήταν θα και κάθε κάτι κατά
        με μασ μετά μέσα μη μην μια μία μου να ο οι ολα όλα όλοι όμωσ όπωσ όταν ότι ού
        ούτε πάνω παρά περί ποια ποιο ποιοσ πολύ που πού πριν προσ πρόσ πωσ πώσ σαν σασ
        σε σου στα στη στην στισ στο στον στουσ συ τα τη την τησ τι τί τισ το τον του
        τουσ τότε των χωρίσ ωσ ώσ
    """,
    "ar": """
        أن أنا أنت أو أي إذا إلى إن الذي التي الذين بعد بين تلك ثم حتى حيث ذلك عن على
        عند غير في قبل قد كان كانت كل كما كيف كم لا لقد لكن لم لماذا له لها لهم لن ليس
        ما ماذا متى مع من منذ نحن هذا هذه هل هم هنا هناك هو هي و وقد وكان يا أين
    """,
    "hi": """
        अगर अपना अपनी अपने अब इस इसका इसकी इसके उन उनका उस उसका उसके एक और कब कर करना
        करने का कि किस किसी की कुछ के को कोई कौन क्या क्यों गया जब जहाँ जिस जैसे जो तक
        तब तो था थी थे द्वारा न नहीं ने पर फिर भी मगर में मैं यह यहाँ या ये रहा रही रहे
        लिए लेकिन वह वहाँ वे से हम ही हुआ हुई हुए है हैं हो होता होती होते कैसे कहाँ
    """,
}

STOPWORDS: Final[Mapping[str, frozenset[str]]] = MappingProxyType(
    {lang: frozenset(words.split()) for lang, words in _LISTS.items()}
)
"""ISO 639-1 code → its function words, casefolded, NFC, accents kept.

Greek is spelled with σ at word ends too: casefolding turns every ς into it.
"""
