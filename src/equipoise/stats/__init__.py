"""Intervals, tests, effect sizes and corrections: arithmetic that knows nothing of language.

The modules are imported one by one (`from equipoise.stats.clusters import wilson`), and
scipy.stats and statsmodels only inside the functions that need them, because importing those takes
most of a second.
"""
