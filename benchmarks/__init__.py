"""Speed and memory, as ratios in one run against the other way of doing the same work."""
