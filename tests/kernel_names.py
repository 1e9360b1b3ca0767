"""Go through everything that is compiled, without compiling it, and print what numba would call by one name, and what an edit
of any game would compile anew.

Only types are inferred: a kernel that is "compiled" here does nothing. Run in a process of its own, as
`python tests/kernel_names.py`; prints how many functions there are, then a line for each name that two of them share, and for
each function that is made from every game.
"""

import contextlib
import io
from collections import defaultdict
from typing import Any

import numba.core.event as event
from cardtable_agents.players import heuristic, search
from numba.core import compiler, typed_passes

from cardtable import audit
from cardtable.engine import cache
from cardtable.engine.jit import compile_calls
from cardtable.engine.origins import origin_of
from cardtable.engine.sources import SHARED, declared_packages, package_of
from cardtable.engine.store import Store
from cardtable.game.registry import find, game_ids
from cardtable.players import views
from cardtable.players.roster import make_agent

NOTHING = "0".format
"""What is called in place of compiled code: numba wants a built-in function; this one takes anything, and `int` of it is 0."""


class Names(event.Listener):
    """Every function that numba compiles, by what makes its name: module, qualified name, argument types."""

    def __init__(self) -> None:
        self.functions: dict[tuple[str, str, str], set[Any]] = defaultdict(set)
        self.of_every_game: set[tuple[str, str, str]] = set()

    def on_start(self, event: Any) -> None:
        function = event.data["dispatcher"].py_func
        if package_of(function.__module__) in declared_packages():
            name = function.__module__, function.__qualname__, str(event.data["args"])
            cells = [cell.cell_contents for cell in function.__closure__ or ()]
            self.functions[name].add((function.__code__, *map(id, cells)))
            if origin_of(function.__module__, event.data["args"]).packages >= declared_packages() - {SHARED}:
                self.of_every_game.add(name)

    def on_end(self, event: Any) -> None:
        """What it was compiled to does not matter."""


def lower_nothing(self: Any, state: Any) -> bool:
    """In place of numba's pass that makes machine code: a result that can be called with anything."""
    describe = typed_passes.funcdesc.PythonFunctionDescriptor.from_specialized_function
    described = describe(
        state.func_ir, state.typemap, state.return_type, state.calltypes, None, inline=False, noalias=False, abi_tags=()
    )
    state["cr"] = compiler._LowerResult(described, None, cfunc=NOTHING, env=None)
    return True


def go_through(game_id: str) -> None:
    """Compile what plays a game, audits it, and what agents are made of."""
    game = find(game_id)
    compile_calls(game._calls())
    audit._compile(game)
    views._compile(game)
    heuristic._compile(game)
    for name in ("search", "search:1:net"):
        search._compile(make_agent(name, game))


def main() -> None:
    names = Names()
    Store.read = lambda self, kernel: None  # type: ignore[method-assign]
    Store.is_ready = lambda self, group: True  # type: ignore[method-assign]  # nothing may be marked as compiled
    Store.write = lambda self, kernel, payload: None  # type: ignore[method-assign]
    cache.KernelCache.save_overload = lambda *args: None  # type: ignore[method-assign]
    typed_passes.NativeLowering.run_pass = lower_nothing
    event.register("numba:compile", names)
    with contextlib.redirect_stdout(io.StringIO()):
        for game_id in game_ids():
            go_through(game_id)
    print(len(names.functions))
    for name, functions in names.functions.items():
        if len(functions) > 1 or name in names.of_every_game:
            print(*name)


if __name__ == "__main__":
    main()
