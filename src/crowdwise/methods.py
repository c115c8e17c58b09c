"""METHODS: every method by name, with one line, cost and reference. A class is loaded when it is used."""

from __future__ import annotations

from dataclasses import dataclass, fields
from difflib import get_close_matches
from importlib import import_module
from typing import TYPE_CHECKING, Any

from .errors import InputError

if TYPE_CHECKING:
    from .base import Aggregator


@dataclass(frozen=True)
class Method:
    """An entry of METHODS: where the class is, and what a person wants to know before choosing it."""

    where: str
    line: str
    cost: str
    reference: str
    usual: bool = True
    """Whether a comparison takes it unasked: not those that sample, nor those for ordered classes."""

    @property
    def class_name(self) -> str:
        """Name of the class."""
        return self.where.partition(":")[2]

    def load(self) -> type[Aggregator]:
        """The class itself."""
        module, _, name = self.where.partition(":")
        loaded: type[Aggregator] = getattr(import_module(f"crowdwise.{module}"), name)
        return loaded


METHODS = {
    "auto": Method(
        "aggregate.auto:Auto",
        "a committee of different models on votes weighted for dependence: no choice needed",
        "seven fits",
        "crowdwise",
    ),
    "majority-vote": Method(
        "aggregate.majority_vote:MajorityVote",
        "the class that most annotators name",
        "votes",
        "Sheng, Provost & Ipeirotis 2008",
    ),
    "wawa": Method(
        "aggregate.wawa:Wawa",
        "votes weighted by agreement with the majority",
        "votes",
        "Appen 2021",
    ),
    "zero-based-skill": Method(
        "aggregate.zero_based_skill:ZeroBasedSkill",
        "votes weighted by skills that follow their agreement with the outcome",
        "votes, a step",
        "Ustalov, Pavlichenko & Tseitlin 2024",
    ),
    "dawid-skene": Method(
        "aggregate.dawid_skene:DawidSkene",
        "a confusion matrix for each annotator, by EM",
        "votes x classes, a step",
        "Dawid & Skene 1979",
    ),
    "one-coin": Method(
        "aggregate.one_coin:OneCoin",
        "one accuracy for each annotator, by EM",
        "votes + items x classes, a step",
        "Zhang, Chen, Zhou & Jordan 2016",
    ),
    "confusion-vector": Method(
        "aggregate.confusion_vector:ConfusionVector",
        "one accuracy for each annotator and class, by EM",
        "votes x classes, a step",
        "Raykar et al. 2010",
    ),
    "ibcc": Method(
        "aggregate.ibcc:IBCC",
        "Dawid-Skene with Dirichlet priors, learned from the crowd, by variational Bayes",
        "votes x classes, a step",
        "Kim & Ghahramani 2012",
    ),
    "gibbs": Method(
        "aggregate.gibbs:Gibbs",
        "the model of IBCC drawn from by Gibbs sampling: several chains, R-hat, posterior draws",
        "chains x votes x classes, a sweep",
        "Kim & Ghahramani 2012",
        usual=False,
    ),
    "community-bcc": Method(
        "aggregate.community_bcc:CommunityBCC",
        "annotators in communities whose members err alike, by variational Bayes",
        "votes x classes + communities x annotators x classes^2, a step",
        "Venanzi et al. 2014",
    ),
    "ebcc": Method(
        "aggregate.ebcc:EBCC",
        "IBCC whose classes have sub-types, so that annotators may err together",
        "votes x classes x types, a step",
        "Li, Rubinstein & Cohn 2019",
    ),
    "glad": Method(
        "aggregate.glad:GLAD",
        "an ability for each annotator, a difficulty for each item, by EM",
        "votes x classes x levels, a step",
        "Whitehill et al. 2009",
    ),
    "belief-propagation": Method(
        "aggregate.belief_propagation:BeliefPropagation",
        "messages between items and annotators, confusion matrices summed out under any prior",
        "votes x classes x points of the prior, a round",
        "Liu, Peng & Ihler 2012",
    ),
    "mean-field": Method(
        "aggregate.mean_field:MeanField",
        "mean-field inference under any prior on annotators",
        "votes x classes, a step",
        "Liu, Peng & Ihler 2012",
    ),
    "minimax-entropy": Method(
        "aggregate.minimax_entropy:MinimaxEntropy",
        "a table of log-odds for each annotator and each item, regularised",
        "votes x classes^2, a step",
        "Zhou, Basu, Mao & Platt 2012",
    ),
    "max-margin": Method(
        "aggregate.max_margin:MaxMargin",
        "weights under which the winning class of every item wins by a margin",
        "votes + items x classes, a step",
        "Tian & Zhu 2015",
    ),
    "crowd-svm": Method(
        "aggregate.crowd_svm:CrowdSVM",
        "Gibbs sampling with a weighted vote that must win by a margin",
        "chains x (votes x classes + annotators^3), a sweep",
        "Tian & Zhu 2015",
        usual=False,
    ),
    "ordinal": Method(
        "aggregate.ordinal:Ordinal",
        "classes in an order: errors fall off with distance, a bias and a spread for each annotator",
        "votes x classes, a step",
        "Rogers, Girolami & Polajnar 2010",
        usual=False,
    ),
    "ordinal-thresholds": Method(
        "aggregate.ordinal_thresholds:OrdinalThresholds",
        "classes in an order: a two-class problem at each threshold",
        "votes x classes, a step",
        "Raykar et al. 2010",
        usual=False,
    ),
    "bwa": Method(
        "aggregate.bwa:BWA",
        "votes averaged with a precision for each annotator and class",
        "votes + (items + annotators) x classes, a step",
        "Li, Rubinstein & Cohn, WWW 2019",
    ),
    "crh": Method(
        "aggregate.crh:CRH",
        "votes weighted by the logarithm of error rates, truths and weights in turn",
        "votes, a step",
        "Li et al., SIGMOD 2014",
    ),
    "catd": Method(
        "aggregate.catd:CATD",
        "votes weighted by a confidence bound of each annotator's error, truths and weights in turn",
        "votes, a step",
        "Li et al., PVLDB 2014",
    ),
    "mace": Method(
        "aggregate.mace:MACE",
        "annotators who answer honestly or spam with labels of their own, by EM",
        "votes + items x classes, a step",
        "Hovy et al. 2013",
    ),
    "zencrowd": Method(
        "aggregate.zencrowd:ZenCrowd",
        "one reliability for each annotator, all classes equally likely, by EM",
        "votes + items x classes, a step",
        "Demartini, Difallah & Cudré-Mauroux 2012",
    ),
}


def get(name: str) -> type[Aggregator]:
    """The class of a method by its name.

    >>> get("dawid-skene").__name__
    'DawidSkene'
    """
    if name not in METHODS:
        near = get_close_matches(name, METHODS, n=1)
        hint = f"did you mean {near[0]!r}?" if near else f"choose {', '.join(METHODS)}"
        raise InputError(f"method {name!r} is unknown: {hint}")
    return METHODS[name].load()


def make(name: str, **options: Any) -> Aggregator:
    """A method with options; an option that it does not have is an error that lists those it has.

    >>> make("dawid-skene", max_iter=3).max_iter
    3
    """
    method = get(name)
    known = [field.name for field in fields(method)]
    for option in options:
        if option not in known:
            raise InputError(f"{name} has no option {option!r}: it has {', '.join(known)}")
    return method(**options)
