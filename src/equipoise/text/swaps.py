"""Words exchanged by a list of the user's own: a plain map, as published augmentations have one."""

import re
from collections.abc import Mapping

from equipoise.text.rewriting.account import Change, Rewritten, apply_changes, coin
from equipoise.text.rewriting.find.tokens import match_case
from equipoise.text.rewriting.rewriter import Rewriter

MODES = ("invert", "substitute", "augment")
"""Ways of rewriting that need no more than a map of words."""


class WordSwaps:
    """Exchanges the words of a map, and no others; `partners` are in lower case.

    A pronoun may have several partners: then the sentence decides, as it does for our own rewriter.
    """

    def __init__(self, partners: Mapping[str, tuple[str, ...]], mode: str, seed: int) -> None:
        self.partners, self.mode, self.seed = partners, mode, seed
        longest_first = sorted(partners, key=len, reverse=True)
        listed = "|".join(map(re.escape, longest_first))
        self._pattern = re.compile(rf"(?<!\w)(?:{listed})(?!\w)", re.IGNORECASE)
        self._rewriter = Rewriter("invert", names=False)

    def rewrite(self, text: str) -> Rewritten:
        """The text with every listed word exchanged, if the document is drawn, and the account."""
        if self.mode == "substitute" and not coin(self.seed, text):
            return Rewritten(text, mode=self.mode)
        forms: dict[int, str] | None = None
        changes = []
        for match in self._pattern.finditer(text):
            options = self.partners[match[0].lower()]
            new = options[0]
            if len(options) > 1:
                forms = self._forms(text) if forms is None else forms
                new = forms.get(match.start(), new)
                new = new if new in options else options[0]
            changes.append(Change(*match.span(), match[0], match_case(match[0], new), "own list"))
        return Rewritten(apply_changes(text, changes), tuple(changes), mode=self.mode)

    def _forms(self, text: str) -> dict[int, str]:
        """What our own rewriter makes of each word, by its place."""
        return {change.start: change.new.lower() for change in self._rewriter.rewrite(text).changes}
