// gsv at a terminal is ended, interrupted or suspended, by a key or a signal, at any moment: the terminal is restored, no process is left on it,
// messages are stored once, and a return finds everything.

import { expect, test } from "bun:test";
import { chmodSync } from "node:fs";
import { isAlive, until, withHome } from "../support/home.ts";
import { oddModes } from "../support/modes.ts";
import { EDITOR, MOMENTS, type Moment, type Place, READY, SCRIPT, TALE_END } from "../support/moments.ts";
import { Played } from "../support/played.ts";
import { gsvCommand } from "../support/program.ts";
import { seeded } from "../support/random.ts";
import { gsvBelow, leftBehind, stateOf } from "../support/shell-below.ts";
import { oneIn, SEED, samples } from "../support/soak.ts";

/** A shell with jobs that changes no mode of the terminal. */
const SHELL = Bun.which("dash") === null ? ["/bin/bash", "--norc", "--noprofile", "--noediting", "-i"] : ["dash", "-i"];
const SETSID = Bun.which("setsid");
const atTerminal = test.skipIf(SETSID === null || process.platform !== "linux");

interface Round extends Place {
  readonly moment: Moment;
  readonly pid: number;
  /** The line modes of the terminal before. */
  readonly found: readonly number[];
}

type Act = (round: Round) => Promise<void>;

async function played(moment: Moment, nth: number, act: Act): Promise<void> {
  await withHome(async (home) => {
    const model = `script:${await home.file("script", SCRIPT)}`;
    const editor = await home.file("editor", [EDITOR]);
    chmodSync(editor, 0o700);
    const env = { GSV_MODEL: model, EDITOR: editor, PS1: "sh$ ", ENV: "/dev/null" };
    await using session = home.terminal(env, { argv: [SETSID ?? "", "--ctty", ...SHELL] });
    await session.until(/^sh\$$/m);
    const found = session.lineModes;
    const place = { home, session, nth, start: () => session.type(`${gsvCommand().join(" ")}\n`) };
    let pid: number | null = null;
    // A gsv on its way out may be gone when the moment has begun.
    const seen = until("gsv is there", () => {
      pid ??= gsvBelow(session);
      return pid !== null;
    });
    await Promise.all([seen, moment.begin(place)]);
    const round = { ...place, moment, found, pid: pid ?? Number.NaN };
    await act(round);
    await isOver(round);
    await isKept(round);
  });
}

function isUsual({ session, found }: Round): void {
  expect(oddModes(session.reads.join(""))).toEqual([]);
  expect(session.lineModes).toEqual(found);
  expect(session.emulator.buffer.active.type).toBe("normal");
}

/** The shell has its prompt again, and no other process is left. */
async function isOver(round: Round): Promise<void> {
  const { session, pid } = round;
  await until("gsv has gone", () => !isAlive(pid));
  await session.until(/sh\$$/m);
  isUsual(round);
  await until("nobody is left behind", () => leftBehind(round).length === 0).catch((error) => {
    throw new Error(`${error.message}\n${leftBehind(round).join("\n")}`);
  });
}

async function statusOf({ session }: Round): Promise<number> {
  session.type('echo "status $?"\n');
  const line = /^(?:sh\$ )?status (\d+)$/m;
  await session.until(line);
  return Number(line.exec(session.text())?.[1]);
}

/** The message is in history once. */
async function isKept({ home, moment, nth }: Round): Promise<void> {
  const asked = moment.asked?.(nth);
  if (asked === undefined) return;
  const said = (await home.gsv(["logs", "--limit", "20"])).stdout;
  expect(said.split("\n").filter((line) => line.endsWith(`user: ${asked}`))).toHaveLength(1);
}

/** A leaving gsv may have gone already. Like the terminal, a signal goes to all programs of the group. */
function send({ pid, moment }: Round, signal: NodeJS.Signals, to: "one" | "all" = "one"): void {
  try {
    process.kill(to === "one" || moment.other === undefined ? pid : -pid, signal);
  } catch (error) {
    if (moment.name !== "on the way out") throw error;
  }
}

