"""Words beside a capitalised word that tell a first name from a surname, a place or an institution."""


def words(text: str) -> frozenset[str]:
    """The words of a text, once each."""
    return frozenset(text.split())


SURNAME_TITLES = words(
    """
    mr mrs ms miss mx messrs mister mistress dr doctor prof professor gen general col colonel capt captain
    lt lieutenant maj major sgt sergeant cpl corporal pvt private adm admiral cmdr commander rev reverend
    hon judge justice senator sen representative rep congressman congresswoman president pres governor gov
    mayor chancellor minister secretary ambassador lord baron baroness viscount marquess constable
    detective inspector officer agent sheriff deputy coach chief chairman councillor councilman alderman
    bishop archbishop cardinal rabbi imam dean provost treasurer lady monsieur madame mademoiselle herr
    frau senor señor senora señora
    """
)
"""A single name after these is a surname (Mr Taylor); of two, the first is a first name (Mr John Taylor)."""

FIRST_NAME_TITLES = words(
    """
    sir dame king queen prince princess emperor empress tsar czar tsarina kaiser pope aunt auntie uncle
    aunty grandma grandpa granny cousin sister brother father mother friar duke duchess archduke
    archduchess grandmother grandfather saint infanta infante emir sultan count countess earl
    """
)
"""A single name after these is a first name (Sir John, Aunt Emily)."""

PLACE_PREFIXES = words(
    """
    st st. ste ste. san santa santo são sao sainte fort ft port mount mt lake cape new north south east
    west northern southern eastern western central upper lower camp los las la el point isle island glen
    loch rio villa ciudad puerto hurricane cyclone hms uss ss rms project operation team radio tropical
    greater old great little
    """
)
"""Before a name they make a place, a ship, a storm (San Antonio, Lake Charles, HMS Victoria)."""

INSTITUTIONS = words(
    """
    university college school academy institute seminary street avenue ave road boulevard drive
    highway bridge county township borough parish district province city town village station terminal
    airport port harbour harbor hospital clinic infirmary library museum gallery theatre theater
    cinema opera stadium arena gardens zoo award awards prize medal cup trophy bowl scholarship
    fellowship lecture lectures chair foundation trust fund society association league union club fc
    united rovers wanderers athletic council committee commission department bureau ministry island
    islands river creek bay beach mountain mountains valley canyon peninsula falls lakes forest
    cathedral basilica abbey chapel church priory monastery convent inc ltd llc corp corporation
    company co records productions studios pictures films entertainment press publications publishing
    magazine times post tribune gazette herald journal bulldogs tigers bears lions eagles wildcats
    cardinals cowboys tech state festival orchestra symphony ballet ensemble quartet trio band show
    project party act law building tower palace castle hotel inn square plaza parkway heights springs
    terrace dam expedition railway railroad line airlines bank group point hotels motors stakes
    handicap derby open championship championships tournament classic games olympics regiment brigade
    division corps army navy cross order bible gospel day place crescent mews
    """
)
"""A run of capitalised words that ends in these names something other than a person."""

SURNAMES_TOO = words(
    """
    abbey bank bay beach bears bowl bridge chapel church cross day falls fields forest gardens gospel
    law lions park hall house field hill lake post port press street tower union west wood
    woods green rivers ward castle court lane banks brook brooks
    """
)
"""Of those, the ones that people bear as well (Doris Day, Rosa Park)."""

DOUBTFUL_NEIGHBOURS = words("park parks hall house field hill lake court lane green wood woods garden")

PARTICLES = words(
    "de da di du del della des dos van von der den ter ten bin ibn ben al el le la zu af av y e"
)

DETERMINERS = words("the a an this these those each every no any some another its their our your")

PLACE_PREPOSITIONS = words(
    "in at near from to of through toward towards across around outside inside throughout into via within "
    "off between over leaving left visited visiting reach reached ruled"
)

TIMES = words("in since until till early late mid last next every during")
"""Before a month, with another capitalised word after it too (in May John left)."""

DATES = TIMES | words("on by of from to through before after this")
"""Before a month (by May) or another word that is seldom a name."""

KIN = words(
    """
    son daughter brother sister mother father wife husband niece nephew aunt uncle cousin friend
    girlfriend boyfriend fiancé fiancée fiance fiancee mum mom dad twin baby stepdaughter stepson
    stepmother stepfather grandson granddaughter grandmother grandfather named called nicknamed ex-husband
    ex-wife lover partner widow boy girl sons daughters brothers sisters children kids friends siblings
    twins parents roommate maid nurse half-brother half-sister dear poor little old young christened
    renamed
    """
)
"""Before a single name these say that it is a first name (her sister Taylor)."""

PERSON_VERBS = words(
    """
    said says asked asks replied replies told tells thought thinks knew knows felt feels wanted wants
    was is has had does did went goes came comes looked looks saw sees met meets married marries loved
    loves left leaves took takes gave gives made makes found finds became becomes began begins tried
    tries decided decides realised realizes realized realises smiled laughed cried nodded shook
    whispered shouted explained explains admitted admits learned learns discovers discovered confronts
    confronted reveals revealed convinces convinced agrees agreed refuses refused helps helped who
    moved flew drove wrote writes
    whom whose would could also never always later then 's invites invited urges urged kisses kissed
    hugs hugged smiles laughs cries nods whispers shouts sighs sighed apologises apologizes apologised
    apologized confesses confessed wrote writes called calls walked walks ran lived lives worked works
    studied attended graduated joined taught sang sings spoke speaks talked talks waited waits ate slept sat
    wore wears bought paid picked read heard hears watched watches remembered remembers forgot hated hates
    liked likes needed needs hoped hopes promised rode danced cooked answered answers visited visits
    wondered wonders shrugged grinned frowned muttered murmured wept wakes woke phoned flew drove blushed
    winced yawned chuckled giggled stammered blinked stared glanced knelt coughed sneezed borrowed lent
    baked knitted swam jogged will won't might must should can't didn't doesn't hadn't hasn't wouldn't
    couldn't wasn't isn't showed shows rose dropped grabbed carried lifted pushed pulled threw kicked lost
    won stole hid kept held handed caught forgave ignored noticed insisted argued complained demanded
    suggested proposed accepted fell
    """
)
"""After a word that is seldom a name these say that it is one."""

