"""Packing: a masked language model in about five bits per weight, and back again."""

from equipoise.models.packing.package import is_packed, load_packed, read_description
from equipoise.models.packing.settings import Recipe, read_recipe

__all__ = ["Recipe", "is_packed", "load_packed", "read_description", "read_recipe"]
