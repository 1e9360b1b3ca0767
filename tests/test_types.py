"""Types find mistakes: generated types say what records and options are, and mypy refuses what does not fit them."""

import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import cardtable
from cardtable.engine.kernels import Kernels
from cardtable.game.record import HEADER
from cardtable.game.registry import find, game_ids
from cardtable.types import Header
from tools.make_types import annotation, types_file, types_text

ROOT = Path(cardtable.__file__).resolve().parent.parent

MISTAKES = '''
"""Right and wrong uses; a comment names the error that mypy is to find."""

from dataclasses import replace

import numpy as np

from artisans_env import artisans_v0
from artisans_env.types import State as ArtisansState
from cardtable.engine.kernels import Kernels
from cardtable.engine.rng import draw
from cardtable.types import Actions, Observation
from murano_env import murano_v0
from muster_env import muster_v0
from muster_env.rules import legal
from muster_env.types import OptionArguments, State

# ---- Options
muster_v0.env(streamlined=True, max_turns=20, render_mode="ansi")
muster_v0.env(streamlind=True)  # call-arg
muster_v0.raw_env(streamlined="yes")  # arg-type
muster_v0.batch_env(8, 1, observe=False, power_of_unity=True)
muster_v0.batch_env(8, 1, ring="A")  # call-arg
artisans_v0.env(num_players=3, artisans=["sculptor", "versatile", "provident"])
artisans_v0.env(artisan="draft")  # call-arg
murano_v0.env(advantages=[1, 2, 3, 4], edition={"creations": []})
murano_v0.env(advantages=[1, "2"])  # list-item
chosen: OptionArguments = {"streamlined": True}
muster_v0.env(**chosen)


# ---- Fields of a record
def turn(game: State) -> int:
    game.pile_size -= 1
    game.rng = np.uint64(1)
    game.seed = 1  # assignment
    game.piel = 2  # attr-defined
    print(game.lenght)  # attr-defined
    return game.turn


def of_any_game(game: ArtisansState, cards: Observation) -> None:
    draw(game, game.seat)
    draw(game, game.market)  # arg-type
    turn(game)  # arg-type


# ---- Kernels
def right(game: State, actions: Actions) -> int:
    return legal(game, actions)


def without_count(game: State, actions: Actions) -> None: ...
def with_seat(game: State, seat: int, actions: Actions) -> int: ...  # empty-body
def of_other_dtype(game: State, actions: Observation) -> int: ...  # empty-body
def of_other_game(game: ArtisansState, actions: Actions) -> int: ...  # empty-body


kernels: Kernels[State] = muster_v0.GAME.kernels
replace(kernels, legal=right)
replace(kernels, legal=without_count)  # arg-type
replace(kernels, legal=with_seat)  # arg-type
replace(kernels, legal=of_other_dtype)  # arg-type
replace(kernels, legal=of_other_game)  # arg-type
replace(kernels, leagl=right)  # call-arg
Kernels[State](legal=right)  # call-arg
'''


@pytest.mark.parametrize("game_id", game_ids())
def test_the_types_of_a_game_are_printed_from_its_state_and_options(game_id):
    assert types_file(game_id).read_text(encoding="utf-8") == types_text(game_id), "run: python -m tools.make_types"


def test_the_header_type_names_the_fields_of_every_record():
    names = {int: "int", np.uint64: "np.uint64"}
    declared = {name: names[kind] for name, kind in Header.__annotations__.items()}
    assert declared == {each.name: annotation(each.dtype, ()) for each in HEADER}


def test_every_field_of_a_record_has_a_type():
    for game_id in game_ids():
        game = find(game_id)
        typed = re.findall(r"^    (\w+): ", types_text(game_id).partition("class OptionArguments")[0], flags=re.MULTILINE)
        assert {*typed, *Header.__annotations__, "filler"} == set(game.state.dtype.names)


def test_a_game_is_made_of_nothing_but_kernels():
    game = find("muster")
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'witness'"):
        Kernels(*(getattr(game.kernels, name) for name in list(Kernels.__dataclass_fields__)[:-1]))


def test_mypy_finds_misspelt_options_fields_and_wrong_kernels(tmp_path):
    page = tmp_path / "mistakes.py"
    page.write_text(MISTAKES, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--config-file", ROOT / "pyproject.toml", page],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    found = re.findall(r"mistakes\.py:(\d+): error: .*\[([\w-]+)\]$", done.stdout, flags=re.MULTILINE)
    expected = [
        (str(number), line.partition("  # ")[2]) for number, line in enumerate(MISTAKES.split("\n"), start=1) if "  # " in line
    ]
    assert found == expected, f"{done.stdout}\n{done.stderr}"
