"""The pages that are printed from cards, in Markdown: a model card for each policy, and an index of all."""

import json
import shlex
from collections.abc import Iterator, Sequence

from cardtable_agents.players.policy import SUFFIX

from cardtable.game.game import Game
from cardtable.game.registry import find
from tools.publish_policies.card import Card
from tools.publish_policies.measure import Measurement, Returns, mean_of

SOLO_RETURNS = {
    "murano_v0": {"-1.0": "lost", "0.25": "Apprentice", "0.5": "Artisan", "0.75": "Master", "1.0": "Grandmaster"},
}
"""What the returns of a game for one player mean, the worst first."""


# ---- A card


def page(card: Card) -> str:
    """The model card in Markdown."""
    parts = [_heading(card), _facts(card), _curve(card), _figures(card), _choice(card), _limits(card)]
    return "\n\n".join(parts) + "\n"


def _heading(card: Card) -> str:
    game = find(card.game)
    what = "a network alone" if card.advice is None else f"a network with the advice of `{card.advice}`"
    return (
        f"# {card.name}\n\n"
        f"Plays *{game.title}* with {_players(card)}: {what}. `ppo` is this policy in games with {_players(card)}.\n"
        f"Printed by `python -m tools.publish_policies` from `docs/policies/{card.name}.json`."
    )


def _facts(card: Card) -> str:
    game, origin = find(card.game), card.origin
    rows = [
        ["game", f"`{card.game}`, rules version {game.rules_version}"],
        ["players", str(card.num_players)],
        ["options", _options(card)],
        ["file", f"`agents/cardtable_agents/policies/{card.name}{SUFFIX}`: {card.bytes:,} bytes, half precision"],
        ["fingerprint", f"`{card.fingerprint}`"],
        ["network", _network(card, game)],
        ["command", f"`{origin.command}`"],
        ["seed", str(origin.seed)],
        ["learned from", _learned(card)],
        ["time", f"{_duration(origin.seconds)}, {_threads(card.threads)}"],
        ["machine", _listed(card.machine) or "not recorded"],
        ["versions", ", ".join(f"{name} {number}" for name, number in card.versions.items()) or "not recorded"],
    ]
    return markdown([["", ""], *rows], "ll")


def _threads(number: int | None) -> str:
    return "number of threads not recorded" if number is None else "one thread" if number == 1 else f"{number} threads"


def _players(card: Card) -> str:
    return "one player" if card.alone else f"{card.num_players} players"


def _options(card: Card) -> str:
    if not card.options:
        return "the defaults"
    return "the defaults, but " + ", ".join(f"`{name}={_value(value)}`" for name, value in card.options.items())


def _value(value: object) -> str:
    """An option's value; an edition is too long to show."""
    return "…" if isinstance(value, dict) else json.dumps(value)


def _network(card: Card, game: Game) -> str:
    sizes = " – ".join(map(str, (game.layout.size, *card.layers, game.actions.size)))
    head = f", and {card.values} expected return{'s' if card.values > 1 else ''}" if card.values else ""
    return f"{sizes}{head}: {card.parameters:,} parameters, rectified linear units"


def _learned(card: Card) -> str:
    teacher, demonstrations = card.imitated
    imitation = f"{demonstrations:,} decisions of `{teacher}`, then " if demonstrations else ""
    learner = {"cardtable": "the learner of this package", "sb3": "MaskablePPO"}.get(card.learner, card.learner)
    words = card.origin.command.split()
    start = f"; it began with the policy `{words[words.index('--start') + 1]}`" if "--start" in words[:-1] else ""
    return f"{imitation}{card.origin.steps:,} decisions of its own{f', by {learner}' if learner else ''}{start}"


def _duration(seconds: int) -> str:
    minutes = round(seconds / 60)
    return f"{minutes // 60} h {minutes % 60} min" if minutes >= 60 else f"{minutes} min" if minutes else f"{seconds} s"


def _listed(facts: dict[str, str | int | None]) -> str:
    words = {"cores": lambda value: f"{value} cores"}
    return ", ".join(words.get(name, str)(value) for name, value in facts.items() if value)


