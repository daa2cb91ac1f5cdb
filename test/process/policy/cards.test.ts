// Every card by a table: command, needed grants, text, danger and outcome, in the sandbox and without one. Each program tries what the row
// says: a connection to a server here, a key or a file of the home, a part of the repository. The stand-in sandbox says what it would withhold; the real one
// runs the same rows where this computer has one, and there a command without its grants fails.

import { afterAll, describe, expect, test } from "bun:test";
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { grantsText } from "../../../src/abi/grants.ts";
import type { Approval } from "../../../src/abi/process/process.ts";
import { hostEnvironment } from "../../../src/lib/host-environment.ts";
import { gitGuard } from "../../../src/targets/git-guard.ts";
import { hiddenOn } from "../../../src/targets/hidden.ts";
import { BASH } from "../../../src/targets/leader.ts";
import { NO_GRANTS, SANDBOX_PATH } from "../../../src/targets/sandbox.ts";
import { Desk } from "../../support/desk.ts";
import { INIT } from "../../support/kernel.ts";
import { machineSandbox, shownScratch, standInSandbox } from "../../support/sandbox.ts";
import { oneIn } from "../../support/soak.ts";

const TABLE = join(import.meta.dir, "cards.txt");
const scratch = shownScratch("cards");
// The project is a repository with an SSH remote.
const [home, work] = [join(scratch, "home"), join(scratch, "work")];
const bin = join(work, "bin");
for (const directory of [join(home, ".ssh"), join(home, ".gnupg"), join(home, ".tool"), bin])
  mkdirSync(directory, { recursive: true });
mkdirSync(join(work, ".git/hooks"), { recursive: true });
writeFileSync(join(work, ".git/config"), '[remote "origin"]\n\turl = git@example.com:me/a.git\n');
writeFileSync(join(home, ".ssh/id"), "x");
writeFileSync(join(home, ".gnupg/key"), "x");
const standIn = standInSandbox(scratch);
const server = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data() {} } });
afterAll(() => {
  server.stop(true);
  rmSync(scratch, { recursive: true, force: true });
});

interface Row {
  readonly command: string;
  readonly needs: string;
  readonly text: string;
  readonly grants: string;
  readonly dangers: string;
  readonly inside: string;
  readonly without: string;
}

const lines = readFileSync(TABLE, "utf8").split("\n").slice(0, -1);
const rows = lines
  .filter((line) => !line.startsWith("#"))
  .map((line): Row => {
    const [command = "", needs = "", text = "", grants = "", dangers = "", inside = "", without = ""] =
      line.split("\t");
    return { command, needs, text, grants, dangers, inside, without };
  });

const PROGRAM = `#!/bin/bash
needs=$(<"${work}/needs")
closed() { [[ -n $STAND_IN && $STAND_IN_OPEN != *":$1:"* ]]; }
case $needs in
net) { [ -z "$STAND_IN_NO_NETWORK" ] && (exec 3<> /dev/tcp/127.0.0.1/${server.port}) 2> /dev/null; } ||
  { echo "error: could not resolve host: example.com"; exit 6; } ;;
ssh) { ! closed "${home}/.ssh" && [ -s "${home}/.ssh/id" ]; } || { echo "Host key verification failed."; exit 128; } ;;
gpg) { ! closed "${home}/.gnupg" && [ -s "${home}/.gnupg/key" ]; } || { echo "error: gpg failed to sign the data"; exit 1; } ;;
write) { ! closed "${home}/.tool" && { : > "${home}/.tool/made"; } 2> /dev/null; } ||
  { echo "cannot write '${home}/.tool/made': Read-only file system"; exit 1; } ;;
git) { [[ $STAND_IN_READ_ONLY != *":${work}/.git:"* ]] && { : > "${work}/.git/index.lock"; } 2> /dev/null; } ||
  { echo "fatal: Unable to create '${work}/.git/index.lock': Read-only file system"; exit 128; } ;;
hook) { [[ $STAND_IN_READ_ONLY != *":${work}/.git:"* && $STAND_IN_READ_ONLY != *":${work}/.git/hooks:"* ]] &&
    { : > "${work}/.git/hooks/pre-commit.sample"; } 2> /dev/null; } ||
  { echo "cannot create '.git/hooks/pre-commit': Read-only file system"; exit 1; } ;;
fail) echo "expected 1 to be 2"; exit 1 ;;
esac
exit 0
`;
writeFileSync(join(bin, "program"), PROGRAM, { mode: 0o755 });
const names = new Set(
  rows.flatMap(({ command }) => command.split(/\s*[|;&]+\s*|\s+/)).filter((word) => /^[\w.-]+$/.test(word)),
);
for (const name of [...names].filter((each) => each !== "program" && !/^\.+$/.test(each)))
  symlinkSync("program", join(bin, name));
symlinkSync("bin/program", join(work, "deploy.sh"));

interface Carded {
  readonly about: Approval["about"];
  readonly outcome: string;
}

const hostEnv = { PATH: bin, HOME: home };

