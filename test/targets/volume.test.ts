// Much output of a command of the host, through the kernel and the client to a pipe: every byte up to the limit, in constant
// memory. A soak uses a gibibyte.

import { expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { LIMITS } from "../../src/abi/config/limits.ts";
import { type TestHome, withHome } from "../support/home.ts";
import { gsvCommand } from "../support/program.ts";
import { machineSandbox } from "../support/sandbox.ts";
import { samples } from "../support/soak.ts";

const MIB = 1024 * 1024;
const ASKED = samples(LIMITS.shellOutputBytesMax + 8 * MIB, 1024 * MIB);
/** Maximum extra memory of a gsv process; it never holds more than a few pieces of output. */
const ROOM = 96 * MIB;
/** Memory of a client that does next to nothing: such a short one often ends before it is measured. */
const CLIENT = 48 * MIB;
/** All byte values, so no text. */
const PATTERN = Buffer.from(Array.from({ length: 256 }, (_, n) => n));

function peakOf(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  // One that has just ended takes none.
  return Number(/^VmHWM:\s+(\d+)/m.exec(status)?.[1] ?? 0) * 1024;
}

async function takes(home: TestHome, script: string, way: readonly string[]) {
  const child = Bun.spawn([...gsvCommand(), "sh", "--host", ...way, "-c", script], {
    cwd: home.beside("."),
    env: { ...home.env },
    stderr: "pipe",
  });
  let [bytes, wrong, peak] = [0, 0, 0];
  for await (const piece of child.stdout) {
    for (let at = 0; at < piece.byteLength; ) {
      const part = PATTERN.subarray((bytes + at) % 256).subarray(0, piece.byteLength - at);
      if (Buffer.compare(part, piece.subarray(at, at + part.byteLength)) !== 0) wrong++;
      at += part.byteLength;
    }
    bytes += piece.byteLength;
    peak = Math.max(peak, peakOf(child.pid));
  }
  return { bytes, wrong, peak, status: await child.exited, stderr: await child.stderr.text() };
}

// In the sandbox if there is one: without it there are fewer processes between the command and the pipe.
const isSandboxed = (await machineSandbox()) !== null;

test("all allowed output arrives, and memory does not grow with it", async () => {
  const way = isSandboxed ? [] : ["--no-sandbox"];
  await withHome(async (home) => {
    writeFileSync(home.beside("block"), Buffer.alloc(MIB, PATTERN));
    const before = await takes(home, "head -c 256 block", way);
    expect(before).toMatchObject({ bytes: 256, wrong: 0, status: 0 });
    const kernel = peakOf(home.holder ?? 0);
    const script = `yes block | xargs cat | head -c ${ASKED}`;
    const { bytes, wrong, peak, status, stderr } = await takes(home, script, way);
    expect({ bytes, wrong, status }).toEqual({ bytes: LIMITS.shellOutputBytesMax, wrong: 0, status: 153 });
    expect(stderr).toContain("more than 64 MiB of output; the rest is lost");
    expect(peak).toBeLessThan(Math.max(before.peak, CLIENT) + ROOM);
    expect(peakOf(home.holder ?? 0)).toBeLessThan(kernel + ROOM);
  });
});
