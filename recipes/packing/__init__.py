"""Packing: a masked language model in about five bits per weight, to be unpacked by `equipoise`."""

from recipes.packing.settings import Recipe, read_recipe

__all__ = ["Recipe", "read_recipe"]
