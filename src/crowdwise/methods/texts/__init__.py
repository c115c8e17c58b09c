"""Methods for texts."""
