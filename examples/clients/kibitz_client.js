#!/usr/bin/env node
// @ts-check
// A client for kibitz in one file: it joins a match on a server, plays it, and reconnects if the line breaks. It needs
// nothing but node 22 (or 20 with --experimental-websocket), or a browser. From a shell it plays any legal action:
//
//     node kibitz_client.js http://127.0.0.1:8017 kuhn    # wherever somebody waits for this game, or wait for others
//     node kibitz_client.js http://127.0.0.1:8017 7       # the match with this number
//     KIBITZ_TOKEN=… node kibitz_client.js https://example.org/kibitz kuhn
//
// Copy it, or use it and think in a function of your own: `const { play } = require("./kibitz_client.js")` in node, or
// `kibitz.play` after `<script src="kibitz_client.js"></script>` in a browser.
//
//     const choose = ({ act, begin }) => (act.secret.card === begin.board.deck.at(-1) ? "bet" : "pass");
//     console.log(await play("http://127.0.0.1:8017", { game: "kuhn", choose }));
"use strict";

/**
 * What the server sends; docs/reference/messages.json describes all messages.
 * @typedef {{ words: string, least: number, most: number }} Range
 * @typedef {{ name: string, least: number, most: number, values?: number[] }} Factor
 * @typedef {{ count: number, actions: string[], verb?: string, factors?: Factor[], ranges?: Range[] }} Legal
 * @typedef {{ form: string, meaning: string, examples: string[], phase?: string }} ActionForm
 * @typedef {{ title: string, goal: string, rules: string, players: string[], actions: ActionForm[],
 *   phases?: Record<string, string>, secret?: string, labels?: Record<string, string> }} About
 * @typedef {{ type: "begin", protocol: number, game: string, player: number, players: number, seed: number,
 *   about?: About, board?: any }} Begin
 * @typedef {{ ply: number, movers: number[], actions: (string | null)[] }} Event
 * @typedef {{ type: "act", seq: number, view: { text: string, key: any, fields?: any, movers?: number[] },
 *   legal: Legal, allowance: number | null, bank: number | null, events: Event[], secret?: Record<string, any> }} Act
 * @typedef {{ type: "welcome", name: string, table: number, player: number, resume: string }} Welcome
 * @typedef {{ type: "end", returns: number[], events: Event[] }} End
 * @typedef {{ type: "error", error: string }} Trouble
 * @typedef {Welcome | Begin | Act | End | Trouble} Message
 *
 * A request to choose, with all that the server has told; `draw(n)` is a random number from 0 to n - 1.
 * @typedef {{ begin: Begin, act: Act, draw: (count: number) => number }} Turn
 *
 * Name a game or the number of a match, and a seat in it if that matters. `choose` returns an action in the game's
 * notation, or a promise of one. `hear` gets every message. `patience` is how many seconds to try to reconnect.
 * @typedef {{ game?: string, match?: number, seat?: number, name?: string, token?: string,
 *   choose?: (turn: Turn) => string | Promise<string>, hear?: (message: Message) => void, patience?: number }} Options
 */

/**
 * Random numbers from a seed: the same seed, the same match.
 * @param {number} seed
 * @returns {(count: number) => number}
 */
function generator(seed) {
  let state = seed;
  return (count) => {
    state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff;
    return Math.floor((state / 0x80000000) * count);
  };
}

/**
 * Any legal action, also if there are too many to list.
 * @param {Turn} turn
 * @returns {string}
 */
function anyLegal({ act, draw }) {
  const { actions, ranges = [], verb = "", factors = [] } = act.legal;
  const drawn = draw(actions.length + ranges.length);
  if (drawn < ranges.length) {
    const { words, least, most } = ranges[drawn]; // words with a number where the # is
    return words.replace("#", String(least + draw(most - least + 1)));
  }
  if (actions.length) return actions[drawn - ranges.length];
  const words = []; // an action says how many of each thing, and leaves out what is 0
  for (const { name, least, most, values } of factors) {
    const count = values ? values[draw(values.length)] : least + draw(most - least + 1);
    if (count) words.push(`${count} ${name}`);
  }
  return [verb, ...(words.length ? words : ["nothing"])].join(" ").trim();
}

/**
 * What a `begin` says of the game, for people.
 * @param {Begin} begin
 * @returns {string}
 */
