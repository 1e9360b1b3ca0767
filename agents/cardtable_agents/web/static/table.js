// The table page: shows what the server sends, and sends what the person chooses.
import { clicked, matches, meant, narrowed } from "./mapping.js";
import { ask, complain, find, make, offerWhole, playerName, show, signed, percent } from "./page.js";

const NOT_YOURS = 4401;
const SLOWEST = 5000;
const id = location.pathname.split("/").at(-1);
const key = location.hash.slice(1);

let socket = null;
let state = null;
let parts = [];
let hint = null;
let svg = null;
let wait = 250;
let focusMoves = false;
let byKeys = false;

// ---- The connection

function connect() {
  socket = new WebSocket(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/api/tables/${id}`);
  socket.addEventListener("open", () => send({ do: "join", key }));
  socket.addEventListener("message", (event) => receive(JSON.parse(event.data)));
  socket.addEventListener("close", lost);
}

function send(message) {
  if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify(message));
}

function lost(event) {
  const gone = event.code === NOT_YOURS;
  connection(gone ? "This link opens no table: it may have been closed." : "The connection is lost; trying again. The game goes on where it was.");
  if (gone) return;
  setTimeout(connect, wait);
  wait = Math.min(wait * 2, SLOWEST);
}

function connection(text) {
  find("#connection").textContent = text;
  find("#connection").hidden = !text;
}

function receive(message) {
  if (message.type === "refused") receiveRefusal(message);
  else if (message.type === "hint") receiveHint(message);
  else receiveState(message);
}

function receiveRefusal(message) {
  complain(new Error(message.why));
  showAdvice(); // it may have been a hint that was waited for
}

function receiveHint(message) {
  if (message.number !== state?.number) return;
  hint = message;
  showChoice();
}

const complainOfFault = (of) => complain(of.fault ? new Error(of.fault) : null);

function receiveState(message) {
  const known = state?.covered === null && message.covered === null ? state : null;
  connection("");
  wait = 250;
  if (!state || message.number !== state.number || message.covered !== state.covered || message.seat !== state.seat) {
    parts = [];
    hint = null;
    complainOfFault(message);
  }
  state = message;
  document.title = `${state.title}${state.decides ? ": your turn" : ""}`;
  showTable();
  if (state.log) showLog(state.log, known?.seat === state.seat);
  showTools();
  showChoice();
}

// ---- Showing

function showTable() {
  const covered = state.covered !== null;
  find("#cover").hidden = !covered;
  find("#picture").hidden = covered;
  find("#turn").textContent = turnText();
  if (covered) {
    find("#picture").replaceChildren();
    find("#log").replaceChildren();
    svg = null;
    find("#who").textContent = `It is the turn of ${playerName(state.covered)}. Nobody else should look.`;
    find("#uncover").focus();
    return;
  }
  svg = show(find("#picture"), state.picture);
  find("#picture").dataset.number = state.number;
  svg.setAttribute("role", "group");
  svg.setAttribute("aria-label", `${state.title}, the table`);
}

function turnText() {
  if (state.turn === null) return "The game is over.";
  if (state.covered !== null) return `${playerName(state.turn)} is next.`;
  if (state.decides) return `Your turn, ${playerName(state.seat)}: click what is lit, or choose a move from the list.`;
  const who = state.players[state.turn];
  if (state.fault) return `${playerName(state.turn)} (${who}) cannot move.`;
  return `${playerName(state.turn)} (${who}) ${who === "person" ? "decides" : "is thinking"} \u2026`;
}

function seated(who, seat) {
  const person = state.own.includes(seat) ? (state.own.length === 1 ? "you" : "at this screen") : "a person";
  return `${playerName(seat)}: ${who === "person" ? person : who}`;
}

function showLog(log, goesOn) {
  const list = find("#log");
  if (!goesOn || log.from === 0) list.replaceChildren();
  while (list.childElementCount > log.from) list.lastElementChild.remove();
  for (const entry of log.entries) list.append(make("li", { class: entry.seat === state.seat ? "own" : null }, entry.sentences.join("; ")));
  list.scrollTop = list.scrollHeight;
}

function showTools() {
  const plays = state.own.length > 0;
  find("#back").hidden = !plays;
  find("#back").disabled = !state.take_back;
  find("#hint").disabled = state.turn === null || state.covered !== null || (plays && !state.decides);
  find("#pace").value = String(state.pace);
  find("#pace").disabled = !state.sets_pace;
  find("#players").textContent = state.players.length > 1 ? state.players.map(seated).join(" \u00b7 ") : "";
  find("#ending").hidden = !state.end;
  if (state.end) find("#outcome").textContent = state.end.text;
  find("#choosing").hidden = !state.decides && !hint;
}

/** The parts that are lit, the moves that are left, and what the hint says of them. */
function showChoice() {
  const left = narrowed(state.actions, parts);
  const held = document.activeElement?.dataset.action;
  find("#choosing").hidden = !state.decides && !hint;
  find("#chosen").textContent = parts.length ? `${left.length} moves go with what you clicked. Escape starts again.` : "";
  find("#heading").textContent = parts.length ? "Which one?" : "Moves";
  find("#moves").replaceChildren(...sorted(left).map(moveButton));
  find("#direct").replaceChildren(...unnamed().map((action) => make("button", { class: "main", title: action.meaning, onclick: () => play(action) }, action.name)));
  light(left);
  showAdvice();
  if (focusMoves && parts.length) find("#moves button")?.focus();
  else keepFocus(held);
  focusMoves = false;
}

/** Who plays by keys goes on where they were, or at the moves, when what had the focus has been replaced. */
function keepFocus(held) {
  const lost = !document.activeElement || document.activeElement === document.body;
  if (byKeys && lost) (find(`#moves [data-action="${held}"]`) ?? find("#moves button") ?? (state.end ? find("#replay") : null))?.focus();
}

function sorted(actions) {
  if (!hint) return actions;
  const told = new Map(hint.actions.map((each) => [each.id, each.share ?? each.value ?? 0]));
  return actions.toSorted((a, b) => (b.id === hint.best) - (a.id === hint.best) || (told.get(b.id) ?? 0) - (told.get(a.id) ?? 0));
}

function moveButton(action) {
  const said = hint?.actions.find((each) => each.id === action.id);
  const best = hint?.best === action.id;
  const button = make("button", { "data-action": action.id, title: action.meaning, class: best ? "best" : null, onclick: () => play(action) }, make("span", { class: "name" }, action.name));
  if (action.explanation) button.append(make("small", {}, action.explanation));
  if (best) button.append(make("span", { class: "mark" }, "best"));
  if (said && (said.share !== null || said.value !== null)) button.append(bar(said));
  const point = (on) => () => partsOf(action).forEach((part) => part.classList.toggle("pointed", on));
  for (const [event, on] of [["mouseenter", true], ["focus", true], ["mouseleave", false], ["blur", false]]) button.addEventListener(event, point(on));
  return make("li", {}, button);
}

function bar(said) {
  const values = hint.actions.map((each) => each.value ?? 0);
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const size = said.share ?? (high > low ? (said.value - low) / (high - low) : 1);
  const words = [said.share === null ? null : percent(said.share), said.value === null ? null : signed(said.value)].filter(Boolean).join(", ");
  const filled = make("span", { class: "filled" });
  filled.style.width = `${Math.round(100 * size)}%`;
  return make("span", { class: "told" }, make("span", { class: "bar", "aria-hidden": "true" }, filled), make("span", { class: "figure" }, words));
}

function showAdvice() {
  if (!hint) {
    find("#advice").textContent = "";
    return;
  }
  const value = hint.value === null ? "" : ` The position is worth ${signed(hint.value)} (from \u22121, lost, to +1, won).`;
  const says = hint.text === "" ? "" : ` It says: ${hint.text}`;
  find("#advice").textContent = `${hint.agent} would play: ${hint.name}.${value}${says}`;
}

const allParts = () => (svg ? [...svg.querySelectorAll("[data-part]")] : []);
const partsOf = (action) => allParts().filter((part) => matches(part.dataset.part, action));

/** Moves that name nothing on the picture have buttons above it. */
const unnamed = () => (svg ? state.actions.filter((action) => partsOf(action).length === 0) : []);

/** Lit parts are buttons for keyboard and screen reader. */
function light(left) {
  const best = hint && state.actions.find((action) => action.id === hint.best);
  for (const part of allParts()) {
    const name = part.dataset.part;
    const lit = state.decides && left.some((action) => matches(name, action));
    const chosen = parts.includes(name);
    part.classList.toggle("lit", lit && !chosen);
    part.classList.toggle("chosen", chosen);
    part.classList.toggle("advised", Boolean(lit && best && matches(name, best)));
    if (lit || chosen) {
      part.setAttribute("tabindex", "0");
      part.setAttribute("role", "button");
      part.setAttribute("aria-pressed", String(chosen));
    } else {
      for (const attribute of ["tabindex", "role", "aria-pressed"]) part.removeAttribute(attribute);
    }
  }
}

// ---- Choosing

function nestedParts(target) {
  const found = [];
  for (let part = target.closest("[data-part]"); part; part = part.parentElement?.closest("[data-part]")) found.push(part.dataset.part);
  return found;
}

/** Lit parts whose frames hold a place, the smallest first: between the shapes of a part there is nothing to hit. */
function partsAround({ clientX, clientY }) {
  const frames = allParts().filter((part) => part.matches(".lit, .chosen")).map((part) => [part.dataset.part, part.getBoundingClientRect()]);
  const around = frames.filter(([, box]) => box.left <= clientX && clientX <= box.right && box.top <= clientY && clientY <= box.bottom);
  return around.toSorted(([, a], [, b]) => a.width * a.height - b.width * b.height).map(([part]) => part);
}

function clickPicture(target, place = null) {
  if (!state?.decides) return;
  const hit = nestedParts(target);
  const part = meant(state.actions, parts, hit.length || !place ? hit : partsAround(place));
  if (part === null) return startAgain();
  const result = clicked(state.actions, parts, part);
  parts = result.parts;
  if (result.play) play(result.play);
  else showChoice();
}

function startAgain() {
  if (!parts.length) return;
  parts = [];
  showChoice();
}

function play(action) {
  complain(null);
  send({ do: "play", action: action.id, number: state.number });
}

function askForHint() {
  if (find("#hint").disabled) return;
  complainOfFault(state);
  find("#advice").textContent = `${find("#adviser").value} is thinking \u2026`;
  send({ do: "hint", agent: find("#adviser").value, number: state.number });
}

function pressed(event) {
  byKeys = true;
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("select, input")) return;
  const part = event.target.closest("[data-part]");
  if ((event.key === "Enter" || event.key === " ") && part) {
    focusMoves = true;
    event.preventDefault();
    clickPicture(part);
  } else if (event.key === "Escape") startAgain();
  else if (event.key === "h") askForHint();
  else if (event.key === "u" && !find("#back").disabled) send({ do: "take_back" });
  else if (event.key === "/") {
    event.preventDefault();
    find("#moves button")?.focus();
  }
}

