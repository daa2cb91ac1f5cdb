// `mktemp`, `realpath`, `truncate` and `dd`.

import { countOf, options } from "../options.ts";
import { type Call, phrase, Usage, whole } from "../program.ts";

const LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
const TRIES = 20;

export async function mktemp(call: Call): Promise<number> {
  const { flags, operands } = options("mktemp", call.args, {
    letters: "dup:qt",
    long: { directory: "d", "dry-run": "u", "tmpdir=?": "p", quiet: "q", "suffix=": "s" },
  });
  const template = operands[0] ?? "tmp.XXXXXXXXXX";
  const run = /X{3,}(?!.*X{3})/.exec(template);
  if (run === null) throw new Usage(`mktemp: too few X's in template ‘${template}’`);
  const inside = operands[0] === undefined || flags.has("p") || flags.has("t");
  const directory = inside ? `${flags.get("p") || call.env.TMPDIR || "/tmp"}/` : "";
  for (let tries = 0; tries < TRIES; tries++) {
    const letters = [...call.random(run[0].length)].map((byte) => LETTERS[byte % LETTERS.length]).join("");
    const name =
      directory +
      template.slice(0, run.index) +
      letters +
      template.slice(run.index + run[0].length) +
      (flags.get("s") ?? "");
    const path = call.path(name);
    if ((await call.files.lstat(path).catch(() => null)) !== null) continue;
    try {
      if (flags.has("d")) await call.files.mkdir(path, false);
      else if (!flags.has("u")) await call.files.write(path, new Uint8Array());
      if (!flags.has("u")) await call.files.setattr(path, { mode: flags.has("d") ? 0o700 : 0o600 });
    } catch (error) {
      const shown = `${directory}${template}`;
      if (!flags.has("q"))
        call.err(
          `mktemp: failed to create ${flags.has("d") ? "directory" : "file"} via template ‘${shown}’: ${phrase(error)}\n`,
        );
      return 1;
    }
    call.out(`${name}\n`);
    return 0;
  }
  throw new Usage(`mktemp: every name tried from ‘${template}’ is taken`);
}

export async function realpath(call: Call): Promise<number> {
  const { flags, operands } = options("realpath", call.args, {
    letters: "emsqzLP",
    long: {
      "canonicalize-existing": "e",
      "canonicalize-missing": "m",
      strip: "s",
      "no-symlinks": "s",
      quiet: "q",
      "relative-to=": "r",
      "relative-base=": "b",
    },
  });
  if (operands.length === 0) throw new Usage("realpath: missing operand\nTry 'realpath --help' for more information.");
  const base = flags.get("r");
  let status = 0;
  for (const name of operands) {
    try {
      const path = await real(call, name, flags);
      call.out(`${base === undefined ? path : relative(await real(call, base, new Map([["m", ""]])), path)}\n`);
    } catch (error) {
      if (!flags.has("q")) call.err(`realpath: ${name}: ${phrase(error)}\n`);
      status = 1;
    }
  }
  return status;
}

async function real(call: Call, name: string, flags: ReadonlyMap<string, string>): Promise<string> {
  const path = call.path(name);
  if (flags.has("s")) return path;
  if (flags.has("m")) return call.files.resolve(path).catch(() => path);
  if (flags.has("e")) await call.files.stat(path);
  return call.files.resolve(path);
}

function relative(from: string, to: string): string {
  const [a, b] = [from, to].map((path) => path.split("/").filter((part) => part !== "")) as [string[], string[]];
  let same = 0;
  while (same < a.length && same < b.length && a[same] === b[same]) same++;
  return [...a.slice(same).map(() => ".."), ...b.slice(same)].join("/") || ".";
}

export async function truncate(call: Call): Promise<number> {
  const { flags, operands } = options("truncate", call.args, {
    letters: "s:c",
    long: { "size=": "s", "no-create": "c" },
  });
  const wanted = flags.get("s");
  if (wanted === undefined)
    throw new Usage(
      "truncate: you must specify either ‘--size’ or ‘--reference’\nTry 'truncate --help' for more information.",
    );
  const count = countOf("truncate", wanted, "bytes");
  for (const name of operands) {
    const enough = /^[+-]/.test(wanted) ? undefined : count;
    const before = await whole(call, name, enough).catch((error: { code?: string }) => {
      if (error.code === "ENOENT") return null;
      throw error;
    });
    if (before === null && flags.has("c")) continue;
    const size = before?.length ?? 0;
    const target = wanted.startsWith("+") ? size + count : wanted.startsWith("-") ? Math.max(0, size - count) : count;
    const after = Buffer.alloc(target);
    before?.copy(after, 0, 0, Math.min(target, before.length));
    await call.files.write(call.path(name), after);
  }
  return 0;
}

export async function dd(call: Call): Promise<number> {
  const given = new Map(call.args.map((arg) => [arg.slice(0, arg.indexOf("=")), arg.slice(arg.indexOf("=") + 1)]));
  const size = (key: string) => (given.has(key) ? countOf("dd", given.get(key) ?? "", "bytes") : undefined);
  const block = size("bs") ?? size("ibs") ?? 512;
  const input = given.get("if") ?? "-";
  const from = (size("skip") ?? 0) * block;
  const count = size("count");
  const enough = count === undefined ? undefined : from + count * block;
  const all = await whole(call, input, enough).catch((error: unknown) => {
    if (error instanceof Usage) throw error;
    throw new Usage(`dd: failed to open '${input}': ${phrase(error)}`);
  });
  const bytes = all.subarray(from, enough);
  const output = given.get("of");
  if (output === undefined) call.out(bytes);
  else await call.files.write(call.path(output), bytes);
  const records = `${Math.floor(bytes.length / block)}+${bytes.length % block === 0 ? 0 : 1}`;
  if (given.get("status") !== "none")
    call.err(`${records} records in\n${records} records out\n${bytes.length} bytes copied\n`);
  return 0;
}
