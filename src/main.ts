// argv to client, kernel or command. The one file that reads the environment, the arguments and the account of the operating system, and
// the one that exits. What a command does not need is not loaded.

import { COMMIT, VERSION } from "./version.ts";

const argv = process.argv.slice(2);
// Everything gsv makes is for its owner alone, whatever the shell's mask says.
process.umask(0o077);

if (argv.length === 1 && (argv[0] === "--version" || argv[0] === "-V")) {
  // Not process.stdout: making it takes longer than all the rest.
  console.log(`gsv ${VERSION} (${COMMIT}) bun ${Bun.version}`);
} else {
  const { realClock } = await import("./lib/clock.ts");
  const { homePaths, socketPathFor } = await import("./paths.ts");
  const { homedir } = await import("node:os");
  const env = process.env;
  const paths = homePaths(env.GSV_HOME || `${env.HOME || homedir()}/.gsv`);
  const random = (length: number): Uint8Array => crypto.getRandomValues(new Uint8Array(length));
  const self =
    Bun.main.startsWith("/$bunfs/") || Bun.main.startsWith("B:/~BUN/")
      ? [process.execPath]
      : [process.execPath, Bun.main];
  const uid = process.getuid?.() ?? 0;

  const host = async () => {
    const { configFrom } = await import("./abi/config.ts");
    const { startKernel } = await import("./boot-client.ts");
    const { accountName } = await import("./paths.ts");
    return {
      paths,
      clock: realClock,
      random,
      osUser: accountName(uid, env.USER || env.LOGNAME),
      pid: process.pid,
      uid,
      exe: self.at(-1) ?? "gsv",
      socketPath: socketPathFor(paths, { uid, runtimeDir: env.XDG_RUNTIME_DIR }),
      config: configFrom(env),
      log: (line: string) => process.stderr.write(`${new Date().toISOString()} ${line}\n`),
      startKernel: () => void startKernel({ paths, command: self, env }),
      onLost: () => process.exit(75),
      onSignal: (listener: (name: string) => void) => {
        for (const name of ["SIGTERM", "SIGINT"] as const) process.on(name, () => listener(name));
        // The terminal it was started from may close.
        process.on("SIGHUP", () => {});
      },
    };
  };

  if (argv[0] === "kernel" && argv[1] === "run" && argv.length === 2) {
    process.exit(await kernelProcess());
  } else {
    process.exit(await command());
  }

  async function kernelProcess(): Promise<number> {
    const { runKernel } = await import("./boot-host.ts");
    const { exitStatusOf } = await import("./abi/errno.ts");
    try {
      await runKernel(await host());
      return 0;
    } catch (error) {
      process.stderr.write(`gsv: ${error instanceof Error ? error.message : String(error)}\n`);
      return exitStatusOf(error);
    }
  }

  async function command(): Promise<number> {
    const { outputOf, standardInput, takeSignals } = await import("./boot-io.ts");
    const { runCommandLine } = await import("../commands/run.ts");
    const { clientEnv, clientSys } = await import("./boot-client.ts");
    const { uuidv7 } = await import("./abi/ids.ts");
    const { lazySys } = await import("./boot-lazy.ts");
    const stdout = outputOf(1, realClock, env.COLUMNS);
    const stderr = outputOf(2, realClock, env.COLUMNS);
    const info = {
      clientId: uuidv7(realClock.now(), random),
      version: VERSION,
      cwd: process.cwd(),
      env: clientEnv(env),
    };
    const connect = () =>
      clientSys({
        paths,
        socketPath: socketPathFor(paths, { uid, runtimeDir: env.XDG_RUNTIME_DIR }),
        uid,
        clock: realClock,
        random,
        info,
        command: self,
        env,
        onFirstRun: () => void stderr.write(`gsv: made a home at ${paths.home}\n`),
      });
    const sys = lazySys(async () => {
      if (env.GSV_KERNEL !== "in-process") return connect();
      const { hostKernel } = await import("./boot-host.ts");
      return (await hostKernel(await host(), info)) ?? connect();
    });
    try {
      return await runCommandLine(argv, {
        stdout,
        stderr,
        stdin: standardInput(),
        env,
        cwd: process.cwd(),
        onSignal: (listener) => takeSignals(process, listener),
        clock: realClock,
        random,
        sys: () => sys,
        kernel: { start: () => sys.call("system.start", {}) },
      });
    } finally {
      await sys.close();
    }
  }
}
