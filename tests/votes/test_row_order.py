"""What goes in as row i comes out as row i, through every door, rows without votes included."""

import csv

import numpy as np
import pytest
from typer.testing import CliRunner

from crowdwise import Crowd, settle, simulate
from crowdwise.cli import app
from crowdwise.io import read_votes
from crowdwise.learn import CrowdClassifier


@pytest.fixture(scope="module")
def sparse():
    """A matrix of 200 rows, of which 40 are empty, their names in no order, and the truth."""
    made = simulate.crowd(simulate.one_coin(8, 3, 0.8), n_items=200, per_item=6, seed=0)
    matrix = np.full((200, 8), -1)
    matrix[made.crowd.item, made.crowd.annotator] = made.crowd.label
    rng = np.random.default_rng(0)
    matrix[rng.choice(200, 40, replace=False)] = -1
    return matrix, [f"r{name}" for name in rng.permutation(200)], made.truth


def right(labels, matrix, truth):
    heard = (matrix >= 0).any(axis=1)
    return (np.asarray(labels, int) == truth)[heard].mean()


def test_matrix(sparse):
    matrix, names, truth = sparse
    for items in (None, names):
        result = settle(Crowd.from_matrix(matrix, items=items), "dawid-skene")
        assert result.items.tolist() == (list(range(200)) if items is None else names)
        assert right(result.labels, matrix, truth) > 0.85


def test_frame_with_known_items(sparse):
    matrix, names, truth = sparse
    row, column = np.nonzero(matrix >= 0)
    crowd = Crowd.from_columns(np.array(names)[row], column, matrix[row, column], items=names)
    result = settle(crowd, "dawid-skene")
    assert result.items.tolist() == names
    assert right(result.labels, matrix, truth) > 0.85


def test_wide_table_and_labels_csv(sparse, tmp_path):
    matrix, names, truth = sparse
    wide = tmp_path / "wide.csv"
    rows = [[name, *("" if cell < 0 else str(cell) for cell in line)] for name, line in zip(names, matrix, strict=True)]
    wide.write_text("\n".join(map(",".join, [["item", *"abcdefgh"], *rows])) + "\n")
    assert read_votes(wide).crowd.items.tolist() == names
    done = CliRunner().invoke(app, ["aggregate", str(wide), "--out", str(tmp_path / "labels.csv")])
    assert done.exit_code == 0, done.output
    with open(tmp_path / "labels.csv") as file:
        written = list(csv.DictReader(file))
    assert [row["item"] for row in written] == names
    assert right([row["label"] for row in written], matrix, truth) > 0.85


def test_more_names_move_nothing(sparse):
    matrix, names, _ = sparse
    crowd = Crowd.from_matrix(matrix, items=names)
    wider = crowd.with_names(items=["late", names[3]], annotators=[99])
    assert wider.items.tolist() == [*names, "late"]
    assert (settle(wider, "dawid-skene").label_codes[:200] == settle(crowd, "dawid-skene").label_codes).all()


@pytest.mark.parametrize("items", [False, True])
def test_classifier(sparse, items):
    matrix, names, truth = sparse
    x = 3.0 * np.eye(3)[truth] + np.random.default_rng(1).normal(size=(200, 3))
    rows = {"items": names} if items else {}
    model = CrowdClassifier(network="linear", rate=1e-2, epochs=20).fit(x, matrix, **rows)
    found = model.infer(x, matrix, **rows)
    assert found.items.tolist() == (names if items else list(range(200)))
    assert (found.labels == truth).mean() > 0.85
