// `gsv kernel run` with a crash plan in front of its stores. Started by test/support/home.ts, in a process of its own.

import { randomBytes } from "node:crypto";
import { configFrom } from "../../src/abi/config/config.ts";
import { exitStatusOf } from "../../src/abi/errno.ts";
import { runKernel } from "../../src/client/host.ts";
import { socketPlace } from "../../src/client/socket.ts";
import { lastWordsOf } from "../../src/client/start/start-kernel.ts";
import { realClock } from "../../src/lib/clock.ts";
import { homePaths } from "../../src/paths.ts";
import { CRASH_ENV, type CrashPlan, crashingPorts } from "./crash.ts";

const { env } = process;
const plan = JSON.parse(env[CRASH_ENV] ?? "{}") as CrashPlan;
process.umask(0o077);
const paths = homePaths(env.GSV_HOME ?? "");
const uid = process.getuid?.() ?? 0;

try {
  await runKernel({
    paths,
    clock: realClock,
    random: (length) => randomBytes(length),
    osUser: "sam",
    pid: process.pid,
    uid,
    exe: "gsv",
    socket: () => socketPlace(paths, { uid }),
    config: configFrom(env),
    hostEnv: env,
    log: (line) => process.stderr.write(`${new Date().toISOString()} ${line}\n`),
    ...(plan.sandboxed ? {} : { findProgram: () => null }),
    ports: crashingPorts(plan),
    // Tests start the next kernel themselves, so that they know its pid.
    startKernel: () => {},
    onLost: () => process.exit(75),
    onSignal: (listener) => {
      for (const name of ["SIGTERM", "SIGINT"] as const) process.on(name, () => listener(name));
    },
  });
  process.exit(0);
} catch (error) {
  process.stderr.write(lastWordsOf(error));
  process.exit(exitStatusOf(error));
}
