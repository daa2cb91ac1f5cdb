// Runs a program that takes over the terminal while gsv waits (the pager), with the environment it is given and no other.

import type { Program } from "../../commands/command.ts";

const NOT_FOUND = 127;

export async function runOnTerminal({ argv, env, stdin, signal, onOutput, stderr }: Program): Promise<number> {
  try {
    const child = Bun.spawn([...argv], {
      env,
      stdin: Buffer.from(stdin),
      stdout: onOutput === undefined ? "inherit" : "pipe",
      stderr: stderr ?? "inherit",
      signal,
    });
    if (onOutput !== undefined) onOutput(await new Response(child.stdout).text());
    return await child.exited;
  } catch {
    return NOT_FOUND;
  }
}
