"""What the census and a word count cannot say of a first name: written by hand for the recipe."""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


EXCLUDED = _words(
    """
    an angle angeles brain carry chin china conception do earl else era fe france german golden ha hang he
    her him hue hung i in irish ja january ka king lady lai le lean lien loan long love ma major man
    manual many marine marquis marry mi miss moon mr my na nam nu numbers of ok pa prince princess queen
    royal sang santa season see september shan she so son song soon su spring sun sunday sung ta temple tu
    un vi wan wen yan yer yon yong young yu
    """
)
"""Census entries that are common words, titles, days or parts of place names: never first names here."""

UNMATCHED = _words("jesus")
"""Names that mean one person nearly everywhere: they and their match stay as they are."""

COMMON = _words(
    """
    april art august autumn chance charity drew easter faith guy hope joy june may miles rich rod star
    summer will
    """
)
"""Words and months that are far more often what they say than a name, with a capital too."""

WORDS = _words(
    """
    alpha barb basil berry birdie booker buddy buster cash cherry chip chuck cliff coral crystal dale
    dee dell diamond dick dixie echo fern gene glen golden grant harmony herb ivory jade jay justice
    kitty lance lane laurel lee lily luna mark marvel mason melody mercedes mercy nova olive omega
    page pearl penny pepper piper ransom robin rose ruby sage sandy sky sonny sterling stone sunny
    tanner trinity valentine venus wade walker ward winter
    """
)

NOT_WORDS = _words(
    """
    al amie ben beryl blanche bob bobby bonita carol dan daren donna ed eddy flora iris jack jarred
    jasmine jean jenny jewel jimmy john ken lily myrtle nick opal pansy pat peter rosemary ruth sal
    sally sue ted tiffany tom victor violet willy
    """
)
"""Lower case in the books by accident, or words so rare beside the name that a capital says enough."""

PARTICLES = _words("del les van von")
"""First names that are far more often the first part of a surname or the article of a name in French."""

PLACES = _words(
    """
    adelaide africa alberta alexandria america asia augusta aurora austin bethel beverly boston
    bradford bristol brittany brooklyn burton caledonia camden carlisle carolina chad charlotte
    chelsea chester cleveland clifton columbus cornell cuba dakota dallas denver diego dublin eden
    eugene everett florence florida francisco geneva georgia guadalupe hamilton holland houston india
    ireland israel jackson jamaica jordan kent kenya kingston lancaster laredo lincoln london lorraine
    lourdes madison marion maryland medina melbourne memphis milan milton montana nevada odessa
    olympia orlando paris petra phoenix preston princeton regina roma salem san santiago savannah
    selma sierra sonora stanford sydney syracuse trinidad troy tyrone valencia vernon venice verona
    victoria vienna virginia washington wayne wellington winston york
    """
)

SURNAMES = frozenset(["clinton"])
"""Men's first names that stand alone as the surname of somebody known."""

NOT_SURNAMES = _words(
    """
    abe abel abraham abram alba alexis allie alonzo andreas antoine anton antone arline aron avis
    bella bernardo berta bess blossom boris casey celestine charley christen christian claudio
    collette concepcion cornelius cristobal danna darnell delia dexter diamond dionne dolly domingo
    edie elia elias emanuel enoch ester eusebio fabian federico felice felix fermin forrest gabriele
    gay gillian gracia hailey hank hassan heide henry hilario honey howard inge isabell isabelle
    jacinto janelle jasmin jasper jennette jonas jules kenny leon leonard lilly lino lucia luciano
    lucio lucius luke lyle mara marcellus marcy markus marti martina martine maya michell mikel milo
    mina miranda mohamed mohammed mose napoleon nicol nicola noel norman oliver otto patty polly reina
    rhea rocco rolf romaine romeo rosa rosamond rudolph ryan scarlett scott sebastian silas silvia
    simone stuart sylvester thomas vera vida viola violette vita winnie wyatt zack
    """
)
"""Names that are surnames in the census, yet first names more often than not where they stand alone."""

GIVEN_PAIRS = _words(
    """
    alexander-lindsey arnold-fay blaine-regan blake-hollie brady-annis clayton-jayne conrad-maxie
    craig-joyce curtis-ashley denny-nieves donnell-piper donovan-rana elliot-barbera ervin-keely
    floyd-hannah gavin-shea grady-caron harlan-blythe heath-lyda irving-ardis kirk-rae lester-brooke
    lloyd-flora lucas-hanna nolan-darby owen-ashton randall-lindsay randolph-libby riley-thao
    roscoe-deane simon-blanch stanley-allison
    """
)
"""Names with their partners that are surnames as often, yet first names in most stories (Craig, Joyce)."""

