// `head` and `tail`: the beginning and the end of files, of which no more is read than is shown.

import { countOf, type Options, options } from "../options.ts";
import { type Call, eachFile, linesOf, pieces, text, Usage, whole } from "../program.ts";

const GRAMMAR = {
  letters: "n:c:qvz",
  digits: "n",
  long: { "lines=": "n", "bytes=": "c", quiet: "q", silent: "q", verbose: "v", "zero-terminated": "z" },
} as const;

interface Amount {
  readonly wanted: string;
  readonly count: number;
  readonly unit: "lines" | "bytes";
}

function amountOf(name: string, flags: Options["flags"]): Amount {
  const bytes = flags.get("c");
  const wanted = bytes ?? flags.get("n") ?? "10";
  const unit = bytes === undefined ? "lines" : "bytes";
  return { wanted, count: countOf(name, wanted, unit), unit };
}

/** How much of stdin a `head` with these words looks at; null where that is not known before. */
export function shareOf(words: readonly string[]): Amount | null {
  try {
    const { flags, operands } = options("head", words, GRAMMAR);
    const amount = amountOf("head", flags);
    return amount.wanted.startsWith("-") || operands.some((each) => each !== "-") ? null : amount;
  } catch {
    return null; // head says itself what is wrong
  }
}

export async function head(call: Call): Promise<number> {
  const { flags, operands } = options(call.name, call.args, GRAMMAR);
  const { wanted, count, unit } = amountOf(call.name, flags);
  const titled = titles(call, flags, operands);
  return eachFile(
    call,
    operands,
    async (name) => {
      if (wanted.startsWith("-")) {
        const all =
          unit === "lines"
            ? await withoutLast(call, name, count)
            : (await whole(call, name)).subarray(0, -count || undefined);
        titled(name);
        return call.out(all);
      }
      const source = pieces(call, name);
      const first = await source.next();
      titled(name);
      let left = count;
      for (let piece = first; left > 0 && !piece.done; piece = left > 0 ? await source.next() : piece) {
        const end =
          unit === "lines" ? afterLines(piece.value, left) : { at: Math.min(left, piece.value.byteLength), left: 0 };
        left = unit === "lines" ? end.left : left - end.at;
        call.out(piece.value.subarray(0, end.at));
      }
    },
    (name, why) =>
      why === "Is a directory" ? `error reading '${name}': ${why}` : `cannot open '${name}' for reading: ${why}`,
  );
}

/** Where so many lines end in a piece, and how many are still wanted after it. */
function afterLines(piece: Uint8Array, wanted: number): { readonly at: number; readonly left: number } {
  let left = wanted;
  for (let at = 0; left > 0; ) {
    const end = piece.indexOf(10, at);
    if (end === -1) break;
    at = end + 1;
    if (--left === 0) return { at, left };
  }
  return { at: piece.byteLength, left };
}

async function withoutLast(call: Call, name: string, count: number): Promise<string> {
  const all = await text(call, name);
  const lines = linesOf(all);
  const kept = lines.slice(0, Math.max(0, lines.length - count));
  return kept.map((line) => `${line}\n`).join("");
}

