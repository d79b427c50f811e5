"""Draw the floors of the library, as the layers of `pyproject.toml` have them: `python docs/house.py`."""

import tomllib
from pathlib import Path

DOCS = Path(__file__).parent
PICTURE = DOCS / "_static" / "house.svg"
FLOOR = {"engine": "#dbe7f5", "learners": "#e3f1dd", "results": "#fbeccd", "shared": "#ececec"}
"""the colour of what a floor is for"""
BETWEEN = {"sources": "engine", "kernels": "learners", "metrics": "results"}
"""the floors, by their first room, from which on upwards rooms are for something else"""


def floors() -> list[list[str]]:
    """The rooms of each floor, the lowest first; modules that only hand on names are no rooms."""
    project = tomllib.loads((DOCS.parent / "pyproject.toml").read_text())
    layers = project["tool"]["importlinter"]["contracts"][0]["layers"]
    found = [[room for room in layer.split(" | ") if not room.startswith("(")] for layer in reversed(layers)]
    return [floor for floor in found if floor]


def draw(path: Path = PICTURE) -> None:
    """Write the picture: a row of boxes for each floor."""
    import matplotlib

    matplotlib.use("agg")
    import matplotlib.pyplot as plt
    from matplotlib.patches import FancyBboxPatch

    house = floors()
    width, colour = 110.0, FLOOR["shared"]
    settings = {"svg.fonttype": "none", "svg.hashsalt": "house", "font.family": "sans-serif"}
    with plt.rc_context(settings):
        figure, ax = plt.subplots(figsize=(11, 0.42 * len(house) + 0.3))
        for height, rooms in enumerate(house):
            colour = FLOOR.get(BETWEEN.get(rooms[0], ""), colour)
            sizes = [len(room) + 4 for room in rooms]
            left = 0.0
            for room, size in zip(rooms, sizes, strict=True):
                wide = width * size / sum(sizes)
                box = (left + 0.3, height + 0.1), wide - 0.6, 0.8
                style = "round,pad=0,rounding_size=0.15"
                ax.add_patch(FancyBboxPatch(*box, boxstyle=style, facecolor=colour, edgecolor="#666666", linewidth=0.8))
                ax.text(left + wide / 2, height + 0.47, room, ha="center", va="center", fontsize=9)
                left += wide
        ax.annotate(
            "", (-3, 0.1), (-3, len(house) - 0.1), arrowprops={"arrowstyle": "->", "color": "#666666", "linewidth": 1.5}
        )
        ax.text(-4.5, len(house) / 2, "imports", rotation=90, ha="center", va="center", fontsize=9, color="#444444")
        ax.set(xlim=(-6, width), ylim=(0, len(house)))
        ax.set_axis_off()
        figure.savefig(path, bbox_inches="tight", metadata={"Date": None} if path.suffix == ".svg" else None, dpi=80)
        plt.close(figure)


if __name__ == "__main__":
    draw()
