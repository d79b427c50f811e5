"""The progress bar: late, on a terminal only, cheap, and gone when it is over."""

import os
import pty
import re
import select
import subprocess
import sys
import time

import pytest

from tenfold import Local, on
from tenfold.engine import progress

PROGRAM = """
import time
import numpy as np
import tenfold as tn
from tenfold.engine import progress
from tenfold.sources import ArraySource

progress.Bar.__init__.__defaults__ = ({patience},)

class Slow(ArraySource):
    def read(self, *given):
        time.sleep(0.02)
        return super().read(*given)

source = Slow(np.ones((200_000, 2)), np.arange(200_000.0))
with tn.on(tn.Local(threads=1){more}):
    tn.Ridge().fit(source)
print("done")
"""


def program(patience, more=""):
    return [sys.executable, "-c", PROGRAM.format(patience=patience, more=more)]


def on_a_terminal(command):
    """What a program writes to a terminal."""
    mine, theirs = pty.openpty()
    env = {**os.environ, "TERM": "xterm-256color", "COLUMNS": "120", "NO_COLOR": ""}
    done = subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs, env=env, close_fds=True)
    os.close(theirs)
    found = b""
    while True:
        ready, _, _ = select.select([mine], [], [], 0.5)
        if ready:
            try:
                found += os.read(mine, 65536)
            except OSError:
                break
        elif done.poll() is not None:
            break
    assert done.wait(60) == 0, found.decode(errors="replace")
    os.close(mine)
    return found.decode(errors="replace")


def test_on_a_terminal_after_a_while_and_gone_at_the_end():
    raw = on_a_terminal(program(0.1))
    text = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", raw)
    assert "Ridge, scan 1" in text
    assert re.search(r"\d+/16 parts", text)
    assert "rows/s" in text
    last = raw.rsplit("\x1b[2K", 1)[1]  # after the last line was erased
    assert "scan" not in last
    assert "done" in last


def test_what_is_quick_shows_nothing():
    assert "scan" not in on_a_terminal(program(60))


def test_silent_by_wish():
    assert "scan" not in on_a_terminal(program(0.1, ", verbose=False"))


def test_nothing_is_printed_to_a_file(tmp_path):
    with open(tmp_path / "out", "w+") as file:
        subprocess.run(program(0.1), stdout=file, stderr=subprocess.STDOUT, check=True)
        file.seek(0)
        assert file.read() == "done\n"


def test_cheap():
    """10⁵ parts cost less than 0.1 s."""

    def seconds():
        bar = progress.Bar("learner", patience=60)
        start = time.perf_counter()
        bar.scan(100_000, 1.0)
        for _ in range(100_000):
            bar.advance(1)
        return time.perf_counter() - start

    assert min(seconds() for _ in range(5)) < 0.1


def test_numbers_are_short():
    assert [progress._short(n) for n in (12, 1234, 2.5e6, 3e9)] == ["12", "1.23 k", "2.5 M", "3 G"]


def test_inner_blocks_belong_to_the_outer_one():
    with on(Local(threads=1), verbose=True):
        assert progress.bar() is None
        with progress.progress("outer"):
            outer = progress.bar()
            with progress.progress("inner"):
                assert progress.bar() is outer
        assert progress.bar() is None


@pytest.mark.parametrize("wish", [True, False])
def test_a_wish_holds_in_its_block(wish):
    with on(Local(), verbose=wish):
        assert progress.wish() is wish
        with on(Local()):
            assert progress.wish() is wish
    assert progress.wish() is None
