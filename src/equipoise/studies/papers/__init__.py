"""The tables and figures of published studies, from saved results."""
