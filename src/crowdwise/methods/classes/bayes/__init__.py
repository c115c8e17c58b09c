"""Methods that are sure of nothing: posteriors over annotators, by variational Bayes, sampling or messages."""
