"""Methods for similarities and groupings."""
