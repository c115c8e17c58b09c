"""cleanlab's names on our engine: change `cleanlab` to `crowdwise.compat.cleanlab` in an import, and be faster."""
