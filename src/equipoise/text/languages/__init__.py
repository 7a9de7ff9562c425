"""What is said of each language: words, articles and agreement."""
