import { sysContract } from "../contract/sys.ts";
import { text } from "../support/door.ts";
import { FakeHome } from "../support/kernels.ts";

sysContract("the socket client", async () => {
  const home = new FakeHome();
  const sys = home.open();
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
    // Signals and answers share one ordered stream: an answered call means they are here.
    quiet: async () => void (await sys.call("echo", {})),
    cleanup: () => home.close(),
  };
});
