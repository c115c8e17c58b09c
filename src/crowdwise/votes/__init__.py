"""What was said: votes of every kind, the names behind them, and what is known beforehand."""
