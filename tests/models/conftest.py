"""The two-layer model, and the same packed without loss."""

from packable import pack_as_it_is, tiny_source

__all__ = ["pack_as_it_is", "tiny_source"]
