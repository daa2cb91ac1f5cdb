import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { realClock } from "../../src/lib/clock.ts";
import { scriptProvider } from "../../src/providers/script/script.ts";
import { FakeClock } from "../support/clock.ts";
import { ask, callsOf, eventsOf, requestOf } from "./requests.ts";

let directory = "";
let files = 0;
const provider = scriptProvider({ clock: realClock });

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "gsv-script-"));
});
afterAll(() => rm(directory, { recursive: true }));

async function script(...lines: (object | string)[]): Promise<string> {
  const path = join(directory, `${files++}.jsonl`);
  await Bun.write(path, lines.map((line) => (typeof line === "string" ? line : JSON.stringify(line))).join("\n"));
  return path;
}

type Said = Parameters<typeof requestOf>[0];

async function textOf(path: string, said: Said): Promise<string> {
  const folded = await ask(provider, requestOf(said, path));
  if (folded.kind === "turn") return folded.text;
  return folded.kind === "failure" ? `${folded.failure.class}: ${folded.failure.message}` : folded.kind;
}

const HI: Said = [{ user: "hi" }];

describe("the next line", () => {
  test("follows from the messages alone: a fresh provider continues at the right line", async () => {
    const path = await script({ text: "one" }, "", "# a remark", { text: "two", repeat: 2 }, { text: "four" });
    const said: Said[number][] = [];
    for (const expected of ["one", "two", "two", "four"]) {
      said.push({ user: "next" });
      expect(await textOf(path, said)).toBe(expected);
      expect(await textOf(path, said)).toBe(expected);
      said.push({ assistant: expected });
    }
    expect(await textOf(path, [...said, { user: "next" }])).toContain("config: ");
  });

  test("is the line after the call once the result of a tool is there", async () => {
    const path = await script(
      { calls: [{ name: "Read", args: { path: "~/{{last}}" } }] },
      { text: "It says {{result}}" },
    );
    const first = await ask(provider, requestOf([{ user: "a.md" }], path));
    if (first.kind !== "turn") throw new Error(first.kind);
    expect(callsOf(first)).toEqual([{ name: "Read", args: { path: "~/a.md" } }]);
    expect(first.stop).toBe("tools");
    const call = first.calls[0];
    const said: Said = [
      { user: "a.md" },
      { assistant: "", calls: first.calls },
      { result: "milk", of: call?.id ?? "", tool: "Read" },
    ];
    expect(await textOf(path, said)).toBe("It says milk");
  });

  test("is chosen by `when` first, once per message, as text or as a pattern", async () => {
    const path = await script(
      { when: "Weather", text: "sunny" },
      { when: "/^add \\d+$/i", calls: [{ name: "Read" }] },
      { when: "/^add \\d+$/i", text: "added" },
      { text: "plain {{n}}" },
      { text: "plain {{n}}" },
    );
    const said: Said[number][] = [{ user: "how is the weather" }];
    expect(await textOf(path, said)).toBe("sunny");
    said.push({ assistant: "sunny" }, { user: "hello" });
    expect(await textOf(path, said)).toBe("plain 2");
    said.push({ assistant: "plain 2" }, { user: "Add 12" });
    expect(callsOf(await ask(provider, requestOf(said, path)))).toEqual([{ name: "Read", args: {} }]);
    said.push({ assistant: "", calls: [{ id: "c", name: "Read", args: {} }] }, { result: "x", of: "c", tool: "Read" });
    expect(await textOf(path, said)).toBe("added");
    said.push({ assistant: "added" }, { user: "bye" });
    expect(await textOf(path, said)).toBe("plain 5");
  });

  test("follows a turn that failed permanently, also in the middle of a run", async () => {
    const path = await script({ error: { class: "outage", message: "down" } }, { text: "up again" });
    expect(await textOf(path, HI)).toBe("outage: down");
    expect(await textOf(path, HI)).toBe("outage: down");
    const failed = { event: "Generation failed: down" };
    expect(await textOf(path, [...HI, failed, { user: "hi again" }])).toBe("up again");

    const later = await script({ calls: [{ name: "Read" }] }, { error: { class: "outage" } }, { text: "up again" });
    const said: Said = [...HI, { assistant: "" }, { result: "x", of: "c", tool: "Read" }];
    expect(await textOf(later, said)).toContain("outage: ");
    expect(await textOf(later, [...said, failed, { user: "hi again" }])).toBe("up again");
  });

  test("does not depend on how many messages or events came together", async () => {
    const path = await script({ text: "first" }, { calls: [{ name: "Read" }] }, { text: "third" });
    expect(await textOf(path, [{ user: "a" }, { user: "b" }, { event: "task:abc123 ended" }])).toBe("first");
    const said: Said = [{ user: "a" }, { assistant: "first" }, { user: "b" }, { assistant: "" }];
    const joined: Said = [...said, { result: "x", of: "c", tool: "Read" }, { user: "c" }, { user: "d" }];
    expect(await textOf(path, joined)).toBe("third");
  });
});

