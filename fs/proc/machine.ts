// Memory, disk and mounts as files of /proc, for `free`, `df` and `mount`.

import type { TextRow } from "../generated/synthetic.ts";

export interface Amount {
  readonly totalBytes: number;
  readonly freeBytes: number;
}

export interface MachinePorts {
  readonly memory: () => Amount;
  /** The disk of gsv's home. */
  readonly disk: () => Amount;
  readonly mounts: () => readonly { readonly at: string; readonly readOnly?: true }[];
}

export function machineRows({ memory, disk, mounts }: MachinePorts): TextRow[] {
  return [
    {
      path: "/meminfo",
      async text() {
        const { totalBytes, freeBytes } = memory();
        return `${line("MemTotal", totalBytes)}${line("MemFree", freeBytes)}${line("MemAvailable", freeBytes)}`;
      },
    },
    {
      path: "/disk",
      async text() {
        const { totalBytes, freeBytes } = disk();
        return `${line("Total", totalBytes)}${line("Free", freeBytes)}`;
      },
    },
    {
      path: "/mounts",
      text: async () =>
        mounts()
          .map(({ at, readOnly }) => `gsv ${at} gsv ${readOnly ? "ro" : "rw"} 0 0\n`)
          .join(""),
    },
  ];
}

function line(name: string, bytes: number): string {
  return `${`${name}:`.padEnd(16)}${String(Math.floor(bytes / 1024)).padStart(12)} kB\n`;
}
