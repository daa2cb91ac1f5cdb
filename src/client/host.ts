// Runs a kernel, as a process of its own or inside one command. Both hold the lock of the home. The first serves the socket; the second leaves
// queued messages to the next kernel.

import { dirname } from "node:path";
import { type Credentials, ROOT_UID } from "../abi/identity.ts";
import type { ClientInfo, LeaveReason, Sys } from "../abi/sys.ts";
import { bootKernel, type Kernel } from "../boot/boot.ts";
import type { Machine } from "../boot/core.ts";
import { freeAfterWork } from "../kernel/lifetime/free-memory.ts";
import { elect, keepLifetime, type LifetimeOptions } from "../kernel/lifetime/lifetime.ts";
import { connectionsMax } from "../machine/descriptors.ts";
import { watchFiles } from "../machine/watch-files.ts";
import { pathError, prepareHome } from "../paths.ts";
import { isServed } from "../rpc/client.ts";
import { type Server, serve } from "../rpc/server.ts";
import type { ListenOptions } from "../serve/listener.ts";
import type { EndpointPorts } from "../serve/mcp/endpoint.ts";
import type { McpPort } from "../serve/route.ts";
import type { Listen, ServingParts } from "../serve/serving.ts";
import { acquireLock, type Lock } from "../store/lock.ts";
import { SYSCALLS } from "../syscalls/all.ts";
import { VERSION } from "../version.ts";
import type { SocketPlace } from "./socket.ts";

export interface HostMachine extends Machine {
  readonly uid: number;
  readonly exe: string;
  /** Call it after the home is prepared. */
  readonly socket: () => SocketPlace;
  /** Starts another kernel for work that came during the drain. */
  readonly startKernel: () => void;
  /** Another kernel owns the home now: exit without another write. */
  readonly onLost: () => void;
  readonly onSignal: (listener: (name: string) => void) => void;
}

/** Half of it is the binary itself. */
const MUCH_BYTES = 100 * 2 ** 20;

const classOf = (name: string) => SYSCALLS.get(name)?.class;

