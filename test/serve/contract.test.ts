import { realClock } from "../../src/lib/clock.ts";
import { openRemoteSys } from "../../src/rpc/remote.ts";
import { sysContract } from "../contract/sys.ts";
import { classOf, FakeDoor, info, text } from "../support/door.ts";
import { listening } from "../support/listening.ts";

sysContract("the client over a websocket", async () => {
  const door = new FakeDoor();
  const listener = listening(door);
  const sys = openRemoteSys({
    ...{ url: listener.url, token: "right", info: info(), clock: realClock },
    random: (bytes) => crypto.getRandomValues(new Uint8Array(bytes)),
    classOf: async (name) => classOf(name),
  });
  return {
    sys,
    read: { name: "echo", args: { hello: "❄" }, answer: { hello: "❄" } },
    failing: { name: "fail", args: {}, code: "ESRCH" },
    waiting: { name: "wait", args: {} },
    keyed: { name: "count", args: {} },
    speaking: {
      name: "speak",
      args: { signals: [text(1)] },
      hears: { pid: "task:abc123", names: ["chat.*"] },
      deaf: { pid: "init:1000" },
    },
    quiet: async () => void (await sys.call("echo", {})),
    cleanup: () => listener.close(),
  };
});
