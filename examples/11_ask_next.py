"""Ask next: a plan that reaches the accuracy of all votes with half of them."""

from crowdwise import simulate
from crowdwise.collect import replay

people = simulate.one_coin(20, 2, accuracy=[0.55 + 0.02 * k for k in range(20)])
made = simulate.crowd(people, n_items=200, per_item=8, seed=0)
truth = dict(enumerate(made.truth.tolist()))
found = replay(made.crowd, truth, ["cover", "overlap", "random"], seeds=2, batches=20)
for row in found.reach.records():
    print(row["policy"], "reaches the accuracy of all votes, less .01, with", round(row["reach"], 2), "of them")

figure = found.plot()
