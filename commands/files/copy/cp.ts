// `gsv cp`: copies between files of gsv, files of this computer (`host:./a.txt`) and the streams of the command (`-`).

import { SysError } from "../../../src/abi/errno.ts";
import { quoted } from "../../../src/lib/text/quote.ts";
import { field } from "../../../src/syscalls/define.ts";
import { usageError } from "../../args.ts";
import type { Command, Io } from "../../command.ts";
import { command } from "../../define.ts";
import { printPieces } from "../../io/foreign-output.ts";
import { Problems } from "../problems.ts";
import { type CopyHow, Copying, type Place, tooLarge } from "./copy.ts";
import { destinationOf, isInto } from "./destination.ts";
import { gsvSide } from "./gsv-side.ts";
import type { Side } from "./side.ts";

const HOST = "host:";

const input = {
  paths: field.paths("sources, then the destination; host:PATH is on this computer, - is stdin or stdout", {
    positional: true,
    meta: "SOURCE... DESTINATION",
    of: "host-or-file",
  }),
  recursive: field.flag("directories with their contents", { letter: "r" }),
  preserve: field.flag("modes and times of the source", { letter: "p" }),
  force: field.flag("replace files that cannot be written", { letter: "f" }),
  noClobber: field.flag("existing files stay unchanged", { letter: "n" }),
};

const spec = {
  name: "cp",
  summary: "Copy files inside gsv or to this computer",
  input,
  usage: "gsv cp [-r] [-p] [-f] [-n] SOURCE... DESTINATION",
  examples: [
    "gsv cp host:./report.pdf '~/report.pdf'",
    "gsv cp -r '~/notes' host:./notes",
    "echo 'call the bank' | gsv cp - '~/todo.md'",
    "gsv cp '~/a.txt' '~/b.txt'",
  ],
  notes: [
    "host: paths are on this computer, relative to the current directory, with your permissions.",
    "Files are written completely or not at all. Links inside a directory are not followed.",
  ],
};

export const cp: Command = command(spec, async ({ args, json }, io) => {
  const { sources, destination } = destinationOf(spec, args.paths);
  if (sources.includes("-") && sources.length > 1) throw usageError(spec, "stdin can only be copied on its own");
  const how: CopyHow = {
    recursive: args.recursive === true,
    preserve: args.preserve === true,
    force: args.force === true,
    noClobber: args.noClobber === true,
  };
  const problems = new Problems(io, "cp", json, (path, error) => hostFileHint(io, path, error));
  const places = await placesFor(io, [...sources, destination]);
  const to = places.pop() as Place;
  if (destination === "-") await toStdout(io, places, problems);
  else await copyAll(io, { places, to, how, problems });
  return problems.status;
});

async function placesFor(io: Io, paths: readonly string[]): Promise<Place[]> {
  const gsv = gsvSide({ sys: io.sys(), clock: io.clock, random: io.random });
  const host: Side | null = paths.some((path) => path.startsWith(HOST)) ? await io.host("copy") : null;
  return paths.map((shown) => {
    if (host === null || !shown.startsWith(HOST)) return { side: gsv, path: shown, shown };
    const path = shown.slice(HOST.length);
    if (path === "") throw new SysError("EUSAGE", `${shown} names no file: host: needs a path`);
    return { side: host, path, shown };
  });
}

async function hostFileHint(io: Io, path: string, { code }: SysError): Promise<string[]> {
  if (code !== "ENOENT" || path.startsWith(HOST)) return [];
  try {
    const there = await (await io.host("copy")).look(path, { follow: true });
    return there === null ? [] : [`for a file on this computer: ${quoted(HOST + path)}`];
  } catch {
    return [];
  }
}

interface Copies {
  readonly places: readonly Place[];
  readonly to: Place;
  readonly how: CopyHow;
  readonly problems: Problems;
}

async function copyAll(io: Io, { places, to, how, problems }: Copies): Promise<void> {
  const kindOf = async () => (await to.side.look(to.path, { follow: true }))?.kind;
  const into = await isInto(problems, { path: to.shown, sources: places.length, kindOf });
  if (into === null) return;
  const giveUp = new AbortController();
  const isFed = places.some(({ shown }) => shown === "-");
  // A signal removes the incomplete file first. With stdin there is nothing to wait for.
  const release = isFed ? () => {} : io.onSignal(() => giveUp.abort(new SysError("ECANCELED", "cp: cancelled")));
  const copying = new Copying(how, problems, giveUp.signal);
  try {
    for (const from of places) {
      if (from.shown === "-") await problems.attempt(to.shown, () => fromStdin(io, to, { how, into }));
      else await copying.copy(from, into ? await insideOf(to, from) : to);
    }
  } finally {
    release();
  }
}

async function insideOf(to: Place, from: Place): Promise<Place> {
  const name = await from.side.nameOf(from.path);
  return { side: to.side, path: to.side.within(to.path, name), shown: `${to.shown.replace(/\/+$/, "")}/${name}` };
}

async function fromStdin(io: Io, to: Place, { how, into }: { how: CopyHow; into: boolean }): Promise<void> {
  if (into) throw new SysError("EISDIR", `${to.shown}: Is a directory`, ["add a file name"]);
  try {
    await to.side.write(to.path, io.stdin.bytes(), how.noClobber ? { exclusive: true } : {});
  } catch (error) {
    if (!(error instanceof SysError) || error.code !== "EFBIG") throw error;
    throw tooLarge("stdin", to.side, error);
  }
}

async function toStdout(io: Io, places: readonly Place[], problems: Problems): Promise<void> {
  for (const { side, path, shown } of places) {
    const pieces = shown === "-" ? io.stdin.bytes() : side.read(path);
    await problems.attempt(shown, () => printPieces(io, shown, pieces));
    if (io.stdout.closed) return;
  }
}
