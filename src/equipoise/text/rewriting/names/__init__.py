"""Which words are first names of persons, and what they become."""
