"""Methods for ratings."""
