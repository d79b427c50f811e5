"""Checkers, small and whole: the rules, six features of a board, and a player that learns their weights from its games.

The program of Mitchell's "Machine Learning", chapter 1: the task is to play checkers, the performance is games won, the
experience is games against itself. V(board) = w0 + w1 x1 + ... + w6 x6 is learned by LMS, the rule of
`tn.SGDRegressor`: what the board was worth is what its successor is worth now, and in the end who has won.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

import tenfold as tn

LEFT, RIGHT, ALL = 0x0101010101010101, 0x8080808080808080, (1 << 64) - 1
TOP, BOTTOM = 0xFF << 56, 0xFF
UP, DOWN = (9, 7), (-7, -9)
PLIES = 200
"""after which a game is a draw"""


class Board(NamedTuple):
    """A set of squares is a number of 64 bits. Black is at the bottom, moves up, and begins."""

    black: int
    red: int
    kings: int
    turn: int = 0
    """0 if black is to move, 1 if red is"""


START = Board(black=0xAA55AA & 0xFFFFFF, red=0x55AA55 << 40, kings=0)
NAMES = ("my pieces", "their pieces", "my kings", "their kings", "mine threatened", "theirs threatened")


def shift(squares: int, by: int) -> int:
    """The squares next to these in one of the four directions."""
    kept = squares & ~(RIGHT if by in (9, -7) else LEFT)
    return (kept << by) & ALL if by > 0 else kept >> -by


def split(squares: int) -> list[int]:
    """The squares one by one."""
    found = []
    while squares:
        found.append(squares & -squares)
        squares &= squares - 1
    return found


def captures(piece: int, ways: tuple[int, ...], theirs: int, empty: int) -> list[tuple[int, int]]:
    """Where a piece may jump to, as far as it can, and what it takes on the way."""
    found = []
    for by in ways:
        over = shift(piece, by) & theirs
        there = shift(over, by) & empty if over else 0
        if there:
            further = captures(there, ways, theirs & ~over, empty | piece)
            found += [(end, taken | over) for end, taken in further] or [(there, over)]
    return found


def moves(board: Board) -> list[Board]:
    """The boards to which the player who is to move can go; who can take must."""
    mine, theirs = (board.black, board.red) if board.turn == 0 else (board.red, board.black)
    forward, last = (UP, TOP) if board.turn == 0 else (DOWN, BOTTOM)
    empty = ALL & ~(mine | theirs)
    ways = {piece: UP + DOWN if piece & board.kings else forward for piece in split(mine)}
    ends = [(piece, *each) for piece, way in ways.items() for each in captures(piece, way, theirs, empty)]
    if not ends:
        ends = [
            (piece, there, 0) for piece, way in ways.items() for by in way if (there := shift(piece, by) & empty)
        ]  # fmt: skip
    after = []
    for piece, there, taken in ends:
        mine_now, theirs_now = (mine & ~piece) | there, theirs & ~taken
        crowned = there if piece & board.kings or there & last else 0
        kings = (board.kings & ~piece & ~taken) | crowned
        sides = (mine_now, theirs_now) if board.turn == 0 else (theirs_now, mine_now)
        after.append(Board(*sides, kings, 1 - board.turn))
    return after


def threatened(theirs: int, mine: int, kings: int, forward: tuple[int, int]) -> int:
    """How many of my pieces they could take next."""
    empty, found = ALL & ~(theirs | mine), 0
    for by in UP + DOWN:
        movers = theirs if by in forward else theirs & kings
        found |= shift(movers, by) & mine & shift(empty, -by)
    return found.bit_count()


def features(board: Board) -> list[float]:
    """The six numbers by which a player scores the board after a move, as shares of twelve pieces."""
    mine, theirs, ways = (board.red, board.black, UP) if board.turn == 0 else (board.black, board.red, DOWN)
    counts = (
        mine.bit_count(), theirs.bit_count(), (mine & board.kings).bit_count(), (theirs & board.kings).bit_count(),
        threatened(theirs, mine, board.kings, ways), threatened(mine, theirs, board.kings, DOWN if ways == UP else UP),
    )  # fmt: skip
    return [count / 12 for count in counts]


def choose(after: list[Board], weights: np.ndarray, rng: np.random.Generator, explore: float = 0.0) -> Board:
    """The move after which the board is worth most; at random among equals, and sometimes in any case."""
    if explore and rng.random() < explore:
        return after[rng.integers(len(after))]
    worth = np.array([features(board) for board in after]) @ weights[1:]
    best = np.flatnonzero(worth >= worth.max() - 1e-12)
    return after[best[rng.integers(len(best))]]


def play(black: np.ndarray, red: np.ndarray, rng: np.random.Generator, explore: float = 0.0) -> tuple[list[Board], int]:
    """A game: its boards, and 1 if black has won, -1 if red has, 0 if nobody has after so many moves."""
    boards = [START]
    while len(boards) <= PLIES:
        after = moves(boards[-1])
        if not after:
            return boards, -1 if boards[-1].turn == 0 else 1
        boards.append(choose(after, black if boards[-1].turn == 0 else red, rng, explore))
    return boards, 0


def learn(games: int, seed: int = 0, explore: float = 0.1) -> list[np.ndarray]:
    """The weights before the first game against itself, and after each: w0 and those of the six features."""
    rng, weights = np.random.default_rng(seed), [np.zeros(7)]
    model = tn.SGDRegressor(penalty=None, learning_rate="constant", eta0=0.1, shuffle=False)
    for _ in range(games):
        boards, won = play(weights[-1], weights[-1], rng, explore)
        rows, targets = [], []
        for mine, result in ((boards[1::2], won), (boards[2::2], -won)):
            seen = np.array([features(board) for board in mine])
            worth = weights[-1][0] + seen @ weights[-1][1:]
            rows.append(seen)
            targets.append(np.append(worth[1:], result))
        model.partial_fit(np.concatenate(rows), np.concatenate(targets))
        weights.append(np.concatenate([model.intercept_, model.coef_]))
    return weights


def games_won(weights: np.ndarray, games: int, seed: int = 0) -> float:
    """The share of games that these weights win against the starting ones, half of them as black."""
    rng, start = np.random.default_rng(seed), np.zeros(7)
    won = sum(play(weights, start, rng)[1] == 1 for _ in range(games // 2))
    won += sum(play(start, weights, rng)[1] == -1 for _ in range(games - games // 2))
    return won / games
