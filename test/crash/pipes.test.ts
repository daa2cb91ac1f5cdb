// gsv between other programs: no message to a reader that left, all output to a slow one, and for every kind of stdin no silent hang
// and a bounded buffer.

import { expect, test } from "bun:test";
import { type TestHome, withHome } from "../support/home.ts";
import { gsvCommand } from "../support/program.ts";
import { oneIn } from "../support/soak.ts";

/** A line of a shell: its output, and the exit status of each part of its last pipe. */
async function sh(home: TestHome, line: string) {
  const child = Bun.spawn(["bash", "--norc", "-c", `${line}\necho "\${PIPESTATUS[*]}"`], {
    env: home.env,
    cwd: home.beside("."),
    ...{ stdin: "ignore", stdout: "pipe", stderr: "pipe" },
  });
  const [stdout, stderr] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  const lines = stdout.trimEnd().split("\n");
  return { statuses: lines.pop()?.split(" ").map(Number) ?? [], lines, stderr };
}

function gsv(line: string): string {
  const command = gsvCommand().map((word) => `'${word}'`);
  return line.replaceAll(/\bgsv (?=[\w<-])/g, `${command.join(" ")} `);
}

const LEFT = [
  "gsv chat hello 2>/dev/null | head -1",
  "gsv logs | head -1",
  "gsv ps | true",
  "gsv ps --json | true",
  "gsv man chat | head -1",
  "gsv --help | true",
  "gsv help | true",
  "gsv schema events | true",
  "gsv config list | head -1",
  "gsv completion bash | true",
  "gsv chat --colour 2>&1 | true",
];

test.concurrent("a reader that leaves early ends gsv without a message and with 141, or after all its output", async () => {
  await withHome(async (home) => {
    await home.gsv(["chat", "hello"]);
    for (const line of oneIn(3, LEFT)) {
      const { statuses, stderr } = await sh(home, gsv(line));
      expect([line, [0, 2, 141].includes(statuses[0] ?? -1), stderr]).toEqual([line, true, ""]);
    }
  });
}, 60_000);

const FOLLOWING = [
  "gsv logs -f | head -1",
  "gsv strace -f init:1000 | head -1",
  "gsv tail -f '~/told' | head -1",
  "gsv events | true",
  "gsv approvals --watch | true",
  "gsv logs --kernel -f | true",
];

test.skipIf(process.platform !== "linux")(
  "a follower ends with its reader, also if there is never any more output",
  async () => {
    await withHome(async (home) => {
      await home.gsv(["sh", "-c", "echo told > ~/told"]);
      await home.gsv(["chat", "hello"]);
      for (const line of oneIn(2, FOLLOWING)) {
        const { statuses, stderr } = await sh(home, gsv(line));
        expect([line, statuses[0], stderr]).toEqual([line, 141, ""]);
      }
    });
  },
);

const MEGABYTE = 1024 * 1024;

test.concurrent("five megabytes come whole through a pipe to a slow reader", async () => {
  await withHome(async (home) => {
    const line = "all of it, to the last é\n";
    const text = line.repeat(Math.ceil((5 * MEGABYTE) / Buffer.byteLength(line)));
    const script = `script:${await home.file("script", [{ text, repeat: 9 }])}`;
    expect((await home.gsv(["cp", "-", "~/big"], { stdin: text })).status).toBe(0);
    const forms = [
      ["cat", "~/big"],
      ["chat", "--new", "hi"],
      ["chat", "--new", "--output", "json", "hi"],
    ];
    for (const args of oneIn(forms.length, forms)) {
      const child = Bun.spawn([...gsvCommand(), ...args], {
        env: { ...home.env, GSV_MODEL: script },
        ...{ stdin: "ignore", stdout: "pipe", stderr: "pipe" },
      });
      const pieces: Buffer[] = [];
      for await (const piece of child.stdout) {
        pieces.push(Buffer.from(piece));
        if (pieces.length % 16 === 1) await Bun.sleep(20);
      }
      const printed = Buffer.concat(pieces).toString();
      const whole = args.includes("json") ? (JSON.parse(printed) as { text: string }).text : printed;
      expect([args[0], await child.exited, whole.length, whole === text]).toEqual([args[0], 0, text.length, true]);
    }
  });
}, 60_000);

/** Every kind of stdin that a shell makes, and the reaction of `gsv chat`. */
const STDIN: readonly (readonly [line: string, status: number, says: RegExp])[] = [
  ["gsv chat hello <&-", 0, /./],
  ["gsv chat <&-", 2, /nothing to send/],
  ["gsv chat hello </dev/null", 0, /./],
  ["gsv chat </dev/null", 2, /nothing to send/],
  ["echo help | gsv chat", 0, /./],
  ["gsv chat - <<< help", 0, /./],
  ["true | gsv chat", 2, /empty/],
  ["(sleep 0.3; echo help) > f & gsv chat < f", 0, /./],
  ["head -c 400000 /dev/zero | tr '\\0' x | gsv chat help", 0, /./],
  ["head -c 3000000 /dev/zero | tr '\\0' x | gsv send -", 6, /^gsv: message has 3000000 characters; at most 262144/],
  [
    "head -c 3000000 /dev/zero | tr '\\0' x | gsv fs write '~/a' -",
    6,
    /too long: 2.9 MiB; the limit is 1.0 MiB\n {2}.*gsv cp/,
  ],
  ["head -c 300 /dev/zero | gsv chat help", 0, /./],
  ["head -c 300 /dev/zero | gsv chat", 2, /needs a message that says what to do with it/],
  ["yes | gsv chat help", 6, /stdin is larger than 25.0 MiB/],
  // Open both ways it is a pipe that never has data.
  ["gsv chat --stdin-wait 0.2 help <> q", 0, /no data on stdin for 0.2 s/],
  ["gsv chat --timeout 0.5 <> q", 124, /nothing was sent/],
  ["gsv chat --no-stdin help <> q", 0, /./],
  ["gsv chat help 0> w", 0, /cannot read stdin \(EBADF\), continuing without it/],
  ["gsv chat - 0> w", 1, /cannot read stdin \(EBADF\)/],
];

test.concurrent("chat answers or reports an error for every kind of stdin", async () => {
  await withHome(async (home) => {
    await home.gsv(["ps"]);
    await sh(home, "mkfifo f q");
    for (const [line, status, says] of oneIn(3, STDIN)) {
      const { statuses, stderr, lines } = await sh(home, `set -o pipefail; ${gsv(line)} 2>&1`);
      expect([line, statuses.at(-1), stderr]).toEqual([line, status, ""]);
      expect(lines.join("\n"), line).toMatch(says);
    }
  });
}, 60_000);
