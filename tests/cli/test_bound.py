"""`tenfold bound`: the numbers of the functions, and errors that say what to give."""

import pytest

from tenfold import theory
from tenfold.cli.main import main


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("--eps 0.1 --delta 0.05 --size 973", "99 rows"),
        ("--eps 0.1 --delta 0.05 --vc 3", "1,899 rows"),
        ("--eps 0.1 --delta 0.05 --size 973 --goal agnostic", "2,114 rows"),
        ("--eps 0.1 --delta 0.05 --class conjunctions --attributes 10", "140 rows"),
        ("--eps 0.1 --delta 0.05 --class 2-CNF --attributes 5", f"{theory.sample_size(0.1, 0.05, size=2**50)} rows"),
        ("--rows 1000 --delta 0.05 --vc 3 --goal gap", "error at most 0.163978"),
        ("--rows 99 --eps 0.1 --size 973", "chance of failure at most 0.0488"),
    ],
)
def test_the_third_number(words, said, capsys):
    assert main(["bound", *words.split()]) == 0
    assert said in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("--eps 0.1 --size 3", "give two of --rows, --eps and --delta"),
        ("--eps 0.1 --delta 0.05", "give one of --size, --vc and --class"),
        ("--eps 2 --delta 0.05 --size 3", "eps must be above 0 and below 1"),
        ("--eps 0.1 --delta 0.05 --class trees --attributes 3", "needs leaves"),
    ],
)
def test_what_makes_no_sense_is_said(words, said, capsys):
    assert main(["bound", *words.split()]) == 2
    assert said in capsys.readouterr().err
