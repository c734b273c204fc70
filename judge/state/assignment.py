"""Assignment: pairing two sets of rows so that the total cost is least (the Hungarian method, Kuhn 1955)."""

from __future__ import annotations

from collections.abc import Sequence


def assign(costs: Sequence[Sequence[float]]) -> list[tuple[int, int]]:
    """Pairs (row, column) of the cheapest complete assignment of the smaller side; costs are finite, O(n²m).

    Shortest augmenting paths with potentials (Jonker and Volgenant 1987).
    """
    if not costs or not costs[0]:
        return []
    if len(costs) > len(costs[0]):
        return sorted((row, column) for column, row in assign(list(zip(*costs, strict=True))))
    owner = _owners(costs)
    return sorted((row - 1, column - 1) for column, row in enumerate(owner) if column and row)


def _owners(costs: Sequence[Sequence[float]]) -> list[int]:
    """For each column, counted from 1, the row that owns it, counted from 1; 0 for none."""
    rows, columns = len(costs), len(costs[0])
    row_price, column_price = [0.0] * (rows + 1), [0.0] * (columns + 1)
    owner = [0] * (columns + 1)
    for row in range(1, rows + 1):
        owner[0] = row
        came_from, end = _shortest_path(costs, row_price, column_price, owner)
        while end:
            owner[end], end = owner[came_from[end]], came_from[end]
    return owner


def _shortest_path(
    costs: Sequence[Sequence[float]], row_price: list[float], column_price: list[float], owner: list[int]
) -> tuple[list[int], int]:
    """The column before each on the cheapest path from the row that owns column 0, and the free column it ends at."""
    columns = len(column_price)
    distance, came_from, done = [float("inf")] * columns, [0] * columns, [False] * columns
    here = 0
    while owner[here]:
        done[here] = True
        row, step, nearest = owner[here], float("inf"), 0
        for column in range(1, columns):
            if done[column]:
                continue
            cost = costs[row - 1][column - 1] - row_price[row] - column_price[column]
            if cost < distance[column]:
                distance[column], came_from[column] = cost, here
            if distance[column] < step:
                step, nearest = distance[column], column
        for column in range(columns):
            if done[column]:
                row_price[owner[column]] += step
                column_price[column] -= step
            else:
                distance[column] -= step
        here = nearest
    return came_from, here
