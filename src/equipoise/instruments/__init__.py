"""One published method per file; this index is the only place that lists them."""

from typing import Any

from equipoise.instruments.base import Instrument, refuse_undeclared
from equipoise.plugins import Index, card_of

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
)
"""Name to `module:class`, imported when it is asked for."""

DEFAULT_AUDIT = ("sbe", "tbe", "association", "stereotype-skew", "traits", "completions")
"""What `audit` runs unless it is told to run everything."""


def audit_names() -> list[str]:
    """Every instrument, for the full audit."""
    return list(INSTRUMENTS)


def load_instrument(name: str) -> Instrument[Any]:
    """The instrument of that name."""
    instrument: Instrument[Any] = INSTRUMENTS.load(name, "instrument")()
    refuse_undeclared(instrument)
    return instrument


def every_instrument() -> list[Instrument[Any]]:
    """Every instrument that can be loaded: `INSTRUMENTS.problems` names those of packages that cannot."""
    return [load_instrument(name) for name in INSTRUMENTS.usable("instrument")]


def instrument_card(name: str) -> str:
    """The card of an instrument: the docstring of its module."""
    return card_of(INSTRUMENTS.load(name, "instrument"))
