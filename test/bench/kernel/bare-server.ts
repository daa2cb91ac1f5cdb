// The floor of what clients cost: a websocket server of a few lines, as a program of its own. It echoes, and at the word `stream` it sends 5
// seconds of text to all its clients, one frame each 30 ms.

import type { ServerWebSocket } from "bun";

const FRAMES = 167;
const FRAME_MS = 30;
const FRAME = "x".repeat(330);

const clients = new Set<ServerWebSocket<undefined>>();
const server = Bun.serve<undefined>({
  hostname: "127.0.0.1",
  port: 0,
  fetch: (request, serving) =>
    serving.upgrade(request, { data: undefined }) ? undefined : new Response(null, { status: 400 }),
  websocket: {
    open: (socket) => void clients.add(socket),
    close: (socket) => void clients.delete(socket),
    async message(socket, message) {
      if (message !== "stream") return void socket.send(message);
      for (let frame = 0; frame < FRAMES; frame++) {
        for (const client of clients) client.send(FRAME);
        await Bun.sleep(FRAME_MS);
      }
      socket.send("end");
    },
  },
});
process.stdout.write(`${server.port}\n`);
