// Every setting there is: its type, what it is when nobody says otherwise, what it means, the variable that sets it for one invocation,
// and who may write it. One entry here is all a new setting takes. Values are texts in one canonical form each (config-value.ts); the
// spellings of a key and where it is stored are in config-key.ts.

import { DM_SCOPES, MAIN_SESSION_KEY, RESET_MODES } from "../process/session.ts";
import { LIMITS } from "./limits.ts";

export interface Setting {
  readonly type: "int" | "text" | "flag" | "choice" | "json" | "secret";
  readonly doc: string;
  /** In canonical form, as it would be stored. */
  readonly fallback: string;
  readonly env?: string;
  /** A whole home's settings are root's alone, and only the system layer holds them. */
  readonly writes: "user" | "root";
  readonly min?: number;
  readonly max?: number;
  readonly choices?: readonly string[];
  readonly shape?: "object" | "array";
  /** The text is the name of a time zone. */
  readonly isZone?: true;
  /** An agent may propose a change of it for its owner, and a person decides: it is no policy, limit, right or address of anything. */
  readonly agents?: "ask";
  /** Kept and checked; what will use it is not part of this version. */
  readonly later?: true;
}

type Rest = Partial<Omit<Setting, "type" | "doc" | "fallback">>;

// These five stand beside each other, none upon another: what is called forty times while a command starts is compiled, for nothing.
function setting(type: Setting["type"], doc: string, fallback: string, rest: Rest = {}): Setting {
  return { type, doc, fallback, writes: "user", ...rest };
}

const LATER = { later: true } as const;
const ASKS = { agents: "ask" } as const;
const ROOT = { writes: "root" } as const;
const ROOT_LATER = { writes: "root", later: true } as const;
const DAY_MS = 86_400_000;
const DAYS_MAX = 36_500;

/** A duration of the kernel, read when one starts. */
function kernelMs(doc: string, fallback: number, env: string, [min, max]: readonly [number, number]): Setting {
  return { type: "int", doc, fallback: String(fallback), env, min, max, writes: "root" };
}

function count(doc: string, fallback: number, rest: Rest = LATER): Setting {
  return { type: "int", doc, fallback: String(fallback), writes: "user", min: 0, max: 1_000_000_000, ...rest };
}

function flag(doc: string, fallback: boolean, rest: Rest = LATER): Setting {
  return { type: "flag", doc, fallback: String(fallback), writes: "user", ...rest };
}

function choice(doc: string, choices: readonly [string, ...string[]], rest: Rest = LATER): Setting {
  return { type: "choice", doc, fallback: choices[0], writes: "user", choices, ...rest };
}

/** Rules as JSON. */
function policy(doc: string): Setting {
  return { type: "json", doc, fallback: "{}", writes: "user", shape: "object" };
}

function secret(doc: string, env?: string): Setting {
  return { type: "secret", doc, fallback: "", writes: "user", ...(env === undefined ? {} : { env }) };
}

