// `npm run shots`: pictures of the real program in a PTY, with a script as its model. The README shows one of them.

import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { BINARY, freshBinary, Home } from "./bench/machine.ts";
import { DARK, picture } from "./support/picture.ts";
import { Session } from "./support/session.ts";

const OUT = join(import.meta.dir, "shots");
/** Short, because it is part of a picture. */
const DEMO = join(tmpdir(), "demo.jsonl");
const KEYS_COUNT_AFTER_MS = 600;
const AWAY_MS = 12_000;
/** Events since the last visit. */
const AWAY = /^While you were away[\s\S]*^›$/m;
const READY = /^~ {2}init:1000/m;
const TASKS = [
  ["check links", "check the links"],
  ["release notes", "write the notes"],
  ["clean up", "clean the docs"],
] as const;

const SCRIPT = [
  { when: "links", text: "48 pages hold 312 links; 2 of them are dead.", chunk: 1, chunkDelayMs: 400 },
  { when: "notes", text: "Three changes are worth a word: ".repeat(40), chunk: 8, chunkDelayMs: 60 },
  { when: "clean", calls: [{ name: "Shell", args: { command: "rm -r ~/docs/old" } }] },
  { when: "clean", text: "Then it stays where it is." },
  {
    when: "limit",
    text: "Compaction keeps too few messages. I raise the limit in my notes:",
    calls: [
      { name: "Read", args: { path: "~/context.d/10-limits.md" } },
      {
        name: "Edit",
        args: { path: "~/context.d/10-limits.md", oldString: "keep = 20000", newString: "keep = 32000" },
      },
    ],
  },
  {
    when: "limit",
    text: "Done. It applies from the next turn on:\n\n- `keep` is **32,000** tokens now\n- nothing else changed",
  },
];

await freshBinary();
mkdirSync(OUT, { recursive: true });
const home = new Home();
try {
  writeFileSync(DEMO, SCRIPT.map((line) => `${JSON.stringify(line)}\n`).join(""));
  const model = `script:${DEMO}`;
  const env = { ...home.env("offline"), USER: "sam" };
  const open = (rows: number) => new Session({ argv: [BINARY], env, rows });
  const shoot = (session: Session, name: string, title: string) =>
    Bun.write(join(OUT, `${name}.svg`), picture(session.emulator, { palette: DARK, title }));
  {
    await using session = open(38);
    await session.until(READY);
    session.type("how do I stop a process?\r");
    await session.until(/manual: processes[\s\S]*^›$/m);
    session.type("ls /proc\r");
    await session.until(/loadavg[\s\S]*^›$/m);
    session.type("what is running &\r");
    await session.until(/^\[1\] done/m);
    await shoot(session, "start", "gsv on a terminal: a question, a command, a task in the background");
    session.resize(100, 24);
    const runs = async (line: string, says: RegExp) => {
      session.type(`/clear\r`);
      await session.until(/^\s*~ {2}init:1000.*\n›$/);
      session.type(`${line}\r`);
      // Keys typed before the prompt is back would go to the command.
      await session.until(new RegExp(`${says.source}[\\s\\S]*^~ {2}init:1000.*\\n›$`, "m"));
    };
    await runs(`model init:1000 ${model}`, /^script:/m);
    await runs("mkdir -p context.d docs/old", /^\$ mkdir/m);
    await runs('echo "keep = 20000" > context.d/10-limits.md', /^\$ echo/m);
    for (const [label, prompt] of TASKS)
      await runs(`spawn --label "${label}" --model ${model} --prompt "${prompt}"`, /^task:\w{6}$/m);
    session.type("top\r");
    await session.until(/R +\d+%[\s\S]*W +\d+%[\s\S]*move/);
    await shoot(session, "top", "top: the processes, who started whom, what each does and waits for");
    session.type("q");
    await session.until(/y allow once/);
    await Bun.sleep(KEYS_COUNT_AFTER_MS);
    session.type("n");
    await session.until(/denied/);
  }
  {
    await using session = open(24);
    await session.until(READY);
    await Bun.sleep(KEYS_COUNT_AFTER_MS);
    session.type("/clear\r");
    await session.until(/^\s*~ {2}init:1000.*\n›$/);
    session.type("why do you forget things? raise the limit\r");
    await session.until(/y allow once/);
    await shoot(session, "approval", "An approval: what would be written, and the keys that answer");
    await Bun.sleep(KEYS_COUNT_AFTER_MS);
    session.type("y");
    await session.until(/nothing else changed/);
    await session.until(/^›$/m);
  }
  // Long enough for a task to end meanwhile.
  await Bun.sleep(AWAY_MS);
  await using session = open(24);
  await session.until(AWAY);
  session.type("and what else is kept?");
  await session.until(/› and what else is kept\?/);
  await shoot(session, "back", "Come back: what was said last is there, and the rest went on");
} finally {
  await home[Symbol.asyncDispose]();
  rmSync(DEMO, { force: true });
}
