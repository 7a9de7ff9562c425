"""Results: every item with its signed score, the estimates with their intervals, and where they came from."""

from equipoise.results.estimate import Estimate, Summary
from equipoise.results.quantity import Quantity, Roles
from equipoise.results.result import Result, load_result, load_results

__all__ = ["Estimate", "Quantity", "Result", "Roles", "Summary", "load_result", "load_results"]
