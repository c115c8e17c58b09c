"""Networks of other libraries, texts, tables of features: what a user has."""

import numpy as np
import pytest
import torch
from torch import nn

from crowdwise import InputError, simulate
from crowdwise.io import read_features
from crowdwise.learn import CrowdClassifier
from crowdwise.learn.networks.adapted import Adapted

pytestmark = pytest.mark.slow
GOOD = ["good", "fine", "lovely", "great", "superb", "nice", "pleasant", "warm"]
BAD = ["bad", "poor", "ugly", "awful", "grim", "nasty", "dull", "cold"]
PLAIN = ["the", "film", "was", "a", "story", "of", "two", "people", "in", "town", "who", "met", "one", "day", "and"]


@pytest.fixture(scope="module")
def reviews():
    """Texts that are good or bad by one or two words, and votes on them."""
    rng = np.random.default_rng(0)
    truth = rng.integers(2, size=400)
    texts = []
    for label in truth:
        words = [*rng.choice(PLAIN, 8), *rng.choice((BAD, GOOD)[label], 2)]
        texts.append(" ".join(rng.permutation(words)))
    votes = simulate.crowd(simulate.one_coin(8, 2, 0.8), truth=truth, per_item=3, seed=0).crowd
    return texts, truth, votes


class Said:
    """What models of transformers give."""

    def __init__(self, logits):
        self.logits = logits


class Tokens(nn.Module):
    """A model in the manners of transformers."""

    def __init__(self, n_classes=2):
        super().__init__()
        self.embedding = nn.Embedding(500, 16, padding_idx=0)
        self.classifier = nn.Linear(16, n_classes)

    def forward(self, input_ids=None, attention_mask=None):
        mask = attention_mask[:, :, None].float()
        return Said(self.classifier((self.embedding(input_ids) * mask).sum(dim=1) / mask.sum(dim=1)))


class Tokenizer:
    """A tokenizer in the manners of transformers: a vocabulary of its own."""

    def __init__(self):
        self.known = {word: 1 + place for place, word in enumerate([*GOOD, *BAD, *PLAIN])}

    def __call__(self, texts, padding, truncation, max_length):
        assert padding == "max_length" and truncation
        rows = [[self.known[word] for word in text.split()][:max_length] for text in texts]
        pad = [max_length - len(row) for row in rows]
        return {
            "input_ids": [row + [0] * more for row, more in zip(rows, pad, strict=True)],
            "attention_mask": [[1] * len(row) + [0] * more for row, more in zip(rows, pad, strict=True)],
        }


@pytest.mark.parametrize("objective", ["auto", "max-mig", "doctor-net"])
def test_models_and_tokenizers_of_transformers(objective, reviews, tmp_path):
    texts, truth, votes = reviews
    torch.manual_seed(0)  # where the network starts must not hang on the tests before
    how = {"epochs": 30, "rate": 1e-2, "length": 16}
    model = CrowdClassifier(Tokens(), objective, tokenizer=Tokenizer(), **how).fit(texts, votes)
    assert model.score(texts, truth) > 0.9
    assert (model.infer(texts, votes).labels == truth).mean() > 0.8
    model.save(tmp_path / "m.npz")
    with pytest.raises(InputError, match="trained with a tokenizer: give it"):
        CrowdClassifier.load(tmp_path / "m.npz", network=Tokens())
    again = CrowdClassifier.load(tmp_path / "m.npz", network=Tokens(), tokenizer=Tokenizer())
    np.testing.assert_allclose(again.predict_proba(texts), model.predict_proba(texts), atol=1e-5)


def test_texts_without_anything_else(reviews, tmp_path):
    texts, truth, votes = reviews
    model = CrowdClassifier("text", "max-mig", epochs=12, rate=2e-3, length=16).fit(texts, votes)
    assert model.score(texts, truth) > 0.9
    model.save(tmp_path / "m.npz")
    again = CrowdClassifier.load(tmp_path / "m.npz")
    np.testing.assert_allclose(again.predict_proba(texts), model.predict_proba(texts), atol=1e-5)
    assert again.predict_proba(["", "good"]).shape == (2, 2)
    with pytest.raises(InputError, match="X, row 1: 3 is no text"):
        model.predict(["a", 3])
    with pytest.raises(InputError, match="annot-mix mixes features"):
        CrowdClassifier("text", "annot-mix", epochs=1).fit(texts, votes)
    with pytest.raises(InputError, match="harden changes numbers"):
        CrowdClassifier("text", harden=0.1).fit(texts, votes)