export const SETTINGS = {
  "kernel.idleMs": kernelMs(
    "a kernel with no clients and no work leaves after this long",
    10_000,
    "GSV_KERNEL_IDLE_MS",
    [1, DAY_MS],
  ),
  "kernel.graceMs": kernelMs("the same, before its first client", 3000, "GSV_KERNEL_GRACE_MS", [1, DAY_MS]),
  "kernel.drainMs": kernelMs(
    "how long turns in flight may take when a kernel leaves",
    10_000,
    "GSV_KERNEL_DRAIN_MS",
    [1, 600_000],
  ),
  "kernel.diskRetryMs": kernelMs(
    "how often a process held by a full disk looks again",
    2000,
    "GSV_KERNEL_DISK_RETRY_MS",
    [10, 3_600_000],
  ),
  "kernel.termMs": kernelMs("how long TERM waits for a safe point", 5000, "GSV_KERNEL_TERM_MS", [1, 600_000]),
  "kernel.lockCheckMs": kernelMs(
    "how often a kernel checks that the home is still its own",
    5000,
    "GSV_KERNEL_LOCK_CHECK_MS",
    [10, 600_000],
  ),
  "secrets.store": choice("where secrets lie: the keychain where there is one, or files", ["auto", "file"], {
    env: "GSV_SECRETS",
    writes: "root",
  }),

  "storage.driver": choice("where bytes lie; gsv storage migrate changes it, with the bytes", ["disk", "s3"], {
    writes: "root",
  }),
  "storage.s3.endpoint": setting("text", "the address of an S3-compatible server, as http://127.0.0.1:9000", "", ROOT),
  "storage.s3.bucket": setting("text", "its bucket, which has to be there", "gsv", ROOT),
  "storage.s3.region": setting("text", "the region it signs for", "us-east-1", ROOT),
  "storage.s3.prefix": setting("text", "what all names in the bucket begin with, as homes/mine/", "", ROOT),
  "storage.s3.accessKeyId": setting("secret", "the id of the key for the bucket", "", ROOT),
  "storage.s3.secretAccessKey": setting("secret", "the secret of the key for the bucket", "", ROOT),

  "ai.model": setting(
    "text",
    "who answers: PROVIDER/MODEL, the short name of a model, offline, or script: and a path",
    "",
    {
      env: "GSV_MODEL",
    },
  ),
  "ai.provider": setting("text", "whose models answer, where ai.model names none", ""),
  "ai.apiKey": secret("the key for that provider"),
  "ai.baseUrl": setting("text", "where that provider answers, in the place of its own address", ""),
  "ai.providerStyle": choice("which interface a server has that speaks as OpenAI's", ["auto", "responses", "chat"], {}),
  "ai.parallel": count("how many requests one key is used for at once; 0 is as many as there are", 8, { max: 1000 }),
  "ai.fallback": setting(
    "json",
    "models that are asked, in this order, when the one that is meant cannot be reached",
    "[]",
    {
      shape: "array",
    },
  ),
  "ai.prices": setting(
    "json",
    'prices of your own, in dollars for a million tokens: {"openai/my-model": {"input": 0.5, "output": 1.5}}',
    "{}",
  ),
  "ai.reasoning": choice("how much a model thinks", ["medium", "off", "minimal", "low", "high", "xhigh"], ASKS),
  "ai.maxTokens": count("how long one answer of a model may be", 8192, { min: 1 }),
  "ai.contextWindowTokens": count("the window of a model that says nothing of its own", 256_000, { min: 1024 }),
  "ai.maxContextBytes": count("how many bytes each context.d may add to a request", 32_768, {}),
  "ai.generation.timeoutMs": count("how long one answer may take in all", 1_800_000, { min: 1000 }),
  "ai.generation.streaming": choice("whether an answer comes in pieces", ["auto", "off"], ROOT_LATER),
  "ai.tools.approval": policy("what agents may do without asking; gsv policy shows it"),
  "ai.profile.init.tools.approval": policy("the same for init processes"),
  "ai.profile.task.tools.approval": policy("the same for tasks"),
  "ai.profile.review.tools.approval": policy("the same for reviews"),
  "ai.profile.cron.tools.approval": policy("the same for what schedules start"),
  "ai.profile.mcp.tools.approval": policy("the same for what MCP clients start"),
  "ai.profile.app.tools.approval": policy("the same for packages"),
  "ai.tools.yoloWithoutSandbox": flag("whether mode yolo is to be had where there is no sandbox", false, ROOT),
  "ai.skills.indexMode": choice("how skills are listed to a model", ["summary", "names", "off"], { agents: "ask" }),
  "apiKeys.anthropic": secret("the key for Anthropic", "ANTHROPIC_API_KEY"),
  "apiKeys.openai": secret("the key for OpenAI", "OPENAI_API_KEY"),
  "apiKeys.google": secret("the key for Google", "GEMINI_API_KEY"),
  "apiKeys.openrouter": secret("the key for OpenRouter", "OPENROUTER_API_KEY"),
  "baseUrls.anthropic": setting("text", "where Anthropic answers, in the place of its own address", "", {
    env: "ANTHROPIC_BASE_URL",
  }),
  "baseUrls.openai": setting("text", "where OpenAI, or a server that speaks as it does, answers", "", {
    env: "OPENAI_BASE_URL",
  }),
  "baseUrls.ollama": setting("text", "where Ollama answers; none asks nobody", "", { env: "OLLAMA_HOST" }),
  "ollama.parallel": count("how many requests Ollama is given at once; 0 leaves it to Ollama", 1, {
    env: "OLLAMA_NUM_PARALLEL",
    max: 1000,
  }),

  "net.allow": setting(
    "json",
    'hosts that may be fetched although they are not on the public internet, as ["localhost:3000", "wiki.home"]',
    "[]",
    { shape: "array" },
  ),
  "shell.timeoutMs": count("how long one command may take", 30_000),
  "shell.networkEnabled": flag("whether commands reach the network", true),
  "shell.maxOutputBytes": count("how much of a command's output is kept", 524_288),
  "process.initLabel": setting("text", "what an init is called", "init ({username})", ROOT_LATER),
  "process.maxPerUser": count("processes an account may have; 0 leaves it to gsv", 0, ROOT_LATER),
  "server.name": setting("text", "what this home is called", "gsv", ROOT_LATER),
  "server.timezone": setting("text", "the time zone of daily resets, and of schedules that name none", "UTC", {
    isZone: true,
    ...ROOT,
  }),
  // No agent proposes it: with the day begins what may be used in it.
  userTimezone: setting("text", "your time zone: when your days begin", "UTC", { env: "TZ", isZone: true }),

  "budget.day": setting(
    "text",
    "what all of an account may use in a day, as $5,2h,1M; root's is a bound for everyone",
    "",
  ),
  "budget.task": setting("text", "what a new task may use where nothing else is said, as $2,30m,200k", ""),
  "run.maxTurns": count("how many answers of a model one run may take", LIMITS.turnsPerRunMax, {
    min: 1,
    max: 100_000,
  }),

  "council.model": setting("text", "the model of the chair of a council, where none is named", "", {
    env: "COUNCIL_MODEL",
  }),
  "run.timeoutMs": count(
    "a run is stopped this long after it last did something, and never later than four times that; 0 is never",
    1_800_000,
    { env: "AGENT_TIMEOUT_MS", max: 31 * DAY_MS },
  ),

  "session.contextResetTurns": count(
    "after so many messages a model goes on with the last of them in short; where nobody sets it, in other channels' sessions only; 0 is never",
    8,
    { max: 100_000 },
  ),
  "session.defaultResetPolicy.mode": choice("when a session starts anew by itself", RESET_MODES, ASKS),
  "session.defaultResetPolicy.atHour": count("the hour of a daily reset, in server.timezone", 4, { max: 23, ...ASKS }),
  "session.defaultResetPolicy.idleMinutes": count("how long until an idle reset", 60, { min: 1, ...ASKS }),
  "session.mainKey": setting("text", "the name of the main session", "main"),
  "session.defaultKey": setting(
    "text",
    "the session that a session command is about which names none",
    MAIN_SESSION_KEY,
  ),
  "session.dmScope": choice("who shares a session", DM_SCOPES, {}),
  "session.identityLinks": setting(
    "json",
    'one name for a person of several channels: {"alice": ["telegram:4711", "discord:alice#1"]}',
    "{}",
    { shape: "object" },
  ),
  "terminal.theme": choice("the colours of gsv's terminal", ["auto", "dark", "light", "none"], {}),
  "compaction.enabled": flag("whether old history is summarised when it gets too long", true, ASKS),
  "compaction.reserveTokens": count("room kept free in a model's window", 20_000, ASKS),
  "compaction.keepRecentTokens": count("how much of the newest history stays as it is", 20_000, ASKS),
  "compaction.extractMemories": flag("whether a compaction, or a reset, has written down what should last", true, ASKS),
  "timeouts.llmMs": count("how long a model may go without a word", 300_000, { min: 1000 }),
  "timeouts.toolMs": count("how long a tool may take", 60_000),
  "hooks.timeoutMs": count("how long a hook may take", 10_000, { min: 100, max: 600_000 }),
  "hooks.onFault": choice(
    "what becomes of a tool call whose hook fails, hangs or is not as it was allowed",
    ["refuse", "allow"],
    {},
  ),
  "terminal.notify": choice("how gsv calls when something waits and nobody looks", ["auto", "bell", "off"], {
    env: "GSV_TERMINAL_NOTIFY",
  }),
  "terminal.motion": choice("whether anything on a terminal moves by itself", ["full", "reduced"], {
    env: "GSV_TERMINAL_MOTION",
  }),

  "retention.archivesDays": count("archives older than this are deleted; 0 keeps them for ever", 0, {
    max: DAYS_MAX,
    writes: "root",
  }),
  "retention.syscallLogRows": count("calls kept in the log of each process", 1000, {
    min: 1,
    max: 100_000,
    writes: "root",
  }),
  "retention.auditDays": count("how long the audit table remembers; 0 is for ever", 0, {
    max: DAYS_MAX,
    writes: "root",
  }),
  "retention.crashes": count("how many failed runs of an account are kept in /var/crash; 0 keeps none", 50, {
    max: 10_000,
    writes: "root",
  }),
  "retention.crashDays": count("how long they are kept there; 0 is for ever", 30, { max: DAYS_MAX, writes: "root" }),
  "retention.endedDays": count("how long rows of what has ended are kept; 0 is for ever", 0, {
    max: DAYS_MAX,
    writes: "root",
  }),
} satisfies { readonly [key: string]: Setting };

