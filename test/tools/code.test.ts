// Blocks of code in the Workers that run them: their environment, that nothing leads out, and that none blocks the thread that started it.

import { expect, test } from "bun:test";
import { realClock } from "../../src/lib/clock.ts";
import { type CallAnswer, runBlock } from "../../src/tools/code-block.ts";
import type { BlockServer, CodeEnd } from "../../src/tools/code-words.ts";
import { newCodeRunner } from "../../src/workers/workers.ts";

type Call = (name: string, args: string) => Promise<CallAnswer>;

const echo: Call = async (name, args) => ({ value: { name, args: JSON.parse(args) as unknown } });
const never = new AbortController().signal;

function run(
  code: string,
  { args = null as unknown, call = echo, signal = never, servers = [] as readonly BlockServer[] } = {},
): Promise<CodeEnd> {
  const request = { code, args, now: 1_700_000_000_000, seed: 7, servers };
  return runBlock({ newRunner: newCodeRunner, clock: realClock }, request, { call, signal });
}

async function value(code: string, options: Parameters<typeof run>[1] = {}): Promise<unknown> {
  const { result, fault } = await run(code, options);
  if (fault !== null) throw new Error(fault);
  return result === null ? null : JSON.parse(result);
}

test("a block has fs, shell, fetch, args and console, and returns any JSON value", async () => {
  const code = `
    console.log("one", { two: 2 }, [3]);
    return [await fs.edit("a", "b", "c", { target: "host", replaceAll: true }), await shell("ls"), await fetch("u"), args.x];`;
  const { result, logs } = await run(code, { args: { x: 1 } });
  expect(logs).toEqual(['one {"two":2} [3]']);
  expect(JSON.parse(result ?? "")).toEqual([
    { name: "fs.edit", args: { path: "a", oldString: "b", newString: "c", target: "host", replaceAll: true } },
    { name: "shell.exec", args: { command: "ls" } },
    { name: "net.fetch", args: { url: "u" } },
    1,
  ]);
});

test("calls run one after the other, in the order they were made; one that fails throws", async () => {
  const order: string[] = [];
  let busy = 0;
  const call: Call = async (_, args) => {
    expect(++busy).toBe(1);
    await realClock.sleep(1);
    busy--;
    const { path } = JSON.parse(args) as { path: string };
    order.push(path);
    return path === "bad" ? { fault: "ENOENT: no such file" } : { value: path };
  };
  const code = `const all = await Promise.allSettled(["a", "bad", "c"].map((path) => fs.read(path)));
    return all.map(({ value, reason }) => value ?? reason.message);`;
  expect(await value(code, { call })).toEqual(["a", "ENOENT: no such file", "c"]);
  expect(order).toEqual(["a", "bad", "c"]);
});

test("a repeated block takes the same path: time stands still and random numbers restart", async () => {
  const code = "return [Date.now(), new Date().getTime(), Date(), new Date(5).getTime(), Math.random(), Math.random()]";
  const first = (await value(code)) as number[];
  expect(first.slice(0, 2)).toEqual([1_700_000_000_000, 1_700_000_000_000]);
  expect(first[3]).toBe(5);
  expect(first[4]).not.toBe(first[5]!);
  expect(await value(code)).toEqual(first);
});

const OUT: { readonly [what: string]: readonly [code: string, found: unknown] } = {
  "the environment of its interpreter is hidden": [
    "return ['process','Bun','require','globalThis.Worker','self','postMessage','WebAssembly','setTimeout','__call','__log'].filter((n) => { try { return eval(n) !== undefined } catch { return false } })",
    [],
  ],
  "constructors lead to its own interpreter only": [
    "return [fs.read, console.log, shell, args].map((f) => { try { return typeof f.constructor.constructor('return typeof process')() } catch (e) { return e.name } }).concat((async () => {}).constructor('return typeof process')() instanceof Promise)",
    ["string", "string", "string", "TypeError", true],
  ],
  "changes of prototypes stay inside": [
    "Object.prototype.polluted = 1; Object.prototype.toJSON = () => 'x'; JSON.parse = () => ({ value: 'fake' }); String.prototype.slice = () => ''; delete Object.prototype.toJSON; return (await fs.read('a')).name",
    "fs.read",
  ],
  "an error's stack is text": ["try { null.x } catch (e) { return typeof e.stack }", "string"],
  "code that closes the function around it runs in the same interpreter": [
    "return typeof process }); (async () => { return 2",
    null,
  ],
};

for (const [what, [code, found]] of Object.entries(OUT)) {
  test(`no way out: ${what}`, async () => {
    const end = await run(code);
    if (found === null) expect(end.result === null || end.result === '"undefined"' || end.result === "2").toBe(true);
    else expect(JSON.parse(end.result ?? "null")).toEqual(found);
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
  });
}

