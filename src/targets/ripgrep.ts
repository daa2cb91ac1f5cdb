// ripgrep, if installed: literal search below a directory. Fully specified by arguments: no configuration, no other programs, no symlinks, a
// minimal environment. Matches are streamed; the process is killed when the reader stops.

import { spawnRead } from "./spawn.ts";

export interface RipgrepRequest {
  readonly program: string;
  /** Absolute, without symlinks. */
  readonly root: string;
  readonly query: string;
  /** Glob for file names. */
  readonly include?: string;
  /** Absolute directories to skip. */
  readonly hidden: readonly string[];
  readonly fileBytesMax: number;
  readonly signal: AbortSignal;
}

export interface RipgrepLine {
  readonly path: string;
  readonly line: number;
  readonly content: Buffer;
}

const LINE_BYTES_MAX = 256 * 1024;

function wordsOf({ root, query, include, hidden, fileBytesMax }: Omit<RipgrepRequest, "program" | "signal">) {
  const passedOver = hidden
    .filter((directory) => directory.startsWith(root === "/" ? "/" : `${root}/`))
    .map((directory) => `--glob=!${literal(directory.slice(root === "/" ? 0 : root.length))}`);
  return [
    ...["--no-config", "--no-messages", "--color=never", "--no-heading", "--null", "--line-number", "--with-filename"],
    ...["--fixed-strings", "--case-sensitive", "--no-follow", "--sort=path", "--hidden", "--no-ignore-dot"],
    ...["--no-require-git", "--no-ignore-global", `--max-filesize=${fileBytesMax}`],
    // The last matching glob wins, so exclusions come last.
    ...(include === undefined ? [] : [`--glob=**/${include.replace(/^[!/]+/, "")}`]),
    ...["--glob=!.git", ...passedOver],
    ...["--regexp", query, "--", root],
  ];
}

/** Ignores the exit status: unreadable files are skipped, as in every search. */
export async function* ripgrep({ program, signal, ...request }: RipgrepRequest): AsyncGenerator<RipgrepLine> {
  if (signal.aborted) return;
  const child = spawnRead([program, ...wordsOf(request)], { LC_ALL: "C.UTF-8" });
  signal.addEventListener("abort", child.kill, { once: true });
  try {
    yield* linesOf(child.stdout);
  } finally {
    signal.removeEventListener("abort", child.kill);
    child.kill();
  }
}

async function* linesOf(stream: AsyncIterable<Uint8Array>): AsyncGenerator<RipgrepLine> {
  let rest = Buffer.alloc(0);
  let isCut = false;
  for await (const piece of stream) {
    let data = Buffer.concat([rest, piece]);
    for (let end = data.indexOf(10); end !== -1; end = data.indexOf(10)) {
      const line = isCut ? null : lineOf(data.subarray(0, end));
      if (line !== null) yield line;
      isCut = false;
      data = data.subarray(end + 1);
    }
    // Report the start of an oversized line and drop the rest.
    if (data.length > LINE_BYTES_MAX) {
      const line = isCut ? null : lineOf(data);
      if (line !== null) yield line;
      isCut = true;
      data = data.subarray(data.length);
    }
    rest = Buffer.from(data);
  }
}

/** `path NUL number : content`. */
function lineOf(bytes: Buffer): RipgrepLine | null {
  const nul = bytes.indexOf(0);
  const colon = nul === -1 ? -1 : bytes.indexOf(58, nul);
  if (colon === -1) return null;
  const line = Number(bytes.toString("latin1", nul + 1, colon));
  return { path: bytes.toString("utf8", 0, nul), line, content: bytes.subarray(colon + 1) };
}

function literal(path: string): string {
  return path.replace(/[\\*?[\]{}!]/g, "\\$&");
}
