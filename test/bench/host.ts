// Commands of the host: how long until the first byte of one is there, beside `bash -c` itself; over the socket of a kernel that runs, as the
// screen asks for one, and as a whole command line.

import { tmpdir } from "node:os";
import type { ShellAnswer } from "../../src/syscalls/shell-service.ts";
import { type Floor, Home } from "./machine.ts";
import { type Row, rowOf, timedAgainst } from "./measure.ts";

export async function hostRows(_floor: Floor, rounds: number): Promise<Row[]> {
  const home = new Home();
  try {
    await home.kernel();
    const asked = await throughTheKernel(home, rounds);
    const typed = await timedAgainst(rounds, firstByte, () => home.gsv(["sh", "--host", "-c", "echo hi"]));
    const what = "bash -c";
    return [
      rowOf("host: first byte, over the socket", asked.values, { floor: { value: asked.floor, what } }),
      rowOf("gsv sh --host -c 'echo hi', exec to exit", typed.values, {
        floor: { value: typed.floor, what },
        budget: 60,
      }),
    ];
  } finally {
    await home.remove();
  }
}

async function throughTheKernel(home: Home, rounds: number) {
  const link = await home.dial(tmpdir());
  let number = 0;
  const command = async () => {
    const id = `0190a1b2-0000-7000-8000-${String(++number).padStart(12, "0")}`;
    const run = { id, target: "host", script: "echo hi", cwd: tmpdir(), waitMs: 0 };
    const { output } = (await link.call("shell.run", run, { requestId: id })) as ShellAnswer;
    if (output.pieces.length === 0) await link.call("shell.output", { id, from: 0, waitMs: 10_000 });
  };
  try {
    return await timedAgainst(rounds, firstByte, command);
  } finally {
    link.close();
  }
}

async function firstByte(): Promise<void> {
  const child = Bun.spawn(["/bin/bash", "--noprofile", "--norc", "-c", "echo hi"], { env: {}, stdout: "pipe" });
  await child.stdout.getReader().read();
  await child.exited;
}
