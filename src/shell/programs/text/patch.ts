// `patch`: applies the output of `diff -u` to files. A hunk that does not match is refused and the file is unchanged.

import { options } from "../options.ts";
import { type Call, phrase, text, Usage } from "../program.ts";

interface Hunk {
  readonly at: number;
  readonly lines: readonly string[];
}

export async function patch(call: Call): Promise<number> {
  const { flags, operands } = options("patch", call.args, {
    letters: "p:i:RsNf",
    long: { "strip=": "p", "input=": "i", reverse: "R", quiet: "s", silent: "s", "dry-run": "D", forward: "N" },
    status: 2,
  });
  const source = flags.get("i") ?? operands[1] ?? "-";
  let status = 0;
  for (const { name, hunks } of parsed(await text(call, source), flags)) {
    const file = operands[0] ?? name;
    if (file === undefined) throw new Usage("patch: **** Only garbage was found in the patch input.", 2);
    const turned = flags.has("R") ? hunks.map(reversed) : hunks;
    if (!flags.has("s")) call.out(`${flags.has("D") ? "checking" : "patching"} file ${file}\n`);
    const before = await text(call, file).catch((error: { code?: string }) => {
      if (error.code !== "ENOENT") throw new Usage(`patch: **** Can't open file ${file} : ${phrase(error)}`, 2);
      return "";
    });
    const { after, failed } = applied(before, turned);
    for (const at of failed) call.out(`Hunk #${at + 1} FAILED.\n`);
    if (failed.length > 0) {
      call.out(`${failed.length} out of ${turned.length} hunk${turned.length === 1 ? "" : "s"} FAILED\n`);
      status = 1;
    } else if (!flags.has("D")) await call.files.write(call.path(file), Buffer.from(after));
  }
  return status;
}

function parsed(
  all: string,
  flags: ReadonlyMap<string, string>,
): readonly { readonly name: string | undefined; readonly hunks: readonly Hunk[] }[] {
  const found: { name: string | undefined; hunks: Hunk[] }[] = [];
  const lines = all.split("\n");
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? "";
    if (line.startsWith("--- ") && (lines[at + 1] ?? "").startsWith("+++ ")) {
      const names = [lines[at + 1] ?? "", line].map((each) => each.slice(4).split("\t")[0] ?? "");
      found.push({ name: stripped(names.find((each) => each !== "/dev/null") ?? "", flags.get("p")), hunks: [] });
      at++;
    } else if (line.startsWith("@@ ")) {
      if (found.length === 0) found.push({ name: undefined, hunks: [] });
      const [, start = "1", size = "1", grown = "1"] = /^@@ -(\d+)(?:,(\d+))? \+\d+(?:,(\d+))? @@/.exec(line) ?? [];
      let [old, young] = [Number(size), Number(grown)];
      const body: string[] = [];
      while (at + 1 < lines.length && (old > 0 || young > 0 || (lines[at + 1] ?? "").startsWith("\\"))) {
        const next = lines[++at] ?? "";
        if (!next.startsWith("+") && !next.startsWith("\\")) old--;
        if (!next.startsWith("-") && !next.startsWith("\\")) young--;
        body.push(next);
      }
      found.at(-1)?.hunks.push({ at: Number(start) - (size === "0" ? 0 : 1), lines: body });
    }
  }
  return found.length === 0 ? [{ name: undefined, hunks: [] }] : found;
}

function stripped(name: string, count: string | undefined): string {
  const parts = name.split("/");
  return count === undefined ? (parts.at(-1) ?? name) : parts.slice(Number(count)).join("/");
}

function reversed({ at, lines }: Hunk): Hunk {
  const sign: { readonly [letter: string]: string } = { "+": "-", "-": "+" };
  return { at, lines: lines.map((line) => (sign[line[0] ?? ""] ?? line[0] ?? "") + line.slice(1)) };
}

function applied(
  before: string,
  hunks: readonly Hunk[],
): { readonly after: string; readonly failed: readonly number[] } {
  const lines = before === "" ? [] : before.replace(/\n$/, "").split("\n");
  let ends = before === "" || before.endsWith("\n");
  const failed: number[] = [];
  let moved = 0;
  for (const [number, hunk] of hunks.entries()) {
    const old = hunk.lines.filter((line) => /^[- ]/.test(line) || line === "").map((line) => line.slice(1));
    const young = hunk.lines.filter((line) => /^[+ ]/.test(line) || line === "").map((line) => line.slice(1));
    const at = placeOf(lines, old, hunk.at + moved);
    if (at === null) {
      failed.push(number);
      continue;
    }
    lines.splice(at, old.length, ...young);
    moved += young.length - old.length;
    const last = hunk.lines.at(-1) ?? "";
    if (last.startsWith("\\")) ends = (hunk.lines.at(-2) ?? "").startsWith("-");
    else if (hunk.lines.some((line) => line.startsWith("\\"))) ends = true;
  }
  return { after: lines.length === 0 ? "" : lines.join("\n") + (ends ? "\n" : ""), failed };
}

/** The stated position, or the nearest one with matching lines. */
function placeOf(lines: readonly string[], old: readonly string[], wanted: number): number | null {
  const fits = (at: number) =>
    at >= 0 && at + old.length <= lines.length && old.every((line, place) => lines[at + place] === line);
  for (let away = 0; away <= lines.length; away++) {
    if (fits(wanted + away)) return wanted + away;
    if (fits(wanted - away)) return wanted - away;
  }
  return null;
}
