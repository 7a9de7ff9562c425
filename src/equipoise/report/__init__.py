"""Report: tables, charts and pages made of results."""