SPEAKING = words(
    """
    said says asked asks replied replies told tells smiled smiles laughed laughs nodded nods whispered
    whispers shouted shouts explained explains admitted admits kissed kisses hugged hugs sighed sighs
    apologised apologized confessed shrugged grinned frowned muttered murmured wondered wept answered phoned
    blushed winced yawned chuckled giggled stammered blinked stared glanced knelt coughed sneezed
    loves loved hates hated likes liked wants wanted left married met flew drove
    """
)
"""Of those, the ones that say so even where a sentence begins with the word (Hope smiled)."""

REGIONS = words(
    """
    alabama alaska arizona arkansas california colorado connecticut delaware florida georgia hawaii idaho
    illinois indiana iowa kansas kentucky louisiana maine maryland massachusetts michigan minnesota
    mississippi missouri montana nebraska nevada new north south west ohio oklahoma oregon pennsylvania
    rhode tennessee texas utah vermont virginia washington wisconsin wyoming england scotland wales
    ireland france germany italy spain canada australia usa us uk u.s. u.s.a. ontario quebec alberta
    manitoba saskatchewan victoria queensland tasmania tx ca fl ny nc sc ga va wa il oh pa mo mi ma nj ct
    md az co ks ky la tn ok or wi mn ia al ms india china japan russia ukraine mexico brazil argentina
    chile poland kent surrey sussex essex yorkshire lancashire devon cornwall
    """
)
"""After a comma they make the word before them a place (Charlotte, North Carolina)."""

SENTENCE_STARTERS = words(
    """
    a about above according across additionally after afterwards again against all almost along already
    also although always am among an and another any anyway are around as aside at away back because
    before behind being below beside besides between beyond both but by can caused could despite did do
    does down during each earlier either else even eventually ever every except fearing finally first
    following for former formerly from further furthermore given had has have having he hence her here
    hers herself him himself his how however i if in including indeed inside instead into is it its itself
    just last late later lest let like likewise many may maybe me meanwhile might moreover most much must
    my near neither never nevertheless next no nonetheless nor not nothing now of off often on once one
    only onto or other others otherwise our out outside over owing perhaps please poor rather regarding
    second seeing several shall she should since so some somehow sometimes soon starring still such than
    thanks that the their them then there thereafter thereby therefore these they third this those though
    through throughout thus till to today together tomorrow too toward towards two under unlike until
    unless up upon us was we well were what whatever when whenever where whereas wherever whether which
    while whilst who whoever whom whose why will with within without would yes yet you young your three
    four five six seven eight nine ten dear oh ah o hello hey hi goodbye tell ask little old born
    """
)
"""A capital on these is the capital of a sentence's first word, not of a name."""

ROLES = words(
    """
    actor actress singer director producer writer author drummer guitarist bassist pianist composer
    historian poet novelist journalist artist photographer manager democrat republican american british
    english scottish irish welsh french german italian spanish russian canadian australian chinese
    japanese dutch swedish norwegian danish polish jewish christian catholic african european indian
    mexican brazilian greek roman olympian brit january february march april may june july august
    september october november december monday tuesday wednesday thursday friday saturday sunday christmas
    easter
    """
)
"""Capitalised words that may stand before a first name without being part of it."""

RANKS = words(
    "duke duchess king queen prince princess earl count countess emperor empress lord lady baron bishop pope"
)

PLACES_RULED = RANKS | words(
    """
    dukes duchesses kings queens princes princesses earls counts countesses emperors lords archduke marquess
    marquis viscount archbishop bishops mayor governor landgrave margrave kingdom duchy county city town
    village province republic diocese port county parish
    """
)
"""Before `of` these make the name after it a place (Duchess of Brittany)."""

STREETS = words("street road avenue square lane st rd ave")
"""Before a comma these say that a town follows (Duke Street, Douglas)."""

STREETS_BEFORE = words("rue calle via avenida rua place piazza plaza avenue boulevard")
"""Streets that are named after the word for them (Rue Marie Curie)."""

EPITHETS = words(
    """
    Great Elder Younger Baptist Terrible Conqueror Bold Good Wise Fair Pious Bald Confessor Lionheart Apostle
    First Second Third Fourth Fifth Sixth Seventh Eighth
    """
)
"""After a name and `the` they belong to a first name (Alexander the Great)."""

MEETING = words(
    """
    met meet meets told tell tells asked ask asks married marry marries kissed kiss hugged hug thanked thank
    invited invite dated phoned phone meeting marrying telling asking
    """
)
"""Verbs before a name that is a place too, and that only persons are objects of."""

ADJECTIVES = words("Christian Roman German")
"""Names that are adjectives too (his Christian faith)."""

SPANISH_TITLES = words("Don Dona Doña")
"""First names of their own in Don Johnson, titles in Don Carlos."""

NUMERALS = words("I II III IV V VI VII VIII IX X XI XII XIII XIV XV XVI")
