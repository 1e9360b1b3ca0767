// What all pages share: elements from text, requests, pictures.

/** An element with attributes and children; text stays text. */
export function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name in element && typeof value === "boolean") element[name] = value;
    else if (value !== null && value !== undefined) element.setAttribute(name, value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

export const find = (selector) => document.querySelector(selector);

/** What the server answers; an error with its reason if it refuses. */
export async function ask(path, body, options = {}) {
  const sent = body === undefined ? {} : { method: "POST", body: typeof body === "string" ? body : JSON.stringify(body) };
  let response;
  try {
    response = await fetch(path, { ...sent, ...options });
  } catch {
    throw new Error("The server does not answer. Is `cardtable serve` still running?");
  }
  const answer = await response.json();
  if (!response.ok) throw new Error(answer.error ?? `the server answers ${response.status}`);
  return answer;
}

/** Show why something did not work, or nothing. */
export function complain(error) {
  const place = find("#complaint");
  place.textContent = error ? (error.message ?? String(error)) : "";
  place.hidden = !error;
}

const parser = new DOMParser();
const sheets = new Set();
/** Pictures that are not taller than this, by their width, are shown whole; others are scrolled. */
const FITTING = 1.4;

/** Put a picture into a place. Its style sheet goes to the document: pages allow no styles of their own. */
export function show(place, text) {
  if (!text.startsWith("<svg")) {
    place.replaceChildren(make("pre", {}, text));
    return place;
  }
  const plain = text.replace(/<style>([^<]*)<\/style>/g, (_, rules) => adopt(rules));
  const svg = parser.parseFromString(plain, "image/svg+xml").documentElement;
  svg.querySelectorAll("script, foreignObject").forEach((each) => each.remove());
  svg.removeAttribute("width");
  svg.removeAttribute("height");
  const { width, height } = svg.viewBox.baseVal;
  svg.classList.toggle("fits", height < FITTING * width);
  svg.style.setProperty("--ratio", width / height);
  place.replaceChildren(document.adoptNode(svg));
  return svg;
}

const WHOLE = "whole table";

/** On a phone pictures are scrolled, so that fingers meet their parts; whoever wants to see all of it at once says so. */
export function offerWhole() {
  const box = find("#whole");
  const fit = () => find("#picture").classList.toggle("whole", box.checked);
  box.checked = sessionStorage.getItem(WHOLE) !== null;
  box.addEventListener("change", () => {
    if (box.checked) sessionStorage.setItem(WHOLE, "");
    else sessionStorage.removeItem(WHOLE);
    fit();
  });
  fit();
}

function adopt(text) {
  if (sheets.has(text)) return "";
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(text);
  sheets.add(text);
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
  return "";
}

/** A number with its sign. */
export const signed = (number) => (number > 0 ? "+" : number < 0 ? "\u2212" : "") + Math.abs(number).toFixed(2);
export const percent = (share) => `${(100 * share).toFixed(1)}\u202f%`;
export const playerName = (seat) => `player_${seat}`;
