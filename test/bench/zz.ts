import { dial } from "../../src/rpc/client.ts"; import { realClock } from "../../src/lib/clock.ts"; import { VERSION } from "../../src/version.ts";
const [home, n] = process.argv.slice(2);
const link = await dial({ socketPath: home + "/run/kernel.sock", info: { clientId: "bench", version: VERSION, cwd: "/", env: {} }, clock: realClock, helloMs: 2000 });
for (let i = 0; i < Number(n); i++) await link.call("proc.spawn", { label: `task number ${i}` }, { requestId: `spawn-${i}-${process.pid}` });
link.close(); process.exit(0);
