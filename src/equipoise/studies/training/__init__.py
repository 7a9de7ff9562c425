"""Studies that train: on a corpus, on rewritten text, on hidden pronouns; word vectors of groups."""
