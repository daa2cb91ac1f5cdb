// However gsv ends, the terminal is restored: modes, lines, cursor, and the text that was there before.

import { expect, test } from "bun:test";
import { type Env, isAlive, type TestHome, withHome } from "../support/home.ts";
import { oddModes } from "../support/modes.ts";
import { gsvCommand, gsvFromSource } from "../support/program.ts";
import { seeded } from "../support/random.ts";
import type { Session } from "../support/session.ts";
import { declaredIn, SEED, samples } from "../support/soak.ts";

/** Its own session, as a login has; without one, ctrl-z would suspend the tests. */
const OWN_SESSION = [Bun.which("setsid") ?? "", "--ctty"];
/** Each has a terminal, a gsv and a kernel of its own. */
const scenario = declaredIn(2, (...scene) => test.concurrent(...scene));
const atTerminal: typeof scenario = OWN_SESSION[0] === "" ? () => {} : scenario;
const READY = /^~ {2}init:1000/m;

function quoted(argv: readonly string[]): string {
  return argv.map((word) => `'${word}'`).join(" ");
}

async function isUsual(session: Session): Promise<void> {
  // The last bytes may still be on their way.
  await session.until(() => oddModes(session.reads.join("")).length === 0, 2000).catch(() => {});
  expect(oddModes(session.reads.join(""))).toEqual([]);
  expect(session.takesLines).toBe(true);
  expect(session.emulator.buffer.active.type).toBe("normal");
}

/** gsv below a shell that continues after it. */
function below(home: TestHome, command: readonly string[] = gsvCommand(), env: Env = {}): Session {
  const script = `echo before; ${quoted(command)}; echo "status $?"; read -r line; echo "read $line"`;
  return home.terminal(env, { argv: [...OWN_SESSION, "/bin/sh", "-c", script] });
}

/** The process of gsv below that shell. */
async function gsvOf(session: Session): Promise<number> {
  const { stdout } = Bun.spawnSync(["ps", "-o", "pid=,args=", "--ppid", String(session.process.pid)]);
  const line = stdout
    .toString()
    .split("\n")
    .find((each) => /gsv|main\.ts/.test(each) && !each.includes("kernel run"));
  return Number(line?.trim().split(/\s+/)[0]);
}

async function typesOn(session: Session): Promise<void> {
  session.type("hello\r");
  await session.until(/^read hello$/m);
  await isUsual(session);
  expect(session.everything()).toContain("before");
}

for (const [how, signal, status] of [
  ["terminated", "SIGTERM", 143],
  ["hung up", "SIGHUP", 129],
] as const) {
  atTerminal(`${how}, gsv restores the terminal, out of a full-screen view too`, () =>
    withHome(async (home) => {
      await using session = below(home);
      await session.until(READY);
      session.type("\x14");
      await session.until(/^PID/m);
      process.kill(await gsvOf(session), signal);
      await session.until(new RegExp(`^status ${status}$`, "m"));
      await typesOn(session);
    }),
  );
}

atTerminal("line by line, a hang-up restores the terminal too", () =>
  withHome(async (home) => {
    await using session = below(home, [...gsvCommand(), "--plain"]);
    await session.until(() => !session.takesLines);
    process.kill(await gsvOf(session), "SIGHUP");
    await session.until(/status 129$/m);
    await typesOn(session);
  }),
);

const WORDS = 20;

for (const [signal, status] of [
  ["SIGTERM", 143],
  ["SIGHUP", 129],
] as const)
  atTerminal(
    `${signal} at any word of an answer restores the terminal, and the run goes on`,
    () =>
      withHome(async (home) => {
        const { int } = seeded(SEED);
        const words = Array.from({ length: WORDS }, (_, at) => `${at}{{last}}`);
        const text = words.join(" ");
        const script = await home.file("script", [{ text, chunk: 7, chunkDelayMs: 5, repeat: 100 }]);
        const env = { GSV_MODEL: `script:${script}` };
        const count = samples(1, WORDS);
        for (let round = 0; round < count; round++) {
          const at = Math.floor((round * WORDS) / count) + int(WORDS / count);
          await using session = below(home, gsvCommand(), env);
          await session.until(READY);
          const message = `round${String.fromCharCode(97 + round)}`;
          const answered = (template: string) => template.replaceAll("{{last}}", message);
          session.type(`${message}\r`);
          await session.until((shown) => shown.includes(answered(words[at] ?? "")));
          process.kill(await gsvOf(session), signal);
          await session.until(new RegExp(`^status ${status}$`, "m"));
          await typesOn(session);
          expect((await home.gsv(["wait", "init:1000"])).status).toBe(0);
          const said = (await home.gsv(["logs", "--limit", "2"])).stdout;
          expect([SEED, at, said]).toEqual([SEED, at, expect.stringContaining(`user: ${message}\n`)]);
          expect(said).toContain(answered(text));
        }
      }),
    120_000,
  );

