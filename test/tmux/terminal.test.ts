// gsv in a real tmux: scrollback, resizes, ctrl-z, detach and attach.

import { expect, test } from "bun:test";
import { type TestHome, withHome } from "../support/home.ts";
import { gsvCommand } from "../support/program.ts";
import { Session } from "../support/session.ts";
import { Tmux } from "../support/tmux.ts";

const inTmux = test.skipIf(process.env.GSV_TMUX !== "1");
const HISTORY = 50;
const LINES = 120;
const STORY = Array.from({ length: LINES }, (_, line) =>
  line % 10 === 9 ? `\`\`\`\ncode ${line} ${"x".repeat(90)}\n\`\`\`` : `Line ${line} of the story.`,
).join("\n\n");

/** No answer streams and the input line is empty. */
const IDLE = /^(?:(?!esc stop)[\s\S])*\n›$/;

async function inWindow(
  size: readonly [number, number],
  work: (tmux: Tmux, home: TestHome) => Promise<void>,
): Promise<void> {
  await withHome(async (home) => {
    const script = await home.file("script.jsonl", [{ text: STORY, chunk: 40, chunkDelayMs: 4 }, { text: "Second." }]);
    await using tmux = Tmux.open({ ...home.env, GSV_MODEL: `script:${script}` }, ...size);
    tmux.type(`for i in $(seq ${HISTORY}); do echo "history $i"; done`);
    tmux.key("Enter");
    await tmux.shows(new RegExp(`^history ${HISTORY}$`, "m"));
    tmux.type(gsvCommand().join(" "));
    tmux.key("Enter");
    await tmux.shows(/^~ {2}init:1000/m);
    await work(tmux, home);
  });
}

function holds(tmux: Tmux): void {
  const lines = tmux.everything();
  const shown = lines.map((line) => line.trim());
  expect(lines.filter((line) => /^history \d+$/.test(line))).toHaveLength(HISTORY);
  for (let line = 0; line < LINES; line++) {
    const text = line % 10 === 9 ? `code ${line} ${"x".repeat(90)}` : `Line ${line} of the story.`;
    const count = shown.filter((each) => each === text).length;
    if (count !== 1) throw new Error(`${count} of ${text}\n${lines.join("\n")}`);
  }
  expect(lines.filter((line) => /^~ {2}init:1000/.test(line))).toHaveLength(1);
}

for (const size of [
  [100, 30],
  [60, 20],
] as const) {
  inTmux(`at ${size.join("x")} an answer that streams during resizes is in scrollback once, line by line`, () =>
    inWindow(size, async (tmux) => {
      tmux.type(", tell me");
      tmux.key("Enter");
      await tmux.shows(/writing|Line 3/);
      tmux.type("a thought that is longer than the narrow window, and goes on and on and on, as they do");
      tmux.resize(50, 30);
      await Bun.sleep(150);
      tmux.resize(100, 40);
      await Bun.sleep(150);
      tmux.resize(70, 30);
      await tmux.shows(new RegExp(`Line ${LINES - 2} of the story`));
      await tmux.shows(/^~ {2}init:1000/m);
      tmux.key("C-c");
      tmux.resize(size[0], size[1]);
      await tmux.shows(IDLE);
      holds(tmux);
    }),
  );

  inTmux(`at ${size.join("x")} after ctrl-z and fg everything is there once`, () =>
    inWindow(size, async (tmux) => {
      tmux.type(", tell me");
      tmux.key("Enter");
      await tmux.shows(new RegExp(`Line ${LINES - 2} of the story`));
      await tmux.shows(IDLE);
      tmux.type("a line that stays");
      tmux.key("C-z");
      await tmux.shows(/Stopped/);
      tmux.type("echo in between");
      tmux.key("Enter");
      await tmux.shows(/^in between$/m);
      tmux.resize(60, 24);
      tmux.type("fg");
      tmux.key("Enter");
      await tmux.shows(/^› a line that stays/m);
      tmux.resize(size[0], size[1]);
      await tmux.shows(/^› a line that stays/m);
      holds(tmux);
      tmux.key("C-c", "C-d");
      await tmux.shows(/[$#] *$/);
      tmux.type("echo back");
      tmux.key("Enter");
      await tmux.shows(/^back$/m);
    }),
  );
}

inTmux("attaching again at another size shows the messages meanwhile and the half-typed line", () =>
  inWindow([100, 30], async (tmux, home) => {
    const env = { ...home.env, LANG: "C.UTF-8" };
    {
      await using first = new Session({ argv: tmux.attach(), env, columns: 100, rows: 31 });
      await first.until(/^~ {2}init:1000/m);
      first.type(", tell me\r");
      await first.until(/Line \d+ of/);
      first.type("half a thought");
      await first.until(/half a thought/);
    }
    await tmux.shows(new RegExp(`Line ${LINES - 2} of the story`));
    await using again = new Session({ argv: tmux.attach(), env, columns: 80, rows: 25 });
    await again.until(/› half a thought/);
    again.type("\x03, and then?\r");
    await again.until(/Second\./);
    await tmux.shows(IDLE);
    holds(tmux);
  }),
);
