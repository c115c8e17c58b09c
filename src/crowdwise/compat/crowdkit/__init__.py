"""crowd-kit's names on our engine: change `crowdkit` to `crowdwise.compat.crowdkit` in an import, and be faster.

Where a result is determined by its definition it is equal; elsewhere it is our method of that name (docs: crowd-kit).
"""
