"""Models with a network: masked, causal, encoder-decoder and classifiers."""
