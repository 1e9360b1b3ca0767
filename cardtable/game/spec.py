"""Documentation tables, printed from the code that they document."""

from collections.abc import Sequence

from cardtable.game.game import Game
from cardtable.game.layout import Layout
from cardtable.game.sight import left_out


def markdown(header: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """A Markdown table."""
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(str(cell) for cell in line) + " |" for line in lines)


def action_table(game: Game) -> str:
    """Blocks of the action space: ids, notation of the first and last, meaning."""
    rows = []
    for block in game.actions.blocks:
        span, names = getattr(game.actions.at, block.name), block.names()
        notation = f"`{names[0]}`" if block.size == 1 else f"`{names[0]}` … `{names[-1]}`"
        rows.append((f"{span.start}–{span.stop - 1}" if block.size > 1 else span.start, notation, block.meaning))
    return markdown(("ids", "notation", "meaning"), rows)


def layout_table(layout: Layout) -> str:
    """Pieces of an observation: place, name, shape, meaning."""
    rows = []
    for piece in layout.pieces:
        span = getattr(layout.at, piece.name)
        place = f"{span.start}–{span.stop - 1}" if piece.size > 1 else span.start
        shape = " × ".join(str(size) for size in piece.shape) or "1"
        rows.append((place, f"`{piece.name}`", shape, piece.meaning))
    return markdown(("numbers", "name", "shape", "meaning"), rows)


def option_table(game: Game) -> str:
    """Options: name, default, meaning."""
    rows = [(f"`{name}`", repr(default), meaning) for name, default, meaning in game.options.table()]
    return markdown(("option", "default", "meaning"), rows)


def deck_table(game: Game) -> str:
    """Decks that can be injected."""
    return markdown(("deck", "cards"), [(f"`{deck.name}`", deck.meaning) for deck in game.decks.values()])


def info_table(game: Game) -> str:
    """What `infos` hold of each agent."""
    return markdown(("name", "meaning"), [(f"`{name}`", meaning) for name, meaning in game.infos.items()])


def view_table(game: Game) -> str:
    """What views show: every field, and who sees what of it."""
    rules = game.sight.rules
    fields = [each for each in game.state.fields if not each.derived and rules[each.name] is not left_out]
    rows = [(f"`{each.name}`", each.meaning, first_line(rules[each.name])) for each in fields]
    return markdown(("field", "meaning", "who sees it"), rows)


def event_table(game: Game) -> str:
    """Kinds of events, those that all games have first: name, fields, meaning."""
    rows = []
    for kind in game.events.kinds.values():
        fields = "; ".join(f"`{name}`: {meaning}" for name, meaning in kind.fields.items())
        rows.append((f"`{kind.name}`", kind.meaning, fields))
    return markdown(("event", "meaning", "fields"), rows)


def first_line(thing: object) -> str:
    """The first line of a docstring, without its full stop."""
    return (thing.__doc__ or "").strip().splitlines()[0].removesuffix(".")


def spec_tables(game: Game) -> dict[str, str]:
    """Every table of a spec page, by its heading."""
    return {
        "Arguments": option_table(game),
        f"Actions ({game.actions.size})": action_table(game),
        f"Observation ({game.layout.size} numbers in [0, 1])": layout_table(game.layout),
        f"Hidden part of `state()` ({game.hidden.size} numbers)": layout_table(game.hidden),
        "Infos (integers, 0 until the game is over)": info_table(game),
        "Views (`table.view(seat)`, `env.view(agent)`)": view_table(game),
        "Events (`table.events(seat)`, `env.events(agent)`)": event_table(game),
        'Decks for `reset(options={"deal": …})`': deck_table(game),
    }


def spec_text(game: Game) -> str:
    """All tables of a spec page as one text."""
    return "\n\n".join(f"## {heading}\n\n{table}" for heading, table in spec_tables(game).items())
