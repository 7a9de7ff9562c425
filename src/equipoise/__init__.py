"""Equipoise measures gender bias in language models and tests whether a mitigation removed it.

The public names are loaded when they are first used: `import equipoise` costs no torch.
"""

from importlib import import_module
from typing import Any

__version__ = "0.1.0"

_PUBLIC = {
    "Callback": "equipoise.callback",
    "Comparison": "equipoise.results.comparison",
    "CorpusChoice": "equipoise.corpora.opening",
    "LanguageModel": "equipoise.models.protocol",
    "RunOptions": "equipoise.models.options",
    "Result": "equipoise.results",
    "Rewriter": "equipoise.text.rewriting",
    "Settings": "equipoise.instruments.base",
    "TableModel": "equipoise.models.table",
    "UserError": "equipoise.errors",
    "audit": "equipoise.measuring",
    "check": "equipoise.report.gate",
    "compare": "equipoise.results.comparison",
    "connect": "equipoise.models.remote.loader",
    "load_model": "equipoise.models.loading",
    "load_result": "equipoise.results",
    "load_results": "equipoise.results",
    "measure": "equipoise.measuring",
    "mitigate": "equipoise.mitigating",
    "push": "equipoise.report.publishing",
    "render": "equipoise.report.page",
    "rewrite": "equipoise.text.rewriting",
    "wrap_model": "equipoise.models.loading.networks",
}

__all__ = sorted(_PUBLIC)


def __getattr__(name: str) -> Any:
    if name not in _PUBLIC:
        raise AttributeError(f"module 'equipoise' has no attribute {name!r}")
    return getattr(import_module(_PUBLIC[name]), name)


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
