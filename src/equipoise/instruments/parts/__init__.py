"""What several instruments share: poles at a blank, preferences between pairs, estimates, fragility."""
