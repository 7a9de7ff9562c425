"""What a change of a model removed and what it cost."""
