"""Kernels that come compiled: the list of signatures, what is used, and what happens where they do not fit."""

import gc
import json
import os
import shutil
import subprocess
import sys

import numpy as np
import pytest
from numba import typeof, types

from tenfold.compiled import shipped
from tenfold.compiled.compile import main, missing
from tenfold.compiled.signatures import SIGNATURE_FILE, fits, fitting, joined, line, listed, read, written
from tiers import only_full

LINES = SIGNATURE_FILE.read_text().splitlines()


def test_the_list_is_sorted_and_says_nothing_twice():
    assert sorted(set(LINES)) == LINES
    assert len(LINES) > 50


@pytest.mark.parametrize("text", LINES)
def test_a_line_is_read_as_it_is_written(text):
    name, *given = text.split()
    assert line(name, map(read, given)) == text
    assert tuple(map(read, given)) in listed(name)


def test_kernels_of_the_list_exist():
    from importlib import import_module

    for name in {text.split()[0] for text in LINES}:
        import_module(shipped.module_of(name))
        assert shipped.Kernel.named[name].py_func.__name__ == name.partition(".")[2]


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (np.zeros((2, 3)), "float64[:,::1]"),
        (np.zeros((3, 2), np.float32).T, "float32[::1,:]"),
        (np.zeros((4, 4))[::2, ::2], "float64[:,:]"),
        (np.zeros(3, np.int64)[::2], "int64[:]"),
        (np.zeros(3, bool), "bool[::1]"),
        (True, "bool"),
        (3, "int64"),
        (0.5, "float64"),
        (np.uint64(3), "uint64"),
    ],
)
def test_types_are_written_as_numba_has_them(value, text):
    assert written(typeof(value)) == text
    assert read(text) == typeof(value)


def test_an_array_that_is_only_read_may_also_be_one_that_can_be_written_to():
    free, frozen = np.zeros(3), np.zeros(3)
    frozen.flags.writeable = False
    free, frozen = typeof(free), typeof(frozen)
    assert written(frozen) == "float64[::1]!"
    assert fits(free, frozen)
    assert fits(frozen, frozen)
    assert not fits(frozen, free)
    assert not fits(typeof(np.zeros(3, np.float32)), frozen)
    assert not fits(types.int64, types.float64)
    assert joined([(free, free), (frozen, free)]) == {(frozen, free)}
    assert joined([(frozen, free), (free, frozen), (free, types.int64)]) == {(frozen, frozen), (free, types.int64)}


def test_a_call_goes_by_the_signature_of_the_list(monkeypatch):
    """One that gives what can be written to, and one that does not, use the same compiled kernel."""
    from tenfold.compiled.rows.copying import copy_rows

    rows, shift, out = np.arange(6.0).reshape(3, 2), np.array([1.0, 2.0]), np.empty((3, 2))
    (wanted,) = {s for s in listed("copying.copy_rows") if s[0].dtype == types.float64 and s[1].dtype == types.float64}
    given = tuple(map(typeof, (rows, shift, out)))
    assert wanted != given
    assert fitting("copying.copy_rows", given) == wanted
    copy_rows(rows, shift, out)
    assert out.tolist() == [[-1.0, -1.0], [1.0, 1.0], [3.0, 3.0]]
    rows.flags.writeable = False
    copy_rows(rows, shift, out)
    assert given not in copy_rows.overloads
    assert wanted in copy_rows.overloads


def test_types_as_they_were_given_are_found_again(monkeypatch):
    """The second call goes straight to the compiled kernel, also when nobody else remembers its types."""
    from tenfold.compiled.rows.copying import copy_rows

    def call():
        copy_rows(np.zeros((3, 2)), np.zeros(2), np.empty((3, 2)))

    def again(self, sig):
        raise AssertionError(f"{sig} is looked for again")

    call()
    gc.collect()
    monkeypatch.setattr(shipped.Kernel, "compile", again)
    call()
    with pytest.raises(AssertionError, match="looked for again"):
        copy_rows(np.zeros((3, 2)), np.zeros(2, np.int8), np.empty((3, 2)))


def test_an_array_to_write_to_must_not_be_read_only():
    from tenfold.compiled.rows.copying import copy_rows

    out = np.empty((3, 2))
    out.flags.writeable = False
    with pytest.raises(Exception, match="read-only|readonly|immutable"):
        copy_rows(np.zeros((3, 2)), np.zeros(2), out)


PROGRAM = """
import json, sys, warnings
import numpy as np
from tenfold.compiled import shipped
from tenfold.compiled.rows.copying import copy_rows
from tenfold.compiled.decorators import compilations

rows = np.random.default_rng(0).normal(size=(60, 3))
out = np.empty_like(rows)
copy_rows(rows, rows.mean(axis=0), out)
print(json.dumps([out.tobytes().hex(), len(compilations), shipped.folder() is not None]))
"""
"""one kernel, which is compiled at once; all learners are in tests/test_bits.py"""


def run(**variables):
    env = {**os.environ, **variables}
    command = [sys.executable, "-W", "error", "-c", PROGRAM]
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=True)
    assert not done.stderr
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def expected(compiled, tmp_path_factory):
    found, made, used = run(TENFOLD_COMPILED="0", NUMBA_CACHE_DIR=str(tmp_path_factory.mktemp("cache")))
    assert made > 0
    assert not used
    return found


def test_nothing_is_compiled_and_the_bits_are_the_same(expected, tmp_path):
    assert run(NUMBA_CACHE_DIR=str(tmp_path)) == [expected, 0, True]
    assert not list(tmp_path.rglob("*.nb?"))


def damage(file):
    file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])


def of_other_sources(file):
    return file.with_name(f"{file.stem.rpartition('-')[0]}-{'0' * 16}.z")


