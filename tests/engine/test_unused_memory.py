"""Memory that the C library keeps after a scan goes back to the system."""

import platform
import subprocess
import sys

import pytest

SCRIPT = """
import numpy as np
from tenfold.engine.executors.unused_memory import give_back

def resident():
    with open("/proc/self/status") as lines:
        return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS")) / 1024

before = resident()
blocks = [np.ones(12_000) for _ in range(2_000)]  # 96 kB each: too small to be mapped by themselves
kept = [np.ones(12_000)]
full = resident()
blocks.clear()
left = resident()
assert give_back()
print(full - before, left - before, resident() - before)
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="other C libraries keep no memory, or give none back")
def test_unused_memory_is_given_back():
    done = subprocess.run([sys.executable, "-c", SCRIPT], check=True, capture_output=True, text=True)
    full, left, given = map(float, done.stdout.split())
    assert full > 150
    assert left > 100, "the allocator has given the memory back by itself: nothing is left to do"
    assert given < 30
