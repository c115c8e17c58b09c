"""Docstrings of the reference as Markdown: doctests are code, and formulas are MathML, as on the pages of methods."""

import importlib.util
from pathlib import Path

import griffe

SPEC = importlib.util.spec_from_file_location("hooks", Path(__file__).with_name("hooks.py"))
hooks = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(hooks)


class PlainDocstrings(griffe.Extension):
    """Turns each docstring into Markdown when it is read."""

    def on_instance(self, *, obj, **_):
        if obj.docstring:
            obj.docstring.value = hooks.as_markdown(obj.docstring.value)
