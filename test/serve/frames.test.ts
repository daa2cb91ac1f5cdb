import { realClock } from "../../src/lib/clock.ts";
import { framesContract, type Peer } from "../contract/frames.ts";
import { classOf, FakeDoor } from "../support/door.ts";
import { listening } from "../support/listening.ts";

framesContract("a websocket", async (patience) => {
  const [door, faults]: [FakeDoor, unknown[]] = [new FakeDoor(), []];
  const onFault = (_call: string, error: unknown) => faults.push(error);
  const connection = { clock: realClock, pid: 77, exe: "/opt/gsv", classOf, onFault, ...patience };
  const listener = listening(door, { connection });
  return {
    ...{ door, faults, clients: () => listener.clients, close: () => listener.close() },
    peer: () => peerOf(listener.url),
  };
});

async function peerOf(url: string): Promise<Peer> {
  const socket = new WebSocket(`${url.replace("http", "ws")}/api/socket`, {
    headers: { authorization: "Bearer right" },
  });
  let [received, isClosed] = ["", false];
  socket.addEventListener("message", ({ data }) => {
    received += Buffer.from(data as Uint8Array).toString();
  });
  socket.addEventListener("close", () => {
    isClosed = true;
  });
  await new Promise((resolve) => socket.addEventListener("open", resolve));
  return {
    send: (bytes) => socket.readyState === WebSocket.OPEN && socket.send(bytes),
    ...{ received: () => received, closed: () => isClosed, close: () => socket.terminate() },
  };
}
