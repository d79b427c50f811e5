"""The page about the command line: every command prints what the page shows."""

import doctest
import re
import shlex
from pathlib import Path

import pytest

from tenfold.cli.main import main

PAGE = Path(__file__).parents[2] / "docs" / "command_line.rst"
HOW = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def commands():
    """Each command of the page, with the output below it."""
    found = []
    for block in re.findall(r"^\.\. code-block:: console\n\n((?:   .*\n|\n)+)", PAGE.read_text(), re.M):
        for entry in re.split(r"^   \$ ", block, flags=re.M)[1:]:
            command, _, output = entry.partition("\n")
            lines = [line.removeprefix("   ") for line in output.rstrip().splitlines()]
            found.append((command, "\n".join(lines)))
    return found


def test_the_page_shows_what_is_printed(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    text = PAGE.read_text()
    runner = doctest.DocTestRunner(verbose=False)
    test = doctest.DocTestParser().get_doctest(text, {}, PAGE.name, str(PAGE), 0)
    assert not runner.run(test).failed
    capsys.readouterr()
    checker, ran = doctest.OutputChecker(), commands()
    assert len(ran) > 12
    for command, wanted in ran:
        tenfold, *arguments = shlex.split(command)
        assert tenfold == "tenfold"
        code = main(arguments)
        out, err = capsys.readouterr()
        assert code == (1 if wanted.startswith("tenfold:") else 0), f"{command}\n{out}{err}"
        wanted = wanted.replace("<BLANKLINE>", "")
        got = "\n".join(line for line in (out or err).splitlines())
        assert checker.check_output(wanted + "\n", got + "\n", HOW), f"$ {command}\n{got}\n-- instead of\n{wanted}"


@pytest.mark.parametrize("name", ["--folds", "--groups", "--where", "--html", "--json", "--raw", "--set", "--engine"])
def test_options_of_the_page_exist(name, capsys):
    shown = ""
    for command in ("describe", "fit", "compare"):
        assert main([command, "--help"]) == 0
        shown += capsys.readouterr().out
    assert name in shown
