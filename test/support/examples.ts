// Examples in documents: `console` blocks with commands after `$ ` and their output. They run in order, in one shell with a home of its
// own. `…` in the expected text stands for any text within the line, a line of `…` alone for any lines.

import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isAlive } from "./home.ts";
import { gsvCommand } from "./program.ts";

export interface Example {
  readonly command: string;
  readonly expected: readonly string[];
}

/** Commands and their output, from all blocks. */
export function examplesOf(markdown: string): Example[] {
  const blocks = [...markdown.matchAll(/^(`{3,})console\n([\s\S]*?)^\1$/gm)].map(([, , block]) => block ?? "");
  return blocks
    .flatMap((block) => block.split(/^\$ /m).slice(1))
    .map((example) => {
      const [command = "", ...expected] = example.trimEnd().split("\n");
      return { command, expected };
    });
}

/** null if the output matches, otherwise both texts. */
export function mismatch(expected: readonly string[], output: string): string | null {
  const pattern = expected.map((line) => {
    if (line === "…") return "(?:.*\\n)*";
    return `${line.split("…").map(RegExp.escape).join(".*")}\\n`;
  });
  if (new RegExp(`^${pattern.join("")}$`).test(output)) return null;
  return `expected:\n${expected.join("\n")}\nprinted:\n${output}`;
}

/** A shell in which `gsv` is the one under test. */
export class ExampleShell implements AsyncDisposable {
  private readonly scratch = mkdtempSync(join(tmpdir(), "gsv-examples-"));
  private readonly env = {
    PATH: `${join(this.scratch, "bin")}:/usr/bin:/bin`,
    HOME: this.scratch,
    USER: "sam",
    GSV_HOME: join(this.scratch, "home"),
    // The example of a secret must not write to a real keychain.
    GSV_SECRETS: "file",
  };

  constructor() {
    mkdirSync(join(this.scratch, "bin"));
    const gsv = join(this.scratch, "bin", "gsv");
    const command = gsvCommand().map((word) => `"${word}"`);
    writeFileSync(gsv, `#!/bin/sh\nexec ${command.join(" ")} "$@"\n`);
    chmodSync(gsv, 0o755);
  }

  /** The faults of the examples that print something else. */
  async faultsOf(examples: readonly Example[]): Promise<string[]> {
    const outputs = await this.outputsOf(examples.map(({ command }) => command));
    return examples.flatMap(({ command, expected }, at) => {
      const fault = mismatch(expected, outputs[at] ?? "(nothing: the shell ended early)\n");
      return fault === null ? [] : [`$ ${command}\n${fault}`];
    });
  }

  /** Runs all commands in one shell, separated by a line that no command prints. */
  private async outputsOf(commands: readonly string[]): Promise<string[]> {
    const mark = "\u0001the next command\n";
    const script = commands.map((command) => `${command}\nprintf '\\001the next command\\n'`).join("\n");
    const { env, scratch: cwd } = this;
    const child = Bun.spawn(["bash", "--norc", "-c", `exec 2>&1\n${script}`], { env, cwd, stdin: "ignore" });
    return (await child.stdout.text()).split(mark).slice(0, -1);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stopKernel();
    rmSync(this.scratch, { recursive: true, force: true });
  }

  // Until its last moment a kernel may write below its home, so the directory is removed only after it.
  private async stopKernel(): Promise<void> {
    const { env } = this;
    const status = Bun.spawnSync(["gsv", "kernel", "status", "--json"], { env, stdin: "ignore" });
    const { pid } = JSON.parse(status.stdout.toString()) as { pid: number | null };
    Bun.spawnSync(["gsv", "kernel", "stop"], { env, stdin: "ignore" });
    const deadline = performance.now() + 10_000;
    while (pid !== null && isAlive(pid) && performance.now() < deadline) await Bun.sleep(5);
  }
}
