"""The engine: questions as rows, one plan for all of them, answers kept by content."""
