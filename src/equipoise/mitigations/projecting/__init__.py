"""What the published projections share: gendered sentences, their vectors, and folding into weights."""
