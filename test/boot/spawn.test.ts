// The pager as a person has it: a real program on a real terminal, with the given environment.

import { expect, test } from "bun:test";
import { runOnTerminal } from "../../src/machine/spawn.ts";
import { withHome } from "../support/home.ts";
import { gsvCommand } from "../support/program.ts";

/** The content of a terminal of this size after gsv has ended. */
async function shown(argv: readonly string[], env: { readonly [name: string]: string }, size = { cols: 50, rows: 12 }) {
  let screen = "";
  const child = Bun.spawn([...gsvCommand(), ...argv], {
    env: { PATH: process.env.PATH ?? "", TERM: "xterm", ...env },
    terminal: {
      ...size,
      data: (_terminal: unknown, bytes: Uint8Array) => {
        screen += new TextDecoder().decode(bytes);
      },
    },
  });
  const status = await child.exited;
  child.terminal?.close();
  return { status, lines: screen.replaceAll("\r", "").split("\n") };
}

test("a text taller than the terminal goes through the pager, wrapped to its width", async () => {
  await withHome(async (home) => {
    const env = {
      HOME: home.beside("me"),
      GSV_HOME: home.directory,
      PAGER: "sed 's/^/| /; s/$/ |/'",
      SECRET_API_KEY: "s",
    };
    const { status, lines } = await shown(["man", "7", "processes"], env);
    expect(status).toBe(0);
    expect(lines[0]).toBe("| processes - List, start, pause, stop and watch |");
    expect(lines.filter((line) => line.startsWith("| ")).length).toBeGreaterThan(30);
    expect((await shown(["man", "man"], { ...env, PAGER: "env" })).lines.join("\n")).not.toContain("SECRET");
    expect((await shown(["man", "man", "--no-pager"], env)).lines[0]).toBe("\x1b[1mNAME\x1b[22m");
    expect((await shown(["man", "man"], { ...env, PAGER: "cat -v" })).lines).toContain("^[[1mNAME^[[22m");
    // As with a less that shows colors as codes.
    expect((await shown(["man", "man"], { ...env, PAGER: "cat -v", LESS: "-i --ignore-case" })).lines).toContain(
      "NAME",
    );
    const missing = await shown(["man", "man"], { ...env, PAGER: "no-such-pager" });
    expect(missing.lines.join("\n")).toContain("cannot run the pager no-such-pager");
    expect(missing.lines.map((line) => Bun.stripANSI(line))).toContain("EXAMPLES");
    // A pager that reads nothing and leaves is no failure.
    expect((await shown(["man", "syscalls"], { ...env, PAGER: "true" })).status).toBe(0);
  });
}, 30_000);

test("a missing program has the status of a shell, and a cancelled one ends", async () => {
  const signal = new AbortController().signal;
  expect(await runOnTerminal({ argv: ["/no/such/program"], env: {}, stdin: "", signal })).toBe(127);
  const giveUp = new AbortController();
  const running = runOnTerminal({ argv: ["/bin/sleep", "60"], env: {}, stdin: "", signal: giveUp.signal });
  giveUp.abort();
  expect(await running).toBeGreaterThan(128);
});

test("without a configured or installed pager the text is printed, without a message about it", async () => {
  await withHome(async (home) => {
    const { status, lines } = await shown(["man", "man"], { HOME: home.beside("me"), PATH: "/nowhere" });
    expect(status).toBe(0);
    expect(Bun.stripANSI(lines[0] ?? "")).toBe("NAME");
    expect(lines.join("\n")).not.toContain("less:");
  });
});
