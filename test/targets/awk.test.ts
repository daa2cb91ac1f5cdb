// awk beyond the snippets of the corpus: memory, time and errors.

import { expect, test } from "bun:test";
import { awk } from "../../src/shell/programs/awk/awk.ts";
import { sourceOf } from "../../src/shell/programs/pipe.ts";
import type { Call } from "../../src/shell/programs/program.ts";

interface Given {
  readonly stdin?: string;
  readonly files?: { readonly [path: string]: string };
}

async function run(args: readonly string[], { stdin = "", files = {} }: Given = {}) {
  const told = { stdout: "", stderr: "" };
  const reads: number[] = [];
  const bytesOf = (path: string) => Buffer.from(files[path.slice(1)] ?? "");
  const missing = () => Promise.reject(Object.assign(new Error("No such file or directory"), { code: "ENOENT" }));
  const call = {
    ...{ name: "awk", args, cwd: "/", env: { HOME: "/home/sam" }, nowMs: () => 0 },
    ...{ stdin: sourceOf(Buffer.from(stdin)), isPiped: false, room: async () => {} },
    path: (name: string) => `/${name}`,
    out: (text: string) => {
      told.stdout += text;
    },
    err: (text: string) => {
      told.stderr += text;
    },
    files: {
      stat: (path: string) => (files[path.slice(1)] === undefined ? missing() : Promise.resolve({ kind: "file" })),
      read: async (path: string, offset: number, bytesMax: number) => {
        reads.push(offset);
        const bytes = bytesOf(path).subarray(offset, offset + bytesMax);
        return { bytes, eof: offset + bytesMax >= bytesOf(path).byteLength };
      },
    },
    run: async (argv: readonly string[]) => {
      told.stdout += `(${argv.join(" ")})\n`;
      return 3;
    },
    capture: async ([, , command = ""]: readonly string[]) => ({ status: 0, stdout: Buffer.from(`of ${command}\n`) }),
  } as unknown as Call;
  const exit = await awk(call).catch((error) => {
    told.stderr += error.message;
    return error.status as number;
  });
  return { ...told, exit, reads };
}

test("a file is read only as far as needed, records may exceed the block size, and characters stay whole", async () => {
  const long = "é".repeat(700_000);
  const { stdout } = await run(["{print length($1), $2}", "f"], { files: { f: `${long} x\nshort y\n` } });
  expect(stdout).toBe("700000 x\n5 y\n");
  const first = await run(["NR == 1 {print; exit}", "f"], { files: { f: "line\n".repeat(1_000_000) } });
  expect([first.stdout, first.reads]).toEqual(["line\n", [0]]);
});

test("characters beyond the first plane are one character", async () => {
  const { stdout } = await run(['BEGIN {s = "a🚀b"; print length(s), substr(s, 3), index(s, "b"), toupper("é")}']);
  expect(stdout).toBe("3 b 3 É\n");
});

test("gawk extensions that scripts use work", async () => {
  const program = `BEGIN {
    print gensub(/(a)(b)/, "\\\\2\\\\1", "g", "abab"), strftime("%Y-%m-%d", 86400), mktime("1970 01 02 00 00 00")
    print strtonum("0x1F"), and(12, 10), or(12, 10), xor(12, 10), lshift(1, 4), rshift(16, 2)
    n = split("c a b", x); asort(x); print x[1] x[2] x[3], n, length(x)
    match("key=value", /(\\w+)=(\\w+)/, m); print m[2], m[1]
  }`;
  expect((await run([program])).stdout).toBe("baba 1970-01-02 86400\n31 8 14 6 16 4\nabc 3 3\nvalue key\n");
});

test("commands, and the flags and operands of each", async () => {
  const program = `{ "who " $1 | getline who; print who; print system("x"); print $1 | "sort" } END { print "end" }`;
  expect((await run([program], { stdin: "me\n" })).stdout).toBe("of who me\n(sh -c x)\n3\nend\n(sh -c sort)\n");
});

test("an invalid program, and an unsupported feature, are one-line errors with status 2", async () => {
  const cases: readonly (readonly [string, string])[] = [
    ["{print", "line 1: syntax error at or near end of"],
    ['BEGIN {\n print "a }', "line 2: string without its end"],
    ["BEGIN {print 1/0}", "division by zero"],
    ["BEGIN {nosuch(1)}", "function nosuch never defined"],
    ["function f(a) {} BEGIN {f(1, 2)}", "has only 1 parameters"],
    ["function f(x) {return f(x + 1)} BEGIN {f(1)}", "call each other too deeply"],
    ["BEGIN {x = 1; x[1] = 2}", "x is no array"],
    ['BEGIN {while (1) s = s "0123456789" s}', "grows too long"],
    ["BEGIN {$100000000 = 1}", "no field 100000000"],
    ['BEGIN {printf "%1000000000d", 1}', "too wide"],
    ['BEGIN {"a" ~ "("}', "Unmatched"],
    [`BEGIN {print ${"(".repeat(5000)}1${")".repeat(5000)}}`, "nested too deeply"],
  ];
  for (const [program, says] of cases) {
    const { exit, stderr } = await run([program]);
    expect([program.slice(0, 40), exit, stderr.includes(says)]).toEqual([program.slice(0, 40), 2, true]);
  }
});
