"""ROVER: texts aligned word by word, and voted on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from ....methods import make
from ....votes.written import Texts


@dataclass
class ROVER:
    """Our `rover`: words are aligned to the text that is nearest to all others, and the vote decides word by word."""

    tokenizer: Callable[[str], list[str]]
    detokenizer: Callable[[list[str]], str]
    silent: bool = True
    texts_: Any = field(default=None, init=False)

    def fit(self, data: Any) -> ROVER:
        """Fit to a frame of task, worker and text."""
        import pandas as pd

        words = [" ".join(self.tokenizer(text)) for text in data["text"]]
        votes = Texts.from_columns(data["task"].to_numpy(), data["worker"].to_numpy(), words)
        table = make("rover").fit(votes).to_table()
        texts = [self.detokenizer(text.split()) for text in table["text"].tolist()]
        self.texts_ = pd.Series(texts, index=pd.Index(table["item"], name="task"), name="agg_text")
        return self

    def fit_predict(self, data: Any) -> Any:
        """The text of each task."""
        return self.fit(data).texts_
