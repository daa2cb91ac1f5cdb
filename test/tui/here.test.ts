// gsv started in a project: it asks once whether to work there, goes straight in the next time, and `chat --here` talks to its process.

import { expect, test } from "bun:test";
import { mkdirSync, realpathSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { type TestHome, withHome } from "../support/home.ts";
import { gsvCommand } from "../support/program.ts";

function project(home: TestHome): string {
  const directory = home.beside("proj");
  mkdirSync(`${directory}/.git`, { recursive: true });
  mkdirSync(`${directory}/sub`);
  writeFileSync(`${directory}/a.txt`, "hello\n");
  return realpathSync(directory);
}

/** Keys are ignored for a moment after the card appears. */
const READABLE_MS = 450;

test("yes on the card makes the directory's process; the next start goes straight in, from a subdirectory too", () =>
  withHome(async (home) => {
    const cwd = project(home);
    const script = await home.file("script.jsonl", [{ text: "You said: {{last}}", repeat: 9 }]);
    const env = { GSV_MODEL: `script:${script}` };
    {
      await using session = home.terminal(env, { cwd });
      await session.until(/Work in ~\/proj\?/);
      expect(session.text()).toContain("y work here   n not now   d do not ask here again");
      await Bun.sleep(READABLE_MS);
      session.type("y");
      await session.until(/^~\/proj {2}proj/m);
      expect(session.text()).toMatch(/^Working in ~\/proj$/m);
      expect(session.text()).not.toContain("Work in");
      session.type("cat a.txt\r");
      await session.until(/^hello$/m);
      // The same directory in gsv's shell and in pipes.
      session.type("cat a.txt | tr a-z A-Z; pwd\r");
      await session.until(/^HELLO$/m);
      await session.until(/^~\/proj {2}proj/m);
      session.type("look around &\r");
      await session.until(/^\[1\] task:/m);
      session.type("/quit\r");
      await session.exited();
    }
    const [{ processes }] = (await home.gsv(["workspace", "list", "--json"])).stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as { processes: readonly string[] }) as [{ processes: readonly string[] }];
    expect(processes).toHaveLength(2);
    const [made] = (await home.gsv(["ps", "--json"])).stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as { pid: string; label: string | null })
      .filter(({ label }) => label === "proj");
    expect(made?.label).toBe("proj");
    {
      await using session = home.terminal(env, { cwd: `${cwd}/sub` });
      await session.until(/^~\/proj\/sub {2}proj/m);
      expect(session.text()).toContain("Working in ~/proj · gsv --init talks to your init");
    }
    const here = await home.gsv(["chat", "--here", "--json", "hi"], { cwd: `${cwd}/sub`, env });
    expect(here.stdout).toContain(`"pid":"${made?.pid}"`);
    const init = await home.gsv(["chat", "--json", "hi"], { cwd, env });
    expect(init.stdout).toContain('"pid":"init:1000"');
  }));

test("no talks to the init, d asks never again, --init does not ask; keys of the first moment answer nothing", () =>
  withHome(async (home) => {
    const cwd = project(home);
    {
      await using session = home.terminal({}, { cwd });
      session.type("y");
      await session.until(/Work in ~\/proj\?/);
      session.type("y");
      await Bun.sleep(READABLE_MS);
      expect(session.text()).toContain("Work in ~/proj?");
      session.type("n");
      await session.until(/^~ {2}init:1000/m);
    }
    {
      await using session = home.terminal({}, { cwd });
      await session.until(/Work in ~\/proj\?/);
      await Bun.sleep(READABLE_MS);
      session.type("d");
      await session.until(/^~ {2}init:1000/m);
    }
    {
      await using session = home.terminal({}, { cwd });
      await session.until(/^~ {2}init:1000/m);
    }
    const missing = await home.gsv(["chat", "--here", "hi"], { cwd });
    expect(missing).toMatchObject({ status: 3, stdout: "" });
    expect(missing.stderr).toContain(`no process works in ${cwd}`);
  }));

test("the card says what the directory holds that instructs agents or runs by itself", () =>
  withHome(async (home) => {
    const cwd = project(home);
    for (const name of ["AGENTS.md", ".mcp.json", ".git/hooks/pre-commit", ".git/hooks/pre-push.sample"]) {
      mkdirSync(dirname(`${cwd}/${name}`), { recursive: true });
      writeFileSync(`${cwd}/${name}`, "x\n");
    }
    writeFileSync(`${cwd}/package.json`, JSON.stringify({ scripts: { test: "x", build: "y" } }));
    await using session = home.terminal({}, { cwd });
    await session.until(/Work in ~\/proj\?/);
    expect(session.text().replace(/\n┃ /g, " ")).toContain(
      "Found: AGENTS.md, MCP servers, git hooks, 2 package scripts. Nothing of it runs or instructs agents unless you allow it.",
    );
  }));

test("a question on a terminal is asked again after fg", () =>
  withHome(async (home) => {
    const cwd = project(home);
    writeFileSync(`${cwd}/AGENTS.md`, "Be brief.\n");
    await using session = home.terminal({}, { argv: [...gsvCommand(), "workspace", "trust", cwd] });
    const asked = (text: string) => text.split("Trust these files, including later changes? [y/N]").length - 1;
    await session.until((text) => asked(text) === 1);
    session.process.kill("SIGCONT");
    await session.until((text) => asked(text) === 2);
    session.type("n\n");
    expect(await session.exited()).toBe(1);
  }));
