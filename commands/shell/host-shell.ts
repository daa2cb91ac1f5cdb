// `gsv sh --host`: bash on the computer of the kernel. The kernel runs it, so it continues if this terminal closes. Output is printed as it
// arrives; stdin and signals are passed on. The directory and the environment of this terminal count only on the same computer.

import { ENDED_BY } from "../../src/abi/errno.ts";
import { uuidv7 } from "../../src/abi/ids.ts";
import type { Sys } from "../../src/abi/sys.ts";
import { hostEnvironmentWords } from "../../src/lib/host-environment.ts";
import type { ShellAnswer, ShellOutput, ShellRequest } from "../../src/syscalls/run/shell-service.ts";
import type { Io } from "../command.ts";
import { ForeignOutput } from "../io/foreign-output.ts";
import { note } from "../io/status.ts";

const FOLLOW_WAIT_MS = 20_000;
const INPUT_BYTES = 128 * 1024;

export async function runOnHost(io: Io, request: Omit<ShellRequest, "id">): Promise<number> {
  const sys = io.sys();
  const id = uuidv7(io.clock.now(), io.random);
  const fed = io.stdin.kind !== "none" && io.stdin.kind !== "tty" && request.stdin === undefined;
  const at = await io.remotes.current();
  const place = at === null ? { cwd: io.cwd, env: hostEnvironmentWords(io.env) } : {};
  const about = { target: "host", ...place, waitMs: 0, fed } as const;
  const release = io.onSignal((name) => {
    const sent = name === "INT" ? sys.call("shell.signal", { id, signal: "INT" }) : sys.call("shell.stop", { id });
    sent.catch(() => {}); // it has ended by itself
  });
  try {
    const { output, sandbox } = await sys.call<ShellAnswer>("shell.run", { id, ...request, ...about });
    if (sandbox === null && request.bare !== true && io.stderr.isTTY)
      await note(io, `gsv: no sandbox on ${at?.name ?? "this computer"}: the script can do whatever you can`);
    if (fed) void feed(io, sys, id);
    return await print(io, id, output);
  } finally {
    release();
  }
}

async function print(io: Io, id: string, first: ShellOutput): Promise<number> {
  const streams = { stdout: new ForeignOutput(io.stdout), stderr: new ForeignOutput(io.stderr) };
  for (let page = first; ; ) {
    for (const { stream, bytes } of page.pieces) await streams[stream].write(Buffer.from(bytes, "base64"));
    if (page.ended) {
      await streams.stdout.end();
      await streams.stderr.end();
      return page.exit ?? 1;
    }
    if (io.stdout.closed) {
      // stdout is closed: end like sh in a pipe.
      await io
        .sys()
        .call("shell.signal", { id, signal: "HUP" })
        .catch(() => {});
      return ENDED_BY.PIPE;
    }
    page = await io.sys().call<ShellOutput>("shell.output", { id, from: page.next, waitMs: FOLLOW_WAIT_MS });
  }
}

async function feed(io: Io, sys: Sys, id: string): Promise<void> {
  const give = (bytes: Uint8Array, end: boolean) =>
    sys.call("shell.input", { id, data: Buffer.from(bytes).toString("base64"), end });
  try {
    for await (const bytes of io.stdin.bytes())
      for (let at = 0; at < bytes.byteLength; at += INPUT_BYTES)
        await give(bytes.subarray(at, at + INPUT_BYTES), false);
    await give(new Uint8Array(), true);
  } catch {
    // The command has ended or closed stdin: its exit status is reported.
  }
}
