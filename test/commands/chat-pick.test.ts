import { beforeEach, describe, expect, test } from "bun:test";
import { firstBlock } from "../../commands/chat/pick.ts";
import { schemaIn } from "../../commands/chat/schema.ts";
import type { Side } from "../../commands/files/copy/side.ts";
import { Chat, said } from "../support/chat.ts";
import { runs, until } from "../support/io.ts";

let chat: Chat;
beforeEach(() => {
  chat = new Chat();
});

async function answered(answer: string, ...args: string[]): Promise<number> {
  const { exit } = await chat.begin(...args, "hi");
  await chat.play(said.start(), said.text(answer), said.complete("ok", answer));
  return await exit;
}

const TWO = "Do this:\n\n```sh\nls\n```\n\nor\n\n~~~python\nprint(1)\n```\n~~~\nDone.";

describe("the first block of code of an answer", () => {
  test("is the text between its fences", () => {
    expect(firstBlock(TWO, "")).toBe("ls");
    expect(firstBlock(TWO, "PYTHON")).toBe("print(1)\n```");
    expect(firstBlock(TWO, "rust")).toBeNull();
    expect(firstBlock("none", "")).toBeNull();
  });

  test("a longer fence contains shorter ones, and an unclosed one reaches the end", () => {
    expect(firstBlock("````md\n```sh\nls\n```\n````", "")).toBe("```sh\nls\n```");
    expect(firstBlock("```\nls\nmore", "")).toBe("ls\nmore");
  });

  test("is the first indented block if there is no fence", () => {
    expect(firstBlock("So:\n\n    ls\n\n      -l\n\nDone", "")).toBe("ls\n\n  -l");
    expect(firstBlock("So:\n\n    ls", "sh")).toBeNull();
  });
});

describe("gsv chat -x", () => {
  test("prints only the block", async () => {
    expect(await answered(TWO, "-x")).toBe(0);
    expect(chat.out).toBe("ls\n");
    expect(chat.err).toBe("");
  });

  for (const flag of ["--extract=python", "-x=python"])
    test(`${flag} prints the first block of a language, and consumes no further argument`, async () => {
      expect(await answered(TWO, flag)).toBe(0);
      expect(chat.out).toBe("print(1)\n```\n");
      expect(chat.io.fakeSys.asked("proc.send")).toEqual([{ message: "hi" }]);
    });

  test("an answer without a block fails with a message, and stdout is empty", async () => {
    expect(await answered("no code", "-x")).toBe(1);
    expect(chat.out).toBe("");
    expect(chat.err).toBe("gsv: the answer contains no block of code\n");
  });

  test("with --json the result has the same text", async () => {
    expect(await answered("no code", "-x", "--json")).toBe(1);
    expect(chat.events.at(-1)).toMatchObject({ type: "result", status: "error", exit: 1, text: null });
  });

  test("a failed run is reported as usual", async () => {
    const { exit } = await chat.begin("-x", "hi");
    await chat.play(said.complete("error", null, { error: "no luck" }));
    expect(await exit).toBe(1);
    expect(chat.err).toBe("gsv: the run failed: no luck\n");
  });
});

const SCHEMA = {
  type: "object",
  properties: { failed: { type: "array", items: { type: "string" } } },
  required: ["failed"],
};

