"""Case patterns: a new word is written as the old one was (he, He, HE, McKENZIE)."""


def match_case(old: str, new: str) -> str:
    """The new word in the case pattern of the old one."""
    if old.islower():
        return new
    letters = [letter for letter in old if letter.isalpha()]
    capitals = sum(letter.isupper() for letter in letters)
    if capitals > 1 and capitals * 2 > len(letters):
        return new.upper()
    return new[:1].upper() + new[1:] if old[:1].isupper() else new
