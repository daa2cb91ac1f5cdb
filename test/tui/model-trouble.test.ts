// A model that cannot answer, as a person meets it: the real program in a terminal, a model server on loopback, and each screen as golden.
// To update them: UPDATE_GOLDEN=1 bun test ./test/tui/model-trouble.test.ts

import { expect, test } from "bun:test";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { READ_MS } from "../support/cards.ts";
import { type Env, type TestHome, withHome } from "../support/home.ts";
import type { Session } from "../support/session.ts";
import { oneIn, SEED } from "../support/soak.ts";
import { WIRES } from "../support/wire-bytes.ts";
import { KEY } from "../support/wire-format.ts";
import { type WireReply, WireServer } from "../support/wire-server.ts";

const GOLDEN = join(import.meta.dir, "../golden/model-trouble");
const SIZES = [
  { columns: 100, rows: 30 },
  { columns: 60, rows: 20 },
] as const;
const WIRE = WIRES.anthropic!;
const ANSWER: WireReply = {
  type: WIRE.type,
  body: WIRE.body({ text: ["I am here."], usage: { input: 30, output: 5 } }),
};
const OVERLOADED: WireReply = WIRE.error("overloaded");

/** A server that knows one key. */
const choosy = () =>
  new WireServer(({ headers }) => (headers.authorization === `Bearer ${KEY}` ? ANSWER : WIRE.error("auth")));

class Story {
  private readonly parts: string[] = [];

  constructor(
    readonly home: TestHome,
    readonly size: (typeof SIZES)[number],
  ) {}

  open(env: Env): Session {
    return this.home.terminal(env, { ...this.size, controlling: true });
  }

  async shows(session: Session, what: RegExp, title: string): Promise<void> {
    await session.until((screen) => what.test(screen) && (what === COUNTDOWN || !screen.includes("esc stop")));
    // From the first message on: how far the greeting has scrolled is not part of the story.
    const lines = session.everything();
    const text = lines
      .slice(Math.max(0, lines.indexOf("› are you there?")))
      .join("\n")
      .trimEnd()
      .replace(/gsv \d\S+/g, "gsv 0.0.0")
      .replace(/127\.0\.0\.1:\d+/g, "127.0.0.1:9999")
      .replace(/\d\d:\d\d\b/g, "00:00")
      .replace(/sha256:\w+/g, "sha256:abcd")
      .replace(/(?<=retrying in )\d+( s|:\d\d)/g, "9")
      .replace(/\b\d+(?:\.\d+)? (?:ms|s)(?= ·|\.)/g, "9 s")
      .replace(/^[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]/gm, "*")
      // Where a command at the prompt has scrolled the screen.
      .replace(/\n{3,}/g, "\n\n")
      // Of a run that took long or has a price.
      .replace(/^ {2}\S.* · \d+ in, \d+ out.*\n\n/gm, "")
      // Not after a short time.
      .replace(/^While you were away.*\n\n/m, "")
      // Filled in after the answer.
      .replace(/^(~ {2}init:1000 {2}\S+).*$/m, "$1");
    this.parts.push(`=== ${title}\n${text}\n`);
  }

  agrees(name: string): void {
    const path = join(GOLDEN, `${name}-${this.size.columns}x${this.size.rows}.txt`);
    const shown = this.parts.join("\n");
    if (process.env.UPDATE_GOLDEN) {
      mkdirSync(GOLDEN, { recursive: true });
      writeFileSync(path, shown);
    }
    expect(shown).toBe(readFileSync(path, "utf8"));
  }
}

const COUNTDOWN = /retrying in .* \(2 of 2\)/;
const READY = /^~ {2}init:1000.*\n›$/m;

async function say(session: Session, text: string): Promise<void> {
  await session.until(READY);
  session.type(text);
  await session.until((screen) => screen.endsWith(text));
  session.type("\r");
}

/** Each run has a story on one of the screens. */
function story(name: string, play: (story: Story) => Promise<void>): void {
  test.each(oneIn(SIZES.length, SIZES, SEED + name.length))(
    `${name}, on a screen of $columns by $rows`,
    (size) =>
      withHome(async (home) => {
        // The next kernel has the settings of the story.
        await home.gsv(["kernel", "stop"]);
        const told = new Story(home, size);
        await play(told);
        told.agrees(name.replaceAll(" ", "-"));
      }),
    60_000,
  );
}

story("no key", async (story) => {
  using server = new WireServer(() => ANSWER);
  await story.home.gsv(["config", "set", "ai.model", "anthropic/some"]);
  await using session = story.open({});
  await say(session, "are you there?");
  await story.shows(session, /paused: No API key for anthropic/, "the run waits and the keys say what to do");
  session.type("e");
  await story.shows(session, /\$ auth provider anthropic$/, "e begins the line");
  session.type("\x15");
  // A server at another address needs no key.
  await say(session, `config set baseUrls.anthropic ${server.url}`);
  await story.shows(session, /I am here\.[\s\S]*^›$/m, "the run continues once it needs no key");
  expect(server.requests).toHaveLength(1);
});

