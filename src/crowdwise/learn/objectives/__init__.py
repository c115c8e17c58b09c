"""OBJECTIVES: every way to learn from features and votes, by name. PyTorch is loaded when one of them is used."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ...registry import Entry, Registry


@dataclass(frozen=True)
class ObjectiveEntry(Entry):
    """What a person wants to know before choosing an objective."""

    room: ClassVar[str] = "crowdwise.learn.objectives"
    line: str
    reference: str


OWN = {
    "auto": ObjectiveEntry(
        ".auto_objective:Auto",
        "cross-fit or max-mig, by the votes; copies share a vote, constants are set aside",
        "crowdwise",
    ),
    "cross-fit": ObjectiveEntry(
        ".cross_fit:CrossFit",
        "EM whose networks never predict the items that they were trained on",
        "crowdwise",
    ),
    "max-mig": ObjectiveEntry(
        ".max_mig:MaxMIG",
        "the mutual information between what a network says and what the votes say",
        "Cao, Xu, Kong & Wang 2019",
    ),
    "aggnet": ObjectiveEntry(
        ".aggnet:AggNet",
        "generalised EM: posteriors, confusion matrices and network in turn",
        "Albarqouni et al. 2016",
    ),
    "raykar": ObjectiveEntry(
        ".raykar:Raykar",
        "EM of confusion matrices with a prior, the network trained to the end",
        "Raykar et al. 2010",
    ),
    "mbem": ObjectiveEntry(
        ".mbem:MBEM",
        "confusion matrices counted against the network's hard predictions",
        "Khetan, Lipton & Anandkumar 2018",
    ),
    "ccem": ObjectiveEntry(
        ".ccem:CCEM",
        "network and confusion matrices learned together, nothing else",
        "Ibrahim, Nguyen & Fu 2023",
    ),
    "ccem-vector": ObjectiveEntry(
        ".ccem_vector:CCEMVector",
        "ccem with annotators' accuracies by class in place of matrices",
        "Ibrahim, Traganitis, Fu & Giannakis 2025",
    ),
    "trace": ObjectiveEntry(
        ".trace:Trace",
        "ccem with a penalty on the mean trace of the confusion matrices",
        "Tanno et al. 2019",
    ),
    "geo-f": ObjectiveEntry(
        ".geo:GeoF",
        "ccem with classes spread over the simplex (GeoCrowdNet F)",
        "Ibrahim, Nguyen & Fu 2023",
    ),
    "geo-w": ObjectiveEntry(
        ".geo:GeoW",
        "ccem with annotators' answers spread over the simplex (GeoCrowdNet W)",
        "Ibrahim, Nguyen & Fu 2023",
    ),
    "coinnet": ObjectiveEntry(
        ".coinnet:COINNet",
        "sparse, item-dependent outliers beside confusion matrices",
        "Nguyen, Ibrahim & Fu 2024",
    ),
    "instance-trace": ObjectiveEntry(
        ".instance_trace:InstanceTrace",
        "confusion matrices of the item as well as the annotator, with the trace penalty",
        "Zhang et al. 2020",
    ),
    "anchor-transition": ObjectiveEntry(
        ".anchored:AnchorTransition",
        "matrices of the item learned on items whose class is plain, then the network",
        "Guo, Wang & Yi 2023",
    ),
    "part-transition": ObjectiveEntry(
        ".anchored:PartTransition",
        "the same, an item's matrices mixed from those of its parts",
        "Xia et al. 2020",
    ),
    "single-confusion": ObjectiveEntry(
        ".trace:SingleConfusion",
        "one confusion matrix for all annotators, with the trace penalty",
        "Sukhbaatar et al. 2015",
    ),
    "oracle": ObjectiveEntry(
        ".oracle:Oracle",
        "ccem with the true confusion matrices: what there is to win by knowing them",
        "Patrini et al. 2017",
    ),
    "crowd-layer": ObjectiveEntry(
        ".crowd_layer:CrowdLayer",
        "each annotator's answers as a layer over the network's class probabilities",
        "Rodrigues & Pereira 2018",
    ),
    "conal": ObjectiveEntry(
        ".conal:CoNAL",
        "each vote from a noise that all annotators share, or from their own",
        "Chu, Ma & Wang 2021",
    ),
    "doctor-net": ObjectiveEntry(
        ".doctor_net:DoctorNet",
        "a head for each annotator on shared features; the classifier is their mean",
        "Guan, Gulshan, Dai & Hinton 2018",
    ),
    "weighted-doctor-net": ObjectiveEntry(
        ".doctor_net:WeightedDoctorNet",
        "doctor-net whose heads are weighted by how well they predict the others",
        "Guan, Gulshan, Dai & Hinton 2018",
    ),
    "image-weighted-doctor-net": ObjectiveEntry(
        ".doctor_net:ImageWeightedDoctorNet",
        "doctor-net whose heads are weighted for each item by its features",
        "Guan, Gulshan, Dai & Hinton 2018",
    ),
    "union-net": ObjectiveEntry(
        ".union_net:UnionNet",
        "one transition from classes to all annotators' labels together",
        "Wei, Xie, Feng, Han & An 2022",
    ),
    "annot-mix": ObjectiveEntry(
        ".annot_mix:AnnotMix",
        "ccem on pairs of votes: features, annotators and labels mixed in one proportion",
        "Herde, Lührs, Huseljic & Sick 2024",
    ),
    "crowdlab": ObjectiveEntry(
        ".crowdlab:Crowdlab",
        "a classifier trained on majority labels, then an ensemble with the annotators",
        "Goh, Tkachenko & Mueller 2022",
    ),
    "two-stage": ObjectiveEntry(
        ".two_stage:TwoStage",
        "aggregate the votes, then train on the outcome: the baseline",
        "Sheng, Provost & Ipeirotis 2008",
    ),
    "group-perspectives": ObjectiveEntry(
        ".group_perspectives:GroupPerspectives",
        "a head for each group of people: the shares of it that would give each class",
        "Davani, Diaz & Prabhakaran 2022, for groups",
    ),
    "perspectives": ObjectiveEntry(
        ".perspectives:Perspectives",
        "the shares of people who would give each class, where there is no single truth",
        "Peterson et al. 2019",
    ),
    "label-propagation": ObjectiveEntry(
        ".label_propagation:LabelPropagation",
        "two-stage whose labels travel between items that look alike",
        "Zhou et al. 2003",
    ),
    "soft-bootstrap": ObjectiveEntry(
        ".soft_bootstrap:SoftBootstrap",
        "two-stage whose targets are mixed with the network's own predictions",
        "Reed et al. 2015",
    ),
    "bayes-dgc": ObjectiveEntry(
        ".bayes_dgc:BayesDGC",
        "Bayesian annotators by natural-gradient variational inference, batch by batch",
        "Li, Huang & Chen 2021",
    ),
    "deep-mf": ObjectiveEntry(
        ".deep_mf:DeepMF",
        "EM with a posterior over confusion matrices, under any prior on annotators",
        "Kim, Cho, Kim & Ok 2022",
    ),
    "deep-bp": ObjectiveEntry(
        ".deep_bp:DeepBP",
        "belief propagation with the network as each item's own factor",
        "Kim, Cho, Kim & Ok 2022",
    ),
}
OBJECTIVES = Registry("objective", OWN, group="crowdwise.objectives")
