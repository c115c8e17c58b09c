"""Aggregation methods: one file for each method, holding only its mathematics."""
