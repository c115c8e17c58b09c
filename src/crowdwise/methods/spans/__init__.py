"""Methods for spans and tags: a folder for each kind of answer, one file for each method."""
