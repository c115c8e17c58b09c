"""Accuracy, speed and memory, ours beside the peers', in one run."""
