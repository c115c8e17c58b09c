"""The command line without a process of its own: most of a small command's time is Python's start."""

import io
import os
import sys
from contextlib import ExitStack, chdir, redirect_stderr, redirect_stdout
from inspect import signature
from types import SimpleNamespace
from unittest.mock import patch

from typer.testing import CliRunner

from crowdwise.cli import main

# Standard output by itself: newer click's runner does so, older ones are told.
APART = {"mix_stderr": False} if "mix_stderr" in signature(CliRunner).parameters else {}
RUNNER = CliRunner(**APART)


def run(*words, stdin=None, cwd=None):
    """What `crowdwise words` prints and exits with, as `subprocess.run` tells it."""
    out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True) for _ in range(2))
    given = io.TextIOWrapper(io.BytesIO((stdin or "").encode()), "utf-8")
    with ExitStack() as stack:
        stack.enter_context(patch.object(sys, "argv", ["crowdwise", *map(str, words)]))
        stack.enter_context(patch.object(sys, "stdin", given))
        stack.enter_context(patch.dict(os.environ, {"COLUMNS": "200"}))
        stack.enter_context(redirect_stdout(out))
        stack.enter_context(redirect_stderr(err))
        stack.enter_context(chdir(cwd or os.getcwd()))
        try:
            main()
            code = 0
        except SystemExit as end:
            code = end.code or 0
    texts = [each.buffer.getvalue().decode() for each in (out, err)]
    return SimpleNamespace(returncode=code, stdout=texts[0], stderr=texts[1])
