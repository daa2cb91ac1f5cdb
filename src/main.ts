// Starts a command or a kernel. Only this file reads environment, arguments and OS account, and exits. Loads no more than needed.

import type { Io, Output } from "../commands/command.ts";
import type { Credentials } from "./abi/identity.ts";
import type { ClientInfo, Sys } from "./abi/sys.ts";
import type { HostedKernel } from "./client/host.ts";
import type { RemotesHere } from "./client/remotes/here.ts";
import type { EarlyKernel } from "./client/start/early-kernel.ts";
import type { Clock } from "./lib/clock.ts";
import { COMMIT, VERSION } from "./version.ts";

const argv = process.argv.slice(2);
/** The kernel inside this process. */
let hosted: HostedKernel | null = null;
// All files of gsv are private, whatever the umask of the shell.
process.umask(0o077);

if (argv.length === 1 && (argv[0] === "--version" || argv[0] === "-V")) {
  process.exit(await say(`gsv ${VERSION} (${COMMIT}) bun ${Bun.version}\n`));
} else {
  const [noun, verb, flag] = argv;
  const asKernel =
    noun === "kernel" && verb === "run" && argv.length <= 3 && (flag ?? "--foreground") === "--foreground";
  process.exit(await (asKernel ? kernelProcess() : commandProcess()));
}

/** Without process.stdout and node:fs, which take longer to load than everything else. */
async function say(line: string): Promise<number> {
  try {
    await Bun.write(Bun.stdout, line);
    return 0;
  } catch (error) {
    const { code } = error as { code?: string };
    if (code === "EPIPE") return 141;
    process.stderr.write(`gsv: cannot write the output${code === "ENOSPC" ? ": the disk is full" : ` (${code})`}\n`);
    return 1;
  }
}

/** Where this gsv runs. */
function place() {
  const isBinary = Bun.main.startsWith("/$bunfs/") || Bun.main.startsWith("B:/~BUN/");
  return {
    env: process.env,
    uid: process.getuid?.() ?? 0,
    command: isBinary ? [process.execPath] : [process.execPath, Bun.main],
  };
}

async function invocation() {
  return {
    ...place(),
    clock: await clockOf(process.env.GSV_CLOCK),
    random: (length: number): Uint8Array => crypto.getRandomValues(new Uint8Array(length)),
  };
}

async function clockOf(file: string | undefined): Promise<Clock> {
  if (!file) return (await import("./lib/clock.ts")).realClock;
  const clock = (await import("./client/moved-clock.ts")).movedClock(file, (line) => process.stderr.write(line));
  return clock ?? process.exit(78);
}

/** Throws if GSV_HOME is invalid. */
async function atHome(here: Here) {
  return { ...here, ...(await (await import("./client/start/home-place.ts")).homePlace(here)) };
}

type Here = Awaited<ReturnType<typeof invocation>>;
type Invocation = Awaited<ReturnType<typeof atHome>>;

async function homeOrFault(here: Here) {
  const { SysError } = await import("./abi/errno.ts");
  try {
    return await atHome(here);
  } catch (error) {
    if (error instanceof SysError) return error;
    throw error;
  }
}

async function hostMachine({ env, paths, uid, clock, random, command, socket }: Invocation) {
  const { configFrom } = await import("./abi/config/config.ts");
  const { keychainOf } = await import("./machine/keychain.ts");
  const { startKernel } = await import("./client/start/start-kernel.ts");
  const { accountName } = await import("./paths.ts");
  const { wakeTimer } = await import("./machine/wake/wake.ts");
  const { localZone } = await import("./machine/wake/local-zone.ts");
  return {
    paths,
    uid,
    clock,
    random,
    pid: process.pid,
    exe: command.at(-1) ?? "gsv",
    osUser: accountName(uid, env.USER || env.LOGNAME),
    socket,
    config: configFrom(env),
    path: env.PATH,
    keychain: keychainOf(paths.home, clock),
    secretsStore: env.GSV_SECRETS,
    hostEnv: env,
    wakeTimer: wakeTimer({ paths, env, uid, clock, command }),
    zone: localZone(process.env),
    log: (line: string) => process.stderr.write(`${new Date(clock.now()).toISOString()} ${line}\n`),
    startKernel: () => void startKernel({ paths, command, env }),
    onLost: () => process.exit(75),
    onSignal: (listener: (name: string) => void) => {
      for (const name of ["SIGTERM", "SIGINT"] as const) process.on(name, () => listener(name));
      // A kernel must survive its terminal.
      process.on("SIGHUP", () => {});
    },
  };
}

async function kernelProcess(): Promise<number> {
  const { runKernel } = await import("./client/host.ts");
  const { exitStatusOf } = await import("./abi/errno.ts");
  try {
    await runKernel(await hostMachine(await atHome(await invocation())));
    return 0;
  } catch (error) {
    const { lastWordsOf } = await import("./client/start/start-kernel.ts");
    process.stderr.write(lastWordsOf(error));
    return exitStatusOf(error);
  }
}

