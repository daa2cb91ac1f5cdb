// The first hour with gsv, as a new user has it: the real program on a terminal, an empty home, a git project, and a model server on
// loopback. The screen after each step is golden. To update them: UPDATE_GOLDEN=1 bun test ./test/tui/first-hour.test.ts

import { expect, test } from "bun:test";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { READ_MS } from "../support/cards.ts";
import { FirstHourModel, makeProject, personEnv, stable } from "../support/first-hour.ts";
import { plainGit } from "../support/git.ts";
import { type Env, TestHome } from "../support/home.ts";
import { machineSandbox } from "../support/sandbox.ts";
import type { Session } from "../support/session.ts";
import { drawn } from "../support/soak.ts";

const GOLDEN = join(import.meta.dir, "../golden/first-hour");
const SIZES = [
  { columns: 100, rows: 30 },
  { columns: 60, rows: 20 },
] as const;
const READY = /^~\/add {2}add\b.*\n›$/m;
const sandbox = await machineSandbox();

/** This line is the last above the dock; on a small screen, rows of a card that has gone may be empty between them. The dock has its figures, which come after the first answer. */
const ends = (line: string) => new RegExp(`^${line}.*\\n\\n+~/add {2}add {2}.*ctx.*\\n›$`, "m");
const COST = " +\\d.* in, \\d+ out";
const card = (text: string, pending = 1) =>
  new RegExp(`${text}[\\s\\S]*e edit\\n[\\s\\S]*\\n~/add {2}add {2}.* ${pending} pending\\n›$`);

class Story {
  private readonly parts: string[] = [];

  constructor(private readonly name: string) {}

  async shows(session: Session, what: RegExp, title: string): Promise<void> {
    await session.until(what);
    this.parts.push(`=== ${title}\n${stable(session)}\n`);
  }

  /** A line at the prompt, then the screen. */
  async line(session: Session, text: string, what: RegExp, title: string): Promise<void> {
    await typed(session, text);
    await this.shows(session, what, title);
  }

  async key(session: Session, key: string, what: RegExp, title: string): Promise<void> {
    await Bun.sleep(READ_MS);
    session.type(key);
    await this.shows(session, what, title);
  }

  agrees(): void {
    const path = join(GOLDEN, `${this.name}.txt`);
    const shown = this.parts.join("\n");
    if (process.env.UPDATE_GOLDEN) {
      mkdirSync(GOLDEN, { recursive: true });
      writeFileSync(path, shown);
    }
    expect(shown).toBe(readFileSync(path, "utf8"));
  }
}

async function typed(session: Session, text: string): Promise<void> {
  await session.until(READY);
  session.type(text);
  await session.until((screen) => screen.endsWith(text));
  session.type("\r");
}

interface Stage {
  readonly home: TestHome;
  readonly model: FirstHourModel;
  readonly cwd: string;
  readonly env: Env;
}

async function withProject(work: (stage: Stage) => Promise<void>): Promise<void> {
  using model = new FirstHourModel();
  // The length of the path is on the screen.
  const home = new TestHome({ at: ".gsv", under: "/tmp" });
  try {
    await work({ home, model, cwd: makeProject(home), env: personEnv(home, model.server) });
  } finally {
    await home.dispose();
  }
}

/** The cards of a command are others on a computer with a sandbox; afterwards the screen is cleared. */
async function runsTests(session: Session, cards: Story): Promise<void> {
  const [off, on] = sandbox === null ? ["no sandbox", "no sandbox"] : ["no\\s+network", "with\\s+network"];
  await cards.line(session, "run the tests", card(off), "the tests ask");
  await cards.key(session, "y", card(`2 lines[\\s\\S]*${on}`), "they ran without network; with network they ask again");
  await cards.key(session, "y", new RegExp(`The tests pass\\.\\n\\n${ends(COST).source}`, "m"), "they ran");
  if (sandbox === null) cards.agrees();
  session.type("\x0c");
  await session.until((screen) => !screen.includes("The tests pass."));
}