describe("an answer", () => {
  test.each([1, 2, 3, 5, 1000])("in pieces of %p code points loses nothing and splits no character", async (chunk) => {
    const text = "Grüße 🙂👩‍👩‍👧 fin";
    const args = { content: text };
    const path = await script({ text, thinking: "hm 🙂", calls: [{ name: "Write", args }], chunk });
    const events = await eventsOf(provider, requestOf(HI, path));
    const pieces = events.flatMap((event) => (event.type === "text" ? [event.text] : []));
    expect(pieces.join("")).toBe(text);
    for (const piece of pieces.slice(0, -1)) expect([...piece]).toHaveLength(chunk);
    for (const piece of pieces) expect(piece.isWellFormed()).toBe(true);
    const folded = await ask(provider, requestOf(HI, path));
    expect(folded).toMatchObject({ kind: "turn", text, thinking: "hm 🙂" });
    expect(callsOf(folded)).toEqual([{ name: "Write", args }]);
  });

  test("has the usage and stop reason of its line, or none", async () => {
    const path = await script({ text: "a", usage: { input: 3, costUsd: 0.5 }, stop: "length" }, { text: "b" });
    const usage = { input: 3, output: 0, cacheRead: 0, cacheWrite: 0, costUsd: 0.5 };
    expect(await ask(provider, requestOf(HI, path))).toMatchObject({ stop: "length", usage });
  });

  test("that is cut short ends without a last event", async () => {
    const path = await script({ text: "half", cut: true });
    expect(await eventsOf(provider, requestOf(HI, path))).toEqual([{ type: "text", text: "half" }]);
  });

  test("with bad JSON of a model is played verbatim and detected", async () => {
    const path = await script({ calls: [{ name: "Write", json: '{"path":' }] });
    expect(await textOf(path, HI)).toContain("protocol: ");
  });

  test("that fails keeps class, words and wait", async () => {
    const path = await script({ text: "so far", error: { class: "throttle", message: "turn {{n}}", retryAfterMs: 9 } });
    expect(await ask(provider, requestOf(HI, path))).toMatchObject({
      kind: "failure",
      text: "so far",
      failure: { class: "throttle", message: "turn 1", retryAfterMs: 9 },
    });
  });

  test("of 50,000 pieces arrives whole, and the event loop runs in between", async () => {
    const path = await script({ text: "token ".repeat(50_000), chunk: 6 });
    let turns = 0;
    let isOver = false;
    const tick = () => {
      turns++;
      if (!isOver) setImmediate(tick);
    };
    setImmediate(tick);
    const events = await eventsOf(provider, requestOf(HI, path));
    isOver = true;
    expect(events).toHaveLength(50_001);
    expect(turns).toBeGreaterThan(50);
  });
});

describe("waiting and aborting", () => {
  test("waits the given times on the injected clock", async () => {
    const clock = new FakeClock();
    const path = await script({ text: "abc", delayMs: 200, chunk: 1, chunkDelayMs: 10 });
    const arrivals: number[] = [];
    const reading = (async () => {
      for await (const _ of scriptProvider({ clock }).stream(requestOf(HI, path), new AbortController().signal)) {
        arrivals.push(clock.mono());
      }
    })();
    for (let ms = 0; ms < 300; ms += 10) {
      while (clock.pending === 0 && arrivals.length < 4) await new Promise((resolve) => setImmediate(resolve));
      await clock.advance(10);
    }
    await reading;
    expect(arrivals).toEqual([200, 210, 220, 220]);
  });

  test("an abort ends it at once, before the first piece, in a wait and between pieces", async () => {
    const path = await script({ text: "abcdef", delayMs: 60_000 });
    const abort = new AbortController();
    const waiting = eventsOf(provider, requestOf(HI, path), abort.signal);
    setImmediate(() => abort.abort());
    expect(await waiting).toEqual([{ type: "aborted" }]);
    expect(await eventsOf(provider, requestOf(HI, path), abort.signal)).toEqual([{ type: "aborted" }]);

    const pieces = await script({ text: "abcdef", chunk: 2 });
    const between = new AbortController();
    const seen: string[] = [];
    for await (const event of provider.stream(requestOf(HI, pieces), between.signal)) {
      seen.push(event.type === "text" ? event.text : event.type);
      if (seen.length === 2) between.abort();
    }
    expect(seen).toEqual(["ab", "cd", "aborted"]);
  });
});

describe("a fault in the file is a config failure with the line number", () => {
  test.each([
    ["{not json", "line 1: not JSON"],
    ["[]", "line 1: the line must be an object"],
    ['# fine\n\n{"txt":"a"}', 'line 3: unknown key "txt"'],
    ['{"delayMs":5}', "line 1: says nothing"],
    ['{"text":5}', "text must be text"],
    ['{"text":"a","repeat":0}', "repeat must be"],
    ['{"text":"a","delayMs":-1}', "delayMs must be"],
    ['{"text":"a","chunk":1.5}', "chunk must be"],
    ['{"text":"a","chunkDelayMs":5}', "chunkDelayMs needs a chunk"],
    ['{"text":"a","when":"/(/"}', "not a regular expression"],
    ['{"text":"a","when":"/a/g"}', "flags"],
    ['{"text":"a","when":"/.*.*.*x/"}', "repeats 3 times"],
    ['{"calls":[{"args":{}}]}', "calls[0].name must be text"],
    ['{"calls":[{"name":"Read","args":[]}]}', "calls[0].args must be an object"],
    ['{"error":{"class":"bad luck"}}', "error.class must be one of"],
    ['{"text":"a","usage":{"input":-1}}', "usage.input"],
    ["# only a remark", "no answers"],
    ["", "no answers"],
  ])("%j", async (content, words) => {
    const path = await script(content);
    const text = await textOf(path, HI);
    expect(text).toStartWith(`config: script ${path}: `);
    expect(text).toContain(words);
  });

  test("a missing file, or a directory, is an error with its name", async () => {
    expect(await textOf(join(directory, "nope"), HI)).toContain("no such file");
    expect(await textOf(directory, HI)).toContain("not a file");
    expect(await textOf("/dev/zero", HI)).toContain("not a file");
  });

  test("a pattern ends fast, whatever the message", async () => {
    const path = await script('{"when":"/.*.*x[*+]/","text":"x"}\n{"text":"plain"}');
    expect(await textOf(path, [{ user: "a".repeat(200_000) }])).toBe("plain");
  }, 2000);
});