/** Serves until there is nothing to do or a client stops it. Returns at once if another kernel serves this home. */
export async function runKernel(machine: HostMachine): Promise<void> {
  const { paths, clock } = machine;
  prepareHome(paths, machine.uid);
  const socket = machine.socket();
  const lock = await wonElection(machine, socket);
  if (lock === null) return;
  // A signal during the start must not interrupt it: finish starting, then drain.
  const askedToGo = new Promise<void>((resolve) => machine.onSignal(() => resolve()));
  const kernel = await bootOr(lock, machine);
  const { config } = kernel;
  const door = { version: VERSION, accept: kernel.accept };
  const onFault = (call: string, error: unknown) =>
    kernel.log(`${call}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
  const server = await serve({
    socketPath: socket.path,
    place: socket,
    connectionsMax: connectionsMax(),
    door,
    clock,
    pid: machine.pid,
    exe: machine.exe,
    classOf,
    onFault,
  });
  const { serving } = kernel;
  kernel.host.listen = listenFor(kernel, machine, onFault);
  const lifetime = keepLifetime({
    lock: { stillOurs: () => lock.stillOurs() && kernel.stands(), release: () => lock.release() },
    clock,
    server: withListener(server, serving),
    isWorking: () => kernel.isWorking() || serving.isOn,
    dueWithinMs: kernel.dueWithinMs,
    onDrain: drainSteps(kernel, config["kernel.drainMs"]),
    onLost: machine.onLost,
    info: { pid: machine.pid, version: VERSION, exe: machine.exe, socket: socket.path, startedAt: clock.now() },
    infoFile: paths.kernelInfo,
    watch: (changed) => watchFiles([dirname(paths.lockFile), dirname(socket.path), paths.kernelDb], changed),
    settings: {
      idleMs: config["kernel.idleMs"],
      graceMs: config["kernel.graceMs"],
      turnsMs: config["kernel.drainMs"],
      lockCheckMs: config["kernel.lockCheckMs"],
    },
  });
  const { ledger, isWorking } = kernel;
  const stopFreeing = freeAfterWork({
    watch: (changed) => ledger.watch(changed),
    isWorking,
    clock,
    free() {
      Bun.gc(true);
      return process.memoryUsage.rss() > MUCH_BYTES;
    },
  });
  kernel.host.clients = () => server.clients + serving.clients;
  kernel.host.drain = (why: LeaveReason) => void lifetime.drain(why);
  void serving.begin().catch((error) => onFault("serve", error));
  void askedToGo.then(() => {
    // A system shutdown does not wait for 10 s.
    void kernel.drain(config["kernel.termMs"]);
    void lifetime.drain("stop");
  });
  const ended = await lifetime.ended;
  stopFreeing();
  if (ended.leftWork && ended.why === "idle") machine.startKernel();
}

function listenFor(
  kernel: Kernel,
  { clock, pid, exe, random }: HostMachine,
  onFault: (call: string, error: unknown) => void,
): Listen {
  return async ({ isPublic, ...asked }) => {
    const { listen } = await import("../serve/listener.ts");
    const connection = { clock, pid, exe, classOf, onFault };
    const callPaths = async () => (await import("../syscalls/openapi.ts")).callPaths(SYSCALLS.values());
    const publicObjects = isPublic ? kernel.objects : null;
    const isAnswering = () =>
      kernel.callers.person(ROOT_UID, "/").then(
        () => true,
        () => false,
      );
    const { Metrics } = await import("../serve/metrics/metrics.ts");
    const metrics = new Metrics(kernel.figures, clock);
    const mcp = lazyMcp({ clock, random, onError: (error) => onFault("mcp", error) });
    const host = { clock, random, callPaths, publicObjects, metrics, mcp, isAnswering };
    const { accept, entries } = kernel;
    const enter: ListenOptions["enter"] = (request, arrival) => entries.enter(request, arrival);
    return listen({ ...asked, version: VERSION, accept, enter, connection, host });
  };
}

/** Loaded by the first request. */
function lazyMcp(ports: Omit<EndpointPorts, "serve">): McpPort {
  const load = async () => {
    const { McpEndpoint } = await import("../serve/mcp/endpoint.ts");
    const { servingHttp } = await import("../../commands/links/mcp-server/over-http.ts");
    return new McpEndpoint({ ...ports, serve: servingHttp(ports) });
  };
  let begun: Promise<McpPort> | null = null;
  return {
    async answer(visit) {
      begun ??= load();
      return (await begun).answer(visit);
    },
    close: () => void begun?.then((mcp) => mcp.close()),
  };
}

/** The clients of the socket and those of the network leave in the same way. */
function withListener(server: Server, serving: ServingParts): LifetimeOptions["server"] {
  return {
    get clients() {
      return server.clients + serving.clients;
    },
    onConnect: (check) => server.onConnect(check),
    onQuiet: (listener) => server.onQuiet(listener),
    keepReachable: () => server.keepReachable(),
    bye(why) {
      server.bye(why);
      serving.bye(why);
    },
    async close() {
      await Promise.all([server.close(), serving.close()]);
    },
  };
}

export interface HostedKernel extends Sys, Pick<Kernel, "accept"> {}

/** A kernel inside this process; null if another one holds the home. */
export async function hostKernel(
  machine: HostMachine,
  client: ClientInfo,
  onFirstRun: () => void,
  login?: Credentials,
): Promise<HostedKernel | null> {
  prepareHome(machine.paths, machine.uid);
  const lock = await wonElection(machine, machine.socket());
  if (lock === null) return null;
  const kernel = await bootOr(lock, machine);
  if (kernel.firstRun) onFirstRun();
  const sys = await kernel.accept(client, login).catch(async (error: unknown) => {
    await kernel.leave();
    lock.release();
    throw error;
  });
  return {
    call: sys.call,
    on: sys.on,
    accept: kernel.accept,
    async close() {
      await kernel.drain(kernel.config["kernel.drainMs"]);
      await sys.close();
      await kernel.leave();
      lock.release();
    },
  };
}

function wonElection({ paths, clock }: HostMachine, socket: SocketPlace): Promise<Lock | null> {
  const isMet = async () => socket.mayServe() && (await isServed(socket.path));
  return elect({ acquire: () => acquireLock(paths.lockFile), isServed: isMet, clock });
}

async function bootOr(lock: Lock, machine: Machine): Promise<Kernel> {
  try {
    return await bootKernel(machine);
  } catch (error) {
    lock.release();
    throw pathError(error) ?? error;
  }
}

function drainSteps(kernel: Kernel, drainMs: number) {
  let settled: Promise<void> = Promise.resolve();
  return {
    stopClaiming: () => {
      settled = kernel.drain(drainMs);
    },
    settled: () => settled,
    close: () => kernel.leave(),
  };
}