const ends =
  (signal: "SIGTERM" | "SIGHUP", status: number): Act =>
  async (round) => {
    send(round, signal);
    await isOver(round);
    const { name } = round.moment;
    expect([name, await statusOf(round)]).toEqual([name, name === "on the way out" ? expect.any(Number) : status]);
    if (isTale(round.moment)) await goesOn(round);
  };

function isTale({ asked }: Moment): boolean {
  return asked?.(0).startsWith("tale") ?? false;
}

async function goesOn({ home }: Round): Promise<void> {
  expect(await home.gsv(["wait", "init:1000"])).toMatchObject({ status: 0 });
  expect((await home.gsv(["logs", "--limit", "20"])).stdout).toContain(TALE_END);
}

const interrupts =
  (how: "key" | "signal"): Act =>
  async (round) => {
    const { session, moment, pid } = round;
    if (how === "key") session.type("\x03");
    else send(round, "SIGINT", "all");
    if (moment.int === "ends") {
      const isThere = () => session.emulator.buffer.active.length > 0 && READY.test(session.text()) && isAlive(pid);
      await until("it goes, or is ready", () => !isAlive(pid) || isThere());
      // It may become ready and then leave.
      if (moment.name === "on the way out") await until("it goes", () => !isAlive(pid));
      if (!isAlive(pid)) {
        await isOver(round);
        return expect([0, 130]).toContain(await statusOf(round));
      }
    }
    if (moment.int === "notices") await session.until(/ctrl-d to leave/);
    await session.until((text) => /^›(?: x)?$/m.test(text) && !/esc stop|^history:/m.test(text) && READY.test(text));
    if (moment.int === "closes") await session.until((text) => moment.shows?.test(text) === false);
    expect(session.emulator.buffer.active.type).toBe("normal");
    if (moment.int === "aborts") await isAborted(round);
    // It still runs and obeys.
    session.type("\x15\x04");
    await isOver(round);
    expect(await statusOf(round)).toBe(0);
    if (moment.int === "clears" && moment.asked !== undefined) await goesOn(round);
  };

async function isAborted({ home, moment }: Round): Promise<void> {
  await home.gsv(["wait", "init:1000"]);
  const [init] = await home.ps();
  const text = (await home.gsv(["logs", "--limit", "20"])).stdout;
  // The answer may have ended before the abort.
  const isWhole = isTale(moment) && text.includes(TALE_END);
  expect([moment.name, init?.lastStatus]).toEqual([moment.name, isWhole ? "ok" : "aborted"]);
}

const asides =
  (how: "key" | "signal"): Act =>
  async (round) => {
    const { session, moment, pid } = round;
    if (how === "key" && moment.name === "while a command of this computer runs") return await stopsTheCommand(round);
    if (how === "key") session.type("\x1a");
    else send(round, "SIGTSTP", "all");
    const isEarly = moment.int === "ends";
    await until("it stands still", () => stateOf(pid) === "T" || (isEarly && !isAlive(pid)));
    if (stateOf(pid) === "T") await comesBack(round);
    else expect(moment.name).toBe("on the way out");
    if (!isAlive(pid)) return;
    send(round, "SIGTERM");
    await isOver(round);
  };

/** The command has a terminal of its own, and the key stops it alone; gsv stays. */
async function stopsTheCommand(round: Round): Promise<void> {
  const { session } = round;
  session.type("\x1a");
  await session.until((text) => /^\[1\] stopped {2}.* {3}fg to go on$/m.test(text) && READY.test(text));
  session.type("kill %1\r");
  await session.until((text) => /^\[1\] ended {2}/m.test(text) && READY.test(text));
  send(round, "SIGTERM");
  await isOver(round);
}

async function comesBack(round: Round): Promise<void> {
  const { session, moment, pid, nth } = round;
  if (moment.other === "editor") await session.until(() => session.reads.join("").trimEnd().endsWith("sh$"));
  else {
    await session.until(/^sh\$$/m);
    isUsual(round);
    session.type("echo in between\n");
    await session.until(/^in between$/m);
    if (moment.shows !== undefined && moment.shows !== READY) expect(session.text()).not.toMatch(moment.shows);
    session.resize(90 + (nth % 3) * 10, 28 + (nth % 2) * 6);
  }
  session.type("fg\n");
  await until("it goes on", () => stateOf(pid) !== "T");
  if (moment.name === "on the way out") return await until("it goes", () => !isAlive(pid));
  if (moment.other === "editor") {
    session.type("edited\n");
    const isLine = moment.asked === undefined;
    return await session.until(isLine ? /^› edited$/m : new RegExp(TALE_END));
  }
  if (moment.other === undefined) {
    await session.until(moment.shows ?? READY);
    // One status row, at another size too; a view has its own screen.
    const statuses = session.everything().filter((line) => READY.test(line));
    expect(statuses.length).toBeLessThanOrEqual(1);
  }
  if (moment.int === "aborts" && moment.shows === READY) await session.until(new RegExp(TALE_END));
}

