"""The command `cardtable serve`."""

import argparse
import ipaddress
import secrets
import socket
from pathlib import Path
from typing import TYPE_CHECKING

from cardtable.cli.arguments import add_load
from cardtable.cli.command import Command
from cardtable.errors import CardtableError, OptionError

if TYPE_CHECKING:
    from cardtable_agents.web.app import Settings

RUNS = Path("runs")
TOKEN_BYTES = 16
LARGEST_PORT = 65535


def serve_command(args: argparse.Namespace) -> None:
    """Play, watch and study games in a browser."""
    try:
        import starlette
        import uvicorn
        import websockets
    except ImportError:
        raise CardtableError("serve: pages need starlette, uvicorn and websockets: pip install 'cardtable[web]'") from None
    del starlette, uvicorn, websockets
    from cardtable.players import roster

    for module in args.load:
        roster.load_module(module)
    settings = _settings(args)
    listening = _listen(args.host, args.port)
    with listening:
        _prepare()
        _say(args.host, listening.getsockname()[1], settings)
        _run(settings, listening)


def _settings(args: argparse.Namespace) -> "Settings":
    from cardtable_agents.web import catalogue
    from cardtable_agents.web.app import Settings

    folders = args.runs if args.runs is not None else [RUNS] if RUNS.is_dir() else []
    for folder in folders:
        if not folder.is_dir():
            raise OptionError(f"serve: --runs {folder}: no such folder")
    token = "" if _is_local(args.host) else secrets.token_urlsafe(TOKEN_BYTES)
    agents, editions = catalogue.agent_list(args.player), catalogue.read_editions(args.edition)
    catalogue.require_players(args.player)
    return Settings(agents, [each.resolve() for each in folders], args.name, token, editions=editions)


def _is_local(host: str) -> bool:
    """Whether only this machine can reach it."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _listen(host: str, port: int) -> socket.socket:
    """A socket at that address; what keeps it from being one is said before anything else is done."""
    if not 0 <= port <= LARGEST_PORT:
        raise OptionError(f"serve: --port {port}: allowed: 0 (any that is free) to {LARGEST_PORT}")
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        return socket.create_server((host, port), family=family, backlog=256)
    except OSError as error:
        raise OptionError(f"serve: {host}, port {port}: {error.strerror}; see --host and --port") from None


def _prepare() -> None:
    """Compile all games and agents where no cache has them: no page waits for that."""
    from cardtable.game.registry import find, game_ids
    from cardtable.players.roster import prepare_agents

    for game_id in game_ids():
        prepare_agents(find(game_id))


def _say(host: str, port: int, settings: "Settings") -> None:
    shown = f"[{host}]" if ":" in host else host
    print(f"open http://{shown}:{port}/{f'?token={settings.token}' if settings.token else ''} (Ctrl-C ends it)", flush=True)
    for folder in settings.folders:
        print(f"replays, arenas and trainings from {folder}", flush=True)


def _run(settings: "Settings", listening: socket.socket) -> None:
    import uvicorn

    from cardtable_agents.web.app import make_app

    app = make_app(settings)
    try:
        uvicorn.Server(server_config(app)).run(sockets=[listening])
    finally:
        app.state.site.thinkers.close()


def server_config(app: object) -> "uvicorn.Config":  # type: ignore[name-defined]  # noqa: F821
    """How connections are served: bounded, without a log of requests."""
    import uvicorn

    from cardtable_agents.web.safety import LARGEST_MESSAGE, BoundedConnection, BoundedSocket

    return uvicorn.Config(
        app,  # type: ignore[arg-type]
        http=BoundedConnection,
        ws=BoundedSocket,
        ws_max_size=LARGEST_MESSAGE,
        ws_per_message_deflate=False,
        lifespan="off",
        log_level="warning",
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=1,
    )


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Where it listens, who may play, which folders are shown."""
    parser.add_argument(
        "--host",
        default="127.0.0.1",
        help="where to listen (default 127.0.0.1: this machine alone); others need a token",
    )
    parser.add_argument("--port", type=int, default=8000, help="the port to listen on (default 8000; 0: any that is free)")
    parser.add_argument(
        "--name",
        action="append",
        default=[],
        metavar="HOST",
        help="a name of this machine that browsers may use besides localhost and numbers; may be repeated",
    )
    parser.add_argument(
        "--player",
        action="append",
        default=[],
        metavar="AGENT",
        help="an agent that may be chosen besides the usual ones, such as ppo:FILE; may be repeated",
    )
    parser.add_argument(
        "--runs",
        type=Path,
        nargs="+",
        metavar="DIR",
        help="folders with replays, arenas and trainings to show (default runs, if there is such a folder)",
    )
    parser.add_argument(
        "--edition",
        type=Path,
        action="append",
        default=[],
        metavar="FILE",
        help="an edition file that may be chosen, with its images; may be repeated",
    )
    add_load(parser)


COMMAND = Command("serve", serve_command, add_arguments)
