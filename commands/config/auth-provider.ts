// `gsv auth provider NAME`: saves the API key of a provider as a secret. Reads it hidden from the terminal, from stdin, a variable or the
// output of a program. Never from an argument, which others could see.

import { SETTING_NAMES } from "../../src/abi/config/config.ts";
import { SysError } from "../../src/abi/errno.ts";
import { isLikeKey } from "../../src/lib/text/redact.ts";
import { field } from "../../src/syscalls/define.ts";
import type { ChangedSetting } from "../../src/syscalls/services.ts";
import { usageError } from "../args.ts";
import type { Command, Io } from "../command.ts";
import { command } from "../define.ts";
import { declared } from "../derive.ts";
import { note } from "../io/status.ts";
import { stdinText } from "../io/stdin.ts";
import { printResult } from "../print.ts";

const PREFIX = "apiKeys.";
/** Any other OpenAI-compatible server. */
const COMPATIBLE = "compatible";

const WITH_KEY = SETTING_NAMES.filter((each) => each.startsWith(PREFIX)).map((each) => each.slice(PREFIX.length));

const providerInput = {
  name: field.text(`${WITH_KEY.join(", ")} or ${COMPATIBLE} (for ai.baseUrl)`, {
    positional: true,
    longest: 40,
    meta: "NAME",
  }),
  env: field.optional(field.text("environment variable that contains the key", { longest: 200, meta: "VARIABLE" })),
  helper: field.optional(field.text("command that prints the key", { longest: 2000, meta: "COMMAND" })),
};

const spec = {
  name: "auth provider",
  summary: "Save the API key of a provider",
  input: providerInput,
  examples: [
    "gsv auth provider anthropic",
    "gsv auth provider openai < key.txt",
    "gsv auth provider openai --env MY_OPENAI_KEY",
    "gsv auth provider openrouter --helper 'pass show openrouter'",
  ],
  notes: [
    "On a terminal, gsv asks for the key without showing it. To test it: gsv doctor --provider. To delete it: gsv config unset apiKeys.NAME",
  ],
};

export const provider: Command = command(spec, async ({ args, json }, io) => {
  if (args.env !== undefined && args.helper !== undefined) {
    throw usageError(spec, "--env and --helper cannot be combined");
  }
  const key = settingOf(args.name);
  const value = (await keyFrom(io, key, args)).trim();
  if (value === "") throw new SysError("EUSAGE", `no value for ${key}; nothing changed`);
  const result = await io.sys().call<{ changed: readonly ChangedSetting[] }>("config.set", { key, value });
  await printResult(io, (await declared("config.set")).cli.print, result, json);
  await note(io, "gsv: to test it: gsv doctor --provider");
  return 0;
});

function settingOf(name: string): string {
  const key = name === COMPATIBLE ? "ai.apiKey" : `${PREFIX}${name}`;
  if (SETTING_NAMES.some((each) => each === key)) return key;
  throw new SysError("EUSAGE", `gsv keeps no key for ${isLikeKey(name) ? "that name" : JSON.stringify(name)}`, [
    `one of ${[...WITH_KEY, COMPATIBLE].join(", ")}; other providers need no key`,
  ]);
}

async function keyFrom(
  io: Io,
  key: string,
  { env, helper }: { readonly env?: string; readonly helper?: string },
): Promise<string> {
  if (env !== undefined) {
    const value = io.env[env];
    if (value === undefined) throw new SysError("EUSAGE", `${env} is not set`);
    return value;
  }
  if (helper !== undefined) return await printedBy(io, helper);
  if (io.stdin.isTTY) return (await io.person.askHidden(`${key}: `)) ?? "";
  return io.stdin.kind === "none" ? "" : await stdinText(io);
}

/** Helpers need these to find their own stores. None is a secret of gsv. */
const HELPER_ENV = [
  "PATH",
  "HOME",
  "USER",
  "LOGNAME",
  "LANG",
  "TERM",
  "TMPDIR",
  "DISPLAY",
  "WAYLAND_DISPLAY",
  "GPG_TTY",
];
const HELPER_ENV_TOO = [
  "GNUPGHOME",
  "PASSWORD_STORE_DIR",
  "XDG_RUNTIME_DIR",
  "DBUS_SESSION_BUS_ADDRESS",
  "SSH_AUTH_SOCK",
];

async function printedBy(io: Io, helper: string): Promise<string> {
  const named = [...HELPER_ENV, ...HELPER_ENV_TOO].flatMap((name) => {
    const value = io.env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  let printed = "";
  const status = await io.spawn({
    argv: ["sh", "-c", helper],
    env: Object.fromEntries(named),
    stdin: "",
    signal: new AbortController().signal,
    onOutput: (text) => {
      printed = text;
    },
  });
  if (status !== 0) throw new SysError("EUSAGE", `the helper exited with ${status}; nothing changed`);
  return printed;
}
