"""Finding what may be turned: words, sentences, markup and titles of works."""