def _curve(card: Card) -> str:
    picture = f"![learning curve of {card.name}]({card.name}.png)"
    return f"## Learning curve\n\n{picture}\n\nShort matches during training, on separate deals."


# ---- Figures


def _figures(card: Card) -> str:
    table = _solo_table(card) if card.alone else _win_table(card)
    return f"## Figures\n\n{_how_measured(card)}\n\n{table}\n\nTo repeat these games, to the last action:\n\n{_commands(card)}"


def _how_measured(card: Card) -> str:
    if card.alone:
        how = "The policy and the other agent play the same deals; the better return wins a deal, then the better score."
    else:
        how = (
            f"Every deal is played from every seat, the other agent at {_other_seats(card)}; a win shared by k counts 1/k.\n"
            f"Equal agents win {_percent(1 / card.num_players)}."
        )
    return (
        f"Measured with this file, on deals that were not used to choose it. {how}\n"
        "Intervals are Wilson's, of 95 %; paired games vary less than these assume."
    )


def _other_seats(card: Card) -> str:
    return "the other seat" if card.num_players == 2 else f"all {card.num_players - 1} other seats"


def _win_table(card: Card) -> str:
    head = ["against", "wins", "95 % interval", "games", "cut off"]
    rows = [
        [_agent(each), _percent(each.rate), _interval(each), f"{each.games:,}", f"{each.cut_off:,}"] for each in card.figures
    ]
    return markdown([head, *rows], "lrrrr")


def _solo_table(card: Card) -> str:
    """The share of each return, of the policy and of each agent on the same deals."""
    names = SOLO_RETURNS.get(card.game) or {value: value for value in _values(card)}
    head = ["", *names.values(), "mean return", "deals", "won by the policy"]
    own = max((each for each in card.figures), key=lambda each: each.games)
    rows = [[f"`{card.name}`", *_shares(own.returns, names), _mean(own.returns), f"{own.games:,}", ""]]
    for each in card.figures:
        won = f"{_percent(each.rate)} ({_interval(each)})"
        rows.append([_agent(each), *_shares(each.other_returns, names), _mean(each.other_returns), f"{each.games:,}", won])
    return markdown([head, *rows], "l" + "r" * (len(head) - 1))


def _values(card: Card) -> list[str]:
    return sorted({value for each in card.figures for value in (*each.returns, *each.other_returns)}, key=float)


def _shares(returns: Returns, names: dict[str, str]) -> list[str]:
    games = sum(returns.values())
    return [_percent(returns.get(value, 0) / games) for value in names]


def _mean(returns: Returns) -> str:
    mean, half = mean_of(returns)
    return f"{mean:.3f} ± {half:.3f}"


def _interval(measured: Measurement) -> str:
    low, high = measured.interval
    return f"{100 * low:.1f} to {_percent(high)}"


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"


def _agent(measured: Measurement) -> str:
    mark = f" (`{measured.fingerprint}`)" if measured.fingerprint else ""
    return f"`{measured.against}`{mark}" if not measured.against.startswith("run ") else f"{measured.against}{mark}"


def _commands(card: Card) -> str:
    """The command of the arena for every figure."""
    lines = dict.fromkeys(_command(card, each) for each in card.figures)
    note = ""
    if any(each.fingerprint for each in card.figures):
        note = "\n\n`PATH` is a policy file that does not come with the package; the table names it by its fingerprint."
    return "```sh\n" + "\n".join(lines) + "\n```" + note


def _command(card: Card, measured: Measurement) -> str:
    agent = "ppo:PATH" if measured.fingerprint else measured.against
    others = " ".join([agent] * max(card.num_players - 1, 1))
    usual = find(card.game).parse_options({}).num_players
    options = ({"num_players": card.num_players} if card.num_players != usual else {}) | card.options
    given = "".join(f" -o {shlex.quote(f'{name}={_value(value)}')}" for name, value in options.items())
    deals = card.reporting
    return f"cardtable arena {card.game} ppo {others}{given} --games {measured.asked} --seed {deals.seed} --salt {deals.salt}"


# ---- How it was chosen, and what it is not for