// Each run has one of the sizes.
test.each(drawn(1, SIZES))(
  "the first hour, on a screen of $columns by $rows",
  ({ columns, rows }) =>
    withProject(async ({ home, model, cwd, env }) => {
      const story = new Story(`${columns}x${rows}`);
      const open = () => home.terminal(env, { columns, rows, cwd, controlling: true });
      let task: string;
      {
        await using session = open();
        await story.shows(session, /Choose a model[\s\S]*esc skip/, "gsv finds the key");
        await story.key(session, "\r", /Work in ~\/add\?[\s\S]*n not now/, "it works; may gsv work here?");
        await story.key(session, "y", READY, "yes");
        await story.line(session, "what does this project do?", ends(COST), "a question");
        await story.line(session, "mode plan", / plan\nplan\n\n~.* plan\n›$/m, "mode plan");
        await story.line(session, "fix it", /has a plan[\s\S]*r .*\n\n~.* 1 pending\n›$/, "a plan");
        await story.key(session, "a", card("- echo", 2), "a starts in mode ask: two edits");
        await story.key(
          session,
          "y",
          card("approved: Edit[\\s\\S]*adds two numbers: `"),
          "the first edit is made, and the second asks",
        );
        await story.key(session, "y", ends(COST), "both are done");
        await runsTests(session, new Story(`${columns}x${rows}-no-sandbox`));
        expect(model.server.requests.filter(({ path }) => path === "/health")).toHaveLength(sandbox === null ? 2 : 1);
        await story.line(session, "git diff", ends("\\+echo"), "git diff");
        await story.line(session, "page notes.md", /press w to write --$/, "an editor has the whole terminal");
        session.type("w");
        await story.shows(session, ends("! page"), "and gives it back");
        await story.line(session, "is the README right? &", ends("\\[1\\] task"), "a task in the background");
        task = /^\[1\] (task:\w+)/m.exec(session.text())?.[1] ?? "";
        session.type("\x04");
        expect(await session.exited()).toBe(0);
        await story.shows(session, /Run gsv to return\.$/, "ctrl-d");
      }
      model.away.resolve();
      expect((await home.gsv(["wait", task], { env })).status).toBe(0);
      await using session = open();
      await story.shows(session, ends("While you were away"), "back in another terminal");
      await story.line(session, "add a license", card("public domain"), "one more edit");
      await story.key(session, "y", ends(COST), "it is done");
      expect(readFileSync(`${cwd}/README.md`, "utf8")).toContain("# add (public domain)");
      await story.line(session, "undo", ends("to undo this"), "undo");
      await story.line(session, 'git commit -am "Add in add.sh"', ends(" 3 files changed"), "commit");
      expect(plainGit(cwd, "show", "HEAD:README.md", "HEAD:add.sh", "HEAD:notes.md")).toBe(
        '# add\n\nadds two numbers: `sh add.sh 2 3`\n#!/bin/sh\n# Adds two numbers.\necho "$(($1 + $2))"\nplans\nlater: more than two numbers\n',
      );
      story.agrees();
    }),
  60_000,
);

test.skipIf(Bun.which("vim") === null)("vim has the whole terminal, and the screen is the same afterwards", () =>
  withProject(async ({ home, cwd, env }) => {
    await using session = home.terminal({ ...env, GSV_SETUP: "never" }, { cwd, controlling: true });
    await session.until(/Work in ~\/add\?/);
    await Bun.sleep(READ_MS);
    session.type("y");
    await session.until(READY);
    const before = session.text();
    await typed(session, "vim notes.md");
    await session.until(/^plans\n~\n[\s\S]*notes\.md/);
    session.type("otoday");
    await session.until(/^plans\ntoday$/m);
    session.type("\x1b:wq\r");
    await session.until(/^! vim[\s\S]*^›$/m);
    const above = (screen: string) => screen.slice(0, screen.lastIndexOf("~/add  add"));
    expect(above(session.text())).toBe(`${above(before)}! vim notes.md\n\n`);
    expect(readFileSync(`${cwd}/notes.md`, "utf8")).toBe("plans\ntoday\n");
  }),
);