class Vision(nn.Module):
    """A model in the manners of torchvision and timm: a backbone, and a head called fc."""

    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(1, 4, 3)
        self.fc = nn.Linear(4, 3)

    def forward(self, x):
        return self.fc(torch.relu(self.conv(x)).mean(dim=(2, 3)))


def test_features_are_what_goes_into_the_last_layer():
    torch.manual_seed(0)
    plain, x = Vision(), torch.randn(5, 1, 8, 8)
    said = Adapted(plain)(x)
    torch.testing.assert_close(said.logits, plain(x))
    torch.testing.assert_close(plain.fc(said.features), said.logits)
    nothing = Adapted(nn.Flatten())(x)
    torch.testing.assert_close(nothing.features, nothing.logits)


def test_a_module_for_five_networks():
    """Each begins as a copy of it; the one that was given stays as it is."""
    rng = np.random.default_rng(0)
    truth = rng.integers(3, size=240)
    x = (rng.normal(size=(240, 1, 8, 8)) + 2.0 * truth[:, None, None, None]).astype(np.float32)
    votes = simulate.crowd(simulate.one_coin(6, 3, 0.8), truth=truth, per_item=3, seed=0).crowd
    given = Vision()
    before = {name: value.clone() for name, value in given.state_dict().items()}
    model = CrowdClassifier(given, "cross-fit", epochs=15, rate=2e-2).fit(x, votes)
    assert len(model.fitted_.learner.network) == 5 and model.score(x, truth) > 0.8
    assert all(torch.equal(value, before[name]) for name, value in given.state_dict().items())


def test_transformers_themselves(reviews):
    transformers = pytest.importorskip("transformers", reason="transformers is not installed")
    texts, _, votes = reviews
    config = transformers.DistilBertConfig(
        vocab_size=500, dim=16, n_layers=1, n_heads=2, hidden_dim=32, max_position_embeddings=32, num_labels=2
    )
    made = transformers.DistilBertForSequenceClassification(config)
    model = CrowdClassifier(made, "max-mig", tokenizer=Tokenizer(), epochs=1, length=16).fit(texts, votes)
    assert model.predict_proba(texts).shape == (400, 2)


def test_one_label_for_each_row(points):
    x, made = points
    model = CrowdClassifier("linear", "two-stage", epochs=20, rate=1e-2).fit(x, made.truth)
    assert model.score(x, made.truth) > 0.9 and model.annotators_.tolist() == ["labels"]
    with pytest.raises(InputError, match="votes have 400 rows, and X has 10"):
        CrowdClassifier("linear").fit(x[:10], made.truth)


def test_tables_of_features(tmp_path):
    (tmp_path / "f.csv").write_text("item,width,height\na,1.5,2\nb,3,4\n")
    read = read_features(tmp_path / "f.csv")
    np.testing.assert_allclose(read.X, [[1.5, 2.0], [3.0, 4.0]])
    assert read.item.tolist() == ["a", "b"]
    (tmp_path / "t.csv").write_text("item,review,stars\na,fine film,3\nb,dull,4\n")
    assert read_features(tmp_path / "t.csv", "review").X.tolist() == ["fine film", "dull"]
    (tmp_path / "gap.csv").write_text("item,width\na,1\nb,\n")
    (tmp_path / "bare.csv").write_text("width\n1\n")
    (tmp_path / "alone.csv").write_text("item\na\n")
    for name, text, message in (
        ("t.csv", None, "row 2, column review: 'fine film' is no number; a column of texts is named by --text review"),
        ("t.csv", "odd", "has no column 'odd'; it has review, stars"),
        ("gap.csv", None, "row 3, column width: a number is missing"),
        ("bare.csv", None, "features are an .npz, or a table with an item column"),
        ("alone.csv", None, "there are no features"),
    ):
        with pytest.raises(InputError, match=message):
            read_features(tmp_path / name, text)
