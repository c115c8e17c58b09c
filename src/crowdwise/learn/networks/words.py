"""Words: texts as numbers without a vocabulary to download, and a small transformer over them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from zlib import crc32

import torch
from torch import Tensor, nn

BUCKETS = 30_000  # that words are hashed into; 0 is no word
WORD = re.compile(r"\w+|[^\w\s]")


def hashed_words(texts: Sequence[str], length: int) -> Tensor:
    """The first words of each text as numbers, and which of them are there, (texts, 2, length).

    >>> hashed_words(["a cat", "cat"], 3)[:, 1].tolist()
    [[1, 1, 0], [1, 0, 0]]
    """
    out = torch.zeros(len(texts), 2, length, dtype=torch.long)
    for row, each in enumerate(texts):
        words = [1 + crc32(word.encode()) % (BUCKETS - 1) for word in WORD.findall(each.lower())[:length]]
        out[row, 0, : len(words)] = torch.tensor(words, dtype=torch.long)
        out[row, 1, : max(len(words), 1)] = 1  # an empty text has one place that is no word
    return out


class Words(nn.Module):
    """Embeddings of words and places, two layers of attention, and their mean."""

    width = 96

    def __init__(self, longest: int = 512, dropout: float = 0.1):
        super().__init__()
        self.word, self.place = nn.Embedding(BUCKETS, self.width), nn.Embedding(longest, self.width)
        nn.init.normal_(self.word.weight, std=0.02)
        nn.init.normal_(self.place.weight, std=0.02)
        layer = nn.TransformerEncoderLayer(
            self.width, nhead=4, dim_feedforward=4 * self.width, dropout=dropout, batch_first=True, norm_first=True
        )
        self.layers = nn.TransformerEncoder(layer, num_layers=2, enable_nested_tensor=False)
        self.norm = nn.LayerNorm(self.width)

    def forward(self, x: Tensor) -> Tensor:
        there = x[:, 1].bool()
        place = torch.arange(x.shape[2], device=x.device).clamp_max(self.place.num_embeddings - 1)
        said = self.layers(self.word(x[:, 0]) + self.place(place), src_key_padding_mask=~there)
        weight = there[:, :, None].to(said.dtype)
        return self.norm((said * weight).sum(dim=1) / weight.sum(dim=1).clamp_min(1.0))
