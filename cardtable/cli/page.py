"""A replay as one HTML file: pictures with a slider, and beside them what happened. It opens from disk and loads nothing.

Pictures of a game have most of their pieces in common: each piece is stored once, a picture is a list of their numbers.
"""

import json
import re
from html import escape

from cardtable.cli import telling
from cardtable.game.events import decisions
from cardtable.replay import rewound
from cardtable.table import Table

PIECE = re.compile(r"(?=<g[ >])|(data:image/[a-z]+;base64,[\w+/=]+)")
"""Pictures are cut where a group begins, and around images."""

STYLE = """
:root { color-scheme: light dark; --ground: #f4efe6; --ink: #26221c; --faint: #6f675b; --line: #b9ae9c; --accent: #b3541e; }
@media (prefers-color-scheme: dark) {
  :root { --ground: #1d2126; --ink: #ece7de; --faint: #a9b0b8; --line: #59626c; --accent: #f0a05a; }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--ink); font: 16px/1.45 "DejaVu Sans", Verdana, sans-serif; }
header { position: sticky; top: 0; z-index: 1; padding: .5rem; background: var(--ground); border-bottom: 1px solid var(--line);
  display: flex; flex-wrap: wrap; gap: .4rem; align-items: center; }
h1 { font-size: 1rem; margin: 0 .5rem 0 0; }
button { font: inherit; min-width: 2.6rem; min-height: 2.4rem; color: inherit; background: none;
  border: 1px solid var(--line); border-radius: .4rem; cursor: pointer; }
input { flex: 1 1 10rem; min-height: 2.4rem; accent-color: var(--accent); }
main { display: flex; flex-wrap: wrap; gap: 1rem; padding: .5rem; justify-content: center; }
#picture { flex: 0 1 640px; min-width: 0; max-width: 100%; }
#picture svg { display: block; width: 100%; height: auto; }
#told { flex: 1 1 18rem; max-width: 34rem; margin: 0; padding: 0; list-style: none; max-height: calc(100vh - 5rem);
  overflow-y: auto; position: sticky; top: 4.5rem; }
#told li { padding: .15rem .5rem; border-left: 3px solid transparent; color: var(--faint); cursor: pointer; }
#told li.now { border-color: var(--accent); color: var(--ink); }
#told li p { margin: 0; overflow-wrap: anywhere; }
@media (max-width: 60rem) {
  #told { max-height: none; position: static; flex-basis: 100%; order: -1; }
  #told li:not(.now) { display: none; }
}
"""

SCRIPT = """
"use strict";
const data = JSON.parse(document.getElementById("data").textContent);
const last = data.pictures.length - 1;
const slider = document.getElementById("slider"), place = document.getElementById("place");
const picture = document.getElementById("picture"), told = document.getElementById("told");
let step = -1, timer = null;
slider.max = last;
const items = data.told.map((sentences, number) => {
  const item = document.createElement("li");
  for (const sentence of sentences) {
    const line = document.createElement("p");
    line.textContent = sentence;
    item.append(line);
  }
  item.addEventListener("click", () => go(number));
  told.append(item);
  return item;
});
function go(wanted) {
  const next = Math.max(0, Math.min(last, Math.trunc(wanted) || 0));
  if (next === step) return;
  if (step >= 0) items[step].classList.remove("now");
  step = next;
  picture.innerHTML = data.pictures[step].map((number) => data.pieces[number]).join("");
  items[step].classList.add("now");
  const above = items[step].offsetTop - told.clientHeight / 2;
  told.scrollTop = above;
  slider.value = step;
  place.textContent = `${step} of ${last}`;
  if (asked() !== step) history.replaceState(null, "", `#step=${step}`);
}
function asked() {
  const found = /^#step=(\\d{1,9})$/.exec(location.hash);
  return found ? Number(found[1]) : null;
}
function play(on) {
  clearInterval(timer);
  timer = on ? setInterval(() => (step < last ? go(step + 1) : play(false)), 1000) : null;
  document.getElementById("play").textContent = on ? "❚❚" : "▶";
}
function toggle() {
  if (timer === null && step === last) go(0);
  play(timer === null);
}
const keys = {
  ArrowLeft: () => go(step - 1), ArrowRight: () => go(step + 1), Home: () => go(0), End: () => go(last), " ": toggle,
};
document.addEventListener("keydown", (event) => {
  if (!(event.key in keys) || event.ctrlKey || event.altKey || event.metaKey) return;
  event.preventDefault();
  keys[event.key]();
});
slider.addEventListener("input", () => go(Number(slider.value)));
for (const [name, act] of [["first", () => go(0)], ["back", () => go(step - 1)], ["play", toggle],
                           ["next", () => go(step + 1)], ["end", () => go(last)]])
  document.getElementById(name).addEventListener("click", (event) => { act(); event.currentTarget.blur(); });
window.addEventListener("hashchange", () => { if (asked() !== null) go(asked()); });
go(asked() ?? 0);
"""

PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy"
  content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:">
<title>{title}</title>
<style>{style}</style>
</head>
<body>
<header>
<h1>{title}</h1>
<button id="first" aria-label="to the start">«</button>
<button id="back" aria-label="one decision back">‹</button>
<button id="play" aria-label="play or pause">▶</button>
<button id="next" aria-label="next decision">›</button>
<button id="end" aria-label="to the end">»</button>
<input id="slider" type="range" min="0" value="0" aria-label="decision">
<output id="place"></output>
</header>
<main>
<div id="picture"></div>
<ol id="told"></ol>
</main>
<noscript>This page shows the replay by a script; nothing is loaded from elsewhere.</noscript>
<script type="application/json" id="data">{data}</script>
<script>{script}</script>
</body>
</html>
"""


def page(played: Table, seat: int | None) -> str:
    """A game that has been played, as a seat saw it; None is a spectator, who sees all."""
    viewer = "all open" if seat is None else f"as player_{seat} saw it"
    title = escape(f"{played.game.title}, {viewer}")
    return PAGE.format(title=title, style=STYLE, script=SCRIPT, data=_in_a_script(_steps(played, seat)))


def _steps(played: Table, seat: int | None) -> dict[str, object]:
    """Pieces of pictures, the pictures as lists of pieces, and the sentences, before the first decision and after each."""
    table, numbers = rewound(played, 0), dict[str, int]()
    pictures = [_numbered(table.picture(seat), numbers)]
    for action in played.history:
        table.play(action)
        pictures.append(_numbered(table.picture(seat), numbers))
    told = [telling.story(played.game, part, seat) for part in decisions(played.events(seat))]
    return {"pieces": list(numbers), "pictures": pictures, "told": told}


def _numbered(picture: str, numbers: dict[str, int]) -> list[int]:
    """A picture as the numbers of its pieces; new pieces get new numbers."""
    return [numbers.setdefault(piece, len(numbers)) for piece in PIECE.split(picture) if piece]


def _in_a_script(data: object) -> str:
    """JSON in which nothing can end the element that it stands in."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    return text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")