function description({ about, game, player, players }) {
  if (!about) return `You are player ${player} of ${players} in ${game}.`;
  const names = about.players.map((words, number) => `  ${words}${number === player ? " (you)" : ""}`);
  const actions = about.actions.map(({ form, meaning, examples }) => `  ${form}: ${meaning}, such as ${examples.join(", ")}`);
  const parts = [about.title, about.goal, about.rules, `Secret: ${about.secret ?? "nothing"}`];
  return [...parts, ["Players:", ...names].join("\n"), ["Actions:", ...actions].join("\n")].join("\n\n");
}

/**
 * Play one match to its end; resolves to what every player has earned.
 * @param {string} address of the server, such as http://127.0.0.1:8017
 * @param {Options} options
 * @returns {Promise<number[]>}
 */
async function play(address, options) {
  const { choose = anyLegal, hear = () => {}, patience = 60 } = options;
  const url = `${(address.includes("//") ? address : `http://${address}`).replace(/^http/, "ws").replace(/\/$/, "")}/api/play`;
  const known = { resume: "", heard: 0, begin: /** @type {Begin | null} */ (null), draw: generator(1) };
  let lostAt = 0;
  for (let pause = 0.1; ; pause = Math.min(2 * pause, 5)) {
    const { returns, refusal, greeted } = await playOn(url, options, known, choose, hear);
    if (returns) return returns;
    if (refusal) throw new Error(refusal);
    if (greeted) [lostAt, pause] = [0, 0.1];
    lostAt = lostAt || Date.now();
    if (!known.resume || Date.now() - lostAt > 1000 * patience) throw new Error(`the server at ${address} has gone`);
    await new Promise((resolve) => setTimeout(resolve, 1000 * pause));
  }
}

/**
 * One connection: log in and answer requests, until the match or the connection ends.
 * @param {string} url
 * @param {Options} options
 * @param {{ resume: string, heard: number, begin: Begin | null, draw: (count: number) => number }} known
 * @param {(turn: Turn) => string | Promise<string>} choose
 * @param {(message: Message) => void} hear
 * @returns {Promise<{ returns?: number[], refusal: string, greeted: boolean }>}
 */
function playOn(url, options, known, choose, hear) {
  const { game = "", match, seat, name = "kibitz_client.js", token = "" } = options;
  const wanted = match === undefined ? { game } : { table: match, seat };
  const again = known.resume ? { resume: known.resume, heard: known.heard } : wanted;
  return new Promise((resolve) => {
    const socket = new WebSocket(url);
    /** @type {{ returns?: number[], refusal: string, greeted: boolean }} */
    const found = { refusal: "", greeted: false };
    /** @param {object} words */
    const say = (words) => socket.send(JSON.stringify(words));
    socket.onopen = () => say({ type: "login", name, token, ...again });
    socket.onclose = () => resolve(found);
    socket.onerror = () => {}; // onclose follows
    socket.onmessage = async ({ data }) => {
      /** @type {Message} */
      const message = JSON.parse(data);
      hear(message);
      if (message.type === "welcome") {
        known.resume = message.resume;
        found.greeted = true;
      } else if (message.type === "begin") {
        if (!known.begin) known.draw = generator(message.seed);
        known.begin = message;
      } else if (message.type === "act" && known.begin) {
        known.heard = message.seq;
        found.refusal = "";
        const action = await choose({ begin: known.begin, act: message, draw: known.draw });
        if (socket.readyState === WebSocket.OPEN) say({ type: "action", seq: message.seq, action });
      } else if (message.type === "end") {
        found.returns = message.returns;
        socket.close();
      } else if (message.type === "error") {
        found.refusal = message.error; // if the server goes on, it was about one answer only
      }
    };
  });
}

/** Play one match from the command line, and print what the game is and how it ended. */
async function main() {
  const [address, where] = process.argv.slice(2);
  if (!where) throw new Error("usage: node kibitz_client.js ADDRESS GAME-OR-MATCH");
  const join = /^\d+$/.test(where) ? { match: Number(where) } : { game: where };
  const returns = await play(address, {
    ...join,
    token: process.env.KIBITZ_TOKEN || "",
    hear: (message) => {
      if (message.type === "begin") console.log(description(message));
      if (message.type === "error") console.error(message.error);
    },
  });
  console.log(`\nThe match is over; the players earned ${JSON.stringify(returns)}.`);
}

const kibitz = { play, anyLegal, description };
if (typeof module === "undefined") {
  Object.assign(globalThis, { kibitz });
} else {
  module.exports = kibitz;
  if (require.main === module) {
    main().catch((error) => {
      console.error(error.message);
      process.exit(1);
    });
  }
}
