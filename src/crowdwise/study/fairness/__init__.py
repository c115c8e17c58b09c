"""Fairness: how annotators and labels treat groups of items, with intervals, and what equal treatment costs."""

from .biased import biased_annotators
from .fair_assignment import Assignment, assign
from .gaps import gaps, rates
from .groups_of_people import groups_of_people
from .parity import Parity, parity

__all__ = ["Assignment", "Parity", "assign", "biased_annotators", "gaps", "groups_of_people", "parity", "rates"]
