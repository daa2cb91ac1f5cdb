// Host commands: time to the first byte of output, compared with `bash -c`. Over the socket of a running kernel, as the screen does, and as
// a whole command line; without a sandbox, and in the operating system's own if there is one.

import { tmpdir } from "node:os";
import { uuidv7 } from "../../src/abi/ids.ts";
import type { ShellAnswer } from "../../src/syscalls/run/shell-service.ts";
import { machineSandbox } from "../support/sandbox.ts";
import { type Floor, Home } from "./machine.ts";
import { type Row, rowOf, timedAgainst } from "./measure.ts";

const WHAT = "bash -c";

export async function hostRows(_floor: Floor, rounds: number): Promise<Row[]> {
  await using home = new Home();
  await home.kernel();
  const ways = (await machineSandbox()) === null ? [true] : [true, false];
  const rows: Row[] = [];
  for (const bare of ways) rows.push(...(await rowsFor(home, rounds, bare)));
  return rows;
}

async function rowsFor(home: Home, rounds: number, bare: boolean): Promise<Row[]> {
  const asked = await throughTheKernel(home, rounds, bare);
  const typed = await timedAgainst(rounds, firstByte, () =>
    home.gsv(["sh", "--host", ...(bare ? ["--no-sandbox"] : []), "-c", "echo hi"]),
  );
  const where = bare ? "" : ", in the sandbox";
  return [
    rowOf(`host: first byte, over the socket${where}`, asked.values, { floor: { value: asked.floor, what: WHAT } }),
    rowOf(`gsv sh --host -c 'echo hi', exec to exit${where}`, typed.values, {
      floor: { value: typed.floor, what: WHAT },
      budget: 60,
    }),
  ];
}

async function throughTheKernel(home: Home, rounds: number, bare: boolean) {
  using link = await home.dial(tmpdir());
  const command = async () => {
    const id = uuidv7(Date.now(), (length) => crypto.getRandomValues(new Uint8Array(length)));
    const run = { id, target: "host", script: "echo hi", cwd: tmpdir(), waitMs: 0, ...(bare && { bare }) };
    const { output } = (await link.call("shell.run", run, { requestId: id })) as ShellAnswer;
    if (output.pieces.length === 0) await link.call("shell.output", { id, from: 0, waitMs: 10_000 });
  };
  return await timedAgainst(rounds, firstByte, command);
}

async function firstByte(): Promise<void> {
  const child = Bun.spawn(["/bin/bash", "--noprofile", "--norc", "-c", "echo hi"], { env: {}, stdout: "pipe" });
  await child.stdout.getReader().read();
  await child.exited;
}
