"""Methods that climb: expectation maximisation over true classes."""
