// A program that tries everything forbidden to a command of the host in its sandbox, and prints the result of each attempt in one line of JSON:
// "ok", or the error. Run outside it shows that each attempt can succeed. Needs Bun and no other code of gsv.

import { createSocket } from "node:dgram";
import { appendFileSync, linkSync, readdirSync, readFileSync, statSync, symlinkSync } from "node:fs";
import { connect } from "node:net";

export interface Plan {
  /** Paths that have content. */
  readonly see: readonly string[];
  readonly write: readonly string[];
  /** Paths of sockets, abstract ones with `@` before them, and ports of the host. */
  readonly connect: readonly (string | number)[];
  /** UDP ports of the host that answer. */
  readonly send: readonly number[];
  readonly kill: readonly number[];
  readonly trace: readonly number[];
  /** Gets another name inside, and is read under it. */
  readonly link: readonly string[];
}

export interface Told {
  /** "ok", or the error. */
  readonly outcome: { readonly [attempt: string]: string };
  /** Number of visible ones. */
  readonly processes: number;
  readonly env: { readonly [name: string]: string };
  readonly cwd: string;
}

async function tried(attempt: () => unknown): Promise<string> {
  try {
    await attempt();
    return "ok";
  } catch (error) {
    return (error as { code?: string }).code ?? String(error);
  }
}

function reached(where: string | number): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const socket = typeof where === "number" ? connect(where, "127.0.0.1") : connect(where.replace(/^@/, "\0"));
  socket.on("connect", () => {
    socket.destroy();
    resolve();
  });
  socket.on("error", reject);
  return promise;
}

/** As a name is looked up. */
async function answeredBy(port: number): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const socket = createSocket("udp4", () => resolve());
  socket.on("error", reject);
  socket.connect(port, "127.0.0.1", () => socket.send("a name"));
  const late = setTimeout(() => reject(Object.assign(new Error(), { code: "no answer" })), 2000);
  await promise.finally(() => clearTimeout(late));
  socket.close();
}

async function trace(pid: number): Promise<void> {
  const { dlopen } = await import("bun:ffi");
  const { symbols } = dlopen("libc.so.6", { ptrace: { args: ["i64", "i64", "ptr", "ptr"], returns: "i64" } });
  const [seize, detach] = [0x4206, 17];
  if (Number(symbols.ptrace(seize, pid, null, null)) !== 0) throw Object.assign(new Error(), { code: "refused" });
  symbols.ptrace(detach, pid, null, null);
}

/** It has content. */
function filled(path: string): void {
  if (statSync(path).isDirectory() ? readdirSync(path).length === 0 : readFileSync(path).length === 0)
    throw Object.assign(new Error(), { code: "empty" });
}

type Attempt = readonly [what: string, attempt: () => unknown];

function attempts(plan: Plan): readonly Attempt[] {
  const each = <What>(verb: string, all: readonly What[], attempt: (what: What, index: number) => unknown) =>
    all.map((what, index): Attempt => [`${verb} ${what}`, () => attempt(what, index)]);
  return [
    ...each("see", plan.see, filled),
    ...each("write", plan.write, (path) => appendFileSync(path, "x")),
    ...each("connect", plan.connect, reached),
    ...each("send", plan.send, answeredBy),
    ...each("kill", plan.kill, (pid) => process.kill(pid, 0)),
    ...each("trace", plan.trace, trace),
    ...each("link", plan.link, (path, index) => linkSync(path, `hard.${process.pid}.${index}`)),
    ...each("follow", plan.link, (path, index) => {
      symlinkSync(path, `soft.${process.pid}.${index}`);
      filled(`soft.${process.pid}.${index}`);
    }),
  ];
}

if (import.meta.main) {
  const plan = JSON.parse(readFileSync(process.argv[2] ?? "", "utf8")) as Plan;
  const processes = readdirSync("/proc").filter((name) => /^\d+$/.test(name)).length;
  const outcome: Record<string, string> = {};
  for (const [what, attempt] of attempts(plan)) outcome[what] = await tried(attempt);
  process.stdout.write(`${JSON.stringify({ outcome, processes, env: process.env, cwd: process.cwd() })}\n`);
  process.exit();
}
