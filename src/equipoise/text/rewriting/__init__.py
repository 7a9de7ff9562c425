"""Counterfactual rewriting of text."""
