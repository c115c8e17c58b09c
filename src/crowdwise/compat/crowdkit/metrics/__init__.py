"""Metrics of answers and of workers, by crowd-kit's names."""
