"""Networks that learn numbers: values from ratings, scores from comparisons, rewards from preferences."""
