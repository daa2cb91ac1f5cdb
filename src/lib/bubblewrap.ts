// Whether bubblewrap does its work on a machine is tried with all it is asked for later: one that may not mount a /proc of its own, as in
// many containers, is none. Needs nothing of the machine but its shell.

/** What every sandbox has: processes, names and rights of its own, and the machine to be read. */
export const BUBBLE = [
  ...["--die-with-parent", "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"],
  ...["--cap-drop", "ALL", "--ro-bind", "/", "/"],
] as const;
/** Settings of the machine lie in /proc as well, and who is root may write them without any right: they are covered again. */
export const OWN_DEVICES = [
  ...["--dev", "/dev", "--proc", "/proc"],
  ...["sys", "sysrq-trigger", "irq", "bus", "fs"].flatMap((name) => [
    "--ro-bind-try",
    `/proc/${name}`,
    `/proc/${name}`,
  ]),
];
export const NO_NETWORK = "--unshare-net";

export const BUBBLE_TRIAL = [...BUBBLE, ...OWN_DEVICES, NO_NETWORK, "--", "/bin/sh", "-c", "exit 0"] as const;
