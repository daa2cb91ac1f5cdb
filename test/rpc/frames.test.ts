import { connect } from "node:net";
import { framesContract } from "../contract/frames.ts";
import { cleanUp, kernel } from "../support/wire.ts";

framesContract("the socket", async (patience) => {
  const { socketPath, door, server, faults } = await kernel(patience);
  return {
    ...{ door, faults, clients: () => server.clients, close: cleanUp },
    async peer() {
      const socket = connect(socketPath);
      let [received, isClosed] = ["", false];
      socket.on("data", (bytes) => {
        received += bytes.toString();
      });
      socket
        .on("error", () => {})
        .on("close", () => {
          isClosed = true;
        });
      await new Promise((resolve) => socket.once("connect", resolve));
      return {
        send: (bytes) => void socket.write(bytes),
        ...{ received: () => received, closed: () => isClosed, close: () => socket.destroy() },
      };
    },
  };
});
