"""How a network is trained: rows and votes in batches, the loop, checkpoints, files."""