async function commandProcess(): Promise<number> {
  // Paint the prompt before anything else is loaded.
  if (argv.length === 0) (await import("./machine/first-paint.ts")).firstPaint(process.env);
  if (await isGarbled()) return 2;
  const message = await messageAhead();
  const { currentDirectory, isInForeground, outputOf, standardInput, signalsOf } = await import("./machine/io.ts");
  const { runCommandLine } = await import("../commands/run.ts");
  const { connecting, lazyKeeping, withReader } = await import("./client/lazy.ts");
  const { remotesHere } = await import("./client/remotes/here.ts");
  const { signingIn } = await import("./client/lazy-sign-in.ts");
  const here = await invocation();
  const { clock, random, env } = here;
  const cwd = currentDirectory(env.PWD);
  const stderr = await withoutSecrets(env, outputOf(2, clock, env.COLUMNS));
  const stdin = standardInput();
  let flags: ClientInfo["flags"];
  const askHidden = async (prompt: string) =>
    stderr.isTTY ? (await import("./machine/terminal.ts")).askHidden(prompt, takeTermination) : null;
  const signIn = signingIn(here, askHidden);
  const answersHere = () => stdin.isTTY && stderr.isTTY && isInForeground();
  let tell = (line: string): void => void stderr.write(line);
  const info = async () => (await import("./client/client.ts")).clientInfo(here, cwd, flags);
  const remotes = remotesHere({ ...here, info, say: (line) => tell(line) });
  const openHome = async (login: Credentials | undefined) => {
    const home = { ...(await atHome(here)), info: await info(), early: message?.early ?? null };
    return openKernel({ ...home, login }, (line) => tell(line));
  };
  const sysWith = connecting({ remotes, signIn, openHome });
  const sys = sysWith();
  if (message !== null) sys.connect();
  const { onSignal, over } = signalsOf(process);
  const io: Io = {
    stdout: outputOf(1, clock, env.COLUMNS),
    stderr,
    stdin,
    signIn,
    remotes,
    env,
    cwd,
    onSignal,
    onEnding: withReader(onSignal),
    onWord: (hear) => {
      const before = tell;
      tell = hear;
      return () => (tell = before);
    },
    jq: async (expression) => (await import("./shell/jq.ts")).jqProgram(expression),
    clock,
    random,
    person: personAt({ ...here, cwd, onSignal, stderr, askHidden, answersHere }),
    override: async (said) => {
      flags = { ...flags, ...(await import("./client/flags.ts")).flagsFrom(said) };
    },
    conceal: concealing(here),
    sys: () => sys,
    sysWith,
    keep: lazyKeeping(async () => {
      await remotes.onlyHere("gsv's home");
      return { ...(await atHome(here)), cwd };
    }),
    kernel: { start: () => sys.call("system.start", {}), manage: managing(here, sys, remotes) },
    machine: machineOf(here, remotes),
    async peek() {
      // Its user closes it, and the command goes on.
      if ((await remotes.current()) !== null) return { ...sys, close: async () => {} };
      return await (await import("./client/read.ts")).peek(() => atHome(here));
    },
    manual: async () => (await import("./prompts/manual.ts")).MANUAL,
    ...onThisComputer({ ...here, cwd, stderr }, remotes),
    spawn: async (program) => (await import("./machine/spawn.ts")).runOnTerminal(program),
  };
  try {
    const isPerson = stdin.isTTY && io.stdout.isTTY;
    const terminal = isPerson ? await (await import("./client/terminal-asked.ts")).terminalAsked(argv) : null;
    if (terminal === null) return over(await runCommandLine(argv, io));
    if (terminal.remote !== null) remotes.choose(terminal.remote);
    const [{ atTerminal }, { paths, uid }] = await Promise.all([import("./machine/at-terminal.ts"), atHome(here)]);
    return await atTerminal(io, { paths, uid, ...terminal });
  } finally {
    await sys.close();
  }
}

async function isGarbled(): Promise<boolean> {
  const isOdd = argv.some((word) => word.includes("\ufffd"));
  const fault = isOdd ? (await import("./machine/argv.ts")).garbled(argv) : null;
  if (fault !== null) process.stderr.write(`${fault}\n`);
  return fault !== null;
}

function managing(here: Here, sys: Sys, remotes: RemotesHere): Io["kernel"]["manage"] {
  return async (lines) => {
    await remotes.onlyHere("the process manager");
    const [{ managerLines }, { paths }] = await Promise.all([import("./client/manager-lines.ts"), atHome(here)]);
    await managerLines(paths.kernelDb, lines, { sys, clock: here.clock });
  };
}

function editing(here: Here & Pick<Io, "cwd" | "onSignal">): Io["person"]["edit"] {
  return async (request) => {
    const { home, runDir: directory } = (await atHome(here)).paths;
    return (await import("./machine/terminal.ts")).editText({ ...here, home, directory }, request);
  };
}

