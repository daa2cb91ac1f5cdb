// Wrong usage of any command: one line says what is wrong, at most one more has the nearest right form, and the exit status is 2.

import { expect, test } from "bun:test";
import { flagsOf, type Spec, takesMany } from "../../commands/args.ts";
import { allCommands, nouns } from "../../commands/man/command-tree.ts";
import { COMMANDS } from "../../commands/table.ts";
import { FakeIo, runs } from "../support/io.ts";

const LEAVES = await allCommands(COMMANDS);
/** These take any words and report unknown ones themselves. */
const LOOK_UP = ["help", "man", "doctor"];

async function refused(line: string): Promise<readonly string[]> {
  const io = new FakeIo();
  const status = await runs(io, ...line.split(" ").filter((word) => word !== ""));
  const lines = io.stderr.text.trimEnd().split("\n");
  expect([line, status, io.stdout.text, io.fakeSys.calls, lines[0]?.startsWith("gsv: "), lines.length <= 2]).toEqual([
    line,
    2,
    "",
    [],
    true,
    true,
  ]);
  return lines;
}

test("an unknown flag gets the usage, a mistyped one the right flag", async () => {
  for (const { name, command } of LEAVES) {
    expect((await refused(`${name} --zzzzzz`))[1]).toStartWith(`  usage: gsv ${name}`);
    const flag = [...flagsOf(command.spec.input).keys()].find((each) => each.length > 6 && each !== "--timeout");
    if (flag === undefined) continue;
    const typed = `${flag.slice(0, -2)}${flag.at(-1)}${flag.at(-2)}x`;
    expect((await refused(`${name} ${typed}`))[1]).toStartWith("  did you mean --");
  }
});

test("a missing argument and one too many get a right form", async () => {
  let [missing, many] = [0, 0];
  for (const { name, command } of LEAVES.filter((each) => !LOOK_UP.includes(each.name))) {
    const spec: Spec = command.spec;
    const fields = Object.values(spec.input);
    if (spec.usage === undefined && fields.some(({ optional, fallback }) => !optional && fallback === undefined)) {
      expect(await refused(name)).toHaveLength(2);
      missing++;
    }
    const words = fields.filter(({ positional }) => positional);
    if (words.some(takesMany) || spec.passesOn || spec.usage !== undefined) continue;
    expect(await refused(`${name} ${"task:abc123 ".repeat(words.length + 2)}`)).toHaveLength(2);
    many++;
  }
  expect([missing > 60, many > 120]).toEqual([true, true]);
});

test("an unknown command and an unknown subcommand get the nearest ones", async () => {
  for (const noun of await nouns(COMMANDS)) expect(await refused(`${noun} zzzzzz`)).toHaveLength(2);
  for (const [typed, meant] of [
    ["spwan", "gsv spawn"],
    ["proc hisotry", "gsv proc history"],
    ["sched lst", "gsv sched list"],
    ["zzzzzz", "gsv help"],
  ] as const)
    expect((await refused(typed))[1]).toContain(meant);
});
