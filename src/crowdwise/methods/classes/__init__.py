"""Aggregation methods: one file a method, holding only its mathematics."""
