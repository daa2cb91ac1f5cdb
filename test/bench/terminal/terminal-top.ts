// The cost of watching many processes: top over two hundred of them, once a second.

import { Session } from "../../support/session.ts";
import { BINARY, type Home, Kernel } from "../machine.ts";
import type { Row } from "../measure.ts";

const PROCESSES = 200;
const LOOK_MS = 5000;

export async function topRows(home: Home): Promise<Row[]> {
  const kernel = await home.kernel();
  const link = await home.dial();
  try {
    for (let at = 0; at < PROCESSES; at++) await link.call("proc.spawn", { label: `process number ${at}` });
  } finally {
    await link.close();
  }
  await using session = new Session({ argv: [BINARY], env: home.env() });
  await session.until(/^~ {2}init:1000/m);
  session.type("\x14");
  await session.until(new RegExp(`${PROCESSES + 1} processes`));
  await Bun.sleep(1500);
  const client = new Kernel(session.process.pid);
  const [own, other, from] = [client.cpuMs(), kernel.cpuMs(), session.reads.length];
  await Bun.sleep(LOOK_MS);
  const seconds = LOOK_MS / 1000;
  const kb = Buffer.byteLength(session.reads.slice(from).join("")) / 1000;
  const name = `terminal: top over ${PROCESSES} processes`;
  return [
    { name: `${name}, CPU of the client in a second`, unit: "ms", median: (client.cpuMs() - own) / seconds },
    { name: `${name}, CPU of the kernel in a second`, unit: "ms", median: (kernel.cpuMs() - other) / seconds },
    { name: `${name}, bytes in a second`, unit: "KB", median: kb / seconds },
  ];
}