SPOILED = {
    "other kernels": lambda folder: [file.rename(of_other_sources(file)) for file in folder.glob("*.z")],
    "another numba": lambda folder: folder.rename(folder.with_name(folder.name.replace("numba0", "numba9"))),
    "no folder": lambda folder: shutil.rmtree(folder),
    "files that end early": lambda folder: [damage(file) for file in folder.glob("*.z")],
    "files of something else": lambda folder: [file.write_bytes(b"no kernel") for file in folder.glob("*.z")],
    "no files": lambda folder: [file.unlink() for file in folder.glob("*.z")],
    "files that are folders": lambda folder: [(file.unlink(), file.mkdir()) for file in folder.glob("*.z")],
}


@pytest.mark.parametrize("name", ["other kernels", *only_full(*(one for one in SPOILED if one != "other kernels"))])
def test_what_does_not_fit_is_compiled_in_silence(name, expected, compiled, tmp_path):
    folder = tmp_path / "kernels" / compiled.name
    shutil.copytree(compiled, folder)
    SPOILED[name](folder)
    found, made, _ = run(TENFOLD_COMPILED=str(folder.parent), NUMBA_CACHE_DIR=str(tmp_path / "cache"))
    assert found == expected
    assert made > 0
    again, made, _ = run(TENFOLD_COMPILED=str(folder.parent), NUMBA_CACHE_DIR=str(tmp_path / "cache"))
    assert (again, made) == (expected, 0)


def test_where_nothing_can_be_written_it_works_too(expected, tmp_path):
    blocked = tmp_path / "file"
    blocked.write_text("")
    env = {"NUMBA_CACHE_DIR": str(blocked / "cache"), "HOME": str(blocked), "XDG_CACHE_HOME": str(blocked)}
    assert run(**env) == [expected, 0, True]


@pytest.mark.parametrize(
    ("variables", "reason"),
    [
        ({"TENFOLD_COMPILED": "0"}, "TENFOLD_COMPILED is 0"),
        ({"TENFOLD_COMPILED": "/nowhere"}, "there is no folder /nowhere"),
        ({"NUMBA_BOUNDSCHECK": "1"}, "told to compile in another way, by NUMBA_BOUNDSCHECK"),
        ({"NUMBA_CPU_NAME": "generic"}, "NUMBA_CPU_NAME"),
        ({"NUMBA_OPT": "1"}, "NUMBA_OPT"),
    ],
)
def test_the_command_says_why_they_are_not_used(variables, reason, compiled):
    command = [sys.executable, "-m", "tenfold.compiled.compile", "--check"]
    done = subprocess.run(command, env={**os.environ, **variables}, capture_output=True, text=True)
    assert done.returncode == 1
    assert reason in done.stdout
    assert "python -m tenfold.compiled.compile" in done.stdout


def test_the_command_says_that_they_are_used(compiled, capsys):
    shipped.folder.cache_clear()
    assert main(["--check"]) == 0
    assert str(compiled) in capsys.readouterr().out


def test_what_is_compiled_is_copied_not_compiled_again(compiled, tmp_path, capsys):
    level = shipped.levels_here()[0]
    assert not missing(compiled)
    assert main(["--to", str(tmp_path), "--level", level]) == 0
    assert {file.name for file in (tmp_path / compiled.name).iterdir()} == {file.name for file in compiled.iterdir()}
    assert "are compiled" in capsys.readouterr().out


def test_a_list_is_made_of_a_recording(tmp_path, monkeypatch):
    from tenfold.compiled import signatures

    records = tmp_path / "records"
    records.write_text("a.f float64[::1] int64\nb.g bool\na.f float64[::1]! int64\na.f float64[::1] int64\n")
    monkeypatch.setattr(signatures, "SIGNATURE_FILE", tmp_path / "list.txt")
    assert main(["--collect", str(records)]) == 0
    assert (tmp_path / "list.txt").read_text() == "a.f float64[::1]! int64\nb.g bool\n"


def test_calls_are_recorded(tmp_path):
    run(TENFOLD_RECORD=str(tmp_path / "records"))
    found = (tmp_path / "records").read_text().splitlines()
    assert any(text.startswith(("scatter.", "copying.", "spread.")) for text in found)
    for text in found:
        name, *given = text.split()
        assert fitting(name, tuple(map(read, given))) is not None


def test_an_edit_of_a_module_concerns_the_kernels_that_use_it_alone(monkeypatch):
    before = {module: shipped.digest(module) for module in shipped._texts()}
    edited = {**shipped._texts(), "tree_sums": shipped._texts()["tree_sums"] + b"\n"}
    monkeypatch.setattr(shipped, "_texts", lambda: edited)
    shipped.digest.cache_clear()
    changed = {module for module in before if shipped.digest(module) != before[module]}
    shipped.digest.cache_clear()
    assert {"tree_sums", "tree_steps"} <= changed
    assert not changed & {"markov", "comoments", "decorators"}


def test_what_another_checkout_has_compiled_comes_from_the_cache(compiled, tmp_path, capsys, monkeypatch):
    shutil.copytree(compiled, tmp_path / "cache" / compiled.name)
    monkeypatch.setenv("TENFOLD_COMPILED", str(tmp_path / "here"))
    assert main(["--cache", str(tmp_path / "cache"), "--level", shipped.levels_here()[0]]) == 0
    assert ": 0 in" in capsys.readouterr().out
    assert not missing(tmp_path / "here" / compiled.name)


def test_a_cache_gets_kernels_that_were_compiled_before(compiled, tmp_path):
    assert main(["--cache", str(tmp_path), "--level", shipped.levels_here()[0]]) == 0
    assert {file.name for file in (tmp_path / compiled.name).iterdir()} == {file.name for file in compiled.iterdir()}
