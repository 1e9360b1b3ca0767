"""Take the picture of a table in the browser that the README shows: `python -m tools.make_page_picture`. It needs Chromium.

The game is that of `docs/pictures/muster.svg`; the person has asked for a hint. Browsers differ in how they draw letters, so
the picture is not compared with a new one: it carries a digest of what it was made from, the files of the page and the drawing
of the table.
"""

import hashlib
import io
import shutil
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import uvicorn
from cardtable_agents.web.app import Settings, make_app, static_files
from cardtable_agents.web.command import server_config
from cardtable_agents.web.tables import HERE, OpenTable
from PIL import Image, PngImagePlugin

from cardtable.replay import load_verified, rewound
from cardtable.support import files
from cardtable.table import Table
from tools.make_pictures import FOLDER, path_of

PATH = FOLDER / "page.png"
GAME, AGENT = "muster_v0", "search:400"
STEP = 49
"""After how many decisions: before an action, so that the hand is lit."""
LOOKS = ("table.html", "style.css", "table.js", "page.js")
"""The files that decide what the page looks like."""
SIZE = {"width": 1200, "height": 840}
COLOURS = 256
"""Of the picture: as many as it needs, in half the bytes."""
MADE_FROM = "made from"
CHROMIUM = ("chromium", "chromium-browser", "google-chrome")


def sources() -> str:
    """A digest of what the picture shows."""
    table = table_of_the_picture()
    shown = [*(static_files()[name][0] for name in LOOKS), table.picture(table.seat).encode()]
    return hashlib.sha256(b"\0".join(shown)).hexdigest()


def made_from(path: Path) -> str:
    """The digest that a picture carries."""
    with Image.open(path) as image:
        return str(image.info.get(MADE_FROM, ""))


def table_of_the_picture() -> Table:
    """The game that is shown."""
    _, played = load_verified(path_of(GAME, "json"))
    return rewound(played, STEP)


def opened(table: Table) -> OpenTable:
    """A table at which a person decides now, against an agent."""
    seats = [HERE if seat == table.seat else AGENT for seat in range(table.players)]
    found = OpenTable(table.game, table.options, seats)
    found.table = table
    return found


@contextmanager
def served(table: OpenTable) -> Iterator[str]:
    """The address of the table's page."""
    app = make_app(Settings())
    app.state.site.tables.add(table)
    listening = socket.create_server(("127.0.0.1", 0))
    server = uvicorn.Server(server_config(app))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    try:
        yield f"http://127.0.0.1:{listening.getsockname()[1]}/table/{table.id}#{table.links[0].key}"
    finally:
        server.should_exit = True
        thread.join()
        listening.close()
        app.state.site.thinkers.close()


def screenshot(address: str) -> bytes:
    """What a person sees who has asked for a hint."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        path = next(filter(None, map(shutil.which, CHROMIUM)), None)
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox", "--disable-gpu"])
        page = browser.new_page(viewport=SIZE, color_scheme="light")  # type: ignore[arg-type]
        page.goto(address)
        page.click("#hint:enabled")
        page.wait_for_selector("#moves .best")
        page.mouse.move(0, 0)
        taken = page.screenshot()
        browser.close()
    return taken


def main() -> None:
    """Take the picture."""
    with served(opened(table_of_the_picture())) as address:
        taken = Image.open(io.BytesIO(screenshot(address)))
    about = PngImagePlugin.PngInfo()
    about.add_text(MADE_FROM, sources())
    out = io.BytesIO()
    taken.convert("RGB").quantize(COLOURS).save(out, "PNG", optimize=True, pnginfo=about)
    files.write_whole(PATH, out.getvalue())
    print(PATH.name)


if __name__ == "__main__":
    main()
