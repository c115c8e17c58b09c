"""Find the spammers: whom to talk to, and why."""

from crowdwise.annotators import verdicts
from matplotlib.figure import Figure

from crowdwise import settle, simulate

people = simulate.one_coin(20, 3, accuracy=0.75) + simulate.spammers(4, 3) + simulate.adversaries(2, 3)
made = simulate.crowd(people, n_items=400, per_item=6, seed=0)
result = settle(made.crowd)
table = verdicts(made.crowd, result)
for row in table.take(slice(0, 8)).records():
    print(row["annotator"], row["verdict"], "-", row["reason"])

figure = Figure(figsize=(6, 4), layout="constrained")
axes = figure.subplots()
for verdict in dict.fromkeys(table["verdict"].tolist()):
    some = table["verdict"] == verdict
    axes.scatter(table["votes"][some], table["accuracy"][some], label=verdict)
axes.set(xlabel="votes", ylabel="accuracy")
axes.legend(frameon=False)
