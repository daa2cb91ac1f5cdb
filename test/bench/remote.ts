// gsv over a websocket on loopback, beside the socket: one prompt from exec to exit, and the time from a key to its echo.

import { servedHome } from "../support/served-home.ts";
import { BINARY, type Floor, Home, run } from "./machine.ts";
import { median, type Row, rowOf, timedAgainst } from "./measure.ts";
import { echoes } from "./terminal/terminal.ts";

export async function remoteRows(_floor: Floor, rounds: number): Promise<Row[]> {
  await using home = new Home();
  const { url, token } = await servedHome(home);
  // The environment of a client elsewhere is not used.
  const here = home.env();
  await home.gsv(["config", "set", "ai.model", here.GSV_MODEL ?? ""]);
  const there = { ...here, GSV_SERVER: url, GSV_TOKEN: token, GSV_HOME: home.beside("laptop") };
  const chats = await timedAgainst(
    rounds,
    () => home.gsv(["chat", "hello"]),
    () => run([BINARY, "chat", "hello"], there),
  );
  const added = chats.values.map((ms) => ms - chats.floor);
  const near = await echoes(here, rounds * 3);
  const far = await echoes(there, rounds * 3);
  return [
    rowOf("remote: chat, added by the websocket", added, { budget: 10 }),
    rowOf("remote: key to echo", far, { floor: { value: median(near), what: "the same over the socket" }, budget: 2 }),
  ];
}
