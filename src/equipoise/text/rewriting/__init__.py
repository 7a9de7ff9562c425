"""Counterfactual rewriting: gender inverted, neutral or anonymous, with an account of every change."""

from equipoise.text.rewriting.account import Change, Rewritten, Skip, undo
from equipoise.text.rewriting.inverting import Policy
from equipoise.text.rewriting.rewriter import MODES, Rewriter, rewrite

__all__ = ["MODES", "Change", "Policy", "Rewriter", "Rewritten", "Skip", "rewrite", "undo"]