const ACTS: { readonly [how: string]: Act } = {
  terminated: ends("SIGTERM", 143),
  "hung up": ends("SIGHUP", 129),
  "interrupted with ctrl-c": interrupts("key"),
  "interrupted by a signal": interrupts("signal"),
  "suspended with ctrl-z": asides("key"),
  "suspended by a signal": asides("signal"),
};

for (const [how, act] of oneIn(2, Object.entries(ACTS)))
  atTerminal(
    `${how} at any moment, gsv loses no message and leaves no process`,
    async () => {
      const { int } = seeded(SEED + how.length);
      const failures: string[] = [];
      const count = samples(1, MOMENTS.length);
      for (let round = 0; round < count; round++) {
        const at = Math.floor((round * MOMENTS.length) / count) + int(Math.floor(MOMENTS.length / count));
        const moment = MOMENTS[at];
        if (moment === undefined) throw new Error(`there is no moment ${at}`);
        await played(moment, round, act).catch((error) =>
          failures.push(`seed ${SEED}, ${moment.name}: ${error.message}`),
        );
      }
      expect(failures).toEqual([]);
    },
    120_000,
  );

atTerminal("without a shell to return to, ctrl-z does nothing and says so", () =>
  withHome(async (home) => {
    await using session = home.terminal({}, { argv: [SETSID ?? "", "--ctty", ...gsvCommand()] });
    await session.until(READY);
    session.type("a line\x1a");
    await session.until(/no shell to return to: ctrl-d to leave/);
    session.type(" that goes on");
    await session.until(/^› a line that goes on$/m);
    session.type("\x15\x04");
    expect(await session.exited()).toBe(0);
  }),
);

test("a suspended view, list or search is there again", async () => {
  const played = await Played.open();
  for (const [keys, shows] of [
    ["\x14", /^PID/m],
    ["\x10", /init:1000 +S /],
    ["\x12", /^history:/m],
  ] as const) {
    await played.type(keys);
    await played.until(shows);
    const { stops } = played;
    await played.type("\x1a");
    await played.until(shows);
    expect(played.stops).toBe(stops + 1);
    await played.type("\x03");
  }
  played.putAside();
  await played.until(() => played.stops === 4);
  await played.leave();
});

test("after a stop by a signal the screen is painted again below foreign output, a view as a whole", async () => {
  const played = await Played.open();
  await played.type("half a line");
  played.print("\r\nsh$ fg\r\n");
  played.goesOn();
  await played.settle();
  expect(played.text()).toMatch(/sh\$ fg\n[\s\S]*› half a line$/);
  await played.type("\x03\x14");
  await played.until(/^PID/m);
  played.print("\x1b[Hsh$ fg\r\n");
  played.goesOn();
  await played.settle();
  expect(played.text()).not.toContain("sh$ fg");
  await played.type("q");
  await played.leave();
});

test("SIGINT acts as ctrl-c, and a command that only waits for the kernel is abandoned", async () => {
  const played = await Played.open();
  await played.type("a line");
  played.io.interrupt("INT");
  await played.settle();
  expect(played.text()).toMatch(/^›$/m);
  played.io.interrupt("INT");
  await played.settle();
  expect(played.text()).toContain("ctrl-d to leave");
  played.io.fakeSys.answer("proc.wait", () => new Promise(() => {}));
  await played.type("wait init:1000\r");
  await played.until(() => played.io.fakeSys.asked("proc.wait").length === 1);
  played.io.interrupt("INT");
  await played.settle();
  await played.until(/^\$ wait init:1000\n[\s\S]*›$/m);
  await played.leave();
});
