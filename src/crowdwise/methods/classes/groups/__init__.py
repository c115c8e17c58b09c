"""Methods for annotators who err together."""
