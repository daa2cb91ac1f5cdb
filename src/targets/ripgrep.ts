// ripgrep, where the machine has it: a plain text below a directory. It is told everything by its words: it reads no configuration, runs
// no other program, follows no link, and gets an environment of one name. Lines come as they are found, however long; it is ended when
// nobody takes more.

import { spawnRead } from "./spawn.ts";

export interface RipgrepRequest {
  readonly program: string;
  /** Absolute, without links: a directory or a file. */
  readonly root: string;
  readonly query: string;
  /** Only files whose name fits this glob. */
  readonly include?: string;
  /** Absolute directories that are passed over. */
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
    // The last glob that fits decides: what is passed over stands last.
    ...(include === undefined ? [] : [`--glob=**/${include.replace(/^[!/]+/, "")}`]),
    ...["--glob=!.git", ...passedOver],
    ...["--regexp", query, "--", root],
  ];
}

/** Its exit status tells nothing more: files that cannot be read are passed over, as with every search. */
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
    // Of a line that never seems to end its beginning is told, and the rest is not kept.
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
