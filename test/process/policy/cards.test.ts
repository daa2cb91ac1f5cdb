// Every card by a table: command, needed grants, text, danger and outcome, in the sandbox and without one. All programs are stand-ins that need
// what the row says. The stand-in for the sandbox withholds what the real one would; the real one runs the same rows where there is one.

import { afterAll, expect, test } from "bun:test";
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { grantText } from "../../../src/abi/grants.ts";
import type { Approval } from "../../../src/abi/process/process.ts";
import { SANDBOX_PATH } from "../../../src/targets/sandbox.ts";
import { Desk } from "../../support/desk.ts";
import { INIT } from "../../support/kernel.ts";
import { machineSandbox, standInSandbox } from "../../support/sandbox.ts";
import { scratchDirectory } from "../../support/scratch.ts";
import { oneIn } from "../../support/soak.ts";

const TABLE = join(import.meta.dir, "cards.txt");
const scratch = scratchDirectory("cards");
const [home, work] = [join(scratch, "home"), join(scratch, "work")];
const bin = join(work, "bin");
for (const directory of [join(home, ".ssh"), join(home, ".gnupg"), join(home, ".tool"), bin])
  mkdirSync(directory, { recursive: true });
writeFileSync(join(home, ".ssh/id"), "x");
writeFileSync(join(home, ".gnupg/key"), "x");
const standIn = standInSandbox(scratch);
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

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

// What a sandbox withholds is seen as a program sees it; of the stand-in, as it says.
const PROGRAM = `#!/bin/bash
needs=$(<"${work}/needs")
lone() { local n=0 line; while read -r line; do [[ $line == *:* ]] && n=$((n + 1)); done < /proc/net/dev; [ $n -lt 2 ]; }
closed() { if [ -n "$STAND_IN" ]; then [[ $STAND_IN_OPEN != *":$1:"* ]]; else [ ! -e "$1/$2" ]; fi; }
case $needs in
net) if [ -n "$STAND_IN" ]; then [ -z "$STAND_IN_NO_NETWORK" ]; else ! lone || [ -z "$IN_SANDBOX" ]; fi ||
  { echo "error: could not resolve host: example.com"; exit 6; } ;;
ssh) [ -z "$IN_SANDBOX$STAND_IN" ] || ! closed "${home}/.ssh" id || { echo "Host key verification failed."; exit 128; } ;;
gpg) [ -z "$IN_SANDBOX$STAND_IN" ] || ! closed "${home}/.gnupg" key || { echo "error: gpg failed to sign the data"; exit 1; } ;;
write) if [ -n "$STAND_IN" ]; then ! closed "${home}/.tool"; else { : > "${home}/.tool/made"; } 2> /dev/null; fi ||
  { echo "cannot write '${home}/.tool/made': Read-only file system"; exit 1; } ;;
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

function desk(sandbox: string | null): Promise<Desk> {
  const hostEnv = { PATH: bin, HOME: home };
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
    const again = next.about?.again?.withheld.map((grant) => grantText(grant).replace(scratch, ""));
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
    grants: (about?.grants ?? []).map(grantText).join(", "),
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
  const inside = (sandbox: string) => async () => {
    await each(oneIn(2, rows), sandbox, (row, card) =>
      expect({ ...row, ...shownOf(card), inside: card.outcome }).toEqual(row),
    );
  };
  test("in the sandbox", inside(standIn.program), 60_000);

  test("without a sandbox: each asks, and nothing is withheld", async () => {
    await each(oneIn(4, rows), null, (row, card) => {
      const { dangers } = shownOf(card);
      expect({ ...row, dangers, without: card.outcome }).toEqual(row);
      expect(card.about).toMatchObject({ sandboxed: false, once: true });
      expect(card.about?.grants).toBeUndefined();
    });
  }, 60_000);

  const real = await machineSandbox();
  const program = Bun.which("bwrap", { PATH: SANDBOX_PATH }) ?? "";
  test.skipIf(real?.name !== "bwrap")("in the sandbox of this computer", inside(program), 120_000);
}
