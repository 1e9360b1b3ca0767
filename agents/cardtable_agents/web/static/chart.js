// Curves as SVG, made of elements: points in, a picture out.

const SPACE = "http://www.w3.org/2000/svg";
const NARROWEST = 300;
const HEIGHT = 220;
const LEFT = 46;
const RIGHT = 10;
const TOP = 22;
const BOTTOM = 24;
const COLOURS = 5;

function draw(tag, attributes, text) {
  const element = document.createElementNS(SPACE, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  if (text !== undefined) element.textContent = text;
  return element;
}

/**
 * A chart of series `{name, points: [[x, y], …]}`. `ticks` are the heights that are marked, with `label(y)` beside them;
 * `onpick(x)` is called for a click. `now` marks a place. `width` is how wide it is shown, so that words keep their size.
 */
export function chart({ title, series, low, high, ticks, label, end, unit = "", onpick = null, now = null, width = 640 }) {
  const wide = Math.max(width, NARROWEST);
  const across = (x) => LEFT + ((wide - LEFT - RIGHT) * x) / Math.max(end, 1e-9);
  const up = (y) => HEIGHT - BOTTOM - ((HEIGHT - TOP - BOTTOM) * (Math.min(Math.max(y, low), high) - low)) / (high - low);
  const svg = draw("svg", { class: "chart", viewBox: `0 0 ${wide} ${HEIGHT}`, role: "img", "aria-label": title });
  for (const tick of ticks) {
    svg.append(draw("line", { class: "axis", x1: LEFT, x2: wide - RIGHT, y1: up(tick), y2: up(tick), "stroke-dasharray": tick === low ? "" : "2 3" }));
    svg.append(draw("text", { x: LEFT - 5, y: up(tick) + 4, "text-anchor": "end" }, label(tick)));
  }
  svg.append(draw("text", { x: wide - RIGHT, y: HEIGHT - 7, "text-anchor": "end" }, `${Math.round(end * 10) / 10} ${unit}`), draw("text", { x: LEFT, y: HEIGHT - 7 }, "0"));
  let place = LEFT;
  series.forEach(({ name, points }, number) => {
    const colour = `s${number % COLOURS}`;
    const path = points.map(([x, y], each) => `${each ? "L" : "M"}${across(x).toFixed(1)} ${up(y).toFixed(1)}`).join("");
    if (points.length > 1) svg.append(draw("path", { class: `line ${colour}`, d: path, "stroke-dasharray": ["", "6 3", "2 3", "8 3 2 3", "1 2"][number % COLOURS] }));
    if (points.length < 60) points.forEach(([x, y]) => svg.append(draw("circle", { class: colour, cx: across(x), cy: up(y), r: 2.5 })));
    svg.append(draw("text", { class: colour, x: place, y: 14 }, name));
    place += 7.5 * name.length + 18;
  });
  if (now !== null) svg.append(draw("line", { class: "now", x1: across(now), x2: across(now), y1: TOP, y2: HEIGHT - BOTTOM }));
  if (onpick) {
    svg.style.cursor = "pointer";
    svg.addEventListener("click", (event) => {
      const box = svg.getBoundingClientRect();
      const x = (((event.clientX - box.left) / box.width) * wide - LEFT) / (wide - LEFT - RIGHT);
      onpick(Math.min(Math.max(x, 0), 1) * end);
    });
  }
  return svg;
}
