// Clicks towards every legal action of many positions, through the page's own mapping. Reads positions from standard input.
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const { clicked, matches, meant, narrowed } = await import(pathToFileURL(process.argv[2]));
const positions = JSON.parse(readFileSync(0, "utf8"));
const told = { positions: 0, actions: 0, clicks: 0, played: 0, listed: 0, unnamed: [], open: [], longest: 0 };

function check(condition, ...what) {
  if (!condition) throw new Error(JSON.stringify(what));
}

/** Click parts that stand for an action until it is played or nothing more can be said by clicks. */
function reach(action, actions, elements) {
  let parts = [];
  for (const nested of elements) {
    const part = meant(actions, parts, nested);
    if (part === null || parts.includes(part) || !matches(part, action)) continue;
    const before = narrowed(actions, parts).length;
    const result = clicked(actions, parts, part);
    told.clicks += 1;
    check(result.left.includes(action), "a click on a part of it lost", action, part);
    check(result.left.every((each) => matches(part, each)), "kept what the part does not name", part);
    check(result.left.length <= before, "a click adds nothing", part);
    check((result.play === null) === (result.left.length > 1), "one that is left is played", part);
    if (result.play) {
      check(result.play === action, "another one was played", action, result.play);
      return "played";
    }
    parts = result.parts;
  }
  const left = narrowed(actions, parts);
  check(left.includes(action), "not in the list", action);
  check(new Set(left.map((each) => each.name)).size === left.length, "two moves read the same", left);
  told.longest = Math.max(told.longest, parts.length ? left.length : 0);
  return parts.length ? "open" : "unnamed";
}

for (const { actions, elements } of positions) {
  told.positions += 1;
  for (const action of actions) {
    told.actions += 1;
    const how = reach(action, actions, elements);
    if (how === "played") told.played += 1;
    else {
      told.listed += 1;
      if (!told[how].includes(action.block)) told[how].push(action.block);
    }
  }
  for (const nested of elements) {
    const part = meant(actions, [], nested);
    if (part === null) continue;
    const again = clicked(actions, [part], part);
    check(again.parts.length === 0 && again.play === null && again.left.length === actions.length, "a second click undoes", part);
    check(clicked(actions, [], "no:such part").parts.length === 0, "unknown parts change nothing");
  }
}
console.log(JSON.stringify(told));
