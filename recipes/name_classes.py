"""What the census and a word count cannot say of a first name: written by hand for the recipe."""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


EXCLUDED = _words(
    """
    an angle angeles brain carry chin china conception do earl else era france german ha hang he her him
    hue hung i in irish january king lady lai le lean lien loan long love ma major man manual many marine
    marquis marry miss mr my na nam numbers of pa prince princess queen sang santa season see september
    shan she so son song soon su sun sunday sung ta tu un wan wen yan yer yon yong young yu
    """
)
"""Census entries that are common words, titles, days or parts of place names: never first names here."""

COMMON = _words(
    """
    april art august autumn chance charity drew easter faith guy hope joy june may miles rich rod star
    summer will
    """
)
"""Words and months that are far more often what they say than a name, with a capital too."""

WORDS = _words(
    """
    alpha barb basil berry beryl birdie bonita booker buddy buster cash cherry chip chuck cliff coral
    crystal dale dee dell diamond dick dixie echo fern flora gene glen golden grant harmony herb iris
    ivory jade jasmine jay jewel justice kitty lance lane laurel lee lily luna mark marvel mason melody
    mercedes mercy myrtle nova olive omega opal page pearl penny pepper piper ransom robin rose rosemary
    ruby sage sandy sky sonny sterling stone sue sunny tanner tiffany trinity valentine venus violet wade
    walker ward winter
    """
)

NOT_WORDS = _words(
    """
    al amie ben bob bobby carol dan daren donna ed eddy jack jarred jean jenny jimmy john ken lily nick
    pansy pat peter ruth sal sally ted tom victor willy
    """
)
"""Lower case in the books by accident, or words so rare beside the name that a capital says enough."""

PLACES = _words(
    """
    adelaide africa alexandria america asia augusta aurora austin bethel beverly boston bradford bristol
    brooklyn burton caledonia camden carlisle carolina chad charlotte chelsea chester cleveland clifton
    columbus cornell cuba dakota dallas denver diego dublin eden eugene everett florence florida francisco
    geneva georgia guadalupe hamilton holland houston india ireland israel jackson jamaica jordan kent
    kenya kingston lancaster laredo lincoln london lorraine lourdes madison marion medina melbourne
    memphis milan milton montana nevada odessa olympia orlando paris petra phoenix preston princeton
    regina roma salem san santiago savannah selma sierra sonora stanford sydney syracuse trinidad troy
    tyrone valencia vernon verona victoria vienna virginia washington wayne wellington winston york
    """
)
