"""Language models: the same questions about text, whatever the architecture."""
