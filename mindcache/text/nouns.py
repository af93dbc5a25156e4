"""Which nouns name a person, a place, an animal… English; made by `bench/nouns.py`.

Derived from WordNet 3.1, whose licence stands here as it asks.

WordNet Release 3.0

This software and database is being provided to you, the LICENSEE, by
Princeton University under the following license.  By obtaining, using
and/or copying this software and database, you agree that you have
read, understood, and will comply with these terms and conditions.:

Permission to use, copy, modify and distribute this software and
database and its documentation for any purpose and without fee or
royalty is hereby granted, provided that you agree to comply with
the following copyright notice and statements, including the disclaimer,
and that the same appear on ALL copies of the software, database and
documentation, including modifications that you make for internal
use or for distribution.

WordNet 3.0 Copyright 2006 by Princeton University.  All rights reserved.

THIS SOFTWARE AND DATABASE IS PROVIDED "AS IS" AND PRINCETON
UNIVERSITY MAKES NO REPRESENTATIONS OR WARRANTIES, EXPRESS OR
IMPLIED.  BY WAY OF EXAMPLE, BUT NOT LIMITATION, PRINCETON
UNIVERSITY MAKES NO REPRESENTATIONS OR WARRANTIES OF MERCHANT-
ABILITY OR FITNESS FOR ANY PARTICULAR PURPOSE OR THAT THE USE
OF THE LICENSED SOFTWARE, DATABASE OR DOCUMENTATION WILL NOT
INFRINGE ANY THIRD PARTY PATENTS, COPYRIGHTS, TRADEMARKS OR
OTHER RIGHTS.

The name of Princeton University or Princeton may not be used in
advertising or publicity pertaining to distribution of the software
and/or database.  Title to copyright in this software, database and
any associated documentation shall at all times remain with
Princeton University and LICENSEE agrees to preserve same.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

__all__ = ["NOUNS"]

NOUNS: Final[Mapping[str, str]] = {
    "person": """
        aaron abbess abbot abel abolitionist aboriginal aborigine abraham accomplice
        accountant accused acolyte activist actor actress adam adams addict adherent
        adjutant administrator admiral admirer adolescent adonis adrian adult adulterer
        adventist adventurer adversary adviser advisor aeschylus affiliate affluent
        aggregator aggressor aide alabaman alabamian albanian albert alcoholic alderman
        alfred ali allen alonso alto alumnus amateur amazon ambassador ambrose amir
        amorist amos anabaptist analyst anarchist ancestor andersen anderson andrew
        andrews animator anne announcer antagonist antecedent anthony anthropologist
        antony anzac apache apologist apostle apothecary appalachian appleton applicant
        appointee appraiser apprentice arab arabian aragon archaeologist archbishop
        archdeacon archduke archer architect arianist aristotle armenian armstrong
        arnold arranger arthur artilleryman artisan artist aryan ashe ashton asian
        asiatic aspirant assassin assessor asshole assignee assistant assyrian astor
        astronaut astronomer atheist athenian athlete attache attacker attendant
        attorney auditor augustine augustus aunt austen australian austrian author
        auxiliary avatar aviator azerbaijani aztec babe babu baby babylonian bach
        bachelor backer bailey baker baldwin balfour balkan ballerina balletomane
        ballplayer balthazar balzac bandit bangladeshi banker banks baptist barbarian
        barber bard baritone barkeep barker barnburner baron baroness baronet barrie
        barrister bart bartender bartlett basileus basque bassist bastard bather batman
        batsman bavarian beadle beadsman bearer beatnik beau beaumont beckett beethoven
        beggar beginner believer belle bellhop belshazzar benedict benedictine
        benefactor beneficiary bengali bennett benton berber bergman berkeley bernard
        bernstein besieger bey bidder biker billionaire biographer biologist
        biophysicist bisexual bishop bismarck biter blackmailer blacksmith blair blake
        blogger bloke blonde bloomfield bluestocking boatswain bobby bobbysoxer
        bodybuilder bodyguard boer bohemian bolivian bolshevik bombardier bonaparte
        bondsman booby booker boone booster bootlegger borrower bosch bose boss botanist
        bourbon bourgeois bowie bowler bowman boxer boy boyfriend boyle bradford bradley
        brady bragg brahms brandt brat braun bravo breaker breton brewer briber
        bricklayer bride bridegroom bridges bridget brigadier brit britten broadcaster
        broker brooke brooks brother browne browning browser bruce brunette bruno brute
        bryan buchanan buddha buddhist buddy buff buffoon bugler bulgarian bully
        bullyboy bum bunkmate bunny bunter burger burgess burglar burke burmese burnett
        burnham burns burroughs burt burton busboy bushwhacker businessman buster butch
        butler buyer byrd byron byzantine cad cadet caesar cain calder calderon caldwell
        californian caliph caller calvin cambodian campbell camper campmate canary
        candidate cantor captain captive captor caretaker carlos carmichael carnegie
        carpenter carrier carroll carson carter cartoonist cartwright carver cassandra
        castro casualty catalan catcher caterer catherine catholic cattleman caucasian
        cavalier cavalryman caveman cavendish celebrant celebrity ceo chairman
        chairperson challenger chamberlain chambermaid chambers champ champion
        chancellor chandler chap chaplain chaplin chapman charlatan charlemagne charles
        chased chavez chef chela chemist chesterfield chevalier chico chieftain child
        children chilean chiropractor choirboy choreographer chorine chosen christ
        christie christopher chump churchgoer churchill churchman cinderella
        cinematographer citizen claimant clark classicist classifier classmate claudius
        clemens cleopatra clergyman cleric clerk client clinton clive clone clown coach
        coaster cobbler cochran cody coleridge collaborator colleague collector colleen
        collegian collier collins colonel coloratura columnist comedian comer commandant
        commander commando commentator commie commissioner committeeman commodore
        commoner companion compatriot competitor compiler composer compton comrade comte
        concessionaire concierge conductor confessor confidant confidante confrere
        congressman connoisseur connolly conqueror conrad conspirator constable
        constantine consul consultant consumer contender contestant contra contractor
        contralto contributor controller conveyor cooke coon cooper coordinator cop
        coquette corbett cornell cornerback coroner corporal correspondent cortes
        cosigner cosmopolitan councillor counsel counselor countess countryman courier
        courtier cousin coward cowboy cowhand cowpuncher crackpot crafter craftsman
        crank crawford cree creole cricketer criminal critic croatian crofter cromwell
        crone crony crook crosby crusader cub cuckoo culprit cultist cumberland cummings
        cunningham curate curator curtis curtiss cuss custer custodian customer cutler
        cutter cyclist cynic cypriot cyril cyrus czech czechoslovak dad daddy dairyman
        dakota dali dalton dame damon dancer dane daniel dante darling darwin daughter
        dauphin david davis davy deacon deadhead dealer dean decatur decedent decker
        decorator defendant defender delilah demagogue demander demetrius democrat
        demonstrator dempsey dentist departed deportee depositor deputy derelict dervish
        descendant descendent designer despoiler detective detractor developer devisee
        devotee dewey diabetic diagnostician diana diaz dick dickinson dictator diesel
        dieter dietrich digger dignitary diner diocesan diplomat director disciple
        disney dissenter distributor diva diver doc doctor domingo dominic dominican
        domino donna donor doorman dorian douglas douglass dowager downing drake
        dramatist draper dreamer drew drinker dropout drover drummer drunkard duchess
        dude duelist duffer duke dullard dummy duncan dweller dyer dyke dylan earl
        earthman eastman eater economist edgar edison editor edo educator edward edwards
        edwin egghead egotist egyptian einstein eisenhower elder elector
        electrotherapist elijah eliot elizabeth elizabethan ellington ellison embodiment
        emerson emir emperor employee employer empress engineer englishman engraver
        enrollee ensign entertainer enthusiast entrepreneur envoy epicure epstein
        equestrian erasmus erie ernst esq esther ethiopian eugene evangelist evans eve
        evildoer examiner executioner executive executor existentialist experimenter
        expert explorer exporter extern ezekiel ezra fabian fairbanks faker fanatic
        fantasist farmer farrell father fatima faulkner favourite featherweight fed
        fella fellow felon feminist ferdinand fiance fiancee fielder fieldhand fields
        fiend fighter filipino filmmaker finalist finn firth fischer fisher fisherman
        fishmonger fishwife fitzgerald fixer flapper flautist fleming fletcher flinders
        floridian florist foe follower fool footballer ford forefather foreigner foreman
        forerunner fossil fourier fowler franciscan franco franklin freelance freeman
        freewheeler fremont frenchman freshman freud friar friedman friend fugitive
        fulbright fullback fuller fulton fundraiser gaddafi gadfly gael gagwriter gaius
        galen galileo gallant gambler gamin gandhi gangster gardener gardiner gardner
        garfield gates gaul geek gemini generalist geneticist genius gentleman
        geographer geologist george georgian german gershwin ghoul gibbs gibson
        gillespie girl girlfriend giver gladiator gladstone glenn glutton goalkeeper
        goaltender goddard godfather goethe gogh goldberg goldman goldsmith golfer goner
        goodman gospeler goth gould gourmet governess governor gracie graf graham
        grammarian gran grandchild grandchildren granddaughter grandfather grandma
        grandmaster grandmother grandpa grandparent grandson granny graves graybeard
        greco greenberg greene gregory griffith grimm grocer groves grower grownup guard
        guardian guerrilla guest guggenheim guinness guitarist gujarati gunman gunner
        gunslinger guru guthrie guy gymnast gynecologist gypsy hack hacker hahn haitian
        haji hale haley halfback hamilton hampton hancock handel handler handyman
        hannibal harding harlow harper harris harrison hart hartley harvey hastings
        hater hawker hawkins hawthorne haydn hayes hays headmaster headsman healer
        hearer hearst heavyweight hegel heinz heir heiress hellion helper hemingway
        hendrix henson hepburn herbert heretic herman hermann hermit hero heron
        herpetologist herr hess hesse heterosexual highness highwayman hijacker hilbert
        hillary hillbilly hindu hispanic historian hitchcock hitler hitter hobbs hoffman
        hoffmann hogan homeless homesteader homo homosexual hood hooker hoover hopkins
        horace horne horseman host hostage hostess hotelman hotshot hotspur houghton
        housebreaker householder housekeeper housewife howard howe hubbard huckster
        hughes hugo hulk humanist humboldt hume humorist hun hunter huntington hurler
        husband hussein hutchinson hutton hypocrite iberian ibrahim idealist ideologist
        idiot idler ignatius ignoramus ike illustrator imam imbecile immigrant immune
        impressionist inca incarnation incompetent incumbent individual individualist
        indonesian industrialist infant infantryman infielder informant inhabitant
        inmate inquisitor insider inspector instructor instrumentalist intermediary
        intern interne interpreter interviewer intruder inuit invader invalid inventor
        investigator investor iowa iranian iraqi irishman ironworker iroquois irving
        isaac isabella isaiah islamist islander israeli ivanov ives jackass jackson
        jacob jacobite jacobs jagger jamaican james janissary janitor jansenist jap
        javanese jay jefferson jenny jensen jeremiah jerome jerry jesuit jesus jew
        jeweler jimdandy jimenez jimhickey joachim jock jockey joel johnny johns johnson
        johnston joker jonah jones jong jordanian joseph joshua journalist joyce judah
        judas jude judith julian jumper jung junior jurist juror kahn kaiser kant
        kaufman kazakh kazan keeper keller kellogg kelly kendall kennedy kenyan kepler
        kern keyboardist keynes khan kicker kid kidd kidnapper killer kin king kipling
        kitchener klein knight knockout knox koch korean kota krauthead kruger laborer
        lackey lad lady lafayette laggard laird lama lame landau landlord landowner
        lange lasher lass latino latvian laureate lawman lawrence lawyer layman lazarus
        leader lear learner leary lebanese lecher lecturer lee leftist lefty legatee
        legislator leigh lenin lennon leo leonard leonardo lesbian letterman levi lewis
        liar libby liberal libertarian libertine librarian libyan liege lieutenant
        lifter lightweight lin lincoln lindsay linebacker lineman linguist linnaeus
        listener lister liszt lithuanian litigant livingston livingstone lloyd locke
        logger lombard londoner longshoreman lookout loon loren loser louis louisianan
        lover lowell lowry loyalist loyola lucas luce luke lulu luminary lummox lunkhead
        luther lutheran lyricist macarthur macbeth macedonian mach machinist mackenzie
        macleod madam madame madison madman madonna maestro magician magistrate magnate
        maha maharaja maid maiden mailman maitland maker malay malaysian malfeasant
        malik malone maltese mama mamma man manager manchu mandela maniac mann
        manservant mansfield manson mantrap mari marino marks marksman marley marquess
        marquette marquis marshal marshall martin martyr marx mary mason masseur master
        masters mate mater mathematician mathias matriarch matron matthew maverick maya
        mayer mayor mccarthy mccartney mccormick mcgraw mckinley mcpherson mead meade
        mechanic medalist medallist mellon melville member men mentor mercenary mercer
        merchant meredith merton messenger messiah metis mexican miami micah
        michelangelo mick mickey middleton middleweight midshipman migrant miller
        millionaire mills milne milquetoast milton mimic miner minister minstrel
        misanthrope misogynist missionary missy mistress mitchell mocker mod modernist
        mohammad mohammed mohawk mom momma mommy monarch moneymaker mongol mongolian
        monk monologist monroe monsieur montagu montgomery moody moor moore moralist
        morgan morley mormon morris morrison mortician mortimer morton moses mother
        mourner mover moviegoer mozart muhammad muir muller mummy munro murderer murdoch
        murray muscleman musician muslim mussolini mutineer mvp namesake nan nanny naomi
        napier napoleon naprapath narrator nash nasser nationalist naturalist naturopath
        navajo navigator nawab nazi negro nehru neighbor neighbour nelson nepali nephew
        nero nestor neumann neutralist newcomer newman newsboy newsman newspaperman
        newton nicholas niece nielsen nietzsche nigerian nilsson ninja nixon noah nobel
        nobleman nobody nominee noncom nonconformist nondriver norman norris norse
        northerner norwegian notable novelist novice nun nurse nymphomaniac oakley obama
        observer occidental occupant offender officer official offspring ogden oldster
        oliver olivier olympian omaha onlooker ono operagoer opponent oracle orator
        organist organizer orphan orr ortega osborne oswald otis ottawa ottoman outcast
        outfielder outsider overachiever overnighter owen owens owner oyabun paddy padre
        pagan paige painter pakistani pal palatine palestinian palmer pander papa
        paranoiac pardner parent parishioner parker parkinson parks parson parsons
        participant partisan partner pasha passenger passerby pastor paterson
        pathologist patient patriarch patrick patriot patroller patrolman patron
        patronne patsy paul paxton peabody peasant peddler pedestrian pei penn pensioner
        people percy perfectionist performer perry persian person personage
        personification peruvian pessimist peter petitioner pharaoh pharmacist
        philanthropist philip philosopher photographer physician physicist pianist
        picasso picket pilgrim pilot pimp piper pirate pistoleer piston pitcher pitt
        plainclothesman plaintiff planck planner planter plasterer plato platonist
        playboy player playmate playwright plumber poe poet pol policeman politician
        polk pollock polo ponce pontiac pope porter portwatcher poseur positivist
        posseman postgraduate postmaster potter pow powell powerhouse practitioner
        preacher predator predecessor prefect prelate premier prentice presbyterian
        presenter president presley prey priest priestess primate prince princess
        printer prisoner privateer proctor procurer prodigy producer prof professor
        programmer promoter promulgator propagandist prophet proponent proprietor
        prosecutor prostitute protagonist protector protege provider provost prowler
        proxy prussian psychiatrist psychic psycho psychologist psychopath ptolemy
        publicist pueblo puke pulitzer puncher pundit punjabi punk punster pupil purcell
        pursued pursuer purveyor putin quack quad quaker qualifier quarry quarterback
        quartermaster questioner quincy rabbi rachel racine racist racketeer ragamuffin
        raider raja rajah raleigh rancher ranger rani rankin raphael rapist rapper
        rascal reactionary reader reagan realist reaper reb rebecca rebel receptionist
        recipient recluse rector redcoat redhead redheader ref referee reformer refugee
        regent registrant registrar reid religionist renegade rep repairman reporter
        representative reprobate republican researcher resident retailer reuben reveller
        reverend reviewer rex reyes reynolds rhetorician rhine rhodes ricardo richards
        richardson rider riff rifleman rigger riley rivera roarer robber robbins robert
        roberts robertson robinson rockefeller rocker rockwell rodgers rogers rogue rolf
        roma romani romanian romeo roofer rookie roommate roosevelt ross roth rothschild
        roughneck rousseau rover rowdy rower royalist ruffian ruler runner rupert
        russell rustler ruth saddam safebreaker sage sahib sailor salesgirl saleslady
        salesman salim sami samson samuel samurai sanchez santa saracen sarah sargent
        satirist saudi saul saver savior sawyer sax saxe saxon saxophonist scanner
        schmidt scholar schoolboy schoolgirl schoolmarm schoolmaster schoolmate
        schoolmistress schubert schumann scientist scorer scorpion scot scotchman scott
        scoundrel screenwriter screw sculptor seafarer seaman secessionist secretary
        secular secularist seeker seer segregationist selectman selector seller sellers
        seminarian seminole senator seneca sentimentalist sentinel sentry serb serbian
        sergeant serra servant server sessions seth seton settler seymour shah
        shakespeare shaman shankar shannon shareholder sharer shaw shawn sheepman sheikh
        shelley shepard shepherd sheridan sheriff sherlock sherman sherwood shifter
        shopkeeper shopper shortstop shrimp siberian sibling sicilian sidekick sidney
        signore sikh simeon simon simpson sinatra sinclair singer sinner sioux sipper
        sir sis sister skater skeptic skier skinner skipper skirmisher skunk slave
        slayer sleeper sleepwalker slob slovak slovene slovenian slugger smith smuggler
        sniper socialist sociologist socrates soldier solicitor soloist solomon somali
        somebody someone son songwriter sonny soothsayer sophisticate sophomore soprano
        sorcerer sousa southerner southpaw spartan speaker specialist spectator spencer
        sphinx spielberg spitfire spokesman spokesperson sportsman sportswoman spouse
        sprinter squire stager stalin stalker stanford stanley stanton starlet starr
        statesman statistician steele steiner stella stepchild stepfather stephen
        stephenson stepmother stevens stevenson steward stewart stockbroker stockholder
        stockton stoic storekeeper storyteller straggler stranger strategist strauss
        stravinsky striker stuart student stylist subjectivist subordinate subsidiary
        suburbanite successor sucker sudanese sufferer sufi suitor sullivan sultan
        sumner sunni superintendent superman superstar supervisor supplier supporter
        surfer surgeon surveyor survivor sutherland swami swashbuckler swede sweetheart
        sweetie swimmer symbolist synthesizer taft tai tailback taiwanese talbot tamil
        tao tarzan tatar tate tatum taxpayer taylor tchaikovsky teacher teammate
        teamster teaser technician ted teenager teetotaler teller telugu templar tenant
        terence teresa terrorist terry texan thai thatcher theatregoer theologian
        theorist therapist theresa thief thinker thomas thompson thomson thoreau
        thornton thoroughbred thorpe thug tiberius tiffany tiger titan tito titus tobin
        todd tolkien tormentor torpedo tory toter tourist townsend townsman tracker
        tractarian tracy trader tradesman traditionalist tragedian trailer trainee
        trainer trainman traitor transient translator transmitter trapper traveler
        traveller treasurer tribune trier trojan trooper troubleshooter truman trumpeter
        trustee tsar tucker tully tumbler tunisian turing turk turner tutor twin twirler
        tyler tyrant tyson ubermensch umpire uncle underachiever undergraduate underling
        undersecretary undertaker unionist unitarian urchin uruguayan user valentine
        valet vamp vancouver vandal vanderbilt vaquero vargas vassal vaughan vega
        vegetarian vendor venetian venezuelan verdi vet veteran vicar viceroy victim
        victor victoria vidal vietnamese viewer viking villa villager villain violinist
        vip virgil virgin virginian virtuoso viscount visionary visitor vocalist volta
        voltaire voter voyager wagner wainwright waiter waitress walker wallace waller
        wally walter walton wanderer ward warden warlord warner warren warrior warwick
        wasp watcher watchmaker watchman watercolorist waters watson watts wayne wearer
        weasel weaver webb webster welles wellington wells welsh wesley wesleyan
        westerner weston whale wharton wheeler whig whitehead whitman whitney wholesaler
        whore wichita widow widower wiener wife wight wigmaker wildcatter wilde wilder
        wilkes wilkins wilkinson willard williams willis wilson windbag wingback winger
        wingman winner winslow wisenheimer witch wives wizard wolfe wolff wolverine
        woman women woodcarver woodward woolf worcester wordsworth worker workman
        worshipper wren wrestler wretch wright writer wyatt wylie xavier yahoo yamamoto
        yank yankee yokel youngster youth yugoslav zeppelin zionist zombie zulu
    """,
    "place": """
        aachen aarhus abbey aberdeen abode abyss acapulco acheron adelaide aden adriatic
        aegean aerospace afghanistan agra airspace akron alabama alaska albania albany
        alberta albion albuquerque aleppo alexandria algeria algiers allegheny alsace
        america amman amsterdam anaheim angle anglia angola ankara annapolis antarctic
        antioch antwerp apex aquitaine arcadia archdiocese architecture arctic area
        argentina arizona arkansas arlington armenia assam athens atlanta atlantic
        attica auckland augusta austin australia austria aviary avon azerbaijan azimuth
        babylon backside backwoods backyard baghdad bahamas bakery baku baltic baltimore
        bam bangalore bangkok bangladesh bangor barbados barcelona bari barn barren
        barrio basel basilica battlefield battlefront battleground bavaria bawdyhouse
        bay bayou beachhead bedground bedside beehive beijing beirut belarus belfast
        belgium belgrade belize bengal benin bennington bergen berkshire berlin bern
        bethel bethlehem bhutan bihar billings birmingham birthplace bishopric blackpool
        bloomington boardinghouse bogota bohemia boise bolivia bologna bombay bonn
        bordeaux border borough bosnia boston botswana bottom boundary bounds bourne
        brandenburg brasil bratislava brazil bremen brest bridgehead bridgeport brighton
        brisbane bristol britain brittany brno bronx brook brooklyn brothel brunei
        brunswick brussels bucharest budapest building bulgaria bungalow burgundy
        burlington burma burundi cadiz cafe cafeteria cairo calabria calais calcutta
        caledonia calgary california cam cambodia camden campground campus canada canal
        canberra cannes canterbury canton capitol caracas cardiff caribbean carolina
        casablanca casino casper caspian castile castle catalonia cathedral cavern cebu
        cell cemetery center centerfield centre chang chapel charleston charlotte
        charnel chateau chattanooga checkpoint chennai chester cheyenne chicago
        chihuahua chile china christchurch churchyard cincinnati city clearing cleveland
        clubhouse clyde coastline coffeehouse col colliery cologne colombia colombo
        colorado columbia columbus commons commonwealth commune compartment concepcion
        concord confederacy confluence congo connecticut conservatoire constance
        constantinople consulate convent coop copenhagen corner cornfield cornwall
        cottage countryside county courthouse cove creche creek croatia croft crossroad
        crust crypt cuba cumbria cusp cyprus czechoslovakia dairy dallas damascus danube
        danzig davenport dawson dayton delaware delhi demarcation den denmark denver
        depths derivation desktop destination detroit deutschland devon dhaka diocese
        disneyland dispensary district dixie dockyard doghouse doha donetsk dooryard
        dorm dormitory dortmund dover dresden dubai dublin duchy duluth durban durham
        dusseldorf ecuador eden edge edifice edinburgh edmonton egypt embassy empire
        encampment enclave end endpoint england environs epicenter epidermis eritrea
        espana essen essex estonia estuary ethiopia everest exterior extremum eyre
        fairway fargo farm farmhouse farmland feedlot ferrara field fiji fingertip
        finland fireside fishery fjord flanders flies florence florida flowerbed
        forefront france frankfurt frederick fresno front frontier fukuoka gabon galicia
        galilee galloway galveston galway gambia garage garden gary gaza gdansk geneva
        genoa georgetown georgia germany gettysburg ghana ghent ghetto glasgow
        gloucester gloucestershire goa gothenburg granada grange grassland graveyard
        graz greece greenhouse greensboro greenville greenwich grenada grill guadalajara
        guangdong guangzhou guantanamo guatemala guiana gujarat gulf guyana habitat
        haifa haiti halifax halle hamburg hampshire hangout hannover hanoi hanover
        harbor harbour harlem harrisburg hartford havana hawaii hayfield heartland
        heaven heavens heel heights helena hell helsinki hem hemisphere hertfordshire
        hideaway hideout hilltop hiroshima hobart hole holland hollow holy home homeland
        hometown honduras honolulu horst hospital hostel hostelry hotel house houston
        hudson hunan hungary huntsville huron hyderabad iceland idaho illinois india
        indiana indianapolis indonesia inferno infield infirmary inlet inn innsbruck
        interchange interface interior iran iraq ireland islamabad israel istanbul
        italia italy ithaca jacksonville jakarta jamaica jamestown jericho jersey
        jerusalem johannesburg johor jordan juarez junction jungle junkyard kabul kansas
        karachi karnataka kashmir kathmandu kazakhstan kent kentucky kenya khartoum kiev
        kimberley kingston kirk knoxville kobe kolkata koln kosovo krakow kurdistan
        kuwait kyoto kyrgyzstan lab laboratory labrador lagoon lagos laguna lahore lair
        lake lancashire lancaster landmark landscape lansing laos latitude latvia
        lausanne lawn leak lebanon leeds leftfield leicester leicestershire leiden
        leipzig lena leningrad leon lexington ley liberia libya liechtenstein lille lima
        limerick lincolnshire lisbon lithuania liverpool ljubljana locale locality
        location loch locus logan loire lombardy london longitude lorraine lough
        louisiana louisville lublin lucknow lunchroom lund luxembourg lydia lyon lyons
        macau macedonia macon madagascar madeira madras madrid magdalena maharashtra
        maine malaga malawi malaya malaysia maldives mali malmo malta manchester
        manhattan manitoba mannheim manor manse mansion marche marches maria marseille
        martinique maryland masjid massachusetts mauritius mausoleum meadow mecca medina
        mediterranean megalopolis mekong melbourne memphis mesopotamia messina
        metropolis mexico michigan midair middle midfield midi midland midst midwest
        milan milano millpond milwaukee minneapolis minnesota minsk mississippi missouri
        moldova monaco monastery mongolia montana montenegro monterey monterrey
        montevideo montreal morgue morocco moscow mosque motel motherland motown
        mozambique mumbai munich municipality myanmar mysore nagasaki nagoya nairobi
        namibia nancy nanjing nantes nape naples napoli nashville nassau navel nazareth
        nebraska neighborhood neighbourhood nepal netherlands nevada newark newcastle
        newport niagara nicaragua niger nigeria nile nippon norfolk normandy north
        northampton northamptonshire northland northumberland northwest norway novgorod
        nuremberg nuthouse oakland oasis oaxaca observatory ocean oder odessa ohio
        oilfield oklahoma olympia olympus oman ontario opening orchard oregon origin
        orinoco orlando orleans osaka oslo outfield outpost outskirt outskirts oxford
        pacific packinghouse padua pagoda pakistan palace palatinate palermo palestine
        panama papua paradise paraguay parana paris park parsonage parthenon parts
        pasadena pasture peking penang pennsylvania pensacola pentagon persia perth peru
        peshawar petersburg philadelphia philippines phoenix piazza piedmont pierre pisa
        pisces pittsburgh place playground plaza plymouth poland polls pond pore port
        portland porto portsmouth portugal position post potomac potsdam prague prairie
        prc precinct prefecture premises prescott pretoria princeton principality priory
        protectorate provenance provence providence province prussia pub puebla punjab
        qatar quebec queens queensland rabat ranch rathole rectory redding refuge regina
        region reno reservation residence restaurant reykjavik rhineland rhodesia rhone
        richmond rift riga rightfield rink rio river rivulet roads roadside roanoke
        rochester romania rome rooftop rosario rotterdam roundhouse rus russia rutland
        rwanda sabah sabine sac sacramento sahara saigon salem salisbury salvador
        salzburg samoa sanctuary santiago santos sarajevo sarawak sardinia saskatchewan
        saskatoon savanna savannah savoy saxony scene schoolhouse scotland scranton
        scrapheap sea seat seattle seedbed seine selangor selma senegal seoul serbia
        setting severn sevilla seville seychelles shanghai sheet sheffield shipyard
        shire shoreline shreveport shrine shrubbery siam siberia sichuan sicily side
        silesia silhouette sinai singapore site skopje skyline skyscraper slovakia
        slovenia slum smokehouse soddy sofia soho sole somalia somerset source south
        southland spa spain sparta spokane spot springfield stalls state steakhouse
        stockholm strait strasbourg stratum stream studio stuttgart styx subdivision
        suburb sudan sudbury suez sultanate sunderland sur suriname surrey susquehanna
        sussex swansea sweden switchboard switzerland sydney synagogue syracuse syria
        tacoma taipei tajikistan tallinn tampa tanzania tara tasmania tavern tbilisi tee
        tehran temple tenement tennessee terminus terrain territory texas thailand
        thames theater theatre thessaloniki tianjin tibet tip tirana togo tokyo toledo
        tomb tonga top torino toronto toulon toulouse tours town township toyota tract
        transvaal transylvania treetop trent trenton tributary trondheim tucson tulsa
        tunis tunisia turin turkmenistan tuscany tyne tyre tyrol uganda ukraine ulster
        underside uppsala upside uptown urbana uruguay usa ussr utah utrecht uzbekistan
        valencia vantage vanuatu vatican vault venezuela venice venue veracruz vermont
        verona versailles vichy vicinity vienna vientiane vietnam vila vilnius vineyard
        virginia volcano volga wales warsaw washington wasteland waterfall waterford
        waterfront waterloo waterway wayside weimar wembley wessex west westminster
        wheeling whereabouts wilmington wimbledon winchester windsor winnipeg wisconsin
        woodshed workplace workshop wyoming xinjiang yellowstone yemen yerevan yokohama
        yorkshire yucatan yugoslavia yukon yunnan zagreb zambia zaragoza zenith zimbabwe
        zodiac zone zurich
    """,
    "country": """
        afghanistan albania albion algeria ally america anglia angola argentina armenia
        australia austria azerbaijan bahamas bangladesh barbados belarus belgium belize
        benin bhutan bolivia botswana brasil brazil britain brunei bulgaria burma
        burundi cambodia canada carthage chile china colombia congo country croatia cuba
        cyprus denmark deutschland ecuador egypt england eritrea espana ethiopia fiji
        finland flanders france gabon gambia germany ghana greece grenada guatemala
        guyana haiti holland homeland honduras hungary iceland india indonesia iran iraq
        ireland israel italia italy jamaica kazakhstan kenya kyrgyzstan laos lebanon
        liberia libya liechtenstein macedonia madagascar malawi malaysia maldives mali
        malta mauritius mexico moldova monaco mongolia morocco motherland mozambique
        myanmar namibia nation nepal netherlands nicaragua nigeria nippon norway oman
        pakistan panama paraguay peru philippines poland portugal prc qatar reich
        rhodesia romania rus russia rwanda salvador samoa scotland senegal seychelles
        siam slovakia slovenia somalia spain sudan sultanate suriname sweden switzerland
        syria tajikistan tanzania thailand tibet togo tonga tunisia turkmenistan uganda
        ukraine uruguay usa ussr uzbekistan vanuatu venezuela vietnam yemen yugoslavia
        zambia zimbabwe
    """,
    "family": """
        abraham albert ancestor antecedent aunt babe baby bride bridegroom brother
        catherine cousin dad daddy daughter descendant descendent family father
        forefather gran grandchild grandchildren granddaughter grandfather grandma
        grandmother grandpa grandparent grandson granny household housewife husband
        ibrahim infant isaac judah kin madonna mama mamma mary mater matron mom momma
        mommy mother mummy nan naomi nephew niece noah offspring papa parent partner
        quad rachel rebecca reuben sarah sibling simeon sis sister son spouse stepchild
        stepfather stepmother twin uncle wife wives
    """,
    "animal": """
        affirmed anaconda andrena animal ant anteater antelope ape argentine armadillo
        beast bee beef beetle bird bison blackburn bloodhound bluefish boar bot brant
        brent bronc buckskin buffalo bug bull bulldog bullock bumblebee butterfly calf
        camel carabao cat caterpillar cattle cayman charger chick cicada clam cobra
        cochin cockatoo cockroach colt condor cottonmouth cow cows coyote crab creature
        cricket crocodile crowbait cur das deer dinosaur dobson dog dolphin dominique
        dove drone dun eagle elephant elk falcon feeder female filly finch fish fitch
        flea fowl fox frog gamecock gastropod geese gelding giant gnu goat goose gorilla
        grasshopper greyhound hare hawk hen hereford hind holstein honeybee hookworm
        hornet horse hound humans insect jackdaw jaguar kangaroo kitten lamb lark larva
        leafhopper leech lion livestock liza lizard locust louse lucy maggot magpie male
        mammal mankind mare mice mina mollusk molly monkey moose mosquito moth mouse
        mule mustang nestling newfoundland newt nightingale ocelot owl oxen oyster panda
        panther parakeet parrot peacock pembroke penguin pet pheasant pig pigeon pinto
        pomeranian pony porcupine possum poultry pup puppy python queen rabbit racehorse
        rat rattler rattlesnake raven reeve reindeer reptile rhino rhinoceros ridley
        robin rooster rudd salamander salmon seagull seahorse serpent shark sheep
        sidewinder silkworm slater snail snake spaniel sparrow spider squirrel stallion
        steed swan tadpole terrier toad tom turkey vertebrate viper vulture walrus
        whiteface wolf wolves woodpecker worm zebra
    """,
    "plant": """
        acacia alexander almond angelica aquatic arbor aspen balsam banana basil beech
        benny biennial bluegrass bramble bush cactus cannabis cassie cedar cereal chess
        clary clocks clover coca coco cole columbine corn creeper daffodil dahl daisy
        dandelion daphne diatom dichondra dogwood elm embryo erica evergreen fern flower
        frangipani fuji garlic gentian ginger ginkgo grass hawthorn heath heather herb
        holly hollyhock honeysuckle iris ivy jasmine jonquil juniper kali larkspur
        laurel legume lilac lily ling lotus maize mandarin mango mangrove manzanita
        marguerite marijuana mei milo mustard myrtle oat oleander orchid ornamental
        pansy peach peony periwinkle pia pine pollard popcorn poppy pumpkin reed rose
        rosemary rowan rue sagebrush samba sang sapling seedling sesame shamrock shrub
        sloe snapdragon snowball syringa thistle timothy tree trumpets tulip tuna tung
        vanilla verbena veronica vine viola violet wallflower weed wheat willow yucca
    """,
    "food": """
        apple avocado baba bacon barley bean berry biscuit blackberry blanc blowfish
        bread breakfast bun butter cabbage candy carp catfish cheese chicken chili chips
        cisco citron citrus coconut colbert coloring conserve cookie cornmeal cracker
        cud currant curry dessert diet dinner dough dressing duff eats edible eel
        eggplant eggs flour food fries grape greens grub gum ham hamburger hardbake
        hardtack hash hay herring honey jelly jonathan juice lemon lentil loaf loblolly
        lobscouse lobscuse lobster lunch luncheon marge marmalade mayo mcintosh meal
        meat melon murphy mutton nourishment nutrient oatmeal octopus orange organs
        partridge pasta pastry patty pea pear pemmican pickle pie pizza pork porkchop
        porterhouse potato premix preserves prima provisions pudding radish ration
        rhubarb riboflavin rice roe rutabaga salad salsa sandwich sardine sauce sausage
        seafood sirloin snack soup sowbelly spaghetti squid steak steamer strawberry
        stuffing sugar supper sushi sustenance syrup taffy thiamin tidbit toffee tomato
        trout vegetable viand vinegar vitamin waffle worcestershire
    """,
    "drink": """
        alcohol ale applejack beer beverage bitters booze brandy brew champagne
        chocolate cocktail cocoa coffee daiquiri generic gin herbal lemonade liquor marc
        margarita martini milk pepsi potion rum sherry spirits tea tequila toddy tonic
        vermouth vintage vodka whiskey whisky wine
    """,
    "clothing": """
        aba accessory accouterment apparel apron ascot attire bandoleer bathrobe bead
        blouse boater bodice bolo bonnet boot boxers bra breeches briefs cap clodhopper
        clothes clothing coat cords corduroys costume cufflink denim derby diamond
        diaper drawers fedora flats gallus garb garment gown greatcoat hat headgear hose
        jacket jeans jewel jewellery jewelry kerchief laundry levis livery mac mack
        mackinaw mask maxi mini mobcap muff necklace necktie newmarket nightdress
        nightshirt overcoat overshoe pants pearl pinafore poncho pontifical robe ruby
        sandal sari scarf shawl shirt shoe shorts skullcap slacks slicker slipper
        sneaker sock soutane stays stetson stickpin stocking stole suit sweater
        sweatshirt swimsuit tails tam threads trousers trunks turban turtle undershirt
        underwear uniform weeds wig wrapper
    """,
    "instrument": """
        accordion bagpipe banjo bones bugle castanets cello clarinet contrabass drum
        fiddle fife flute gong guitar harmonica harp harpsichord mandolin oboe piano
        piccolo saxophone trombone trumpet tuba violin xylophone
    """,
    "vehicle": """
        airbus aircraft airplane airship ambulance auto automobile balloon barge
        battleship bicycle bike biplane boat bogy bomber boxcar brig buckboard buggy
        canoe car carriage cart chariot clarence convertible corvette coupe cruiser
        destroyer freighter frigate galley gig glider hackney helicopter icbm
        interceptor jeep jet kamikaze ketch landrover lifeboat limo limousine locomotive
        mayflower missile motorcar motorcycle oxcart panzer pickup pirogue plane rocket
        sam sedan shay ship shipwreck skiff sloop spacecraft spaceship stagecoach
        steamboat steamship streetcar submarine sulky suv tank tanker taxi teacart
        towboat tractor troika trolley truck vehicle wagon warship yacht
    """,
    "illness": """
        aaa abscess acetonemia adenoma ague aids ailment alexia als anaplasmosis
        anorexia arthritis asthma atrophy aura autism bends bleeding bloat bronchiolitis
        brucellosis bursitis cancer cardiomegaly choking cholera claustrophobia
        complaint congestion contusion coughing cramp delirium diabetes diarrhea
        diarrhoea disease disorder dysentery edema emphysema endemic enterotoxemia
        fantods fasciculation fever flu founder frambesia frenzy frostbite gall glanders
        glaucoma goitre gout harm hemorrhage hemorrhoid hepatitis hurting hyperemia
        hypoadrenocorticism hypothyroidism hysteria illness indigestion inflammation
        influenza injury ketosis leprosy leukemia malignancy mono nausea nec neurosis
        numbness pain pest piles pimple pip pneumonia polio polymyositis rash rheumatism
        rhinotracheitis rick scar sciatica scours shivering sickness smallpox spasm
        spots sprue stinging suffering swelling symptom throe torment trauma
        tuberculosis tularemia tumor tumour twitching typhoid typhus vertigo wound yaws
    """,
    "colour": """
        amber aqua azure beige black blackness bleach blue brown carmine claret
        complementary coral crimson ebony fawn gray green ocher pastel pink purple red
        scarlet sepia whiteness yellow
    """,
    "language": """
        afrikaans arabic aramaic athabascan bai balinese belarusian cantonese cassite
        celtic cherokee chinese coptic cornish danish english estonian fang finnish
        french gaelic galician germanic gothic greek hawaiian hebrew hellenic hindi
        hokan icelandic ionic kannada karen khmer kurdish latin malayalam marathi
        massachuset naga nordic northern oceanic pali penutian philippine portuguese ron
        rumanian saharan salish sanskrit scots scottish semitic shan siamese slavic
        southwestern spanish swahili swedish tay tho tibetan turkic turkish ukrainian
        urdu yiddish yokuts yue
    """,
}
