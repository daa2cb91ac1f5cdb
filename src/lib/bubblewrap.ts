// The arguments that test bubblewrap. They use everything a sandbox needs later: in many containers bubblewrap may not mount /proc. Needs only a
// shell.

/** The common arguments of every sandbox: own namespaces, no capabilities, the file system read-only. */
export const BUBBLE = [
  ...["--die-with-parent", "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"],
  ...["--cap-drop", "ALL", "--ro-bind", "/", "/"],
] as const;
/** /proc contains system settings that root may write even without capabilities, so cover them. */
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
