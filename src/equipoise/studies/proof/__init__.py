"""Proof: published numbers checked, controls that can fail, models to rank among."""
