// Checks whether an address accepts connections, and which protocol it speaks. A request that waits or fails cannot tell.

import type { Clock } from "../lib/clock.ts";
import { abortAfter, waitAtMost } from "../lib/wait.ts";

const PROBE_MS = 3000;

/** True if the address answers over this protocol. Nothing of the account is sent. */
export async function answersOver(protocol: "http:" | "https:", address: string, clock: Clock): Promise<boolean> {
  const url = new URL("/", address);
  url.protocol = protocol;
  const asked = abortAfter(clock, PROBE_MS, (signal) =>
    fetch(url, { method: "HEAD", redirect: "manual", signal, tls: { rejectUnauthorized: false } }),
  );
  return await asked.then(
    () => true,
    () => false,
  );
}

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
