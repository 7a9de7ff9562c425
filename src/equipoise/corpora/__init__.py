"""What a corpus says about gender: reading, contexts, co-occurrence, flags; always as a stream."""
