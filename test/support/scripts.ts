// Scripts of gsv's shell in real Workers over files in memory, for tests that need no kernel.

import type { Mount } from "../../fs/filesystem.ts";
import { Namespace } from "../../fs/namespace.ts";
import { shellFiles } from "../../src/kernel/shells/shell-files.ts";
import { realClock } from "../../src/lib/clock.ts";
import { JobRoom, JobTable } from "../../src/targets/jobs.ts";
import type { FileVerb, ShellFiles, ShellJob, ShellState } from "../../src/targets/shell.ts";
import { WorkerPool } from "../../src/targets/worker-pool.ts";
import { sam } from "./caller.ts";
import { memoryMount } from "./memoryfs.ts";
import { lentShellRunner } from "./shell-runners.ts";
import { FakeSys } from "./sys.ts";

export const HOME = "/home/sam";

interface Printed {
  readonly stdout: string;
  readonly stderr: string;
  readonly exit: number;
}

interface Watch {
  /** Called with all of stdout, each time there is more. */
  readonly hear?: (stdout: string) => unknown;
  /** Ends the script. */
  readonly signal?: AbortSignal;
}

export class Scripts {
  files!: ShellFiles;
  /** What the last script asked of the files, in order. */
  readonly asked: FileVerb[] = [];
  private readonly workers = new WorkerPool({
    ...{ newRunner: lentShellRunner, clock: realClock },
    ...{ runningMax: 2, runningMaxEach: 2, memory: () => 0, memoryMax: 1, warmMax: 2, warmMs: 10_000 },
  });

  /** New files: these directories, and more mounts beside the root. */
  async reset(directories: readonly string[] = ["/tmp", "/home", HOME], mounts: readonly Mount[] = []): Promise<void> {
    const namespace = new Namespace([{ at: "/", fs: memoryMount() }, ...mounts]);
    this.files = shellFiles({ namespace, caller: sam, isGuarded: () => false, approved: true });
    for (const path of directories) await this.files.mkdir(path, false);
  }

  async run(script: string, given: Partial<ShellJob> = {}, watch?: Watch): Promise<Printed> {
    const { stdout, stderr, exit } = await this.play(script, given, watch);
    return { stdout, stderr, exit };
  }

  /** A line of a shell that keeps its state. */
  async line(script: string, state: ShellState | null) {
    return await this.play(script, { keepsState: true, state });
  }

  close(): void {
    this.workers.close();
  }

  private async play(script: string, given: Partial<ShellJob>, watch: Watch = {}) {
    const printed = { stdout: "", stderr: "" };
    this.asked.length = 0;
    const end = await new JobTable(this.workers, new JobRoom(8, 8), realClock).run(
      {
        ...{ script, name: "gsv", args: [], cwd: HOME, env: { HOME, PATH: "/usr/bin:/bin" }, stdin: new Uint8Array() },
        ...{ state: null, keepsState: false, outputBytesMax: 1024 * 1024, wallMs: 30_000, ...given },
      },
      {
        ...{
          owner: 1000,
          files: this.counted(),
          sys: new FakeSys(),
          signal: watch.signal ?? new AbortController().signal,
        },
        print: (stream, bytes) => {
          printed[stream] += Buffer.from(bytes).toString();
          watch.hear?.(printed.stdout);
        },
      },
    );
    return { ...end, ...printed };
  }

  private counted(): ShellFiles {
    const { files, asked } = this;
    return new Proxy(files, {
      get(_, verb: FileVerb) {
        asked.push(verb);
        return files[verb];
      },
    });
  }
}