/** null for all commands but a plain message, which starts its kernel first. */
async function messageAhead() {
  if (argv[0] !== "chat") return null;
  return await (await import("./client/start/early-kernel.ts")).ahead(argv, place());
}

type Asking = Pick<Io, "cwd" | "onSignal" | "stderr"> & Pick<Io["person"], "answersHere" | "askHidden">;

function personAt(here: Here & Asking): Io["person"] {
  const { stderr, clock, answersHere, askHidden } = here;
  const ask: Io["person"]["ask"] = async (...asked) =>
    (await import("./machine/terminal.ts")).ask(stderr, clock, ...asked);
  return { answersHere, ask, askHidden, edit: editing(here) };
}

function concealing(here: Here): Io["conceal"] {
  return async (text) => {
    const { withoutStored } = await import("./client/redact-error.ts");
    return withoutStored(text, async () => (await atHome(here)).paths);
  };
}

/** What works with the kernel of this computer only, and `cp`. */
function onThisComputer(here: Here & Pick<Io, "cwd" | "stderr">, remotes: RemotesHere) {
  const { env, clock, random, cwd, stderr } = here;
  const ports: Pick<Io, "host" | "hostTerminal" | "hostLine" | "isOnPath"> = {
    host: async (use) => {
      if (use !== "copy") await remotes.onlyHere("files of this computer");
      const { hostSide } = await import("./machine/host-files.ts");
      const { home, runDir } = (await atHome(here)).paths;
      return hostSide({ cwd, home, drafts: runDir, clock, random });
    },
    hostTerminal: async ({ bare }) => {
      await remotes.onlyHere("a shell of this computer");
      const { hostTerminal } = await import("./machine/host-terminal.ts");
      const { paths } = await atHome(here);
      return hostTerminal({ paths, env, cwd, clock, bare, say: (line) => stderr.write(line) });
    },
    hostLine: async (line, directory = cwd) => {
      // The kernel there runs it.
      if ((await remotes.current()) !== null) return null;
      const { hostLine } = await import("./machine/host-terminal.ts");
      return hostLine({ line, env, cwd: directory, clock, random });
    },
    isOnPath: (name) => remotes.name === null && Bun.which(name, { PATH: env.PATH ?? "" }) !== null,
  };
  return ports;
}

function machineOf(here: Here, remotes: RemotesHere): Io["machine"] {
  const home = (what: string) => remotes.onlyHere(what).then(() => atHome(here));
  return {
    async doctor() {
      await remotes.onlyHere("a check of this computer");
      const { patientOf } = await import("./machine/doctor.ts");
      const { doctorOf } = await import("./doctor/examine.ts");
      return doctorOf(await patientOf({ ...here, home: await homeOrFault(here) }));
    },
    providers: async () => (await import("./providers/table.ts")).providerNames(),
    async places() {
      const { placesOf } = await import("./machine/doctor.ts");
      const { paths, socket, command } = await home("paths of this computer");
      return placesOf(paths, socket, command.at(-1) ?? "gsv");
    },
    wakeTimer: async () => (await import("./machine/wake/wake.ts")).wakeTimer(await home("the timer of this computer")),
    serveService: async () =>
      (await import("./machine/wake/wake.ts")).serveService(await home("the services of this computer")),
    browser: async () => (await import("./machine/browser/open.ts")).browserOf(here.env, here.clock),
  };
}

/** Restores the terminal if a signal ends this process. */
function takeTermination(restore: () => void): () => void {
  const stop = (_name: string, number: number) => {
    restore();
    process.exit(128 + number);
  };
  for (const name of ["SIGTERM", "SIGHUP"] as const) process.once(name, stop);
  return () => {
    for (const name of ["SIGTERM", "SIGHUP"] as const) process.off(name, stop);
  };
}

/** Redacts the secrets of the environment. */
async function withoutSecrets(env: NodeJS.ProcessEnv, output: Output): Promise<Output> {
  const { SECRET_ENV } = await import("./abi/config/environment.ts");
  if (!SECRET_ENV.some((name) => env[name])) return output;
  return (await import("./machine/redact-environment.ts")).redactedOutput(env, output);
}

async function openKernel(
  here: Invocation & {
    readonly login: Credentials | undefined;
    readonly info: ClientInfo;
    readonly early: EarlyKernel | null;
  },
  say: (line: string) => void,
) {
  const { clientSys, isInProcess } = await import("./client/client.ts");
  const { env, paths, info } = here;
  const { firstRunLine } = await import("./client/first-run.ts");
  const { accountName } = await import("./paths.ts");
  const onFirstRun = () => say(firstRunLine(paths.home, accountName(here.uid, env.USER || env.LOGNAME)));
  if (isInProcess(env)) {
    if (hosted !== null) return await hosted.accept(info, here.login);
    const { hostKernel } = await import("./client/host.ts");
    hosted = await hostKernel(await hostMachine(here), info, onFirstRun, here.login);
    if (hosted !== null) return hosted;
  }
  return clientSys({ ...here, onFirstRun });
}