export type SettingName = keyof typeof SETTINGS;

export const SETTING_NAMES = Object.keys(SETTINGS) as readonly SettingName[];

/** The numbers that the kernel itself works by. */
export type Config = { readonly [K in Extract<SettingName, `kernel.${string}` | `retention.${string}`>]: number };

/** Later texts win over earlier ones; one that is not a whole number in range counts as not said. */
function numberOf(name: keyof Config, ...texts: readonly (string | undefined)[]): number | undefined {
  const { min = 0, max = Number.MAX_SAFE_INTEGER }: Setting = SETTINGS[name];
  let number: number | undefined;
  for (const text of texts) {
    if (text === undefined || !/^[0-9]{1,15}$/.test(text)) continue;
    const value = Number(text);
    if (value >= min && value <= max) number = value;
  }
  return number;
}

/** What the environment says, and nothing else. */
export function configFrom(env: { readonly [name: string]: string | undefined }): Partial<Config> {
  const said = NUMBERS.map((name) => {
    const { env: variable = "" }: Setting = SETTINGS[name];
    return [name, numberOf(name, env[variable])] as const;
  });
  return Object.fromEntries(said.filter(([, value]) => value !== undefined));
}

/** Default, then what is stored for the whole home, then what this invocation says. */
export function configOver(stored: { readonly [key: string]: string }, said: Partial<Config>): Config {
  const values = NUMBERS.map((name) => [name, numberOf(name, SETTINGS[name].fallback, stored[name])]);
  return { ...Object.fromEntries(values), ...said } as Config;
}

const NUMBERS = SETTING_NAMES.filter(
  (name) => name.startsWith("kernel.") || name.startsWith("retention."),
) as readonly (keyof Config)[];
