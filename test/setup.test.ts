// `gsv auth setup` on a real terminal: one question after the other, the key hidden, nothing stored after leaving in the middle.

import { expect, test } from "bun:test";
import { type TestHome, until, withHome } from "./support/home.ts";
import { gsvCommand } from "./support/program.ts";

const SECRET = "sk-canary-setup-0123456789";

/** Types each answer after its question; returns the exit status and all output. */
async function setUp(home: TestHome, answers: readonly (readonly [question: string, keys: string])[]) {
  let screen = "";
  const child = Bun.spawn([...gsvCommand(), "auth", "setup"], {
    cwd: "/",
    env: {
      HOME: home.directory,
      PATH: process.env.PATH ?? "",
      GSV_HOME: home.directory,
      GSV_SECRETS: "file",
      TERM: "xterm",
      OPENAI_API_KEY: "sk-canary-environment-9876",
    },
    terminal: {
      cols: 100,
      rows: 40,
      data(_terminal, bytes) {
        screen += Buffer.from(bytes).toString();
      },
    },
  });
  try {
    let seen = 0;
    for (const [question, keys] of answers) {
      const asks = () => screen.slice(seen).includes(`${question} [`) && screen.endsWith("]: ");
      await until(`it asks for ${question}`, asks).catch((error: unknown) => {
        throw new Error(`${error}\n${screen}`);
      });
      seen = screen.length;
      child.terminal?.write(keys);
    }
    await child.exited;
    return { status: child.exitCode, signal: child.signalCode, screen };
  } finally {
    child.kill("SIGKILL");
    child.terminal?.close();
  }
}

const stored = async (home: TestHome) => (await home.gsv(["config", "list", "--json"])).stdout.split("\n");

test("each answer goes to its own question, the key is hidden, and the answers are stored", async () => {
  await withHome(async (home) => {
    await stored(home);
    const { status, screen } = await setUp(home, [
      ["who", "nobody\r"],
      ["who", "2\r"],
      ["apiKeys.anthropic, not shown", `${SECRET}\r`],
      ["model", "some-model\r"],
    ]);
    expect(status).toBe(0);
    expect(screen).toContain("OPENAI_API_KEY for apiKeys.openai: set (sha256:");
    expect(screen).toContain("who [openai]: ");
    expect(screen).toContain("apiKeys.anthropic = set (sha256:");
    expect(screen).not.toContain("canary");
    const lines = (await stored(home)).join("\n");
    expect(lines).toContain('"anthropic:some-model"');
    expect(lines).not.toContain("canary");
  });
}, 30_000);

test.each([
  [
    "at a question",
    [["who", "2\r"] as const, ["apiKeys.anthropic, not shown", `${SECRET}\r`] as const, ["model", "\u0003"] as const],
  ],
  ["at the key", [["who", "2\r"] as const, ["apiKeys.anthropic, not shown", "\u0003"] as const]],
])(
  "ctrl-c %s stores nothing",
  async (_where, answers) => {
    await withHome(async (home) => {
      const before = await stored(home);
      const { status, signal, screen } = await setUp(home, answers);
      expect(status === 130 || signal === "SIGINT").toBe(true);
      expect(screen).not.toContain("canary");
      expect(await stored(home)).toEqual(before);
    });
  },
  30_000,
);

test("at gsv's own prompt ctrl-c leaves the questions, stores nothing, and the next line is a line again", async () => {
  await withHome(async (home) => {
    const before = await stored(home);
    await using session = home.terminal({}, { controlling: true });
    await session.until(/^›$/m);
    session.type("auth setup\r");
    await session.until(/^who \[offline\]:$/m);
    session.type("\u0003");
    await session.until(/^gsv: cancelled: nothing was changed[\s\S]*^›$/m);
    session.type("auth setup\r");
    await session.until(/^who \[offline\]:\n*$(?![\s\S]*^›)/m);
    session.type("4\r");
    await session.until(/^address \[.*\]:$/m);
    session.type("\u0003");
    await session.until(/^address [\s\S]*^gsv: cancelled: nothing was changed[\s\S]*^›$/m);
    session.type("\r");
    session.type("echo it is $((20 + 1)) now\r");
    await session.until(/^it is 21 now$/m);
    expect(session.text()).not.toContain("ai.provider =");
    expect(await stored(home)).toEqual(before);
  });
}, 30_000);
