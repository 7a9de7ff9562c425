"""Counterfactual rewriting: the same text about the other gender."""
