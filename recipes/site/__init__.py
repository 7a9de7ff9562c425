"""The documentation as a static site: the pages of `docs/`, and a reference made from cards and help."""
