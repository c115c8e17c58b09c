"""Colluders: 27 of 60 people agree on what to say, and are found out."""

import numpy as np
from matplotlib.figure import Figure

from crowdwise import DawidSkene, MajorityVote, settle, simulate

right = {"majority vote": [], "Dawid-Skene alone": [], "settle": []}
for seed in range(4):
    people = simulate.one_coin(33, 3, 0.73) + simulate.colluders(27, 3, p_corr=0.9, accuracy=1.0)
    made = simulate.crowd(people, n_items=400, per_item=40, seed=seed)
    found = settle(made.crowd, "dawid-skene")
    for name, labels in (
        ("majority vote", MajorityVote().fit(made.crowd).labels),
        ("Dawid-Skene alone", DawidSkene().fit(made.crowd).labels),
        ("settle", found.labels),
    ):
        right[name].append((labels == made.truth).mean())
print(found.notes[-1])

figure = Figure(figsize=(6, 3), layout="constrained")
axes = figure.subplots()
axes.bar(list(right), [np.mean(values) for values in right.values()])
axes.set(ylabel="accuracy", ylim=(0, 1))
