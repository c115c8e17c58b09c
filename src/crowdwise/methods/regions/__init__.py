"""Methods for boxes and masks."""