function desk(sandbox: string | null): Promise<Desk> {
  return Desk.at({ cwd: work, hostEnv, ...(sandbox === null ? {} : { sandbox }) });
}

/** Approves all cards of one command, and says what became of it. */
async function carded(at: Desk, { command, needs }: Row): Promise<Carded> {
  writeFileSync(join(work, "needs"), `${needs}\n`);
  let next = await at.calls("Shell", { target: "host", command, cwd: work });
  const about = typeof next === "string" ? null : next.about;
  const steps: string[] = [];
  while (typeof next !== "string") {
    const { id } = next;
    const again = next.about?.again?.withheld.map((grant) => grantsText([grant]).replace(scratch, ""));
    steps.push(again === undefined ? "asks" : `asks again for ${again.join(", ")}`);
    await at.home.sys.call("hil.answer", { id, decision: "approve" });
    let open: Approval | undefined;
    await at.home.until("it ends or asks again", async () => {
      open = (await at.open()).find((each) => each.id !== id);
      return open !== undefined || (await at.isIdle());
    });
    next = open ?? (await at.results()).at(-1) ?? "";
  }
  const [, status = "?"] = /\(exit status (\d+)[^\n]*\)$/.exec(next) ?? [];
  return {
    about,
    outcome: [...steps, status === "0" ? "runs" : status === "?" ? next : `fails (${status})`].join(", "),
  };
}

function shownOf({ about }: Carded): Pick<Row, "text" | "grants" | "dangers"> {
  const [reason = ""] = about?.reasons ?? [];
  return {
    // A reason begins with its command, shortened.
    text: reason.replace(/^.*: /, ""),
    grants: grantsText(about?.grants ?? []),
    dangers: (about?.dangers ?? []).join("; "),
  };
}

async function each(
  some: readonly Row[],
  sandbox: string | null,
  use: (row: Row, found: Carded) => void,
): Promise<void> {
  await using at = await desk(sandbox);
  await at.home.sys.call("workspace.attach", { what: work, pid: INIT });
  for (const row of some) use(row, await carded(at, row));
}

test("there are at least 120 rows", () => {
  expect(rows.length).toBeGreaterThanOrEqual(120);
});

if (process.env.UPDATE_GOLDEN)
  test("writes the table", async () => {
    const inside = new Map<Row, Carded>();
    const without = new Map<Row, Carded>();
    await each(rows, standIn.program, (row, found) => inside.set(row, found));
    await each(rows, null, (row, found) => without.set(row, found));
    const written = rows.map((row) => {
      const found = inside.get(row)!;
      const { text, grants, dangers } = shownOf(found);
      return [row.command, row.needs, text, grants, dangers, found.outcome, without.get(row)?.outcome].join("\t");
    });
    writeFileSync(TABLE, `${[...lines.filter((line) => line.startsWith("#")), ...written].join("\n")}\n`);
  }, 120_000);
else {
  const inside = (sandbox: string, every: number) => async () => {
    await each(oneIn(every, rows), sandbox, (row, card) =>
      expect({ ...row, ...shownOf(card), inside: card.outcome }).toEqual(row),
    );
  };
  test("in the sandbox", inside(standIn.program, 8), 60_000);

  test("without a sandbox: each asks, and nothing is withheld", async () => {
    await each(oneIn(12, rows), null, (row, card) => {
      const { dangers } = shownOf(card);
      expect({ ...row, dangers, without: card.outcome }).toEqual(row);
      expect(card.about).toMatchObject({ sandboxed: false, once: true });
      expect(card.about?.grants).toBeUndefined();
    });
  }, 60_000);

  const real = await machineSandbox();
  const bubblewrap = describe.skipIf(real?.name !== "bwrap");
  bubblewrap("in the sandbox of this computer", () => {
    const program = Bun.which("bwrap", { PATH: SANDBOX_PATH }) ?? "";
    test("the outcome is the same", inside(program, 6), 120_000);

    test("a command fails without what its row needs, and no other does", () => {
      const tried = (command: string) => {
        const surroundings = { hidden: hiddenOn({ home, env: hostEnv, uid: process.getuid?.() ?? 0 }), resolver: null };
        const place = {
          directory: work,
          ...surroundings,
          network: false,
          tmp: "/tmp",
          terminal: true,
          granted: NO_GRANTS,
          git: gitGuard(work, "nothing"),
        };
        const argv = real!.wrap([BASH, "--noprofile", "--norc", "-c", command], place);
        const { exitCode, stdout } = Bun.spawnSync([...argv], { env: hostEnvironment(hostEnv), cwd: work });
        return exitCode === 0 && !stdout.includes("could not resolve") ? "runs" : "fails";
      };
      for (const { command, needs, inside: outcome } of oneIn(4, rows)) {
        writeFileSync(join(work, "needs"), `${needs}\n`);
        const isWithheld = !["ok", "fail"].includes(needs);
        expect([command, needs, tried(command)]).toEqual([
          ...[command, needs],
          isWithheld || !outcome.endsWith("runs") ? "fails" : "runs",
        ]);
      }
    });
  });
}
