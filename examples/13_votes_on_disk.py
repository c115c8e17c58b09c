"""Votes on disk: packed once, fitted block by block; Spark takes the same blocks (`crowdwise.scale.spark`)."""

import pyarrow.parquet as pq
from matplotlib.figure import Figure

from crowdwise import simulate
from crowdwise.scale import fit, pack

made = simulate.crowd(simulate.dirichlet(100, 4, seed=1), n_items=20_000, per_item=5, seed=0)
blocks = pack(made.crowd, "packed", block_votes=30_000)
found = fit("dawid-skene", blocks, out="labels")
print(blocks, pq.read_table("labels").num_rows, "labels")

figure = Figure(figsize=(6, 3), layout="constrained")
axes = figure.subplots()
axes.plot(range(1, len(found.trace) + 1), found.trace, marker=".")
axes.set(xlabel="step", ylabel="objective, which never falls")
