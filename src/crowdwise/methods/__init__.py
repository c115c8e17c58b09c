"""METHODS: every method by name. The command line, the docs, the tests and `crowdwise.YourMethod` follow from it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from ..fit.options import require_known
from ..registry import Entry, Registry

if TYPE_CHECKING:
    from ..fit.aggregator import Aggregator
    from ..fit.method import Method


@dataclass(frozen=True)
class MethodEntry(Entry):
    """What a person wants to know before choosing a method."""

    room: ClassVar[str] = "crowdwise.methods"
    line: str
    cost: str
    reference: str
    usual: bool = True
    """Whether a comparison takes it unasked: not samplers, nor what needs ordered classes or many shared items."""
    takes: str = "classes"
    """The kind of votes that it is for."""

    def load(self) -> type[Method[Any, Any]]:
        loaded: type[Method[Any, Any]] = super().load()
        return loaded


OWN = {
    "auto": MethodEntry(
        ".classes.auto:Auto",
        "a committee of different models on votes weighted for dependence: no choice needed",
        "seven fits; six where votes are many",
        "crowdwise",
    ),
    "live": MethodEntry(
        ".classes.bayes.live:Live",
        "confusion matrices that borrow from a coin, in four sweeps: for votes that are still coming in",
        "four passes over the votes",
        "crowdwise",
        usual=False,
    ),
    "majority-vote": MethodEntry(
        ".classes.votes.majority_vote:MajorityVote",
        "the class that most annotators name",
        "votes",
        "Sheng, Provost & Ipeirotis 2008",
    ),
    "group-vote": MethodEntry(
        ".classes.groups.group_vote:GroupVote",
        "the class that most groups name, each group what most of its members do",
        "votes, and finding groups",
        "Traganitis & Giannakis 2022",
    ),
    "gold-vote": MethodEntry(
        ".classes.votes.gold_vote:GoldVote",
        "votes weighted by their annotators' record on known labels",
        "votes",
        "Nitzan & Paroush 1982",
        usual=False,
    ),
    "gold-logistic": MethodEntry(
        ".classes.votes.gold_logistic:GoldLogistic",
        "a ridge regression on known labels of what families of annotators say",
        "votes + known labels x families x classes, a step",
        "Wolpert 1992",
        usual=False,
    ),
    "wawa": MethodEntry(
        ".classes.votes.wawa:Wawa",
        "votes weighted by agreement with the majority",
        "votes",
        "Appen 2021",
    ),
    "zero-based-skill": MethodEntry(
        ".classes.votes.zero_based_skill:ZeroBasedSkill",
        "votes weighted by skills that follow their agreement with the outcome",
        "votes, a step",
        "Ustalov, Pavlichenko & Tseitlin 2024",
    ),
    "dawid-skene": MethodEntry(
        ".classes.em.dawid_skene:DawidSkene",
        "a confusion matrix for each annotator, by EM",
        "votes x classes, a step",
        "Dawid & Skene 1979",
    ),
    "one-coin": MethodEntry(
        ".classes.em.one_coin:OneCoin",
        "one accuracy for each annotator, by EM",
        "votes + items x classes, a step",
        "Zhang, Chen, Zhou & Jordan 2016",
    ),
    "confusion-vector": MethodEntry(
        ".classes.em.confusion_vector:ConfusionVector",
        "one accuracy for each annotator and class, by EM",
        "votes x classes, a step",
        "Raykar et al. 2010",
    ),
    "spem": MethodEntry(
        ".classes.em.spem:SpEM",
        "Dawid-Skene that takes annotators for spammers unless their votes speak against it",
        "votes x classes + annotators x classes^2, a step",
        "Raykar & Yu 2012",
    ),
    "ibcc": MethodEntry(
        ".classes.bayes.ibcc:IBCC",
        "Dawid-Skene with Dirichlet priors, learned from the crowd, by variational Bayes",
        "votes x classes, a step",
        "Kim & Ghahramani 2012",
    ),
    "gibbs": MethodEntry(
        ".classes.bayes.gibbs:Gibbs",
        "the model of IBCC drawn from by Gibbs sampling: several chains, R-hat, posterior draws",
        "chains x votes x classes, a sweep",
        "Kim & Ghahramani 2012",
        usual=False,
    ),
    "nonparametric-bcc": MethodEntry(
        ".classes.bayes.nonparametric_bcc:NonparametricBCC",
        "annotators in as many clusters as votes call for, each with one confusion matrix, by Gibbs sampling",
        "chains x (votes x classes + annotators x clusters x classes^2), a sweep",
        "Moreno et al. 2015",
        usual=False,
    ),
    "community-bcc": MethodEntry(
        ".classes.bayes.community_bcc:CommunityBCC",
        "annotators in communities whose members err alike, by variational Bayes",
        "votes x classes + communities x annotators x classes^2, a step",
        "Venanzi et al. 2014",
    ),
    "ebcc": MethodEntry(
        ".classes.bayes.ebcc:EBCC",
        "IBCC whose classes have sub-types, so that annotators may err together",
        "votes x classes x types, a step",
        "Li, Rubinstein & Cohn 2019",
    ),
    "group-dawid-skene": MethodEntry(
        ".classes.groups.group_dawid_skene:GroupDawidSkene",
        "Dawid-Skene for annotators in groups, each with a hidden opinion of its own, by EM",
        "votes x classes + items x groups x classes^2, a step",
        "Traganitis & Giannakis 2022",
    ),
    "attribute-dawid-skene": MethodEntry(
        ".classes.groups.attribute_dawid_skene:AttributeDawidSkene",
        "Dawid-Skene whose annotators may treat items otherwise by an attribute of the item, partially pooled, by EM",
        "votes x classes, a step",
        "Guo et al. 2023",
    ),
    "follow-dawid-skene": MethodEntry(
        ".classes.groups.follow_dawid_skene:FollowDawidSkene",
        "Dawid-Skene for annotators who repeat their group's opinion, or vote on their own, by EM",
        "votes x classes^2 + items x groups x classes^2, a step",
        "crowdwise, after Traganitis & Giannakis 2022",
    ),
    "worker-clusters": MethodEntry(
        ".classes.groups.worker_clusters:WorkerClusters",
        "annotators in clusters, one confusion matrix for each cluster, by EM",
        "votes x classes + clusters x annotators x classes^2, a step",
        "Imamura, Sato & Sugiyama 2018",
    ),
    "data-programming": MethodEntry(
        ".classes.em.data_programming:DataProgramming",
        "labelling functions with a coverage and an accuracy; to abstain is to give no vote",
        "votes + items x classes, a step",
        "Ratner et al. 2016",
        usual=False,
    ),
    "glad": MethodEntry(
        ".classes.em.glad:GLAD",
        "an ability for each annotator, a difficulty for each item, by EM",
        "votes x classes x levels, a step",
        "Whitehill et al. 2009",
    ),
    "belief-propagation": MethodEntry(
        ".classes.bayes.belief_propagation:BeliefPropagation",
        "messages between items and annotators, confusion matrices summed out under any prior",
        "votes x classes x points of the prior, a round",
        "Liu, Peng & Ihler 2012",
    ),
    "mean-field": MethodEntry(
        ".classes.bayes.mean_field:MeanField",
        "mean-field inference under any prior on annotators",
        "votes x classes, a step",
        "Liu, Peng & Ihler 2012",
    ),
    "minimax-entropy": MethodEntry(
        ".classes.em.minimax_entropy:MinimaxEntropy",
        "a table of log-odds for each annotator and each item, regularised",
        "votes x classes^2, a step",
        "Zhou, Basu, Mao & Platt 2012",
    ),
    "max-margin": MethodEntry(
        ".classes.votes.max_margin:MaxMargin",
        "weights under which the winning class of every item wins by a margin",
        "votes + items x classes, a step",
        "Tian & Zhu 2015",
    ),
    "crowd-svm": MethodEntry(
        ".classes.bayes.crowd_svm:CrowdSVM",
        "Gibbs sampling with a weighted vote that must win by a margin",
        "chains x (votes x classes + annotators^3), a sweep",
        "Tian & Zhu 2015",
        usual=False,
    ),
    "ordinal": MethodEntry(
        ".classes.ordinal.ordinal:Ordinal",
        "classes in an order: errors fall off with distance, a bias and a spread for each annotator",
        "votes x classes, a step",
        "Rogers, Girolami & Polajnar 2010",
        usual=False,
    ),
    "ordinal-thresholds": MethodEntry(
        ".classes.ordinal.ordinal_thresholds:OrdinalThresholds",
        "classes in an order: a two-class problem at each threshold",
        "votes x classes, a step",
        "Raykar et al. 2010",
        usual=False,
    ),
    "bwa": MethodEntry(
        ".classes.bayes.bwa:BWA",
        "votes averaged with a precision for each annotator and class",
        "votes + (items + annotators) x classes, a step",
        "Li, Rubinstein & Cohn, WWW 2019",
    ),
    "crh": MethodEntry(
        ".classes.votes.crh:CRH",
        "votes weighted by the logarithm of error rates, truths and weights in turn",
        "votes, a step",
        "Li et al., SIGMOD 2014",
    ),
    "catd": MethodEntry(
        ".classes.votes.catd:CATD",
        "votes weighted by a confidence bound of each annotator's error, truths and weights in turn",
        "votes, a step",
        "Li et al., PVLDB 2014",
    ),
    "mace": MethodEntry(
        ".classes.em.mace:MACE",
        "annotators who answer honestly or spam with labels of their own, by EM",
        "votes + items x classes, a step",
        "Hovy et al. 2013",
    ),
    "zencrowd": MethodEntry(
        ".classes.em.zencrowd:ZenCrowd",
        "one reliability for each annotator, all classes equally likely, by EM",
        "votes + items x classes, a step",
        "Demartini, Difallah & Cudré-Mauroux 2012",
    ),
    "spectral-em": MethodEntry(
        ".classes.moments.spectral_em:SpectralEM",
        "Dawid-Skene from a spectral start: a few steps of EM from what `tensor` finds",
        "votes x classes, a step",
        "Zhang, Chen, Zhou & Jordan 2016",
        usual=False,
    ),
    "tensor": MethodEntry(
        ".classes.moments.tensor:Tensor",
        "confusion matrices from the third moment of three groups of annotators, by the tensor power method",
        "votes x classes + items x classes^3",
        "Zhang, Chen, Zhou & Jordan 2016",
        usual=False,
    ),
    "multi-spa": MethodEntry(
        ".classes.moments.multi_spa:MultiSPA",
        "each annotator's confusion matrix as the corners of what they say beside others' votes",
        "pairs of annotators x classes^3",
        "Ibrahim, Fu, Kargas & Huang 2019",
        usual=False,
    ),
    "cnmf-opt": MethodEntry(
        ".classes.moments.cnmf_opt:CNMFOpt",
        "confusion matrices that fit all pairs of annotators at once (Kullback-Leibler)",
        "pairs that met x classes, a step",
        "Ibrahim, Fu, Kargas & Huang 2019",
        usual=False,
    ),
    "cnmf-spa": MethodEntry(
        ".classes.moments.cnmf_spa:CNMFSPA",
        "one choice of class experts for the whole crowd, by successive projection",
        "annotators^2 x classes^2, a step",
        "Ibrahim & Fu 2021",
        usual=False,
    ),
    "sym-nmf": MethodEntry(
        ".classes.moments.sym_nmf:SymNMF",
        "symmetric factorisation of all pairs of annotators, those who never met imputed",
        "annotators^2 x classes^2, a step",
        "Ibrahim & Fu, ICML 2021",
        usual=False,
    ),
    "coupled-cpd": MethodEntry(
        ".classes.moments.coupled_cpd:CoupledCPD",
        "confusion matrices that fit all pairs and triples of annotators at once",
        "triples that met x classes, a step",
        "Traganitis, Pagès-Zamora & Giannakis 2018",
        usual=False,
    ),
    "sml": MethodEntry(
        ".classes.moments.sml:SML",
        "two classes: weights from the covariances of annotators, which have rank one",
        "pairs of annotators, a step",
        "Parisi, Strino, Nadler & Kluger 2014",
        usual=False,
    ),
    "ghosh-svd": MethodEntry(
        ".classes.moments.ghosh_svd:GhoshSVD",
        "two classes: weights from the leading singular vector of the answers",
        "votes, a step",
        "Ghosh, Kale & McAfee 2011",
        usual=False,
    ),
    "eigen-ratio": MethodEntry(
        ".classes.moments.eigen_ratio:EigenRatio",
        "two classes: weights from agreement over who met whom, a ratio of eigenvectors",
        "pairs of annotators, a step",
        "Dalvi, Dasgupta, Kumar & Rastogi 2013",
        usual=False,
    ),
    "kos": MethodEntry(
        ".classes.moments.kos:KOS",
        "two classes: messages between items and annotators, or the singular vector they end in",
        "votes, a round",
        "Karger, Oh & Shah 2011",
        usual=False,
    ),
    "obi-wan": MethodEntry(
        ".classes.moments.obi_wan:OBIWAN",
        "two classes: a vote among the first annotators, in the order of a singular vector",
        "items x annotators",
        "Shah, Balakrishnan & Wainwright 2016",
        usual=False,
    ),
    "pgd": MethodEntry(
        ".classes.moments.pgd:PGD",
        "one accuracy for each annotator, from agreements of pairs, by projected gradients",
        "pairs of annotators, a step",
        "Ma, Olshevsky, Saligrama & Szepesvari 2018",
        usual=False,
    ),
    "mmsr": MethodEntry(
        ".classes.moments.mmsr:MMSR",
        "one accuracy for each annotator under adversaries, by trimmed means over pairs",
        "pairs of annotators, a step",
        "Ma & Olshevsky 2020",
        usual=False,
    ),
    "mean": MethodEntry(
        ".ratings.mean:Mean",
        "the mean of an item's ratings",
        "ratings",
        "textbook",
        takes="ratings",
    ),
    "auto-ratings": MethodEntry(
        ".ratings.auto_ratings:AutoRatings",
        "a bias, a gain and a precision for each annotator, with five safeguards: no choice needed",
        "ratings, a step",
        "crowdwise",
        takes="ratings",
    ),
    "u-pcr": MethodEntry(
        ".ratings.upcr:UPCR",
        "the leading direction in which annotators vary together; for few annotators who rated most items",
        "items x annotators^2",
        "Tenzer et al. 2022",
        takes="ratings",
    ),
    "cumulative-link": MethodEntry(
        ".ratings.cumulative_link:CumulativeLink",
        "ratings as steps of a scale that annotators shift and stretch, by EM",
        "ratings x 29, a step",
        "McCullagh 1980",
        takes="ratings",
    ),
    "empirical-bayes": MethodEntry(
        ".ratings.empirical_bayes:EmpiricalBayes",
        "a bias, a gain and a precision for each annotator, priors learned, by variational Bayes",
        "ratings, a step",
        "crowdwise, after Raykar et al. 2010",
        takes="ratings",
    ),
    "median": MethodEntry(".ratings.median:Median", "the rating in the middle", "ratings", "textbook", takes="ratings"),
    "trimmed-mean": MethodEntry(
        ".ratings.trimmed_mean:TrimmedMean",
        "the mean without the lowest and the highest ratings",
        "ratings",
        "textbook",
        takes="ratings",
    ),
    "huber": MethodEntry(
        ".ratings.huber:Huber",
        "means in which what lies far off counts less",
        "ratings, a step",
        "Huber 1964",
        takes="ratings",
    ),
    "z-score": MethodEntry(
        ".ratings.z_score:ZScore",
        "every annotator's ratings brought to one mean and spread, then averaged",
        "ratings",
        "van Dijk, Martens & Watson 1995",
        takes="ratings",
    ),
    "lfc-n": MethodEntry(
        ".ratings.lfc_n:LFCN",
        "a variance for each annotator, values by inverse variances",
        "ratings, a step",
        "Raykar et al. 2010",
        takes="ratings",
    ),
    "p913": MethodEntry(
        ".ratings.p913:P913",
        "a bias and a variance for each annotator, by maximum likelihood",
        "ratings, a step",
        "ITU-T P.913 2021",
        takes="ratings",
    ),
    "crh-values": MethodEntry(
        ".ratings.crh_values:CRHValues",
        "means weighted by the logarithm of each annotator's share of all losses",
        "ratings, a step",
        "Li et al., SIGMOD 2014",
        takes="ratings",
    ),
    "catd-values": MethodEntry(
        ".ratings.catd_values:CATDValues",
        "means weighted by a confidence bound of each annotator's variance",
        "ratings, a step",
        "Li et al., PVLDB 2014",
        takes="ratings",
    ),
    "bi": MethodEntry(
        ".ratings.bi:BI",
        "belief propagation, each annotator's variance one of eight",
        "ratings x 8, a round",
        "Ok et al. 2019",
        takes="ratings",
    ),
    "gaussian-em": MethodEntry(
        ".ratings.gaussian_em:GaussianEM",
        "a bias and a spread for each annotator, by EM",
        "ratings, a step",
        "ITU-T P.913; Raykar et al. 2010",
        takes="ratings",
    ),
    "auto-comparisons": MethodEntry(
        ".comparisons.auto_comparisons:AutoComparisons",
        "three models of annotators that vote, on one scale: no choice needed",
        "four fits",
        "crowdwise",
        takes="comparisons",
    ),
    "win-rate": MethodEntry(
        ".comparisons.win_rate:WinRate",
        "the share of its comparisons that an item wins",
        "comparisons",
        "textbook",
        takes="comparisons",
    ),
    "crowd-bt": MethodEntry(
        ".comparisons.crowd_bt:CrowdBT",
        "Bradley-Terry with annotators who sometimes say the opposite, by EM",
        "comparisons + items^3, a step",
        "Chen et al. 2013",
        takes="comparisons",
    ),
    "noisy-bt": MethodEntry(
        ".comparisons.noisy_bt:NoisyBT",
        "Bradley-Terry with answers that are a coin of the annotator's own, by EM",
        "comparisons + items^3, a step",
        "Ustalov, Pavlichenko & Tseitlin 2024",
        takes="comparisons",
    ),
    "slope-bt": MethodEntry(
        ".comparisons.slope_bt:SlopeBT",
        "Bradley-Terry with a slope for each annotator, which may be negative",
        "comparisons + items^3, a step",
        "Bugakova et al. 2019",
        takes="comparisons",
    ),
    "hodge": MethodEntry(
        ".comparisons.hodge:Hodge",
        "scores whose differences are nearest to how often pairs were won",
        "pairs + items^3",
        "Jiang, Lim, Yao & Ye 2011",
        takes="comparisons",
    ),
    "rank-centrality": MethodEntry(
        ".comparisons.rank_centrality:RankCentrality",
        "how long a walk that moves to who wins stays at each item",
        "pairs + items^2, a step",
        "Negahban, Oh & Shah 2017",
        takes="comparisons",
    ),
    "elo": MethodEntry(
        ".comparisons.elo:Elo",
        "scores that move after every comparison, in the order of time",
        "comparisons, one at a time",
        "Elo 1978",
        takes="comparisons",
    ),
    "gaussian-online": MethodEntry(
        ".comparisons.gaussian_online:GaussianOnline",
        "Elo with a memory of how sure scores are, in the order of time",
        "comparisons, one at a time",
        "Weng & Lin 2011",
        takes="comparisons",
    ),
    "thurstone": MethodEntry(
        ".comparisons.thurstone:Thurstone",
        "a score for each item: the chance to win is the normal distribution's at the difference",
        "comparisons + items^3, a step",
        "Thurstone 1927",
        takes="comparisons",
    ),
    "plackett-luce": MethodEntry(
        ".comparisons.plackett_luce:PlackettLuce",
        "scores from whole lists, each place given to one of those that are left",
        "lists x length^2 + items^3, a step",
        "Plackett 1975",
        takes="comparisons",
    ),
    "bradley-terry": MethodEntry(
        ".comparisons.bradley_terry:BradleyTerry",
        "a score for each item: the chance to win is the logistic of the difference",
        "comparisons + items^3, a step",
        "Bradley & Terry 1952",
        takes="comparisons",
    ),
}
OWN |= {
    "bsc-seq": MethodEntry(
        ".spans.bsc_seq:BSCSeq",
        "a chain of tags, annotators whose tag depends on their last one, and words",
        "votes x tags + tokens x tags^2, a step",
        "Simpson & Gurevych 2019",
        takes="spans",
    ),
    "hmm-crowd": MethodEntry(
        ".spans.hmm_crowd:HMMCrowd",
        "a chain of tags, and annotators' confusion matrices",
        "votes x tags + tokens x tags^2, a step",
        "Nguyen, Wallace, Li, Nenkova & Lease 2017",
        takes="spans",
    ),
    "tag-coin": MethodEntry(
        ".spans.tag_coin:TagCoin",
        "a chain of tags, and one number for each annotator",
        "votes x tags + tokens x tags^2, a step",
        "Simpson & Gurevych 2019",
        takes="spans",
    ),
    "valid-paths": MethodEntry(
        ".spans.valid_paths:ValidPaths",
        "any method for classes on the tokens, then the best tags that can follow each other",
        "as the method",
        "Simpson & Gurevych 2019",
        takes="spans",
    ),
    "token-vote": MethodEntry(
        ".spans.token_vote:TokenVote",
        "the tag that most annotators give to each token",
        "votes",
        "Rodrigues, Pereira & Ribeiro 2014",
        takes="spans",
    ),
    "span-vote": MethodEntry(
        ".spans.span_vote:SpanVote",
        "the spans that most readers mark",
        "votes",
        "Rodrigues, Pereira & Ribeiro 2014",
        takes="spans",
    ),
    "per-label": MethodEntry(
        ".label_sets.per_label:PerLabel",
        "each label as a question of its own, by any method for classes",
        "as many fits as labels",
        "Tsoumakas & Katakis 2007",
        takes="label-sets",
    ),
    "joint-labels": MethodEntry(
        ".label_sets.joint_labels:JointLabels",
        "a prior over whole sets, annotators' matrices for each label",
        "votes + items x sets x labels, a step",
        "Tsoumakas & Katakis 2007",
        takes="label-sets",
    ),
    "same-groups": MethodEntry(
        ".similarities.same_groups:SameGroups",
        "clusters from same or different, annotators who see both in their own way",
        "votes x clusters, a step",
        "Gomes, Welinder, Krause & Perona 2011",
        takes="similarities",
    ),
    "linked-groups": MethodEntry(
        ".similarities.linked_groups:LinkedGroups",
        "pairs that are the same, and whatever they link: entities, duplicates",
        "votes",
        "Wang, Li, Kraska, Franklin & Feng 2013",
        takes="similarities",
    ),
    "own-groups": MethodEntry(
        ".similarities.own_groups:OwnGroups",
        "Dawid-Skene with a vocabulary for each annotator, for piles",
        "votes x clusters, a step",
        "Strehl & Ghosh 2002",
        takes="groupings",
    ),
    "median-box": MethodEntry(
        ".regions.median_box:MedianBox",
        "boxes of one object matched, there or not by Dawid-Skene, the median of each side",
        "boxes of an image^2",
        "Russakovsky, Li & Fei-Fei 2015",
        takes="boxes",
    ),
    "overlap-box": MethodEntry(
        ".regions.median_box:OverlapBox",
        "the same, with a mean of boxes that overlap the others",
        "boxes of an image^2",
        "crowdwise",
        takes="boxes",
    ),
    "mask-vote": MethodEntry(
        ".regions.mask_vote:MaskVote",
        "each pixel by the majority and its neighbours",
        "votes x pixels",
        "Besag 1986",
        takes="masks",
    ),
    "mask-overlap": MethodEntry(
        ".regions.mask_vote:MaskOverlap",
        "each pixel by masks that overlap the others, and its neighbours",
        "votes x pixels",
        "Gurari et al. 2015",
        takes="masks",
    ),
    "staple": MethodEntry(
        ".regions.mask_vote:Staple",
        "a sensitivity and a specificity for each mask, by EM",
        "patterns of votes, a step",
        "Warfield, Zou & Wells 2004",
        takes="masks",
    ),
    "rover": MethodEntry(
        ".texts.rover:Rover",
        "texts aligned word by word, each place voted on, better writers counting more",
        "texts x words^2, an item",
        "Fiscus 1997",
        takes="texts",
    ),
    "weighted-medoid": MethodEntry(
        ".texts.text_medoid:WeightedMedoid",
        "the text nearest to the others, better writers counting more",
        "texts^2 x words^2, an item",
        "crowdwise",
        takes="texts",
    ),
    "text-medoid": MethodEntry(
        ".texts.text_medoid:TextMedoid",
        "the text nearest to the others",
        "texts^2 x words^2, an item",
        "textbook",
        takes="texts",
    ),
}
METHODS = Registry("method", OWN, group="crowdwise.methods")


DEFAULTS = {
    "classes": "auto",
    "ratings": "auto-ratings",
    "comparisons": "auto-comparisons",
    "spans": "bsc-seq",
    "label-sets": "per-label",
    "similarities": "same-groups",
    "groupings": "own-groups",
    "texts": "rover",
    "boxes": "median-box",
    "masks": "mask-overlap",
}
"""The method that needs no choice, for each kind of votes."""


def names(takes: str = "classes") -> list[str]:
    """The methods for a kind of votes.

    >>> names("comparisons")[:3]
    ['auto-comparisons', 'win-rate', 'crowd-bt']
    """
    return [name for name, entry in METHODS.items() if entry.takes == takes]


def get(name: str) -> type[Aggregator]:
    """The class of a method by its name.

    >>> get("dawid-skene").__name__
    'DawidSkene'
    """
    loaded: Any = METHODS[name].load()
    return loaded


def make(name: str, **options: Any) -> Aggregator:
    """A method with options; an option that it does not have is an error that lists those it has.

    >>> make("dawid-skene", max_iter=3).max_iter
    3
    """
    method = get(name)
    require_known(name, method, options)
    return method(**options)