UNLISTED_MEN = _words(
    """
    aidan aiden alistair alastair alasdair angus callum cillian ciaran colm conor connor declan dmitri
    dominik eamon ewan finn finlay fergus gareth giles graeme hamish hermann iain igor ivo jens johann
    jurgen kieran klaus lachlan lars laszlo leopold liam luca magnus mateo matteo mikhail nikolai niall
    oskar owain paolo piers rhys seamus soren sven tariq vladimir wolfgang yusuf ravi rajesh arjun vikram
    khalid mustafa ibrahim hiroshi kenji takeshi francois pascal thierry olivier stefano massimo
    alessandro gianni pavel piotr andrei alexei henrik gunnar nils bjorn viktor jaden jayden brayden
    braden asher jace kaleb maddox ryder vic mick eliot gideon barnaby alfie albie jago ernst dieter
    helmut karim hamid rashid janek marek milos zoltan ulrich udo axel bastian anders ingmar nilesh sunil
    anil amit rohan kiran suresh vijay imran bilal hakim malachi ronan cormac tadhg lorcan crispin tarquin
    gaspard etienne laurent didier yves thibault
    """
)
"""Men's names in use today that fewer than 4 in 100,000 bore in 1990, where the census stops for men."""

IN_USE = _words(
    """
    abbie adelina agatha alexa alexandra alina alessandra amina anika annabel annika anya aretha ariana
    arianna asha astrid athena ayesha bea bree bronwyn brynn caitlyn camila camilla carina carlotta cecily
    celine chantal chloe ciara clementine cleopatra coralie cordelia dagmar daniela daria davina delilah
    delphine dinah dottie elissa ellie emmy evelina evie farah fatima fernanda fiona flavia frida gabriella
    gemma georgiana gia gigi giselle gisela gudrun gwyneth hana hayley henriette indira inga ingeborg irena
    irina isabella isobel ivana jada jen joanie josefine juliet julieta kaitlyn kali karoline keira
    khadijah kiara kira klara krystyna kylie kyra laila larissa layla leia leonie leonora lexie lia liana
    linnea livia liz lucie lulu madeleine maddie magda maisie margot marge mariah mariana marianna
    mariella marlena mathilda maud maura meg melania michaela mila milly mimi mira moira natalya nathalie
    nelly nicolette noelle norah octavia odette pandora paola paulina philomena phoebe pia pilar portia
    renata rhiannon rosalina roxana roxy sabina sabine selina shakira sigrid simona siobhan skye solange
    suzanna suzy svetlana talia tamar tatiana tess thea theodora tilda tori trish usha valentina veronika
    vivien vivienne wilhelmina yasmin yasmine yelena zelda zoe zofia zora
    """
)
"""Rare women's names of 1990 that are in use today: they are matched before others as rare."""

NO_WORLD_NAMES = _words(
    """
    gorka gurney cena stetson danson johnstone bayard tex cal crete merton undine camden abb primus wille
    bale lillard pompeo rahn sherwin markel elkin brien dary muslim nazi nile forum imam mont philippine
    ceylon rica verde musee raf obe neo nair oman orion apollo hermes odin cicero commodore gunner mega
    alto bra champ caesar florentine lascar martins gladstone manson lennon melville gaiman rembrandt
    jagger maverick safari octave puck bard stonewall buren brien pershing liga claudius loyola carlyle
    kagan bowen fielding gerrard austen albion aston burleigh macarthur paisley gael spurgeon butch
    beecher asbury wilkie diallo winthrop frazer regis kanye medora tre mees sim pol ren judah german
    iran iraq islam rio assad abu abedin cao kong fiorina mook aviv ain aires novo novak italia mall
    haitian thai ramadan dalai lama begum bahia veneta kant ergo duo tron thor dieu kand del della ibn
    bin abd abdel baba raja rani sheikh shah khan singh devi swami maharaja mirza pasha effendi bey syed
    sayed sayyid hajji haji mullah sultan emir amir bai das dev lal sri shri patel kaur lord sir gospodin
    rosen mart jak ala sten mall baptist german roma romans latin asia africa europa america israel
    palestina saber laver wilke madonna christ jesus krishna shiva buddha allah ganesh saraswati vishnu
    santa hun sui han aren fata hera thor zeus cam luc kang tudor olympia bora armani ferrari nissan
    honda toyota suzuki mercedes
    """
)
"""Titles, gods, countries, surnames and brands among the names of the world."""