export async function tail(call: Call): Promise<number> {
  const plus = call.args.map((arg, at) => (at === 0 && /^\+\d+$/.test(arg) ? `-n${arg}` : arg));
  const { flags, operands } = options(call.name, plus, {
    ...GRAMMAR,
    letters: "n:c:qvzfFs:",
    long: { ...GRAMMAR.long, follow: "f", "follow=?": "f", retry: "F", "sleep-interval=": "s" },
  });
  const follows = flags.has("f") || flags.has("F");
  if (follows && !call.isPiped)
    throw new Usage(
      "tail: -f does not end by itself, and a script would wait for it: tail -f PATH | grep -m1 WORD ends (outside of a script: gsv tail -f PATH)",
    );
  const { wanted, count, unit } = amountOf(call.name, flags);
  const titled = titles(call, flags, operands);
  const files: { readonly name: string; at: number }[] = [];
  const status = await eachFile(
    call,
    operands,
    async (name) => {
      // What is made as it is read has no size.
      const { size } = follows && name !== "-" ? await call.files.stat(call.path(name)) : { size: -1 };
      if (size >= 0) files.push({ name, at: size === 0 ? (await whole(call, name)).byteLength : size });
      const found = wanted.startsWith("+")
        ? await fromStart(call, name, count, unit === "bytes")
        : await fromEnd(call, name, count, unit === "bytes");
      titled(name);
      call.out(found);
    },
    (name, why) =>
      why === "Is a directory" ? `error reading '${name}': ${why}` : `cannot open '${name}' for reading: ${why}`,
  );
  if (follows) await follow(call, files, (name) => files.length > 1 && call.out(`\n==> ${name} <==\n`));
  return status;
}

const LOOK_MS = 100;

/** What comes to the end of files, until nobody reads it any more. */
async function follow(
  call: Call,
  files: readonly { readonly name: string; at: number }[],
  titled: (name: string) => unknown,
): Promise<void> {
  let last = files.at(-1)?.name;
  while (files.length > 0) {
    for (const file of files) {
      const { size } = await call.files.stat(call.path(file.name)).catch(() => ({ size: file.at }));
      // It was cut, or is another now; what is made as it is read has no size.
      if (size > 0 && size < file.at) file.at = 0;
      for await (const piece of pieces(call, file.name, file.at)) {
        if (last !== file.name) titled(file.name);
        last = file.name;
        file.at += piece.byteLength;
        call.out(piece);
      }
    }
    await call.pause(LOOK_MS);
  }
}

async function fromStart(call: Call, name: string, count: number, isBytes: boolean): Promise<Uint8Array> {
  const all = await whole(call, name);
  const skipped = Math.max(0, count - 1);
  return all.subarray(isBytes || skipped === 0 ? skipped : afterLines(all, skipped).at);
}

const STEP_BYTES = 64 * 1024;

// Backwards in steps, until there are lines enough.
async function fromEnd(call: Call, name: string, count: number, isBytes: boolean): Promise<Uint8Array> {
  if (name === "-" || name === "/dev/stdin") return lastOf(await whole(call, "-"), count, isBytes);
  const { size, kind } = await call.files.stat(call.path(name));
  if (kind === "directory") throw Object.assign(new Error("Is a directory"), { code: "EISDIR" });
  // What is made as it is read has no size.
  if (size === 0) return lastOf(await whole(call, name), count, isBytes);
  for (let span = isBytes ? count : STEP_BYTES; ; span *= 4) {
    const from = Math.max(0, size - span);
    const found: Uint8Array[] = [];
    for await (const piece of pieces(call, name, from)) found.push(piece);
    const end = Buffer.concat(found);
    const enough = isBytes || from === 0 || linesOf(end.toString("latin1")).length > count;
    if (enough) return lastOf(end, count, isBytes);
  }
}

function lastOf(all: Uint8Array, count: number, isBytes: boolean): Uint8Array {
  if (count === 0) return new Uint8Array();
  if (isBytes) return all.subarray(-count);
  let at = all.byteLength - (all.at(-1) === 10 ? 1 : 0);
  for (let left = count; left > 0 && at >= 0; left--) at = at === 0 ? -1 : all.lastIndexOf(10, at - 1);
  return all.subarray(at + 1);
}

function titles(call: Call, flags: Options["flags"], operands: readonly string[]): (name: string) => void {
  const wanted = flags.has("v") || (operands.length > 1 && !flags.has("q"));
  let first = true;
  return (name) => {
    if (wanted) call.out(`${first ? "" : "\n"}==> ${name === "-" ? "standard input" : name} <==\n`);
    first = false;
  };
}