story("a wrong key", async (story) => {
  using server = choosy();
  const wrong = { ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: "a-wrong-key-of-the-tests" };
  await using session = story.open(wrong);
  await say(session, "are you there?");
  await story.shows(session, /paused: anthropic refused/, "refused at once, never retried");
  expect(server.requests).toHaveLength(1);
  session.type("e");
  await session.until(/\$ auth provider anthropic$/);
  session.type("\r");
  await session.until(/^apiKeys\.anthropic:$/m);
  session.type(`${KEY}\r`);
  await story.shows(session, /I am here\.[\s\S]*^›$/m, "the run continues with the new key");
  expect(session.everything().join("\n")).not.toContain(KEY);
  await say(session, "and now?");
  await story.shows(session, /and now\?\s+I am here\.[\s\S]*^›$/m, "so does the next message");
});

story("overloaded", async (story) => {
  using server = new WireServer(() => OVERLOADED);
  server.will({ ...OVERLOADED, headers: { "retry-after": "120" } });
  const env = { ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: KEY, GSV_KERNEL_MODEL_RETRIES: "1" };
  {
    await using session = story.open(env);
    await say(session, "are you there?");
    await story.shows(session, COUNTDOWN, "a countdown of two minutes to the next try");
    session.type("\x1b");
    await session.until(/^Stopped$[\s\S]*^› are you there\?$/m);
    session.type("\x15");
    await say(session, "still there?");
    await session.until(/paused: anthropic is overloaded/);
    session.type("\x04");
    await session.exited();
  }
  const one = await story.home.gsv(["ps"]);
  expect(one.stdout).toContain("paused (outage)");
  await using session = story.open(env);
  await story.shows(session, /paused: anthropic is overloaded/, "back later, the failure is in the transcript");
  server.will(ANSWER);
  session.type("r");
  await story.shows(session, /I am here\.[\s\S]*^›$/m, "r retries, and it answers");
  expect((await story.home.gsv(["ps"])).stdout).toMatch(/init:1000 +idle/);
});

story("a key that disappears", async (story) => {
  using server = choosy();
  const env = { ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: KEY };
  {
    await using session = story.open(env);
    await say(session, "are you there?");
    await story.shows(session, /I am here\.[\s\S]*^›$/m, "it answers");
    session.type("\x04");
    await session.exited();
  }
  await story.home.gsv(["kernel", "stop"]);
  {
    await using session = story.open({});
    await say(session, "and now?");
    await story.shows(
      session,
      /paused: No key for anthropic any more/,
      "without the key gsv asks, and offline is silent",
    );
    session.type("\x04");
    await session.exited();
  }
  // A client with the key is enough.
  expect((await story.home.gsv(["wait", "--wait", "init:1000"], { env })).status).toBe(0);
  await using session = story.open(env);
  await story.shows(session, /and now\?\s+I am here\.[\s\S]*^›$/m, "the key is back, and the run continues");
});

story("the first start", async (story) => {
  using server = choosy();
  const env = { ANTHROPIC_BASE_URL: server.url, OPENAI_API_KEY: KEY, ANTHROPIC_API_KEY: KEY, GSV_SETUP: "" };
  await using session = story.open(env);
  await story.shows(session, /Choose a model[\s\S]*esc skip/, "the keys that are there, by name");
  expect(server.requests).toEqual([]);
  await Bun.sleep(READ_MS);
  session.type("\r");
  await story.shows(session, READY, "enter chooses and tests the first");
  expect(server.requests).toHaveLength(1);
  await say(session, "are you there?");
  await story.shows(session, /I am here\.[\s\S]*^›$/m, "the first real answer");
  session.type("\x04");
  await session.exited();
  await using again = story.open(env);
  await again.until(READY);
  expect(again.text()).not.toContain("Choose a model");
  expect((await story.home.gsv(["config", "get", "ai.model"])).stdout).toContain("anthropic/");
});

test("esc skips the choice: nothing is asked, offline answers, and it does not come again", () =>
  withHome(async (home) => {
    using server = choosy();
    const env = { ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: KEY, GSV_SETUP: "" };
    {
      await using session = home.terminal(env);
      await session.until(/Choose a model[\s\S]*esc skip/);
      await Bun.sleep(READ_MS);
      session.type("\x1b");
      await session.until(/Skipped\. To choose a model later: gsv auth setup/);
      await say(session, "what is running");
      await session.until(/init:1000 .*\n[\s\S]*^›$/m);
    }
    await using session = home.terminal(env);
    await session.until(READY);
    expect(session.text()).not.toContain("Choose a model");
    expect(server.requests).toEqual([]);
  }));