const FAULTS: { readonly [what: string]: readonly [code: string, fault: RegExp] } = {
  "an exception, with its line": ["\nthrow new TypeError('bad')", /^TypeError: bad \(line 2\)$/],
  "a syntax error": ["const x: number = ;", /^SyntaxError: .* \(line 1\)$/],
  "a promise that never settles": ["return await new Promise(() => {})", /^it waits for something that never happens$/],
  "a huge string": ["return 'x'.repeat(1e9)", /out of memory/],
  "a huge array of bytes": ["return new Uint8Array(1e9).length", /out of memory/],
  "many arrays of a megabyte": ["const all = []; for (;;) all.push(new Uint8Array(1 << 20).fill(1))", /out of memory/],
  "many small objects": ["const all = []; for (;;) all.push({ a: all.length })", /out of memory/],
  "many long strings": ["const all = []; for (let i = 0; ; i++) all.push(('x' + i).repeat(1 << 18))", /out of memory/],
  "endless recursion": ["function f() { return f() + 1 } return f()", /stack/],
  "endless nesting": ["return JSON.parse('['.repeat(1e6))", /stack/],
  "a result that JSON cannot hold": ["const a = {}; a.a = a; return a", /circular/],
  "too much output": ["for (;;) console.log('x'.repeat(10000))", /^it printed more than 256 KiB$/],
  "too large a result": ["return 'x'.repeat(300 * 1024)", /^it printed more than 256 KiB$/],
  "too many calls": ["for (let i = 0; ; i++) await fs.read('f' + i)", /^it made more than 200 calls$/],
};

for (const [what, [code, fault]] of Object.entries(FAULTS)) {
  test(`${what}: one line`, async () => expect((await run(code)).fault).toMatch(fault));
}

test("a block that spins blocks only its own thread, and ends when it is cancelled", async () => {
  const left = new AbortController();
  const spinning = run("for (;;) {}", { signal: left.signal });
  let longest = 0;
  for (let before = performance.now(), turn = 0; turn < 30; turn++) {
    await realClock.sleep(5);
    longest = Math.max(longest, performance.now() - before);
    before = performance.now();
  }
  left.abort();
  await expect(spinning).rejects.toThrow("cancelled");
  expect(longest).toBeLessThan(500);
});

test("a block's time limit ends spinning, also in code that cannot be interrupted; waits for calls do not count", async () => {
  // A clock that runs twenty times faster watches; the interpreter has its own.
  const hasty = { ...realClock, after: (ms: number, work: () => void) => realClock.after(ms / 20, work) };
  const request = { args: null, now: 0, seed: 1, servers: [] };
  const ports = { newRunner: newCodeRunner, clock: { ...hasty, after: soon(hasty.after) } };
  const spin = { ...request, code: "for (;;) {}" };
  expect((await runBlock(ports, spin, { call: echo, signal: never })).fault).toMatch(/^it took longer than 10 s/);
  // Longer than a block's limit by that clock.
  const slow: Call = async () => {
    await realClock.sleep(700);
    return { value: 1 };
  };
  const waits = { ...request, code: "return (await fs.read('a')) + 1" };
  expect((await runBlock(ports, waits, { call: slow, signal: never })).result).toBe("2");
});

/** The time that the thread needs to start. */
function soon(after: typeof realClock.after): typeof realClock.after {
  return (ms, work) => (ms > 12_000 ? realClock.after(ms, work) : after(ms, work));
}

test("servers are globals whose tools are functions, whatever their names; one that is missing is named", async () => {
  const tools = ["create_issue", "look-up", "a-b", "a.b", "constructor", "__proto__", "search"];
  const servers = [
    { name: "git-hub", tools, types: "git-hub: {…}" },
    { name: "fs", tools: ["read"], types: "" },
  ];
  const call: Call = async (name, args) => {
    const { tool } = JSON.parse(args) as { tool: string };
    return {
      value: tool.endsWith("create_issue") ? { text: "1", structured: { number: 1 } } : { text: `${name} ${tool}` },
    };
  };
  const ask = (code: string) => run(code, { servers, call });
  const code = `console.log(git_hub);
    const { constructor: made, __proto__: odd } = git_hub;
    return [await git_hub.create_issue({ title: "x" }), await git_hub.look_up(), await mcp["git-hub"]["a.b"]({}),
      await made({}), await odd({}), await mcp.fs.read({}), typeof fs.write, "then" in git_hub];`;
  const { result, logs, fault } = await ask(code);
  expect([fault, logs]).toEqual([null, ["git-hub: {…}"]]);
  const called = ["look-up", "a.b", "constructor", "__proto__"].map((tool) => `sys.mcp.call mcp.git-hub.${tool}`);
  expect(JSON.parse(result!)).toEqual([{ number: 1 }, ...called, "sys.mcp.call mcp.fs.read", "function", false]);
  expect((await ask("return await git_hub.a_b({})")).fault).toMatch(
    /^Error: git-hub has no a_b; it has: create_issue, look-up/,
  );
  expect((await ask("return await git_hub.search('words')")).fault).toMatch(/takes one object/);
  expect((await ask("git_hub.search = 1; return git_hub.search === 1")).result).toBe("false");
});
