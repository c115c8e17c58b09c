"""Same or different: clusters from answers to pairs."""

from collections import Counter

from matplotlib.figure import Figure

from crowdwise import settle, simulate

made = simulate.similarities(n_items=60, n_clusters=4, n_annotators=10, n_votes=3000, seed=0)
result = settle(made[0])
table = result.to_table()
sizes = Counter(table["cluster"].tolist())
print(sizes)

figure = Figure(figsize=(5, 3), layout="constrained")
axes = figure.subplots()
axes.bar([str(name) for name in sizes], list(sizes.values()))
axes.set(xlabel="cluster", ylabel="items")
