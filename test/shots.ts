// What `npm run shots` runs: the pictures of the README, drawn from the real program in a PTY with a model that plays a script.

import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { BINARY, freshBinary, Home } from "./bench/machine.ts";
import { DARK, picture } from "./support/picture.ts";
import { Session } from "./support/session.ts";

const OUT = join(import.meta.dir, "shots");
/** Short, because a picture shows it. */
const DEMO = join(tmpdir(), "demo.jsonl");
const KEYS_COUNT_AFTER_MS = 600;

const SCRIPT = [
  { when: "links", text: "48 pages hold 312 links; 2 of them are dead.", chunk: 3, chunkDelayMs: 200 },
  {
    when: "limit",
    text: "Compaction keeps too little of what was said. I raise the limit in what I am told:",
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
    text: "Done. It holds from the next turn on:\n\n- `keep` is 32,000 tokens now\n- nothing else was changed",
  },
];

await freshBinary();
mkdirSync(OUT, { recursive: true });
const home = new Home();
try {
  writeFileSync(DEMO, SCRIPT.map((line) => `${JSON.stringify(line)}\n`).join(""));
  const model = `script:${DEMO}`;
  await using session = new Session({ argv: [BINARY], env: { ...home.env("offline"), USER: "sam" }, rows: 24 });
  const shoot = (name: string, title: string) =>
    Bun.write(join(OUT, `${name}.svg`), picture(session.emulator, { palette: DARK, title }));
  await session.until(/^~ {2}init:1000/m);
  session.type("How do I stop a process?\r");
  await session.until(/^› How[\s\S]*manual: processes[\s\S]*^›$/m);
  await shoot("start", "gsv on a terminal: a question, and its answer from the manual");
  session.type(`model init:1000 ${model}\r`);
  session.type('mkdir -p context.d; echo "keep = 20000" > context.d/10-limits.md\r');
  await session.until(/^\$ mkdir[\s\S]*^~/m);
  session.type("/clear\rwhy do you forget things? raise the limit\r");
  await session.until(/y.* once/);
  await shoot("approval", "An approval: what would be written, and the keys that answer");
  await Bun.sleep(KEYS_COUNT_AFTER_MS);
  session.type("y");
  await session.until(/nothing else was changed/);
  session.type(`spawn --label "check links" --model ${model} --prompt "check the links"\r`);
  await session.until(/^task:\w{6}$/m);
  session.type("top\r");
  await session.until(/└ task:\w{6} +R +\d+%/);
  await shoot("top", "top: the processes, who started whom and what each does");
} finally {
  await home.remove();
  rmSync(DEMO, { force: true });
}
