// Checks whether an address accepts connections. A request that waits for its first byte cannot tell.

import type { Clock } from "../lib/clock.ts";
import { waitAtMost } from "../lib/wait.ts";

/** False only if there is no reaction in time; a refused connection counts as a reaction. */
export async function takesConnections(address: string, ms: number, clock: Clock): Promise<boolean> {
  const { hostname, port, protocol } = new URL(address);
  const connecting = Bun.connect({
    hostname: hostname.replace(/^\[|\]$/g, ""),
    port: Number(port || (protocol === "https:" ? 443 : 80)),
    socket: { open: (socket) => void socket.terminate(), data() {}, error() {} },
  }).then(
    (socket) => {
      socket.terminate();
      return true;
    },
    () => true,
  );
  return (await waitAtMost(clock, ms, connecting)) !== null;
}
