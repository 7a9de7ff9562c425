"""One published method per file; this index is the only place that lists them."""

from collections.abc import Mapping
from functools import cache
from typing import Any

from equipoise.instruments.base import Instrument, refuse_undeclared
from equipoise.plugins import Index, card_of
from equipoise.results import Quantity


def _declared(kind: type[Instrument[Any]]) -> Instrument[Any]:
    """An instrument that declares all that every instrument declares."""
    instrument = kind()
    refuse_undeclared(instrument)
    return instrument


INSTRUMENTS = Index(
    "instruments",
    {
        "sbe": "equipoise.instruments.sbe:SentenceBased",
        "tbe": "equipoise.instruments.tbe:TemplateBased",
        "association": "equipoise.instruments.association:Association",
        "stereotype-skew": "equipoise.instruments.stereotype_skew:StereotypeSkew",
        "traits": "equipoise.instruments.traits:Traits",
        "completions": "equipoise.instruments.completions:Completions",
        "held-out": "equipoise.instruments.held_out:HeldOut",
        "lpbs": "equipoise.instruments.lpbs:LogProbabilityBias",
        "disco": "equipoise.instruments.disco:Discovery",
        "crows-pairs": "equipoise.instruments.crows_pairs:CrowSPairs",
        "stereoset": "equipoise.instruments.stereoset:StereoSet",
        "aul": "equipoise.instruments.aul:AllUnmaskedLikelihood",
        "aula": "equipoise.instruments.aul:AttentionWeightedLikelihood",
        "winogender": "equipoise.instruments.winogender:Winogender",
        "gest": "equipoise.instruments.gest:Gest",
        "stories": "equipoise.instruments.stories:Stories",
        "paired-documents": "equipoise.instruments.paired_documents:PairedDocuments",
        "choices": "equipoise.instruments.choices:Choices",
        "word-association": "equipoise.instruments.word_association:WordsAndNames",
        "relative-decision": "equipoise.instruments.relative_decision:RelativeDecision",
        "declared-pronouns": "equipoise.instruments.declared_pronouns:DeclaredPronouns",
        "epicene": "equipoise.instruments.epicene:Epicene",
        "honest": "equipoise.instruments.honest:Honest",
        "contexts": "equipoise.instruments.contexts:Contexts",
        "cosine": "equipoise.instruments.cosine:ContextCosine",
        "weat": "equipoise.instruments.weat:WordAssociation",
        "seat": "equipoise.instruments.seat:SentenceAssociation",
        "c-seat": "equipoise.instruments.c_seat:ContextualAssociation",
        "ceat": "equipoise.instruments.ceat:ContextualisedAssociation",
        "direct-bias": "equipoise.instruments.direct_bias:DirectBias",
        "ripa": "equipoise.instruments.ripa:RelationalInnerProduct",
        "neighbourhood": "equipoise.instruments.neighbourhood:Neighbourhood",
        "clustering": "equipoise.instruments.clustering:Clustering",
        "gender-probe": "equipoise.instruments.gender_probe:GenderProbe",
        "counterfactual-gap": "equipoise.instruments.counterfactual_gap:CounterfactualGap",
        "name-sensitivity": "equipoise.instruments.name_sensitivity:NameSensitivity",
        "net-neutral": "equipoise.instruments.net_neutral:NetNeutral",
        "equalised-odds": "equipoise.instruments.equalised_odds:EqualisedOdds",
    },
    "instrument",
    _declared,
)
"""Name to `module:class`, imported when it is asked for."""

DEFAULT_AUDIT = ("sbe", "tbe", "association", "stereotype-skew", "traits", "completions")
"""What `audit` runs on a masked model unless it is told to run everything."""

CAUSAL_AUDIT = (
    *("sbe", "tbe", "stereotype-skew", "traits"),
    *("word-association", "relative-decision", "declared-pronouns"),
)
"""What it runs on a causal model, which can neither hide a second word nor list the likeliest ones."""


def default_audit(kind: str) -> tuple[str, ...]:
    """What `audit` runs on a kind of model."""
    return CAUSAL_AUDIT if kind == "causal" else DEFAULT_AUDIT


def audit_names() -> list[str]:
    """Every instrument that can be loaded, for the full audit."""
    return INSTRUMENTS.usable()


@cache
def declared_quantities(name: str) -> Mapping[str, Quantity]:
    """Every number that an instrument declares, by its key and by its label, with men and women as sides."""
    if name not in INSTRUMENTS.usable():
        return {}
    declared = [one.of_poles("male", "female") for one in load_instrument(name).quantities]
    return {known: one for one in declared for known in (one.label, one.key)}


def load_instrument(name: str) -> Instrument[Any]:
    """The instrument of that name."""
    instrument: Instrument[Any] = INSTRUMENTS.load(name)
    return instrument


def every_instrument() -> list[Instrument[Any]]:
    """Every instrument that can be loaded: `INSTRUMENTS.problems` names those of packages that cannot."""
    return [load_instrument(name) for name in INSTRUMENTS.usable()]


def instrument_card(name: str) -> str:
    """The card of an instrument: the docstring of its module."""
    return card_of(type(INSTRUMENTS.load(name)))