def _choice(card: Card) -> str:
    number, first = len(card.candidates), card.origin.measured
    what = "mean return" if card.alone else f"wins against `{first.against}`"
    head = ["run", "seed", "decisions", "time", what, "95 % interval", "fingerprint"]
    rows = [_row(card, place) for place in range(number)]
    runs = "one run" if number == 1 else f"the best of {number} runs"
    commands = "\n".join(dict.fromkeys(each.command for each in card.candidates))
    return (
        f"## How it was chosen\n\nThis is {runs}, by {first.games:,} games each on separate deals "
        f"(seed {card.choosing.seed}, salt `{card.choosing.salt}`).\n\n{markdown([head, *rows], 'lrrrrrl')}\n\n"
        f"```sh\n{commands}\n```"
    )


def _row(card: Card, place: int) -> list[str]:
    each = card.candidates[place]
    mean, half = mean_of(each.measured.returns)
    strength = f"{mean:.3f}" if card.alone else _percent(each.measured.rate)
    interval = f"{mean - half:.3f} to {mean + half:.3f}" if card.alone else _interval(each.measured)
    name = f"**run {place + 1}**" if place == card.chosen else f"run {place + 1}"
    return [name, str(each.seed), f"{each.steps:,}", _duration(each.seconds), strength, interval, f"`{each.fingerprint}`"]


def _limits(card: Card) -> str:
    game = find(card.game)
    return "## What it sees, and what it cannot do\n\n" + "\n".join(f"- {line}" for line in _limit_lines(card, game))


def _limit_lines(card: Card, game: Game) -> Iterator[str]:
    yield f"It sees the {game.layout.size} numbers of a seat's observation and which of {game.actions.size} actions are legal."
    if card.advice is None:
        yield "It sees no hidden cards and does not try moves out."
    else:
        yield f"It also receives the score that `{card.advice}` gives every legal action by trying it out in redealt worlds."
    yield "It keeps no memory: what it no longer sees, it does not know."
    yield "It always plays the action that it rates highest, the same in the same position: who knows it can exploit that."
    yield f"It was trained with {_players(card)} only."
    trained = game.parse_options({**card.options, "num_players": card.num_players}).to_dict()
    values = ", ".join(f"`{name}={_value(value)}`" for name, value in trained.items() if name != "num_players")
    if values:
        yield f"It was trained with {values} only. With other values it plays legal moves, but has learned nothing about them."
    yield "It was measured against the agents above; how it does against people is not known."


# ---- The index


def index(cards: Sequence[Card]) -> str:
    """The page that lists all policies."""
    agents = list(dict.fromkeys(each.against for card in cards for each in card.figures if not each.fingerprint))
    head = ["policy", "game", "players", "decisions", "time", "runs", *(f"against `{agent}`" for agent in agents)]
    rows = [_index_row(card, agents) for card in cards]
    return (
        "# The policies that come with the package\n\n"
        "`ppo` plays the one for the game and its number of players. Each has a card, which says how it was made, how strong\n"
        "it is, and what it cannot do. The figures here are shares of wins with 95 % intervals, with the other agent at all\n"
        "other seats; for one player, the mean return of the policy, then that of the agent. Decisions and time are those of\n"
        "its last run; the card says which policy that run began with.\n"
        "Printed by `python -m tools.publish_policies --index`.\n\n"
        f"{markdown([head, *rows], 'llrrrr' + 'r' * len(agents))}\n"
    )


def _index_row(card: Card, agents: Sequence[str]) -> list[str]:
    origin = card.origin
    row = [f"[{card.name}]({card.name}.md)", find(card.game).title, str(card.num_players), f"{origin.steps:,}"]
    figures = [_index_figure(card.figure(agent)) for agent in agents]
    return [*row, _duration(origin.seconds), str(len(card.candidates)), *figures]


def _index_figure(measured: Measurement | None) -> str:
    if measured is None:
        return "–"
    if measured.other_returns:
        return f"{mean_of(measured.returns)[0]:.3f}; {mean_of(measured.other_returns)[0]:.3f}"
    return f"{_percent(measured.rate)} ({_interval(measured)})"


def markdown(rows: Sequence[Sequence[str]], sides: str) -> str:
    """A table, the first row its heading; `l` or `r` for each column says which side its cells are set to."""
    ruler = ["---" if side == "l" else "--:" for side in sides]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in (rows[0], ruler, *rows[1:]))
