"""The checkers of the gallery: its rules against counts that are known, its features, and that it learns."""

import numpy as np
import pytest
from checkers import DOWN, NAMES, START, UP, Board, captures, features, games_won, learn, moves, play, shift


def test_rules_have_the_known_numbers_of_positions():
    """How many ways a game can begin: published counts of English draughts."""
    boards = [START]
    for wanted in (7, 49, 302, 1_469, 7_361):
        boards = [after for board in boards for after in moves(board)]
        assert len(boards) == wanted


def at(row, column):
    return 1 << (8 * row + column)


def test_who_can_take_must_and_goes_on_taking():
    board = Board(black=at(0, 0) | at(4, 6), red=at(1, 1) | at(3, 3) | at(7, 7), kings=0)
    (after,) = moves(board)
    assert after == Board(black=at(4, 4) | at(4, 6), red=at(7, 7), kings=0, turn=1)


def test_men_go_forward_and_become_kings_and_kings_go_back():
    board = Board(black=at(6, 2), red=at(1, 1), kings=0)
    assert {after.black for after in moves(board)} == {at(7, 1), at(7, 3)}
    assert all(after.kings == after.black for after in moves(board))
    king = Board(black=at(6, 2), red=at(0, 6), kings=at(6, 2))
    assert {after.black for after in moves(king)} == {at(7, 1), at(7, 3), at(5, 1), at(5, 3)}
    assert captures(at(2, 2), UP, at(1, 1), ~0) == []
    assert captures(at(2, 2), DOWN, at(1, 1), at(0, 0)) == [(at(0, 0), at(1, 1))]


def test_nothing_leaves_the_board():
    assert [shift(at(3, 7), by) for by in UP + DOWN] == [0, at(4, 6), 0, at(2, 6)]
    assert [shift(at(3, 0), by) for by in UP + DOWN] == [at(4, 1), 0, at(2, 1), 0]
    assert shift(at(7, 3), 9) == shift(at(0, 4), -9) == 0


def test_features_are_of_who_has_moved():
    """Black has moved: its piece at (3, 3) can be taken by red at (4, 4), whose other neighbours are safe."""
    board = Board(black=at(3, 3) | at(0, 0), red=at(4, 4) | at(7, 7) | at(5, 5), kings=at(7, 7), turn=1)
    assert dict(zip(NAMES, (12 * np.array(features(board))).tolist())) == {
        "my pieces": 2, "their pieces": 3, "my kings": 0, "their kings": 1,
        "mine threatened": 1, "theirs threatened": 0,
    }  # fmt: skip
    other = board._replace(turn=0)
    assert (12 * np.array(features(other))).tolist() == [3, 2, 1, 0, 0, 1]


def test_a_player_who_cannot_move_has_lost():
    boards, won = play(np.zeros(7), np.zeros(7), np.random.default_rng(0))
    assert won in (-1, 0, 1)
    if won:
        assert moves(boards[-1]) == []
    assert all(after in moves(before) for before, after in zip(boards, boards[1:]))
    assert moves(Board(black=0, red=at(1, 1), kings=0)) == []


@pytest.mark.timeout(120)
def test_it_learns_from_games_against_itself():
    weights = learn(30)[-1]
    assert games_won(weights, 40) >= 0.9
    assert weights[1] > 0 > weights[2]
    assert weights[5] < 0
