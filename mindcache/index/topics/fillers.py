"""Words that make no title: what is done, how, when, and what could be anything.

English, as they are written and folded; stop words are not among them.
"""

from __future__ import annotations

__all__ = ["FILLERS"]

_DEEDS = """
accept accepted add added adding adds agree agreed aim aims allow allowed allows announce
announced apply applied apps appear appeared argue argued arrive arrived ask asked asks
available avoid back beat beaten became become becomes been began begin believe believed
bring brings brought build built buy call called calls came cause caused change changed
changes changing choose chose claim claimed claims click come comes coming complete
completed confirm confirmed consider considered contain contains continue continued
correspond create created creates creating cut deal decide decided delete describe
described did display do does done draw drop dropped edit enable enabled ended ends enter
ensure expect expected explain explained fail failed fall fell felt file find follow
followed following found gave get gets getting give given gives giving go goes going gone
got grew grow had happen happened has have having hear heard held help helped helps hit
hold hope hopes include included includes including insert install installed join joined
keep keeps kept knew know known knows launch launched learn leave left let lets lie like
link listed live lives load look looked looking looks lose lost love made make makes making
manage mean means meant meet met miss missed mention mentioned move moved moves moving must
need needed needs offer offered offers open opens paid pass passed pay plan planned plans
play played playing plays prefer preferred press prevent produce produced provide provided
provides put puts raise raised ran reach reached read receive received remain remained
remove removed replace report reported require required requires return returned returns
rise rose run running runs said sang save saved saw say saying says see seek seem seemed
seems seen sees select selected sell send sent serve set sets shot show showed shown shows
sold speak spend spent spoke stand start started starts stay stayed stop stopped submit
suggest suggested take taken takes taking talk talks tell thank think thinks thought told
took tried tries try trying turn turned type understand update updated use used uses using
view visit wait waiting want wanted wants warn warned went win winning wins won wonder work
worked working works worry write writes writing written wrote
"""

_KINDS = """
able actually ago almost already alone alternatively always among another anyway around
average away bad best better big biggest bit certain clear clearly close common current
currently daily dear despite different directly done double due dues earlier early easily
easy else enough entire especially etc even eventually everyone everything exactly except
extra extremely far fast fewer final finally fine first five fix former four fourth free
full further future general generally good great greater half hard high higher highest
hundred important indeed initial instead interesting kind large largest last late later
latest least less like likely little local long longer lot lots low lower lowest main major
many maybe mere million billion minor much near nearly necessary never new newer newest
next nice nine normal nothing now number often old older one ones original others otherwise
part particular past percent perhaps place plus point possible potential present previous
quick quickly quite rather ready real recent recently regular right second see self sense
serious seven several short similar simple simply single six slightly slow small soon
special specific still strong strongly sure ten thing things third three time times top
total true truth twice two unless unlikely us usage useful usual usually various via way
ways weak well whole wide willing wrong yesterday today tomorrow tonight yet young zero state states issues rises sale story stories
above across actual afterwards ahead along although amid anything became behind below beside
besides beyond down however inside into like none off onto outside per round throughout
thus together toward towards unlike up versus whatever whether whichever whose
amount area back case course day days detail details end example examples fact facts form
group hour hours idea issue item items level line list lists man matter member minute
minutes moment month months name names night note notes order page pages people person
piece piece pieces problem problems question reason result results section side sign
someone something sort spokesman spokeswoman start step steps stuff text thanks thousand
thousands todo topic topics user users value values version week weekend weekends weeks
word words year years size description desc asc alias aliases category categories tag tags
title created updated date dates
jan feb mar apr may jun jul aug sep sept oct nov dec january february march april june july
august september october november december monday tuesday wednesday thursday friday
saturday sunday mon tue wed thu fri sat sun morning afternoon evening
http https www com html svg png gif jpg jpeg pdf url img icon mr mrs ms dr sir lord
chief director executive president leader spokespeople
"""

FILLERS = frozenset(_DEEDS.split()) | frozenset(_KINDS.split())
