// The replay page: a game step by step, from any seat, with what an agent makes of it.
import { chart } from "./chart.js";
import { ask, complain, find, make, offerWhole, playerName, show, signed } from "./page.js";

const LISTED = 100;
const WORST = 5;
const BEAT = 900;

let id = null;
let game = null;
let step = 0;
let seat = "all";
let values = [];
let playing = null;
let asked = 0;

// ---- Choosing

async function choose() {
  find("#choose").hidden = false;
  find("#file").addEventListener("change", upload);
  const { replays } = await ask("/api/replays");
  find("#found").hidden = replays.length === 0;
  const list = () => showList(replays.filter((each) => each.name.includes(find("#search").value)));
  find("#search").addEventListener("input", list);
  list();
}

function showList(replays) {
  find("#replays").replaceChildren(...replays.slice(0, LISTED).map((each) => make("li", {}, make("a", { href: `/replay#id=${each.id}` }, each.name))));
  find("#more").textContent = replays.length > LISTED ? `${replays.length - LISTED} more: search for a part of the name.` : "";
}

async function upload(event) {
  const [file] = event.target.files;
  if (!file) return;
  try {
    const made = await ask("/api/replays", await file.text());
    location.hash = `id=${made.replay}`;
  } catch (error) {
    complain(error);
  }
}

// ---- Watching

async function watch(given) {
  if (given.get("id") !== id) await open(given.get("id"));
  find("#choose").hidden = true;
  find("#watch").hidden = false;
  document.title = `${game.title}, replay`;
  find("#seat").value = given.get("seat") ?? seat;
  seat = find("#seat").value || "all"; // empty: nobody has that seat
  find("#seat").value = seat;
  showCurve();
  await go(Number(given.get("step") ?? step));
}

async function open(wanted) {
  game = await ask(`/api/replays/${encodeURIComponent(wanted)}`);
  id = wanted;
  values = [];
  step = 0;
  seat = "all";
  find("#progress").textContent = "";
  showWorst();
  find("#title").textContent = `${game.title}: ${game.name}`;
  find("#slider").max = game.moves.length;
  find("#save").href = `/api/replays/${id}/file`;
  const seats = ["all", ...Array.from({ length: game.players }, (_, number) => String(number))];
  find("#seat").replaceChildren(...seats.map((each) => make("option", { value: each }, each === "all" ? "all cards open" : playerName(each))));
  find("#agent").replaceChildren(...game.agents.map((name) => make("option", { value: name, selected: name === "search:100" }, name)));
}

/** No replay is open: keys, autoplay and values have nothing to go on with. */
function leave() {
  id = game = null;
  find("#watch").hidden = true;
}

async function go(wanted) {
  step = Math.min(Math.max(Math.round(wanted) || 0, 0), game.moves.length);
  find("#slider").value = step;
  find("#step").textContent = `${step} of ${game.moves.length}`;
  history.replaceState(null, "", `#id=${id}&step=${step}&seat=${seat}`);
  const number = ++asked;
  const frame = await ask(`/api/replays/${id}/${step}?seat=${seat}`);
  if (number !== asked) return;
  show(find("#picture"), frame.picture);
  const move = game.moves[step - 1];
  const secret = seat !== "all" && move && String(move.seat) !== seat;
  find("#move").textContent = !move ? "The cards are dealt." : secret ? `${playerName(move.seat)} moves.` : `${playerName(move.seat)}: ${move.action}`;
  find("#sentences").replaceChildren(...frame.sentences.map((text) => make("li", {}, text)));
  showCurve();
}

const goSafely = (wanted) => go(wanted).catch(complain);

function auto() {
  if (playing !== null) stop();
  else {
    if (step >= game.moves.length) goSafely(0);
    playing = setInterval(() => (step < game.moves.length ? goSafely(step + 1) : stop()), BEAT);
    find("#auto").textContent = "Pause";
  }
}

function stop() {
  clearInterval(playing);
  playing = null;
  find("#auto").textContent = "Play";
}

function pressed(event) {
  if (!game || event.target.closest("select, input:not([type=range])") || event.ctrlKey || event.metaKey || event.altKey) return;
  const to = { ArrowLeft: step - 1, ArrowRight: step + 1, Home: 0, End: game.moves.length, PageUp: step - 10, PageDown: step + 10 }[event.key];
  if (to !== undefined) {
    event.preventDefault();
    goSafely(to);
  } else if (event.key === " " && !event.target.closest("button")) {
    event.preventDefault();
    auto();
  }
}

// ---- Values

async function value() {
  const agent = find("#agent").value;
  const valued = id;
  find("#value").disabled = true;
  try {
    for (;;) {
      const found = await ask(`/api/replays/${valued}/values`, { agent });
      if (id !== valued) break;
      values = found.values;
      find("#progress").textContent = found.fault || `${agent}: ${found.done} of ${found.of} decisions`;
      showCurve();
      showWorst();
      if (found.fault || found.done >= found.of) break;
      await new Promise((resolve) => setTimeout(resolve, 700));
    }
  } catch (error) {
    complain(error);
  }
  find("#value").disabled = false;
}

function showCurve() {
  const told = values.filter((each) => each.value !== null);
  if (!told.length) {
    find("#curve").replaceChildren();
    return;
  }
  const series = Array.from({ length: game.players }, (_, number) => ({ name: playerName(number), points: told.filter((each) => each.seat === number).map((each) => [each.step, each.value]) }));
  find("#curve").replaceChildren(chart({ title: "value of the position for each player, by step", series, low: -1, high: 1, ticks: [-1, 0, 1], label: signed, end: game.moves.length, unit: "decisions", onpick: goSafely, now: step, width: find("#curve").clientWidth }));
}

function showWorst() {
  const worst = values.filter((each) => each.loss !== null && each.loss > 0.005 && each.best !== each.played).toSorted((a, b) => b.loss - a.loss).slice(0, WORST);
  find("#disagreements").hidden = worst.length === 0;
  find("#worst").replaceChildren(...worst.map((each) => make("li", {}, make("button", { onclick: () => goSafely(each.step) }, `step ${each.step}`), ` ${playerName(each.seat)} played ${each.played}, the agent ${each.best} (${signed(each.loss)})`)));
}

// ---- Beginning

async function begin() {
  complain(null);
  stop();
  const given = new URLSearchParams(location.hash.slice(1));
  if (given.get("id")) return watch(given);
  leave();
  await choose();
}

const on = (selector, event, what) => find(selector).addEventListener(event, what);
on("#first", "click", () => goSafely(0));
on("#previous", "click", () => goSafely(step - 1));
on("#next", "click", () => goSafely(step + 1));
on("#last", "click", () => goSafely(game.moves.length));
on("#auto", "click", auto);
on("#slider", "input", (event) => goSafely(Number(event.target.value)));
on("#seat", "change", (event) => {
  seat = event.target.value;
  goSafely(step);
});
on("#value", "click", value);
document.addEventListener("keydown", pressed);
offerWhole();
addEventListener("hashchange", () => begin().catch(complain));
begin().catch(complain);
