// The paths of an answer on a real terminal: bytes of links to files of the project, where the terminal shows links, and none elsewhere.

import { expect, test } from "bun:test";
import { mkdirSync, realpathSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { type TestHome, until, withHome } from "../support/home.ts";

const ANSWER =
  "The bug is in `add.js`, called by src/x.ts:12; not in gone.js, /etc/passwd or \x1b]8;;file:///etc/passwd\x1b\\this\x1b]8;;\x1b\\.";

async function answered(home: TestHome, env: { readonly [name: string]: string }) {
  const directory = home.beside("proj");
  mkdirSync(`${directory}/src`, { recursive: true });
  mkdirSync(`${directory}/.git`, { recursive: true });
  for (const name of ["add.js", "src/x.ts"]) writeFileSync(`${directory}/${name}`, "x\n");
  const script = await home.file("script.jsonl", [{ text: ANSWER, repeat: 9 }]);
  const model = { GSV_MODEL: `script:${script}` };
  await home.gsv(["spawn", "--label", "proj", "--workspace", directory], { env: model });
  await using session = home.terminal({ ...model, ...env }, { cwd: directory });
  await session.until(/^~\/proj {2}proj/m);
  session.type(", where is the bug?\r");
  await session.until(/The bug is in .*gone\.js/);
  await session.until(/^~\/proj {2}proj/m);
  // A line waits for the lookup of its links.
  const isLinked = "TERM_PROGRAM" in env && !("GSV_TERMINAL_HYPERLINKS" in env);
  if (isLinked) await until("the links are written", () => session.reads.join("").includes("\x1b]8;;file:"));
  session.type("pwd; cat $PWD/add.js\r");
  await session.until(/^x$/m);
  const text = session.text();
  session.type("/quit\r");
  await session.exited();
  const bytes = session.reads.join("");
  const links = [...bytes.matchAll(/\x1b\]8;;([^\x1b]+)\x1b\\([^\x1b]*)/g)].map(([, to, shown]) => [to, shown]);
  return { real: realpathSync(directory), links, text };
}

test("existing files of the project are links; other paths and the model's own links are text", () =>
  withHome(async (home) => {
    const { real, links, text } = await answered(home, { TERM_PROGRAM: "WezTerm" });
    const host = /^[\w.-]+$/.test(hostname()) ? hostname() : "";
    expect(links).toEqual([
      [`file://${host}${real}/add.js`, expect.any(String)],
      [`file://${host}${real}/src/x.ts`, "src/x.ts"],
    ]);
    expect(text).toContain("The bug is in add.js, called by src/x.ts:12; not in gone.js, /etc/passwd or this.");
    expect(text).toContain(`\n${real}\nx`);
  }));

test.each([
  ["an unknown terminal", {}],
  [
    "a terminal that shows links, if they are turned off",
    { TERM_PROGRAM: "WezTerm", GSV_TERMINAL_HYPERLINKS: "never" },
  ],
])("%s gets no links", (_, env) =>
  withHome(async (home) => {
    expect((await answered(home, env)).links).toEqual([]);
  }),
);

test("a pipe gets no links, whatever the setting", () =>
  withHome(async (home) => {
    const script = await home.file("script.jsonl", [{ text: "See add.js.", repeat: 9 }]);
    const env = { GSV_MODEL: `script:${script}`, GSV_TERMINAL_HYPERLINKS: "always", TERM_PROGRAM: "WezTerm" };
    const cwd = home.beside("proj");
    mkdirSync(`${cwd}/.git`, { recursive: true });
    writeFileSync(`${cwd}/add.js`, "x\n");
    await home.gsv(["spawn", "--label", "proj", "--workspace", cwd], { env });
    expect((await home.gsv(["chat", "--here", "hi"], { env, cwd })).stdout).toBe("See add.js.\n");
  }));
