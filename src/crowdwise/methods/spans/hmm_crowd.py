"""HMM-Crowd: annotators' confusion matrices over a hidden Markov chain of tags."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from .tag_em import TagEM


@dataclass(frozen=True, kw_only=True)
class HMMCrowd(TagEM):
    r"""Dawid and Skene's annotators over tags that follow each other, by EM or variational Bayes.

    The true tags of a document are a chain, :math:`P(z_t = l \mid z_{t-1} = k) = T_{kl}`, and annotator j says l of a
    token whose tag is k with chance :math:`A_j[k, l]`. The E-step is forward and backward along each document:

    .. math::
        q(z) \propto T_{0 z_1} \prod_t T_{z_{t-1} z_t} \prod_j A_j[z_t, y_{jt}]

    O(votes x tags + tokens x tags^2) a step. I-x never follows anything but B-x and I-x. Use it where only tags are
    known; `bsc-seq` also knows that an annotator's tag depends on the last one of theirs.

    Parameters are those of every method for spans: diagonal, rest, chain_pseudo, variational (False is the paper's EM),
    decode, max_iter, tol, restarts, accelerate, seed.

    Reference: Nguyen, Wallace, Li, Nenkova & Lease, ACL 2017, section 3; by variational Bayes as in Simpson & Gurevych
    2019.

    >>> from crowdwise import HMMCrowd, simulate
    >>> made = simulate.spans(n_documents=60, n_annotators=10, per_document=5, seed=0)
    >>> result = HMMCrowd().fit(made.spans)
    >>> result.to_table().columns.keys()
    dict_keys(['document', 'begin', 'end', 'label', 'confidence'])
    """

    name: ClassVar[str] = "hmm-crowd"
    diagonal: float = 1.0
    rest: float = 0.1
