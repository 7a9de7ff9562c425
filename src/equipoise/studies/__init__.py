"""Studies: measurements composed into an answer, such as which of several models leans least."""
