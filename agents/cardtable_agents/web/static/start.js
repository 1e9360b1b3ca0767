// The start page: which game, with which options, who sits where.
import { ask, complain, find, make, playerName } from "./page.js";

const HERE = "here";
const LINK = "link";
const AGENT = "search:400";
const PREFERRED = "muster_v0";
let known;
let game;
let asked = 0;

async function begin() {
  known = await ask("/api/start");
  find("#games").append(...known.games.map(gameChoice));
  find("#pace").append(...known.paces.map((pace) => make("option", { value: pace, selected: pace === 1 }, `${pace}`)));
  find("#agents").append(...agentLines());
  find("#number").addEventListener("change", showSeats);
  find("#options").addEventListener("change", check);
  find("#form").addEventListener("submit", open);
  choose(known.games.find((each) => each.id === PREFERRED) ?? known.games[0]);
  find("#play").disabled = false; // pressed before all this was there, it would do nothing
}

function gameChoice(each) {
  const input = make("input", { type: "radio", name: "game", value: each.id, onchange: () => choose(each) });
  return make("label", { class: "game" }, input, make("strong", {}, each.title), make("span", {}, playersOf(each)), make("small", {}, firstSentences(each.brief)));
}

const playersOf = (each) => (each.players.length === 1 ? `${each.players[0]} players` : `${each.players[0]}\u2013${each.players.at(-1)} players`);
/** What a game is about: at most two sentences of the first paragraph, whole ones. */
const firstSentences = (text) => text.split("\n\n")[0].replaceAll("\n", " ").split(/(?<=\.)\s/).filter((each) => each.endsWith(".")).slice(0, 2).join(" ");

/** Each kind of agent with what it is; those that differ in a number only go together. */
function agentLines() {
  const names = Map.groupBy(known.agents, (name) => known.about[name]);
  return [...names].filter(([about]) => about).flatMap(([about, same]) => [make("dt", {}, same.join(", ")), make("dd", {}, about)]);
}

function choose(each) {
  game = each;
  find(`input[value="${each.id}"]`).checked = true;
  const usual = each.players.includes(2) ? 2 : each.players[0];
  find("#number").replaceChildren(...each.players.map((number) => make("option", { value: number, selected: number === usual }, `${number}`)));
  find("#options").replaceChildren(...each.options.map(field));
  showSeats();
}

function showSeats() {
  const number = Number(find("#number").value);
  find("#seats").replaceChildren(...Array.from({ length: number }, (_, seat) => seatChoice(seat)));
  check();
}

function seatChoice(seat) {
  const usual = seat === 0 ? HERE : AGENT;
  const option = (value, text) => make("option", { value, selected: value === usual }, text);
  const people = [option(HERE, "a person at this screen"), option(LINK, "a person with a link")];
  const agents = known.agents.map((name) => option(name, name));
  const select = make("select", { name: `seat${seat}` }, make("optgroup", { label: "Person" }, ...people), make("optgroup", { label: "Agent" }, ...agents));
  return make("label", { class: "seat" }, playerName(seat), select);
}

function field(each) {
  const name = `option-${each.name}`;
  const words = each.name.replaceAll("_", " ");
  const label = make("span", {}, make("strong", {}, words[0].toUpperCase() + words.slice(1)), `: ${each.meaning}`);
  if (each.kind === "bool") return make("label", { class: "option" }, make("input", { type: "checkbox", name, checked: each.default }), label);
  if (each.kind === "int") return make("label", { class: "option" }, make("input", { type: "number", name, value: each.default }), label);
  if (each.kind === "choice") return make("label", { class: "option" }, make("select", { name }, ...each.choices.map((value) => make("option", { value, selected: value === each.default }, value))), label);
  const list = make("datalist", { id: `${name}-list` }, ...each.choices.map((value) => make("option", { value })));
  return make("label", { class: "option" }, make("input", { name, value: each.default, list: `${name}-list`, autocomplete: "off" }), list, label);
}

function options() {
  const given = { num_players: Number(find("#number").value) };
  for (const each of game.options) {
    const input = find(`[name="option-${each.name}"]`);
    const value = each.kind === "bool" ? input.checked : each.kind === "int" ? Number(input.value) : input.value.trim();
    if (value !== each.default) given[each.name] = value;
  }
  return given;
}

/** What is said about the options is about those of now: an answer that a later question has overtaken says nothing. */
async function check() {
  const number = ++asked;
  const fault = await ask("/api/options", { game: game.id, options: options() }).then(() => null, (error) => error);
  if (number === asked) complain(fault);
}

async function open(event) {
  event.preventDefault();
  const seats = [...document.querySelectorAll("#seats select")].map((select) => select.value);
  const seed = find("#seed").value.trim();
  const wanted = { game: game.id, options: options(), seats, pace: Number(find("#pace").value) };
  if (seed) wanted.seed = seed; // as text: numbers of a script lose the last digits
  try {
    const made = await ask("/api/tables", wanted);
    const mine = seats.includes(HERE) || made.links[0].seats.length === 0;
    const others = made.links.slice(mine ? 1 : 0).map((link) => ({ seat: link.seats[0], address: address(made.table, link.key) }));
    sessionStorage.setItem(`links ${made.table}`, JSON.stringify(others));
    if (others.length) showLinks(others, mine ? made.links[0].path : null);
    else location.assign(made.links[0].path);
  } catch (error) {
    complain(error);
  }
}

const address = (table, key) => `${location.origin}/table/${table}${known.invite}#${key}`;

function showLinks(others, path) {
  find("#form").hidden = true;
  find("#links").hidden = false;
  find("#list").replaceChildren(...others.map((link) => make("li", {}, `${playerName(link.seat)}: `, make("a", { href: link.address }, link.address))));
  find("#enter").hidden = path === null;
  if (path !== null) find("#enter").href = path;
  find("#links").querySelector("a").focus();
}

begin().catch(complain);
