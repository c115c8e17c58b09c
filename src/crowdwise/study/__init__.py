"""What a result tells: annotators, agreement, uncertainty, explanations, comparisons."""
