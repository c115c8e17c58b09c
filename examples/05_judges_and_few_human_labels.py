"""Judges and few human labels: ten of them turn a panel that is mostly wrong."""

import numpy as np
from matplotlib.figure import Figure

from crowdwise import DawidSkene, GoldLogistic, judges, simulate

people = simulate.correlated_group(8, 2, accuracy=0.35, follow=0.7) + simulate.one_coin(4, 2, 0.8)
made = simulate.crowd(people, n_items=500, graph="dense", seed=2)
crowd = made.crowd.derive(annotator_extra={"family": np.array(["cheap"] * 8 + ["good"] * 4)})
truth = dict(enumerate(made.truth.tolist()))
print(judges.worth(crowd, human=truth, family="family").records())

sizes, panel = [0, 10, 20, 50, 100], []
for n in sizes:
    human = {item: truth[item] for item in range(n)} or None
    found = GoldLogistic(by="family").fit(crowd, gold=human)
    panel.append((found.labels[100:] == made.truth[100:]).mean())
print("Dawid-Skene, no human label:", (DawidSkene().fit(crowd).labels == made.truth).mean())

figure = Figure(figsize=(6, 3), layout="constrained")
axes = figure.subplots()
axes.plot(sizes, panel, marker="o")
axes.set(xlabel="human labels", ylabel="accuracy of the panel's labels", ylim=(0, 1))