atTerminal("after SIGKILL the guard restores the terminal", () =>
  withHome(async (home) => {
    await using session = below(home);
    await session.until(READY);
    session.type("\x14");
    await session.until(/^PID/m);
    process.kill(await gsvOf(session), "SIGKILL");
    // The shell may print before the terminal is restored, on the alternate screen.
    await session.until(() => session.reads.join("").includes("status 137"));
    await session.until(() => session.takesLines && oddModes(session.reads.join("")).length === 0);
    await typesOn(session);
  }),
);

atTerminal("an internal error is printed on a restored terminal", () =>
  withHome(async (home) => {
    const breaks = home.beside("breaks.ts");
    await Bun.write(breaks, 'process.on("SIGUSR2", () => { throw new Error("it broke"); });');
    const [bun = "", ...main] = gsvFromSource();
    await using session = below(home, [bun, "--preload", breaks, ...main]);
    await session.until(READY);
    session.type("half a line\x14");
    await session.until(/^PID/m);
    process.kill(await gsvOf(session), "SIGUSR2");
    await session.until(/^status 1$/m);
    expect(session.text()).toContain("it broke");
    await typesOn(session);
  }),
);

atTerminal("gsv ends with its parent, and leaves no process at the terminal", () =>
  withHome(async (home) => {
    await using session = below(home);
    await session.until(READY);
    const pid = await gsvOf(session);
    session.process.kill("SIGKILL");
    await session.exited();
    const deadline = performance.now() + 5000;
    while (performance.now() < deadline && isAlive(pid)) await Bun.sleep(5);
    expect(isAlive(pid)).toBe(false);
  }),
);

atTerminal("after ctrl-z and fg the line, the screen and the modes are there, each once", () =>
  withHome(async (home) => {
    await using session = home.terminal(
      { PS1: "sh$ ", ENV: "/dev/null" },
      { argv: [...OWN_SESSION, "/bin/bash", "--norc", "-i"] },
    );
    await session.until(/\$ $|\$$/m);
    session.type(`${quoted(gsvCommand())}\r`);
    await session.until(READY);
    session.type("a line that stays\x1a");
    await session.until(/Stopped/);
    isUsualBut(session, ["?2004 on"]);
    session.type("echo in between\r");
    await session.until(/^in between$/m);
    session.resize(80, 24);
    session.type("fg\r");
    await session.until((text) => text.trimEnd().endsWith("› a line that stays"));
    const lines = session.everything();
    expect(lines.filter((line) => line.startsWith("~  init:1000"))).toHaveLength(1);
    expect(lines.filter((line) => line === "in between")).toHaveLength(1);
    session.type("\x03\x04");
    await session.until(/sh\$ $|sh\$$/m);
    isUsualBut(session, ["?2004 on"]);
  }),
);

/** A shell with line editing turns bracketed paste on. */
function isUsualBut(session: Session, but: readonly string[]): void {
  expect(oddModes(session.reads.join("")).filter((mode) => !but.includes(mode))).toEqual([]);
}

scenario("an editor gets a restored terminal and all keys, and gsv gets it back", () =>
  withHome(async (home) => {
    const editor = home.beside("editor.sh");
    await Bun.write(
      editor,
      '#!/bin/sh\nstty -a | grep -q " icanon" && echo "lines are whole"\nread -r line\necho "$line" > "$1"\n',
    );
    Bun.spawnSync(["chmod", "+x", editor]);
    await using session = home.terminal({ EDITOR: editor });
    await session.until(READY);
    session.type(", draft\x07");
    await session.until(/lines are whole/);
    session.type(", from the editor\r");
    await session.until((text) => text.trimEnd().endsWith("› , from the editor"));
    session.type("\x03\x04");
    expect(await session.exited()).toBe(0);
    await isUsual(session);
  }),
);

scenario("the kitty keyboard protocol is on where offered, and off while another program has the terminal", () =>
  withHome(async (home) => {
    await using session = home.terminal();
    await session.until(READY);
    expect(session.reads.join("")).toContain("\x1b[?u");
    session.type("\x1b[?0u");
    await session.until(() => session.reads.join("").includes("\x1b[>1u"));
    session.type("\x1b[97u\x1b[13;2ub\r");
    await session.until(/^› a\n {2}b$/m);
    session.type("\x1b[99;5u! echo here\r");
    await session.until(/^here$/m);
    await session.until(/^›$/m);
    const bytes = session.reads.join("");
    expect(bytes.lastIndexOf("\x1b[<u")).toBeLessThan(bytes.lastIndexOf("\x1b[>1u"));
    session.type("\x1b[100;5u");
    expect(await session.exited()).toBe(0);
    await isUsual(session);
  }),
);