describe("gsv chat --schema", () => {
  test("takes JSON, bare or in a block of code, and prints it on one line", async () => {
    chat.io.side = fileSide({ "shape.json": JSON.stringify(SCHEMA) });
    const pick = await schemaIn(chat.io, "shape.json");
    expect(pick.from('{"failed": []}')).toEqual({ text: '{"failed":[]}' });
    expect(pick.from('Here:\n```json\n{"failed": ["a"]}\n```')).toEqual({ text: '{"failed":["a"]}' });
    expect(pick.from("no")).toEqual({ fault: "the answer is not JSON" });
    expect(pick.from('{"failed": [1]}')).toEqual({
      fault: "the answer does not fit the schema: .failed[0]: Invalid input: expected string, received number",
    });
    expect(pick.asks).toContain(JSON.stringify(SCHEMA));
  });

  test("an invalid schema is a usage error", async () => {
    for (const text of ["nonsense", "[]", '{"type":"nope"}']) {
      chat.io.side = fileSide({ "shape.json": text });
      await expect(schemaIn(chat.io, "shape.json")).rejects.toThrow(/^cannot use shape.json as a JSON Schema/);
    }
  });

  test("an endless schema is refused before anything is sent", async () => {
    const doubled = (levels: number) => ({
      $ref: `#/$defs/l${levels}`,
      $defs: Object.fromEntries([
        ["l0", { type: "number" }],
        ...Array.from({ length: levels }, (_, at) => {
          const below = { $ref: `#/$defs/l${at}` };
          return [`l${at + 1}`, { anyOf: [below, below] }];
        }),
      ]),
    });
    const endless = [
      { $ref: "#" },
      { $defs: { a: { $ref: "#/$defs/b" }, b: { allOf: [{ $ref: "#/$defs/a" }] } }, $ref: "#/$defs/a" },
      { properties: { child: { anyOf: [{ $ref: "#/$defs/a~1b" }] } }, $defs: { "a/b": { $ref: "#/$defs/a~1b" } } },
      doubled(40),
    ];
    for (const schema of endless) {
      chat.io.side = fileSide({ "shape.json": JSON.stringify(schema) });
      await expect(schemaIn(chat.io, "shape.json")).rejects.toThrow(/refers to itself|holds one value to more than/);
    }
    const tree = { type: "object", properties: { left: { $ref: "#" }, right: { anyOf: [{ $ref: "#" }] } } };
    for (const schema of [tree, doubled(5)]) {
      chat.io.side = fileSide({ "shape.json": JSON.stringify(schema) });
      expect(await schemaIn(chat.io, "shape.json")).toBeObject();
    }
  });

  test("a recursive schema with alternatives of 30 levels is checked at once", async () => {
    for (const key of ["anyOf", "oneOf", "allOf"]) {
      const node = { $ref: "#/$defs/node", description: "a node" };
      const side = (name: string) => ({
        type: "object",
        properties: { below: node, [name]: { type: "string" } },
        required: ["below", name],
      });
      const inner = [side("left"), side("right"), ...(key === "allOf" ? [] : [{ type: "null" }])];
      const schema = { ...node, $defs: { node: { description: "described", [key]: inner } } };
      chat.io.side = fileSide({ "shape.json": JSON.stringify(schema) });
      const pick = await schemaIn(chat.io, "shape.json");
      const nested = (levels: number, end: unknown): unknown =>
        levels === 0 ? end : { below: nested(levels - 1, end), ...(key === "allOf" ? { left: "l" } : {}), right: "r" };
      const good = JSON.stringify(nested(30, null));
      expect("text" in pick.from(good)).toBe(key !== "allOf");
      expect(pick.from(JSON.stringify(nested(30, 5)))).toEqual({ fault: expect.stringContaining("Invalid input") });
    }
  });

  async function withSchema(...answers: string[]): Promise<number> {
    chat.io.side = fileSide({ "shape.json": JSON.stringify(SCHEMA) });
    const [first = "", second] = answers;
    const { exit } = await chat.begin("--schema", "shape.json", "hi");
    await chat.play(said.start(), said.text(first), said.complete("ok", first));
    if (second !== undefined) {
      await until(() => chat.io.fakeSys.asked("proc.send").length === 2);
      await chat.settle();
      await chat.play(said.text(second, { seq: 5 }), said.complete("ok", second));
    }
    return await exit;
  }

  test("an invalid answer is requested again, once, with its faults", async () => {
    expect(await withSchema("nothing failed", '{"failed":[]}')).toBe(0);
    expect(chat.out).toBe('{"failed":[]}\n');
    expect(chat.err).toBe("gsv: the answer is not JSON; retrying\n");
    const [asked, again] = chat.io.fakeSys.asked("proc.send") as { message: string }[];
    expect(asked?.message).toStartWith("hi\n\nAnswer only with JSON");
    expect(again?.message).toStartWith("That answer was not usable: the answer is not JSON.");
  });

  test("the second time it is a failure", async () => {
    expect(await withSchema("nothing failed", "really nothing")).toBe(1);
    expect(chat.out).toBe("");
  });

  test("a missing file is reported before anything is sent", async () => {
    chat.io.side = fileSide({});
    expect(await runs(chat.io, "chat", "--schema", "none.json", "hi")).toBe(3);
    expect(chat.io.fakeSys.asked("proc.send")).toEqual([]);
  });
});

describe("gsv chat --last-message", () => {
  test("the answer is also written to the file", async () => {
    const written: { [path: string]: string } = {};
    chat.io.side = fileSide({}, written);
    expect(await answered("hello", "--last-message", "out.md")).toBe(0);
    expect(written).toEqual({ "out.md": "hello\n" });
    expect(chat.out).toBe("hello\n");
  });
});

describe("target process", () => {
  test("--detach leaves with the pid as soon as the message is stored", async () => {
    expect(await runs(chat.io, "chat", "--detach", "hi")).toBe(0);
    expect(chat.out).toBe("init:1000\n");
  });

  test("-c continues with the most recently active task, never with init", async () => {
    const of = (pid: string, lastActiveAt: number | null, profile = "task") => ({
      pid,
      lastActiveAt,
      createdAt: 1,
      profile,
    });
    const processes = [
      of("init:1000", 90, "init"),
      of("task:abc123", 5),
      of("task:def456", 7),
      of("task:xyz789", null),
    ];
    chat.io.fakeSys.answer("proc.list", () => ({ processes }));
    expect(await runs(chat.io, "chat", "-c", "--detach", "hi")).toBe(0);
    expect(chat.out).toBe("task:def456\n");
    chat.io.fakeSys.answer("proc.list", () => ({ processes: processes.slice(0, 1) }));
    expect(await runs(chat.io, "chat", "-c", "hi")).toBe(3);
  });

  test("contradictory flags are refused before anything is sent", async () => {
    for (const args of [
      ["-c", "--new"],
      ["--system", "x"],
      ["--no-tools"],
      ["--plan", "--mode", "yolo"],
      ["-x", "--schema", "f"],
      ["--detach", "-x"],
    ])
      expect(await runs(chat.io, "chat", ...args, "hi")).toBe(2);
    expect(chat.io.fakeSys.asked("proc.send")).toEqual([]);
  });

  test("--max-turns is a setting of this run alone", async () => {
    expect(await runs(chat.io, "chat", "--max-turns", "3", "--detach", "hi")).toBe(0);
    expect(chat.io.said).toEqual(["run.maxTurns=3"]);
  });
});

/** Host files by name, with their written contents. */
function fileSide(files: { readonly [path: string]: string }, written: { [path: string]: string } = {}): Side {
  const side: Partial<Side> = {
    async look(path) {
      const text = files[path];
      return text === undefined ? null : { kind: "file", mode: 0o644, mtimeMs: 0, size: text.length, real: path };
    },
    async *read(path) {
      yield Buffer.from(files[path] ?? "");
    },
    async write(path, pieces) {
      written[path] = Buffer.concat(await Array.fromAsync(pieces)).toString();
    },
  };
  return side as Side;
}
