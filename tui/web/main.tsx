// The entry of the web console.

import "./client/buffer.ts";
import { render } from "preact";
import { realClock } from "../../src/lib/clock.ts";
import { App } from "./app.tsx";
import { takeCode } from "./client/sign-in.ts";
import { routeOf } from "./route.ts";
import { Console } from "./store/console.ts";
import "./style/base.css";
import "./style/frame.css";
import "./style/processes.css";
import "./style/talk.css";
import "./style/prose.css";
import "./style/card.css";
import "./style/list.css";
import "./style/files.css";
import "./style/account.css";

const scheme = location.protocol === "https:" ? "wss" : "ws";
const gsv = new Console({
  socketUrl: `${scheme}://${location.host}/api/socket`,
  clock: realClock,
  random: (length) => crypto.getRandomValues(new Uint8Array(length)),
  isSeen: () => document.visibilityState === "visible",
  reload: () => location.reload(),
  setHash: (hash) => {
    location.hash = hash;
  },
});

const code = takeCode(location, history);
addEventListener("hashchange", () => {
  const late = takeCode(location, history);
  if (late !== null) void gsv.begin(late);
  gsv.show(routeOf(location.hash));
});
for (const event of ["pageshow", "online", "offline"]) addEventListener(event, () => gsv.wake());
document.addEventListener("visibilitychange", () => {
  if (document.visibilityState === "visible") gsv.wake();
});

gsv.show(routeOf(location.hash));
void gsv.begin(code);
const place = document.getElementById("app");
if (place !== null) render(<App gsv={gsv} />, place);
