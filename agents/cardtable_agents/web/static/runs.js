// Arenas and trainings: what the commands have written so far, asked for again while they run.
import { chart } from "./chart.js";
import { ask, complain, find, make, percent } from "./page.js";

const OFTEN = 3000;
const SELDOM = 15000;
const REPLAYS = 60;

function table(heads, rows) {
  const cell = (tag) => (value, column) => make(tag, { class: heads[column].endsWith("#") ? "figure" : null }, tag === "th" ? value.replace("#", "") : value);
  return make("table", {}, make("thead", {}, make("tr", {}, ...heads.map(cell("th")))), make("tbody", {}, ...rows.map((row) => make("tr", {}, ...row.map(cell("td"))))));
}

const place = (kind, each) => make("a", { href: `/runs#${kind}=${each.id}` }, each.name);
const none = (what, command) => make("p", { class: "note" }, `No ${what} in the folders of this server. `, make("code", {}, command), " writes one.");

async function showAll() {
  const found = await ask("/api/runs");
  find("#arenas").replaceChildren(found.arenas.length ? table(["arena", "game", "agents", "state"], found.arenas.map((each) => [place("arena", each), each.game, each.agents.join(", "), each.fault || (each.running ? "running" : "done")])) : none("arena", "cardtable arena muster random heuristic"));
  const rates = (each) => Object.entries(each.rates).map(([name, rate]) => `${name} ${percent(rate)}`).join(", ");
  find("#trainings").replaceChildren(found.trainings.length ? table(["run", "game", "learner", "state", "decisions#", "minutes#", "last win rates"], found.trainings.map((each) => [place("training", each), each.game, each.learner, each.state, each.steps.toLocaleString("en"), each.minutes.toFixed(1), rates(each)])) : none("training", "cardtable train muster --minutes 5"));
  return found.arenas.some((each) => each.running) || found.trainings.some((each) => each.state === "running");
}

async function showArena(id) {
  const arena = await ask(`/api/arenas/${encodeURIComponent(id)}`);
  find("#title").textContent = `${arena.title}: ${arena.name}`;
  find("#state").textContent = `${arena.games.toLocaleString("en")} games${arena.running ? ", running" : ""}`;
  const rows = arena.rows.map((row) => [row.agent, rateBar(row), row.rate === null ? "" : percent(row.rate), `${percent(row.low)} to ${percent(row.high)}`, row.elo.toFixed(0) + (row.elo_error === null ? "" : ` ± ${row.elo_error.toFixed(0)}`), row.score.toFixed(2), row.ms.toFixed(3), row.games.toLocaleString("en")]);
  const replays = arena.replays.slice(0, REPLAYS).map((each) => make("li", {}, make("a", { href: `/replay#id=${each.id}` }, `deal ${each.deal}: ${each.agents.map((agent, seat) => `${agent} (${each.returns[seat]})`).join(" \u2013 ")}`)));
  const kept = make("p", { class: "note" }, "Its games cannot be watched: ", make("code", {}, "cardtable arena --replays"), " keeps them.");
  const list = replays.length ? [make("h2", {}, "Games, the newest first"), make("ul", {}, ...replays)] : [kept];
  find("#shown").replaceChildren(make("div", { class: "scroll" }, table(["agent", "", "win rate#", "95\u202f% interval", "Elo#", "score#", "ms a move#", "games#"], rows)), ...list);
  return arena.running;
}

function rateBar(row) {
  const filled = make("span", { class: "filled" });
  filled.style.width = `${100 * (row.rate ?? 0)}%`;
  const bar = make("span", { class: "bar", "aria-hidden": "true" }, filled);
  bar.style.display = "block";
  bar.style.minWidth = "8rem";
  return bar;
}

async function showTraining(id) {
  const run = await ask(`/api/trainings/${encodeURIComponent(id)}`);
  find("#title").textContent = `${run.game}: ${run.name}`;
  find("#state").textContent = `${run.state}, ${run.steps.toLocaleString("en")} decisions in ${run.minutes.toFixed(1)} minutes, learner ${run.learner}`;
  const series = Object.entries(run.curves).map(([name, points]) => ({ name: run.alone ? "mean return" : `against ${name}`, points }));
  const end = Math.max(run.minutes, ...series.flatMap((each) => each.points.map(([minutes]) => minutes)), 0.1);
  const label = (rate) => (run.alone ? rate.toFixed(1) : `${Math.round(100 * rate)}\u202f%`);
  find("#shown").replaceChildren(series.length ? chart({ title: "win rates over the minutes of training", series, low: run.alone ? -1 : 0, high: 1, ticks: run.alone ? [-1, 0, 1] : [0, run.even, 1], label, end, unit: "minutes", width: find("#shown").clientWidth }) : make("p", {}, "No evaluation yet."));
  return run.state === "running";
}

async function refresh() {
  const given = new URLSearchParams(location.hash.slice(1));
  const detail = given.has("arena") || given.has("training");
  find("#all").hidden = detail;
  find("#detail").hidden = !detail;
  if (given.has("arena")) return showArena(given.get("arena"));
  return given.has("training") ? showTraining(given.get("training")) : showAll();
}

let next = null;

async function run() {
  clearTimeout(next);
  let running = false;
  try {
    running = await refresh();
    complain(null);
  } catch (error) {
    complain(error);
  }
  next = setTimeout(run, running ? OFTEN : SELDOM);
}

addEventListener("hashchange", run);
run();
