"""First labels: votes in, labels with how sure they are out."""

from crowdwise import settle, simulate

people = simulate.one_coin(15, 3, accuracy=0.75) + simulate.spammers(5, 3)
made = simulate.crowd(people, n_items=300, per_item=5, seed=0, classes=["cat", "dog", "owl"])

result = settle(made.crowd)
print(result.to_table().take(slice(0, 5)).records())
print(*result.notes, sep="\n")
print("right:", (result.labels == made.truth).mean())

figure = result.plot()
