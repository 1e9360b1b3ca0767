// A bot in JavaScript, by the protocol of docs/protocol.md, with nothing but Node.
//
//     cardtable arena muster "cmd:node agents/examples/bots/javascript_bot.js" random
//
// It plays every game: it knows no rules, only words that the names of good and of bad moves begin with, and draws among the best.

"use strict";

const GOOD = new Set(["bridge", "play", "craft", "develop", "sell", "done", "end"]);
const BAD = new Set(["lay", "move", "pass", "exchange", "reorder"]);
const GAMES = 16; // asked about in one line; the bot remembers nothing of a game, so any number would do

// 1 for a good move, -1 for a bad one, 0 for all others. The name of an action begins with what is done.
function worth(action) {
  const word = action.split(" ")[0];
  return Number(GOOD.has(word)) - Number(BAD.has(word));
}

// One of the best moves. Your own bot begins here.
function choose(legal) {
  const most = Math.max(...legal.map(worth));
  const best = legal.filter((action) => worth(action) === most);
  return best[Math.floor(Math.random() * best.length)];
}

// The answer to a message of the arena; undefined where it expects none, which is most of the time.
function answer(message) {
  switch (message.type) {
    case "hello": // to be sent the cards with every question, say wants: ["view"], and find them in ask.view
      return { type: "ready", protocol: 1, name: "javascript_bot", version: "1", games: GAMES };
    case "refused": // our last answer was wrong: say why, on standard error, and answer again
      message.asks.forEach((ask) => console.error("refused:", ask.detail));
    // falls through
    case "ask":
      return { answers: message.asks.map((ask) => ({ game: ask.game, action: choose(ask.legal) })) };
    default: // "start" and "end" of games, and whatever later versions of the protocol may add
      return undefined;
  }
}

// Read a line, write a line. When the arena says "quit" it also closes our input: then nothing is left to do, and Node ends.
const lines = require("node:readline").createInterface({ input: process.stdin });
lines.on("line", (line) => {
  const message = JSON.parse(line);
  if (message.type === "quit") {
    lines.close();
    return;
  }
  const answered = answer(message);
  if (answered) process.stdout.write(JSON.stringify(answered) + "\n"); // console.log would do as well
});
