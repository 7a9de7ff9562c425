"""What a corpus says about gender: reading, contexts, co-occurrence, flagged sentences; always as a stream."""
