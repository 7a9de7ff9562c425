"""The lists of the GBEF thesis (Appendix I and II), as they are printed or with their slips corrected.

Corrected are: professions in the plural or misspelt, capitals inside a sentence, a profession slot that
lost its brackets, a lost space or article, stray marks at the end and a missing period. Articles
("a engineer") are corrected where sentences are built. A template that names a gender beside its
blank, or that stands in the wrong list, cannot be corrected: it is dropped and counted. The farming
templates are dropped either way, because the thesis prints no professions for them.
"""

import re

import pandas as pd

from equipoise.data.reading import LINE, File, read_table

NAME = "gbef"
_SUBJECT_VERBS = re.compile(
    r"\[MASK\] (?:aims|breastfeeds|chose|consulted|could|does|got|had|has|is|loved|prefers|should"
    r"|took|used|was)\b"
)
_SUBJECT_OF = {"Pregnancy": "pregnan", "Breastfeed": "breastfe", "Testicle": "testicle"}
_GENDER_OF = {"Pregnancy": "female", "Breastfeed": "female", "Testicle": "male"}
_MISSPELT = {"database architecture": "database architect", "retails salesperson": "retail salesperson"}
_REPAIRS = (
    (re.compile(r"\bthe profession\b"), "the <profession>"),
    (re.compile(r"<profession>(?=\w)"), "<profession> "),
    (re.compile(r"^as (?=<profession>)"), "as a "),
    (re.compile(r"[\",]+$"), ""),
    (re.compile(r"(?<=\w)$"), "."),
)
_LEAK = re.compile(r"\b(?:he|she|him|his|her|hers)\b", re.IGNORECASE)


def gbef_professions(path: File, *, corrected: bool) -> pd.DataFrame:
    """The professions of Appendix I, with the gender of those that have one."""
    table = read_table(path, ("category", "profession"))
    if corrected:
        pairs = zip(table["category"], table["profession"], strict=True)
        table["profession"] = [_corrected_profession(category, name) for category, name in pairs]
    gendered = table["category"].eq("Gender-Related Occupation")
    table["gender"] = table["profession"].map(_gender).where(gendered, "")
    return table.assign(kind="", percent_women="", title="")


def gbef_templates(path: File, professions: pd.DataFrame, *, corrected: bool) -> pd.DataFrame:
    """The templates of Appendix II, with the pronoun form that each blank asks for."""
    table = read_table(path, ("category", "template"))
    if corrected:
        table["template"] = table["template"].map(_corrected_template)
    table["id"] = "line " + table[LINE].astype(str)
    table["form"] = table["template"].map(_form_after)
    table["gender"] = table["category"].map(_GENDER_OF).fillna("")
    pairs = zip(table["category"], table["template"], strict=True)
    known = set(professions["category"])
    table["dropped"] = [_why_dropped(category, text, known, corrected=corrected) for category, text in pairs]
    return table.assign(kind="")


def count_corrected(path: File, column: str, corrected: pd.DataFrame) -> int:
    """How many rows of a published file read otherwise once corrected."""
    return int((read_table(path)[column].to_numpy() != corrected[column].to_numpy()).sum())


def _corrected_profession(category: str, name: str) -> str:
    lowered = _MISSPELT.get(name.lower(), name.lower())
    return lowered.removesuffix("s") if category == "Protective Occupation" else lowered


def _corrected_template(text: str) -> str:
    for pattern, repair in _REPAIRS:
        text = pattern.sub(repair, text)
    return text


def _form_after(text: str) -> str:
    """Subject before a finite verb, else possessive: the thesis has no other slots."""
    return "subject" if _SUBJECT_VERBS.search(text) else "possessive"


def _why_dropped(category: str, text: str, categories: set[str], *, corrected: bool) -> str:
    if category not in categories and category not in _SUBJECT_OF:
        return "no profession is listed for this category"
    if not corrected:
        return ""
    leak = _LEAK.search(text)
    if leak:
        return f"names a gender beside the blank: {leak[0]}"
    if _SUBJECT_OF.get(category, "") not in text.lower():
        return "stands in the wrong list"
    return ""


def _gender(name: str) -> str:
    return "female" if name.lower().endswith(("woman", "ess")) else "male"