async function watchReplay() {
  try {
    const made = await ask(`/api/tables/${id}/replay`, { key });
    location.assign(`/replay#id=${made.replay}&seat=${state.seat ?? "all"}`);
  } catch (error) {
    complain(error);
  }
}

async function begin() {
  find("#picture").addEventListener("click", (event) => clickPicture(event.target, event));
  find("#uncover").addEventListener("click", () => send({ do: "uncover", seat: state.covered }));
  find("#back").addEventListener("click", () => send({ do: "take_back" }));
  find("#hint").addEventListener("click", askForHint);
  find("#pace").addEventListener("change", (event) => send({ do: "pace", seconds: Number(event.target.value) }));
  find("#replay").addEventListener("click", watchReplay);
  document.addEventListener("keydown", pressed);
  offerWhole();
  document.addEventListener("pointerdown", () => (byKeys = false));
  showLinks(JSON.parse(sessionStorage.getItem(`links ${id}`) ?? "[]"));
  const known = await ask("/api/start");
  find("#adviser").append(...known.agents.map((name) => make("option", { value: name, selected: name === "search:400" }, name)));
  find("#pace").append(...known.paces.map((pace) => make("option", { value: pace }, `${pace} s`)));
  connect();
}

function showLinks(links) {
  find("#others").hidden = links.length === 0;
  find("#list").replaceChildren(...links.map((link) => make("li", {}, `${playerName(link.seat)}: `, make("a", { href: link.address }, "link"), make("input", { readonly: true, value: link.address, "aria-label": `link for ${playerName(link.seat)}`, onfocus: (event) => event.target.select() }))));
}

begin().catch(complain);
