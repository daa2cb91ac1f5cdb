import { realClock } from "../../src/lib/clock.ts";
import { openRemoteSys } from "../../src/rpc/remote.ts";
import { sysContract } from "../contract/sys.ts";
import { behindDoor, classOf, FakeDoor, info } from "../support/door.ts";
import { listening, serverAt } from "../support/listening.ts";

sysContract("the client over a websocket", async () => {
  const listener = listening(new FakeDoor());
  const sys = openRemoteSys({
    ...{ server: serverAt(listener.url), proxy: null, info: info(), clock: realClock },
    random: (bytes) => crypto.getRandomValues(new Uint8Array(bytes)),
    classOf: async (name) => classOf(name),
  });
  return behindDoor(sys, () => listener.close());
});
