"""Scripts as people write them for scikit-learn print the same with every `sklearn` replaced by `tenfold`.

Each is a file of `scikit_learn_scripts`, and declares in a comment how far its numbers may be apart. Warnings are
errors, of both.
"""

import contextlib
import io
import re
from pathlib import Path

import numpy as np
import pytest

SCRIPTS = sorted((Path(__file__).parent / "scikit_learn_scripts").glob("*.py"))
NUMBER = re.compile(r"(?<![\w.])[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?(?!\w)")


def printed(code, name):
    """What a script prints: its words, and its numbers."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(compile(code, name, "exec"), {"__name__": "__main__"})
    text = re.sub(r"[\[\],]", " ", out.getvalue())
    return NUMBER.sub("#", text).split(), np.array([float(found) for found in NUMBER.findall(text)])


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_a_script_prints_the_same(script):
    code = script.read_text()
    tolerance = float(re.search(r"^# tolerance: (\S+)$", code, re.M)[1])
    words, numbers = printed(code, script.name)
    our_words, our_numbers = printed(code.replace("sklearn", "tenfold"), f"{script.stem} with tenfold")
    assert our_words == words
    np.testing.assert_allclose(our_numbers, numbers, rtol=tolerance, atol=tolerance)
