// Every setting: what it is, what it is when nobody says otherwise, and the variable that sets it for one invocation.

interface Setting {
  readonly doc: string;
  readonly fallback: number;
  readonly env: string;
  readonly min: number;
  readonly max: number;
}

export const SETTINGS = {
  "kernel.idleMs": {
    doc: "a kernel with no clients and no work leaves after this long",
    fallback: 10_000,
    env: "GSV_KERNEL_IDLE_MS",
    min: 1,
    max: 86_400_000,
  },
  "kernel.graceMs": {
    doc: "the same, before its first client",
    fallback: 3000,
    env: "GSV_KERNEL_GRACE_MS",
    min: 1,
    max: 86_400_000,
  },
  "kernel.drainMs": {
    doc: "how long turns in flight may take when a kernel leaves",
    fallback: 10_000,
    env: "GSV_KERNEL_DRAIN_MS",
    min: 1,
    max: 600_000,
  },
  "kernel.diskRetryMs": {
    doc: "how often a process held by a full disk looks again",
    fallback: 2000,
    env: "GSV_KERNEL_DISK_RETRY_MS",
    min: 10,
    max: 3_600_000,
  },
  "kernel.termMs": {
    doc: "how long TERM waits for a safe point",
    fallback: 5000,
    env: "GSV_KERNEL_TERM_MS",
    min: 1,
    max: 600_000,
  },
  "kernel.lockCheckMs": {
    doc: "how often a kernel checks that the home is still its own",
    fallback: 5000,
    env: "GSV_KERNEL_LOCK_CHECK_MS",
    min: 10,
    max: 600_000,
  },
} as const satisfies { readonly [key: string]: Setting };

export type SettingName = keyof typeof SETTINGS;
export type Config = { readonly [K in SettingName]: number };

/** Settings of this invocation; a value that is not a whole number in range counts as not said. */
export function configFrom(env: { readonly [name: string]: string | undefined }): Config {
  const values = Object.entries(SETTINGS).map(([key, setting]) => {
    const text = env[setting.env];
    const value = text !== undefined && /^[0-9]{1,9}$/.test(text) ? Number(text) : setting.fallback;
    return [key, value >= setting.min && value <= setting.max ? value : setting.fallback];
  });
  return Object.fromEntries(values) as Config;
}

/** What a client tells the kernel of its environment, and nothing else. */
export const CLIENT_ENV = ["GSV_MODEL", "TZ", "LANG", "EDITOR", "VISUAL"] as const;

/** What the kernel gets of the environment of whoever happens to start it. */
export const KERNEL_ENV = [
  "PATH",
  "HOME",
  "TMPDIR",
  "LANG",
  "LC_ALL",
  "TZ",
  "XDG_RUNTIME_DIR",
  "GSV_HOME",
  "USER",
  "LOGNAME",
] as const;
