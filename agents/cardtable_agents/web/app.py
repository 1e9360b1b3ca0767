"""The pages, what they ask for, and the server that answers."""

import asyncio
import functools
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from importlib import resources
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route, WebSocketRoute

from cardtable.errors import CardtableError, OptionError, ReplayError
from cardtable.game.game import Game
from cardtable.game.options import Options
from cardtable.game.registry import find
from cardtable.players import roster
from cardtable.replay import Replay
from cardtable.support.messages import cut, shown
from cardtable_agents.web import catalogue, replays, runs
from cardtable_agents.web.safety import LARGEST_UPLOAD, Guard, Unread, body_of
from cardtable_agents.web.sockets import LONGEST_FAULT, Lobby, read_message
from cardtable_agents.web.tables import HERE, LINK, MOST_TABLES, PACES, OpenTable, Tables
from cardtable_agents.web.thinkers import Thinkers

TYPES = {".css": "text/css", ".html": "text/html", ".js": "text/javascript", ".svg": "image/svg+xml"}
PAGES = {"/": "start.html", "/table/{table}": "table.html", "/replay": "replay.html", "/runs": "runs.html"}
FRESH = {"cache-control": "no-cache"}
SECRET = {"cache-control": "no-store"}
KEPT = {"cache-control": "private, max-age=31536000, immutable"}
"""Of what stays as it is at its address."""
LONGEST_STEP = 9
"""Digits of the number of a step."""
LONGEST_SEED = 20
"""Digits of a seed."""
MOST_VERIFIED = 2
"""Replays that are verified at a time."""
MOST_MADE = 2
"""Agents that are made ready at a time: programs may take long to start."""

Handler = Callable[[Request], Awaitable[Response]]


@dataclass(frozen=True)
class Settings:
    """What was decided when the server was started."""

    agents: Sequence[str] = catalogue.AGENTS
    """Those that pages may name."""
    folders: Sequence[Path] = ()
    """Where replays, arenas and trainings are looked for."""
    names: Sequence[str] = ()
    """Names of this machine that a `Host` may have."""
    token: str = ""
    """What every page needs, if anything."""
    most_tables: int = MOST_TABLES
    editions: catalogue.Editions = field(default_factory=dict)
    """Edition files that pages may name."""


class NotFound(CardtableError):
    """There is nothing of that id."""


@functools.cache
def static_files() -> dict[str, tuple[bytes, str]]:
    """All files that pages need, by name, with their types."""
    folder = resources.files("cardtable_agents.web") / "static"
    return {
        each.name: (each.read_bytes(), TYPES[Path(each.name).suffix])
        for each in folder.iterdir()
        if Path(each.name).suffix in TYPES
    }


def _file(name: str) -> Response:
    content, kind = static_files()[name]
    return Response(content, media_type=kind, headers=FRESH)


def _answer(plain: object) -> JSONResponse:
    return JSONResponse(plain, headers=SECRET)


def _answering(handler: Callable[[Request], Awaitable[object]]) -> Handler:
    """A handler whose errors become answers that say what is wrong."""

    @functools.wraps(handler)
    async def handled(request: Request) -> Response:
        try:
            found = await handler(request)
        except NotFound as error:
            return JSONResponse({"error": str(error)}, 404, SECRET)
        except Unread as error:
            return JSONResponse({"error": str(error)}, 413, {**SECRET, "connection": "close"})
        except CardtableError as error:
            return JSONResponse({"error": str(error)}, 400, SECRET)
        except OSError as error:  # without its path: pages are not told where folders lie
            return JSONResponse({"error": f"a file cannot be read: {error.strerror or type(error).__name__}"}, 500, SECRET)
        return found if isinstance(found, Response) else _answer(found)

    return handled


