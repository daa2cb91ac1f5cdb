// Scripts of gsv's shell in real Workers over files in memory, for tests that need no kernel.

import { Namespace } from "../../fs/namespace.ts";
import { shellFiles } from "../../src/kernel/shells/shell-files.ts";
import { realClock } from "../../src/lib/clock.ts";
import { JobRoom, JobTable } from "../../src/targets/jobs.ts";
import type { FileVerb, ShellFiles } from "../../src/targets/shell.ts";
import { WorkerPool } from "../../src/targets/worker-pool.ts";
import { newShellRunner } from "../../src/workers/workers.ts";
import { sam } from "./caller.ts";
import { memoryMount } from "./memoryfs.ts";
import { FakeSys } from "./sys.ts";

const HOME = "/home/sam";

export class Scripts {
  private readonly shells = new WorkerPool({
    ...{ newRunner: newShellRunner, clock: realClock },
    ...{ runningMax: 2, runningMaxEach: 2, memory: () => 0, memoryMax: 1, warmMax: 2, warmMs: 10_000 },
  });
  files: ShellFiles = emptyFiles();
  /** What scripts asked of the files, in order. */
  readonly asked: FileVerb[] = [];

  /** New files with an empty home. */
  async reset(): Promise<void> {
    this.files = emptyFiles();
    for (const path of ["/tmp", "/home", HOME]) await this.files.mkdir(path, false);
  }

  async run(script: string, stdin = "") {
    const told = { stdout: "", stderr: "" };
    this.asked.length = 0;
    const { exit } = await new JobTable(this.shells, new JobRoom(8, 8), realClock).run(
      {
        ...{ script, name: "gsv", args: ["p", "q"], cwd: HOME, env: { HOME, PATH: "/usr/bin:/bin" } },
        ...{ stdin: Buffer.from(stdin), state: null, keepsState: false, outputBytesMax: 256 * 1024, wallMs: 30_000 },
      },
      {
        ...{ owner: 1000, files: this.counted(), sys: new FakeSys(), signal: new AbortController().signal },
        print: (stream, bytes) => {
          told[stream] += Buffer.from(bytes).toString();
        },
      },
    );
    return { ...told, exit };
  }

  close(): void {
    this.shells.close();
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

function emptyFiles(): ShellFiles {
  const namespace = new Namespace([{ at: "/", fs: memoryMount() }]);
  return shellFiles({ namespace, caller: sam, isGuarded: () => false, approved: true });
}
