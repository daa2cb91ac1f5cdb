// The streams of a process: a reader that leaves ends the output silently, any other obstacle is reported.

import { afterEach, beforeEach, expect, test } from "bun:test";
import { closeSync, constants, existsSync, mkdtempSync, openSync, readSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { realClock } from "../../src/lib/clock.ts";
import { outputOf } from "../../src/machine/io.ts";
import { withHome } from "../support/home.ts";
import { gsvCommand } from "../support/program.ts";

const FULL = "/dev/full";
const hasFull = existsSync(FULL);
const open: number[] = [];
let directory = "";

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "gsv-io-"));
});

afterEach(() => {
  for (const descriptor of open.splice(0)) closeSync(descriptor);
  rmSync(directory, { recursive: true, force: true });
});

function opened(path: string, flags: number): number {
  const descriptor = openSync(path, flags);
  open.push(descriptor);
  return descriptor;
}

test("a reader that has left closes the output and is no failure", async () => {
  const pipe = join(directory, "pipe");
  Bun.spawnSync(["mkfifo", pipe]);
  const reader = openSync(pipe, constants.O_RDONLY | constants.O_NONBLOCK);
  const output = outputOf(opened(pipe, constants.O_WRONLY), realClock, undefined);
  closeSync(reader);
  await output.write("anybody there?\n");
  expect([output.closed, output.failure]).toEqual([true, null]);
});

test("output beyond a pipe's space waits for its reader, also the first text, and all of it comes in order", async () => {
  const pipe = join(directory, "pipe");
  Bun.spawnSync(["mkfifo", pipe]);
  const reader = opened(pipe, constants.O_RDONLY | constants.O_NONBLOCK);
  const writer = opened(pipe, constants.O_WRONLY | constants.O_NONBLOCK);
  const filler = "x".repeat(4096);
  let filled = 0;
  try {
    for (;;) filled += writeSync(writer, filler);
  } catch {} // full
  const output = outputOf(writer, realClock, undefined);
  const written = Promise.all([
    output.write("first\n"),
    output.write(`${"y".repeat(10_000)}\n`),
    output.write("last\n"),
  ]);
  const wanted = filled + "first\n".length + 10_001 + "last\n".length;
  let read = "";
  // No read happens before the first try to write.
  await new Promise((resolve) => setImmediate(resolve));
  while (read.length < wanted) {
    try {
      const bytes = Buffer.alloc(65_536);
      read += bytes.toString("latin1", 0, readSync(reader, bytes));
    } catch {
      await realClock.sleep(1); // nothing there yet
    }
  }
  await written;
  expect(read.slice(filled)).toBe(`first\n${"y".repeat(10_000)}\nlast\n`);
  expect([output.closed, output.failure]).toEqual([false, null]);
});

test("a terminal's size is read from it, and again after a change", async () => {
  const script = `import { outputOf, standardInput } from ${JSON.stringify(join(import.meta.dir, "../../src/machine/io.ts"))};
    import { realClock } from ${JSON.stringify(join(import.meta.dir, "../../src/lib/clock.ts"))};
    const output = outputOf(1, realClock, "33");
    const say = () => output.write(\`\${standardInput().isTTY} \${output.isTTY} \${output.columns}x\${output.rows}\\n\`);
    await say();
    for await (const _key of standardInput().bytes()) break;
    await say();
    process.exit(0);`;
  let screen = "";
  const { promise: said, resolve: heard } = Promise.withResolvers<void>();
  const child = Bun.spawn([process.execPath, "-e", script], {
    env: {},
    terminal: {
      cols: 50,
      rows: 20,
      data(_terminal, bytes) {
        screen += Buffer.from(bytes).toString();
        if (screen.includes("x")) heard();
      },
    },
  });
  await said;
  child.terminal?.resize(70, 30);
  child.terminal?.write("\n");
  expect(await child.exited).toBe(0);
  child.terminal?.close();
  expect(screen.split(/\s*\n/).filter((line) => line.includes("x"))).toEqual(["true true 50x20", "true true 70x30"]);
});

test.skipIf(!hasFull)("a full disk closes the output and is a failure with that reason", async () => {
  const output = outputOf(opened(FULL, constants.O_WRONLY), realClock, undefined);
  await output.write("too much\n");
  expect(output.closed).toBe(true);
  expect(output.failure).toMatchObject({ code: "EIO", message: "cannot write the output: the disk is full" });
  await output.write("dropped\n");
});

test("an output without write access is a failure with the reason", async () => {
  const file = join(directory, "file");
  await Bun.write(file, "");
  const output = outputOf(opened(file, constants.O_RDONLY), realClock, undefined);
  await output.write("x\n");
  expect(output.failure).toMatchObject({ code: "EIO", message: "cannot write the output (EBADF)" });
});

test.skipIf(!hasFull)(
  "gsv ps > /dev/full reports it in one line on stderr and exits 1, and so does a send that was saved",
  async () => {
    await withHome(async (home) => {
      expect((await home.gsv(["send", "hello"])).status).toBe(0);
      for (const args of [["ps"], ["send", "saved"], ["--version"]]) {
        const child = Bun.spawn(["sh", "-c", `exec "$@" > ${FULL}`, "sh", ...gsvCommand(), ...args], {
          env: { HOME: home.directory, USER: "sam", PATH: process.env.PATH ?? "", GSV_HOME: home.directory },
          stderr: "pipe",
        });
        const [stderr, status] = await Promise.all([child.stderr.text(), child.exited]);
        expect([args, status, stderr]).toEqual([args, 1, "gsv: cannot write the output: the disk is full\n"]);
      }
      expect((await home.gsv(["proc", "history"])).stdout).toContain("saved");
    });
  },
  30_000,
);
