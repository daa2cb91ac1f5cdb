// A home at rest after use by a kernel, for the doctor: nothing runs, and a test may break it. The test can set
// the answers of the host.

import { Database } from "bun:sqlite";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { socketPlace } from "../../src/client/socket.ts";
import { doctorOf, type Finding } from "../../src/doctor/examine.ts";
import type { Patient } from "../../src/doctor/patient.ts";
import { realClock } from "../../src/lib/clock.ts";
import { patientOf } from "../../src/machine/doctor.ts";
import { LaidHome } from "./first-home.ts";
import { TestKernel } from "./kernel.ts";
import { seeded } from "./random.ts";

export class Bed {
  private constructor(readonly home: TestKernel) {}

  /** A home with an init that had messages, a task, and an archive. */
  static async make(): Promise<Bed> {
    return new Bed(await TestKernel.atRest(LIVED_IN));
  }

  /** The first one; the others are copies. */
  static async first(): Promise<Bed> {
    const home = await TestKernel.boot();
    await home.say("hello");
    await home.sys.call("fs.write", { path: "~/note", content: "a note" });
    await home.sys.call("proc.reset", {});
    await home.say("again");
    const bed = new Bed(home);
    await bed.rest();
    // gsv itself sets a umask; the process of a test does not.
    await bed.fix("permissions");
    return bed;
  }

  get paths() {
    return this.home.paths;
  }

  /** The kernel leaves. */
  async rest(): Promise<void> {
    await this.home.kernel.drain(0);
    await this.home.kernel.leave();
  }

  /** A kernel starts, resumes all work, and leaves. */
  async visit(): Promise<readonly string[]> {
    await this.home.start();
    const faults = this.home.faults;
    await this.rest();
    return faults;
  }

  async patient(over: Partial<Patient> = {}): Promise<Patient> {
    const uid = process.getuid?.() ?? 0;
    const socket = () => socketPlace(this.paths, { uid });
    const machine = { uid, env: { PATH: process.env.PATH ?? "" }, clock: realClock, random: seeded(5).bytes };
    return { ...(await patientOf({ ...machine, home: { paths: this.paths, socket } })), ...over };
  }

  /** The findings of these checks, in a line each. */
  async look(checks: string | readonly string[], over: Partial<Patient> = {}): Promise<string[]> {
    return lines(await doctorOf(await this.patient(over)).examine({ checks: [checks].flat(), fix: false }));
  }

  async fix(checks: string | readonly string[], over: Partial<Patient> = {}): Promise<string[]> {
    return lines(await doctorOf(await this.patient(over)).examine({ checks: [checks].flat(), fix: true }));
  }

  async fsck(repair = false): Promise<string[]> {
    return lines(await doctorOf(await this.patient()).fsck({ repair }));
  }

  /** One statement in a database of the home. */
  sql(name: string, ...statements: string[]): void {
    const db = new Database(join(this.paths.home, name), { readwrite: true });
    try {
      for (const statement of statements) db.run(statement);
    } finally {
      db.close();
    }
  }

  [Symbol.dispose](): void {
    rmSync(this.home.directory, { recursive: true, force: true });
  }
}

const LIVED_IN = new LaidHome(async () => {
  const bed = await Bed.first();
  return { directory: bed.home.directory, remove: () => bed[Symbol.dispose]() };
});

export function lines(found: readonly Finding[]): string[] {
  return found.map(({ level, check, what }) => `${level} ${check}: ${what}`);
}
