"""Which form a pronoun takes on the other side, and which pronouns stay."""
