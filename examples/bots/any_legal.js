#!/usr/bin/env node
// A bot that plays any legal action. It needs nothing but node: copy it, and put your own thinking into `choose`.
//
//     kibitz watch pawns "cmd:node examples/bots/any_legal.js" random
//
// On a server ../clients/kibitz_client.js plays.

let state = 0;
// A number from 0 to count - 1, the same ones from the same seed.
function draw(count) {
  state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff;
  return Math.floor((state / 0x80000000) * count);
}

function choose({ actions, ranges = [], verb, factors }) {
  const drawn = draw(actions.length + ranges.length);
  if (drawn < ranges.length) {
    // Too many to list: a range is words with a number where the # is.
    const { words, least, most } = ranges[drawn];
    return words.replace("#", least + draw(most - least + 1));
  }
  if (actions.length) return actions[drawn - ranges.length];
  // Or an action says how many of each thing, and leaves out what is 0.
  const words = [];
  for (const { name, least, most, values } of factors) {
    const count = values ? values[draw(values.length)] : least + draw(most - least + 1);
    if (count) words.push(`${count} ${name}`);
  }
  return [verb, ...(words.length ? words : ["nothing"])].join(" ").trim();
}

// What the bot answers to a message, or nothing.
function answer(message) {
  if (message.type === "begin") {
    state = message.seed; // the same seed, the same match
    return { type: "ready", name: "any_legal.js" };
  }
  if (message.type === "act") {
    // message.view.text is the board to read, and message.events what happened since the last act.
    return { type: "action", seq: message.seq, action: choose(message.legal) };
  }
}

require("node:readline")
  .createInterface({ input: process.stdin })
  .on("line", (line) => {
    const words = answer(JSON.parse(line));
    if (words) console.log(JSON.stringify(words));
  });
