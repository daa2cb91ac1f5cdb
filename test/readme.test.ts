// The README is run: every `console` block, in order, in one shell with a home of its own. `…` in the expected text stands
// for anything within its line, a line of `…` alone for any lines.

import { afterAll, beforeAll, expect, test } from "bun:test";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { allCommands } from "../commands/command-tree.ts";
import { gsvCommand } from "./support/program.ts";

const ROOT = join(import.meta.dir, "..");
const scratch = mkdtempSync(join(tmpdir(), "gsv-readme-"));
const env = {
  PATH: `${join(scratch, "bin")}:/usr/bin:/bin`,
  HOME: scratch,
  USER: "sam",
  GSV_HOME: join(scratch, "home"),
  // The example of a secret leaves nothing in the keychain of whoever runs this.
  GSV_SECRETS: "file",
};

interface Example {
  readonly command: string;
  readonly expected: readonly string[];
}

beforeAll(() => {
  mkdirSync(join(scratch, "bin"));
  const gsv = join(scratch, "bin", "gsv");
  const command = gsvCommand().map((word) => `"${word}"`);
  writeFileSync(gsv, `#!/bin/sh\nexec ${command.join(" ")} "$@"\n`);
  chmodSync(gsv, 0o755);
});

afterAll(async () => {
  await stopKernel();
  rmSync(scratch, { recursive: true, force: true });
});

// Until its last moment a kernel may write below its home, so the directory goes only after it.
async function stopKernel(): Promise<void> {
  const status = Bun.spawnSync(["gsv", "kernel", "status", "--json"], { env, stdin: "ignore" });
  const { pid } = JSON.parse(status.stdout.toString()) as { pid: number | null };
  Bun.spawnSync(["gsv", "kernel", "stop"], { env, stdin: "ignore" });
  const deadline = performance.now() + 10_000;
  while (pid !== null && isAlive(pid) && performance.now() < deadline) await Bun.sleep(5);
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** Commands and what they print, from all blocks. */
function examplesOf(markdown: string): Example[] {
  const blocks = [...markdown.matchAll(/^```console\n([\s\S]*?)^```$/gm)].map(([, block]) => block ?? "");
  return blocks
    .flatMap((block) => block.split(/^\$ /m).slice(1))
    .map((example) => {
      const [command = "", ...expected] = example.trimEnd().split("\n");
      return { command, expected };
    });
}

/** Null, or where the output stops being what was expected. */
function mismatch(expected: readonly string[], output: string): string | null {
  const pattern = expected.map((line) => {
    if (line === "…") return "(?:.*\\n)*";
    return `${line.split("…").map(RegExp.escape).join(".*")}\\n`;
  });
  if (new RegExp(`^${pattern.join("")}$`).test(output)) return null;
  return `expected:\n${expected.join("\n")}\nprinted:\n${output}`;
}

/** Runs all commands in one shell, each told apart from the next by a line nobody else prints. */
async function outputsOf(commands: readonly string[]): Promise<string[]> {
  const mark = "\u0001the next command\n";
  const script = commands.map((command) => `${command}\nprintf '\\001the next command\\n'`).join("\n");
  const child = Bun.spawn(["bash", "--norc", "-c", `exec 2>&1\n${script}`], { env, cwd: scratch, stdin: "ignore" });
  return (await child.stdout.text()).split(mark).slice(0, -1);
}

test("every command in the README prints what the README says", async () => {
  const examples = examplesOf(readFileSync(join(ROOT, "README.md"), "utf8"));
  expect(examples.length).toBeGreaterThan(10);
  const outputs = await outputsOf(examples.map((example) => example.command));
  const faults = examples.flatMap(({ command, expected }, at) => {
    const fault = mismatch(expected, outputs[at] ?? "(nothing: the shell ended early)\n");
    return fault === null ? [] : [`$ ${command}\n${fault}`];
  });
  expect(faults.join("\n\n")).toBe("");
}, 60_000);

test("the README begins with the two commands and names every exit status and script", () => {
  const readme = readFileSync(join(ROOT, "README.md"), "utf8");
  const { scripts } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as { scripts: object };
  expect(readme).toMatch(/^# gsv\n\n```sh\nnpm start\b.*\nnpm test\b/);
  for (const status of [0, 1, 2, 3, 4, 5, 6, 75, 78, 124, 130, 137, 141, 143]) {
    expect(readme).toMatch(new RegExp(`^\\| .*\\b${status}\\b`, "m"));
  }
  for (const script of Object.keys(scripts)) expect(readme).toMatch(new RegExp(`npm (?:run )?${script}\\b`));
});

// After a wanted change: UPDATE_GOLDEN=1 bun test ./test/readme.test.ts
test("the README's table of commands holds every command that is declared, as it is declared, and no other", async () => {
  const path = join(ROOT, "README.md");
  const commands = await allCommands();
  const wanted = tableOf([
    ["command", "does"],
    ...commands.map(({ name, summary }) => [`\`gsv ${name}\``, summary] as const),
  ]);
  const readme = readFileSync(path, "utf8");
  const [, before = "", table = "", after = ""] = /^(.*^## Commands\n.*?\n\n)(\|.*?\n)(\n## .*)$/ms.exec(readme) ?? [];
  if (process.env.UPDATE_GOLDEN) writeFileSync(path, before + wanted + after);
  else expect(table).toBe(wanted);
});

function tableOf(rows: readonly (readonly [left: string, right: string])[]): string {
  const widths = [0, 1].map((at) => Math.max(...rows.map((row) => row[at]?.length ?? 0)));
  const lines = rows.map((row) => `| ${row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join(" | ")} |`);
  const rule = `| ${widths.map((width) => "-".repeat(width)).join(" | ")} |`;
  return `${[lines[0], rule, ...lines.slice(1)].join("\n")}\n`;
}

test("the comparison finds a wrong line, a missing one and one too many, and lets … be anything", () => {
  expect(mismatch(["a…c", "…", "end"], "abc\nx\ny\nend\n")).toBeNull();
  expect(mismatch(["a.c"], "abc\n")).not.toBeNull();
  expect(mismatch(["a", "b"], "a\n")).not.toBeNull();
  expect(mismatch(["a"], "a\nb\n")).not.toBeNull();
  expect(mismatch([], "")).toBeNull();
});
