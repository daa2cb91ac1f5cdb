// argv to client, kernel or command. The one file that reads the environment, the arguments and the account of the operating system, and
// the one that exits. What a command does not need is not loaded.

import type { Credentials } from "./abi/identity.ts";
import { COMMIT, VERSION } from "./version.ts";

const argv = process.argv.slice(2);
// Everything gsv makes is for its owner alone, whatever the shell's mask says.
process.umask(0o077);

if (argv.length === 1 && (argv[0] === "--version" || argv[0] === "-V")) {
  // Not process.stdout: making it takes longer than all the rest.
  console.log(`gsv ${VERSION} (${COMMIT}) bun ${Bun.version}`);
} else {
  const asKernel = argv.length === 2 && argv[0] === "kernel" && argv[1] === "run";
  process.exit(await (asKernel ? kernelProcess() : commandProcess()));
}

/** This invocation: its environment, whose it is, and how to run this gsv once more. */
async function invocation() {
  const { realClock } = await import("./lib/clock.ts");
  const isBinary = Bun.main.startsWith("/$bunfs/") || Bun.main.startsWith("B:/~BUN/");
  return {
    env: process.env,
    uid: process.getuid?.() ?? 0,
    clock: realClock,
    random: (length: number): Uint8Array => crypto.getRandomValues(new Uint8Array(length)),
    command: isBinary ? [process.execPath] : [process.execPath, Bun.main],
  };
}

/** The same with its home; refuses an environment that names none. */
async function atHome(here: Awaited<ReturnType<typeof invocation>>) {
  const { homeFrom, homePaths, socketPathFor } = await import("./paths.ts");
  const { env, uid } = here;
  const paths = homePaths(homeFrom(env.GSV_HOME, env.HOME || (await import("node:os")).homedir()));
  return { ...here, paths, socketPath: () => socketPathFor(paths, { uid, runtimeDir: env.XDG_RUNTIME_DIR }) };
}

type Invocation = Awaited<ReturnType<typeof atHome>>;

async function hostMachine({ env, paths, uid, clock, random, command, socketPath }: Invocation) {
  const { configFrom } = await import("./abi/config.ts");
  const { startKernel } = await import("./boot-client.ts");
  const { accountName } = await import("./paths.ts");
  return {
    paths,
    uid,
    clock,
    random,
    pid: process.pid,
    exe: command.at(-1) ?? "gsv",
    osUser: accountName(uid, env.USER || env.LOGNAME),
    socketPath: socketPath(),
    config: configFrom(env),
    log: (line: string) => process.stderr.write(`${new Date(clock.now()).toISOString()} ${line}\n`),
    startKernel: () => void startKernel({ paths, command, env }),
    onLost: () => process.exit(75),
    onSignal: (listener: (name: string) => void) => {
      for (const name of ["SIGTERM", "SIGINT"] as const) process.on(name, () => listener(name));
      // The terminal it was started from may close.
      process.on("SIGHUP", () => {});
    },
  };
}

async function kernelProcess(): Promise<number> {
  const { runKernel } = await import("./boot-host.ts");
  const { exitStatusOf } = await import("./abi/errno.ts");
  try {
    await runKernel(await hostMachine(await atHome(await invocation())));
    return 0;
  } catch (error) {
    process.stderr.write(`gsv: ${error instanceof Error ? error.message : String(error)}\n`);
    return exitStatusOf(error);
  }
}

async function commandProcess(): Promise<number> {
  const { outputOf, standardInput, takeSignals } = await import("./boot-io.ts");
  const { runCommandLine } = await import("../commands/run.ts");
  const { lazySys } = await import("./boot-lazy.ts");
  const here = await invocation();
  const { clock, random, env } = here;
  const cwd = process.cwd();
  const stderr = await outputOf(2, clock, env.COLUMNS);
  const stdin = await standardInput();
  const signIn = await signingIn(here, () => stderr.isTTY);
  const sys = lazySys(async () => {
    const login = await signIn.credentials();
    return openKernel({ ...(await atHome(here)), login }, cwd, (line) => void stderr.write(line));
  });
  try {
    return await runCommandLine(argv, {
      stdout: await outputOf(1, clock, env.COLUMNS),
      stderr,
      stdin,
      signIn,
      env,
      cwd,
      onSignal: (listener) => takeSignals(process, listener),
      clock,
      random,
      sys: () => sys,
      kernel: { start: () => sys.call("system.start", {}) },
    });
  } finally {
    await sys.close();
  }
}

async function signingIn(here: Awaited<ReturnType<typeof invocation>>, isTTY: () => boolean) {
  const { signing } = await import("./boot-sign-in.ts");
  const { homeFrom, homePaths } = await import("./paths.ts");
  const { env, clock } = here;
  const runDir = () => homePaths(homeFrom(env.GSV_HOME, env.HOME || "/")).runDir;
  return signing({ env, runDir, now: () => clock.now(), isTTY, interrupted: () => process.exit(130) });
}

async function openKernel(
  here: Invocation & { readonly login: Credentials | undefined },
  cwd: string,
  say: (line: string) => void,
) {
  const { clientEnv, clientSys, isInProcess } = await import("./boot-client.ts");
  const { uuidv7 } = await import("./abi/ids.ts");
  const { env, paths, clock, random } = here;
  const info = { clientId: uuidv7(clock.now(), random), version: VERSION, cwd, env: clientEnv(env) };
  const onFirstRun = () => say(`gsv: made a home at ${paths.home}\n`);
  if (isInProcess(env)) {
    const { hostKernel } = await import("./boot-host.ts");
    const hosted = await hostKernel(await hostMachine(here), info, onFirstRun, here.login);
    if (hosted !== null) return hosted;
  }
  return clientSys({ ...here, socketPath: here.socketPath(), info, onFirstRun });
}