class Site:
    """Everything that pages can ask for."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._folders = list(settings.folders)
        self._images = catalogue.images_of(settings.editions)
        self.thinkers = Thinkers()
        self.tables = Tables(settings.most_tables)
        self._replays = replays.Replays(self.thinkers)
        self._verifying = asyncio.Semaphore(MOST_VERIFIED)
        self._making = asyncio.Semaphore(MOST_MADE)
        self.lobby = Lobby(self.tables, self.thinkers, settings.agents)

    def routes(self) -> list[Any]:
        """What is where."""
        asked: list[tuple[str, str, Callable[[Request], Awaitable[object]]]] = [
            ("GET", "/api/start", self.start),
            ("POST", "/api/options", self.check_options),
            ("POST", "/api/tables", self.open_table),
            ("POST", "/api/tables/{table}/replay", self.replay_of_table),
            ("GET", "/api/replays", self.list_replays),
            ("POST", "/api/replays", self.upload),
            ("GET", "/api/replays/{replay}", self.replay),
            ("GET", "/api/replays/{replay}/file", self.replay_file),
            ("POST", "/api/replays/{replay}/values", self.values),
            ("GET", "/api/replays/{replay}/{step}", self.frame),
            ("GET", "/api/runs", self.list_runs),
            ("GET", "/api/arenas/{arena}", self.arena),
            ("GET", "/api/trainings/{training}", self.training),
            ("GET", "/images/{digest}", self.image),
            ("GET", "/static/{name}", self.static),
        ]
        pages = [Route(path, _page(name), methods=["GET"]) for path, name in PAGES.items()]
        data = [Route(path, _answering(handler), methods=[method]) for method, path, handler in asked]
        return [*pages, *data, WebSocketRoute("/api/tables/{table}", self.lobby.serve)]

    async def static(self, request: Request) -> Response:
        """A file that pages need."""
        name = request.path_params["name"]
        if name not in static_files():
            raise NotFound(f"there is no file {shown(name)}")
        return _file(name)

    async def image(self, request: Request) -> Response:
        """The image of a card of an edition that was given at start."""
        found = self._images.get(request.path_params["digest"])
        if found is None:
            raise NotFound("there is no such image")
        return Response(found.data, media_type=f"image/{found.kind}", headers=KEPT)

    # ---- Start

    async def start(self, _: Request) -> object:
        """What can be played, and by whom."""
        invite = f"?token={self._settings.token}" if self._settings.token else ""
        agents = {name: roster.about(name) for name in self._settings.agents}
        games = catalogue.games(self._settings.editions)
        return {"games": games, "agents": list(agents), "about": agents, "paces": PACES, "invite": invite}

    async def check_options(self, request: Request) -> object:
        """Whether options go together."""
        asked = await _object(request)
        catalogue.options_from_page(_game(asked), asked.get("options", {}), self._settings.editions)
        return {}

    async def open_table(self, request: Request) -> object:
        """Deal a new game, and give out the links to its seats."""
        asked = await _object(request)
        game = _game(asked)
        options = catalogue.options_from_page(game, asked.get("options", {}), self._settings.editions)
        seats = self._seats(asked.get("seats"))
        pace = asked.get("pace", 1.0)
        table = OpenTable(game, options, seats, _seed(asked.get("seed")), pace)
        await self._require_able(game, options, seats)
        self.tables.add(table)
        links = [{"seats": link.seats, "key": link.key, "path": f"/table/{table.id}#{link.key}"} for link in table.links]
        return {"table": table.id, "links": links}

    def _seats(self, given: object) -> list[str]:
        allowed = (HERE, LINK, *self._settings.agents)
        if not isinstance(given, list) or not all(isinstance(each, str) and each in allowed for each in given):
            raise OptionError(f"seats={shown(given)}: expected a list with one of these for each seat: {', '.join(allowed)}")
        return given

    async def _require_able(self, game: Game, options: Options, seats: Sequence[str]) -> None:
        """Make the agents ready: one that cannot play this game is refused here, and not at the table."""
        for name in dict.fromkeys(each for each in seats if each not in (HERE, LINK)):
            try:
                async with self._making:
                    await asyncio.to_thread(self.thinkers.answer, name, game, options, lambda agent: None)
            except Exception as error:  # whatever an agent of somebody else's raises
                raise OptionError(f"{name} cannot play: {cut(error, LONGEST_FAULT)}") from None

    # ---- Replays

    async def replay_of_table(self, request: Request) -> object:
        """The game of a table that is over, as a replay."""
        asked = await _object(request)
        table = self.tables.find(request.path_params["table"])
        if table is None or table.link_of(asked.get("key")) is None:
            raise NotFound("this link opens no table: it may have been closed")
        if not table.table.ending:
            raise OptionError("a replay shows all cards: it can be had when the game is over")
        game, editions = table.table.clone(), self._settings.editions
        shown_one = await self._verified(lambda: replays.Shown(Replay.of(game), "just played", editions))
        return {"replay": self._replays.add(shown_one)}

    async def _verified(self, verify: Callable[[], replays.Shown]) -> replays.Shown:
        """A replay that is ready to be looked at; others wait meanwhile, pages do not."""
        async with self._verifying:
            return await asyncio.to_thread(verify)

    async def list_replays(self, _: Request) -> object:
        """The replays in the folders."""
        found = await asyncio.to_thread(replays.replays_in, self._folders)
        return {"replays": [{"id": number, "name": each.name} for number, each in found.items()]}

    async def upload(self, request: Request) -> object:
        """A replay that a page hands in."""
        content = await body_of(request, LARGEST_UPLOAD)
        try:
            text = content.decode("utf-8-sig")
        except UnicodeDecodeError:
            raise ReplayError("not a replay: not a text in UTF-8") from None
        shown_one = await self._verified(lambda: replays.Shown(replays.read_upload(text), "your file", self._settings.editions))
        return {"replay": self._replays.add(shown_one)}

    async def _replay(self, request: Request) -> replays.Shown:
        number = request.path_params["replay"]
        found = self._replays.find(number)
        if found is None:
            place = (await asyncio.to_thread(replays.replays_in, self._folders)).get(number)
            if place is None:
                raise NotFound("there is no such replay: it may have been dropped; open the file again")
            found = await self._verified(lambda: replays.read_found(place, self._settings.editions))
            self._replays.add(found, number)
        return found

    async def replay(self, request: Request) -> object:
        """What a replay is of, and its moves."""
        return {**(await self._replay(request)).head(), "agents": list(self._settings.agents)}

    async def frame(self, request: Request) -> object:
        """One step of a replay, as a seat saw it."""
        replay, seat = await self._replay(request), request.query_params.get("seat", "all")
        if seat != "all" and not (seat.isdecimal() and len(seat) == 1):
            raise OptionError(f"seat={shown(seat)}: allowed: 0 to {replay.table.players - 1}, all")
        viewer, step = None if seat == "all" else int(seat), request.path_params["step"]
        if not (step.isdecimal() and len(step) <= LONGEST_STEP):
            raise OptionError(f"step={shown(step)}: allowed: 0 to {replay.steps}")
        return await asyncio.to_thread(replay.frame, int(step), viewer)

    async def replay_file(self, request: Request) -> Response:
        """The replay as a file."""
        replay = (await self._replay(request)).replay
        text = await asyncio.to_thread(replay.to_json)
        named = {"content-disposition": f'attachment; filename="{replay.game.id}.json"'}
        return Response(text, media_type="application/json", headers={**SECRET, **named})

    async def values(self, request: Request) -> object:
        """What an agent makes of a game's decisions, as far as it has come."""
        replay, name = await self._replay(request), (await _object(request)).get("agent")
        if name not in self._settings.agents:
            raise OptionError(f"agent {shown(name)}: allowed: {', '.join(self._settings.agents)}")
        values = self._replays.values(replay, str(name))
        return {"done": len(values.rows), "of": replay.steps, "values": values.rows, "fault": values.fault}

    # ---- Runs

    async def list_runs(self, _: Request) -> object:
        """The arenas and trainings in the folders."""
        arenas = await asyncio.to_thread(runs.list_arenas, self._folders)
        return {"arenas": arenas, "trainings": await asyncio.to_thread(runs.list_trainings, self._folders)}

    async def arena(self, request: Request) -> object:
        """The table of an arena."""
        place = (await asyncio.to_thread(runs.arenas, self._folders)).get(request.path_params["arena"])
        if place is None:
            raise NotFound("there is no such arena")
        return await asyncio.to_thread(runs.arena, place)

    async def training(self, request: Request) -> object:
        """The curves of a training."""
        found = (await asyncio.to_thread(runs.trainings, self._folders)).get(request.path_params["training"])
        if found is None:
            raise NotFound("there is no such training")
        return await asyncio.to_thread(runs.training, *found)


def _page(name: str) -> Handler:
    async def page(_: Request) -> Response:
        return _file(name)

    return page


async def _object(request: Request) -> dict[str, Any]:
    """The object that a request carries; `OptionError` if it is none."""
    content = await body_of(request)
    try:
        return read_message(content.decode())
    except UnicodeDecodeError:
        raise OptionError("the request is not a text in UTF-8") from None


def _game(asked: dict[str, Any]) -> Game:
    name = asked.get("game")
    if not isinstance(name, str):
        raise OptionError(f"game={shown(name)}: expected the name of a game")
    return find(name)


def _seed(given: Any) -> Any:  # noqa: ANN401  # a seed, or what the table refuses
    """A seed as a page gives it: pages have no integers of 64 bits, but have their digits."""
    is_digits = isinstance(given, str) and given.isascii() and given.isdecimal() and len(given) <= LONGEST_SEED
    return int(given) if is_digits else given


def make_app(settings: Settings) -> Starlette:
    """The application, guarded."""
    site = Site(settings)
    app = Starlette(routes=site.routes())
    app.state.site = site
    app.add_middleware(Guard, names=settings.names, token=settings.token)
    return app
