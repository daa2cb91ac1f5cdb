// All settings: type, default, description, environment variable and who may write each. A new setting needs one entry here. Values are
// texts in one canonical form (config-value.ts); the spellings of a key and its place in the database are in config-key.ts.

import { SysError } from "../errno.ts";
import { DM_SCOPES, MAIN_SESSION_KEY, RESET_MODES } from "../process/session.ts";
import { LIMITS } from "./limits.ts";

export interface Setting {
  readonly type: "int" | "text" | "flag" | "choice" | "json" | "secret";
  readonly doc: string;
  /** The default, in canonical form. */
  readonly fallback: string;
  readonly env?: string;
  /** Describes the default in words, if `fallback` is not used. */
  readonly unset?: string;
  /** `root`: only root may set it, in the system layer. */
  readonly writes: "user" | "root";
  readonly min?: number;
  readonly max?: number;
  readonly choices?: readonly string[];
  readonly shape?: "object" | "array";
  /** The value is the name of a time zone. */
  readonly isZone?: true;
  /** The value is a span of the day, such as 22:00-07:00. */
  readonly isHours?: true;
  /** An agent may propose a change for its owner to approve. Never for policies, limits, rights, secrets or addresses. */
  readonly agents?: "ask";
}

type Rest = Partial<Omit<Setting, "type" | "doc" | "fallback">>;

// These five do not call each other: a function called 40 times at start-up would be compiled.
function setting(type: Setting["type"], doc: string, fallback: string, rest: Rest = {}): Setting {
  return { type, doc, fallback, writes: "user", ...rest };
}

const ASKS = { agents: "ask" } as const;
const ROOT = { writes: "root" } as const;
const DAY_MS = 86_400_000;
const DAYS_MAX = 36_500;

/** Read when a kernel starts. */
function kernelMs(doc: string, fallback: number, env: string, max: number, min = 1): Setting {
  return { type: "int", doc, fallback: String(fallback), env, min, max, writes: "root" };
}

function count(doc: string, fallback: number, rest: Rest = {}): Setting {
  return { type: "int", doc, fallback: String(fallback), writes: "user", min: 0, max: 1_000_000_000, ...rest };
}

function flag(doc: string, fallback: boolean, rest: Rest = {}): Setting {
  return { type: "flag", doc, fallback: String(fallback), writes: "user", ...rest };
}

function choice(doc: string, choices: readonly [string, ...string[]], rest: Rest = {}): Setting {
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
    "idle time before a kernel without clients or work exits",
    10_000,
    "GSV_KERNEL_IDLE_MS",
    DAY_MS,
  ),
  "kernel.graceMs": kernelMs("time a new kernel waits for its first client", 3000, "GSV_KERNEL_GRACE_MS", DAY_MS),
  "kernel.drainMs": kernelMs(
    "time for turns in flight to finish when a kernel exits",
    10_000,
    "GSV_KERNEL_DRAIN_MS",
    600_000,
  ),
  "kernel.modelRetries": count("retries of an overloaded model before its run pauses", 14, {
    env: "GSV_KERNEL_MODEL_RETRIES",
    max: 1000,
    ...ROOT,
  }),
  "kernel.diskRetryMs": kernelMs(
    "interval between retries while the disk is full",
    2000,
    "GSV_KERNEL_DISK_RETRY_MS",
    3_600_000,
    10,
  ),
  "kernel.termMs": kernelMs("time TERM waits for a safe point", 5000, "GSV_KERNEL_TERM_MS", 600_000),
  "kernel.lockCheckMs": kernelMs(
    "interval between checks of the kernel lock",
    5000,
    "GSV_KERNEL_LOCK_CHECK_MS",
    600_000,
    10,
  ),
  "kernel.memory": count("memory for caches of the kernel in MiB; a change applies at once", 96, {
    env: "GSV_KERNEL_MEMORY",
    min: 8,
    max: 65_536,
    ...ROOT,
  }),
  "secrets.store": choice("secret store: the system keychain if available, or files", ["auto", "file"], {
    env: "GSV_SECRETS",
    writes: "root",
  }),

  "storage.driver": choice("object storage; change it with gsv storage migrate", ["disk", "s3"], { writes: "root" }),
  "storage.s3.endpoint": setting("text", "URL of an S3-compatible server, such as http://127.0.0.1:9000", "", ROOT),
  "storage.s3.bucket": setting("text", "name of an existing bucket", "gsv", ROOT),
  "storage.s3.region": setting("text", "region for signing requests", "us-east-1", ROOT),
  "storage.s3.prefix": setting("text", "prefix of all names in the bucket, such as homes/mine/", "", ROOT),
  "storage.s3.accessKeyId": setting("secret", "access key id for the bucket", "", ROOT),
  "storage.s3.secretAccessKey": setting("secret", "secret access key for the bucket", "", ROOT),

  "ai.model": setting("text", "model to use: PROVIDER/MODEL, a short model name, offline, or script:PATH", "", {
    env: "GSV_MODEL",
  }),
  "ai.provider": setting("text", "provider to use if ai.model names none", ""),
  "ai.apiKey": secret("API key for that provider"),
  "ai.baseUrl": setting("text", "base URL for that provider", ""),
  "ai.providerStyle": choice("API of an OpenAI-compatible server", ["auto", "responses", "chat"]),
  "ai.parallel": count("parallel requests per API key; 0 for no limit", 8, { max: 1000 }),
  "ai.fallback": setting("json", "models to try, in this order, if the chosen one fails", "[]", { shape: "array" }),
  "ai.prices": setting(
    "json",
    'your own prices, in dollars per million tokens: {"openai/my-model": {"input": 0.5, "output": 1.5}}',
    "{}",
  ),
  "ai.reasoning": choice("reasoning effort", ["medium", "off", "minimal", "low", "high", "xhigh"], ASKS),
  "ai.maxTokens": count("maximum tokens per answer", 8192, { min: 1 }),
  "ai.contextWindowTokens": count("context window of models that report none", 256_000, { min: 1024 }),
  "ai.maxContextBytes": count("maximum bytes that each context.d adds to a request", 32_768),
  "ai.generation.timeoutMs": count("time limit for one answer", 1_800_000, { min: 1000 }),
  "ai.tools.approval": policy("approval policy for agents; gsv policy shows it"),
  "ai.profile.init.tools.approval": policy("approval policy for init processes"),
  "ai.profile.task.tools.approval": policy("approval policy for tasks"),
  "ai.profile.review.tools.approval": policy("approval policy for reviews"),
  "ai.profile.cron.tools.approval": policy("approval policy for processes started by schedules"),
  "ai.profile.mcp.tools.approval": policy("approval policy for processes started by MCP clients"),
  "ai.profile.app.tools.approval": policy("approval policy for packages"),
  "ai.tools.yoloWithoutSandbox": flag("allow mode yolo without a sandbox", false, ROOT),
  "ai.skills.indexMode": choice("how skills appear in the prompt", ["summary", "names", "off"], { agents: "ask" }),
  "apiKeys.anthropic": secret("API key for Anthropic", "ANTHROPIC_API_KEY"),
  "apiKeys.openai": secret("API key for OpenAI", "OPENAI_API_KEY"),
  "apiKeys.google": secret("API key for Google", "GEMINI_API_KEY"),
  "apiKeys.openrouter": secret("API key for OpenRouter", "OPENROUTER_API_KEY"),
  "baseUrls.anthropic": setting("text", "base URL for Anthropic", "", { env: "ANTHROPIC_BASE_URL" }),
  "baseUrls.openai": setting("text", "base URL for OpenAI or a compatible server", "", { env: "OPENAI_BASE_URL" }),
  "baseUrls.ollama": setting("text", "base URL for Ollama; none turns Ollama off", "", { env: "OLLAMA_HOST" }),
  "ollama.parallel": count("parallel requests to Ollama; 0 lets Ollama decide", 1, {
    env: "OLLAMA_NUM_PARALLEL",
    max: 1000,
  }),

  "net.allow": setting("json", 'private hosts that may be fetched, such as ["localhost:3000", "wiki.home"]', "[]", {
    shape: "array",
  }),
  "oauth.clientMetadataUrl": setting("text", "https address of a document that says who gsv is to OAuth servers", ""),
  "server.timezone": setting("text", "time zone for daily resets and schedules", "UTC", { isZone: true, ...ROOT }),
  // Not for agents: the time zone decides when the daily budget starts.
  userTimezone: setting("text", "your time zone", "UTC", { env: "TZ", isZone: true }),

  "budget.day": setting("text", "daily budget per account, such as $5,2h,1M; root's applies to everyone", ""),
  "budget.task": setting("text", "default budget of a new task, such as $2,30m,200k", ""),
  "run.maxTurns": count("maximum model calls per run", LIMITS.turnsPerRunMax, { min: 1, max: 100_000 }),

  "council.model": setting("text", "default model for the chair of a council", "", { env: "COUNCIL_MODEL" }),
  "run.timeoutMs": count(
    "time without progress before a run is stopped; at most four times that in all; 0 for never",
    1_800_000,
    { env: "AGENT_TIMEOUT_MS", max: 31 * DAY_MS },
  ),

  "session.contextResetTurns": count("messages after which the model gets a shorter context; 0 for never", 8, {
    max: 100_000,
    unset: "8 in sessions of other channels, else never",
  }),
  "session.defaultResetPolicy.mode": choice("when a session resets automatically", RESET_MODES, ASKS),
  "session.defaultResetPolicy.atHour": count("hour of the daily reset, in server.timezone", 4, { max: 23, ...ASKS }),
  "session.defaultResetPolicy.idleMinutes": count("minutes of inactivity before an idle reset", 60, {
    min: 1,
    ...ASKS,
  }),
  "session.mainKey": setting("text", "name of the main session", "main"),
  "session.defaultKey": setting("text", "default session for session commands", MAIN_SESSION_KEY),
  "session.dmScope": choice("which messages share a session", DM_SCOPES),
  "session.identityLinks": setting(
    "json",
    'one name for the same person on several channels: {"alice": ["telegram:4711", "discord:alice#1"]}',
    "{}",
    { shape: "object" },
  ),
  "credits.owners": setting(
    "json",
    'addresses in other channels that are your own and pay no credits: ["ALICE7"]',
    "[]",
    { shape: "array" },
  ),
  "terminal.theme": choice("terminal colours", ["auto", "dark", "light", "none"]),
  "mcp.deferAbove": count("tokens of MCP tools above which agents search for tools", 2000, { max: 1_000_000 }),
  "compaction.enabled": flag("summarise older history when it gets too long", true, ASKS),
  "compaction.reserveTokens": count("tokens kept free in the model's window", 20_000, {
    ...ASKS,
    unset: "a tenth of the window",
  }),
  "compaction.keepRecentTokens": count("tokens of recent history kept as is", 20_000, {
    ...ASKS,
    unset: "the newest 80 messages, at most half of the window",
  }),
  "compaction.extractMemories": flag("write lasting facts to memory on compaction and reset", true, ASKS),
  "timeouts.llmMs": count("time a model may stay silent", 300_000, { min: 1000 }),
  "hooks.timeoutMs": count("time limit for a hook", 10_000, { min: 100, max: 600_000 }),
  "hooks.onFault": choice("when a hook fails, hangs or was changed: refuse or allow the call", ["refuse", "allow"]),
  "terminal.notify": choice("how to notify you in the background", ["auto", "bell", "desktop", "off"], {
    env: "GSV_TERMINAL_NOTIFY",
  }),
  "notify.quiet": setting("text", "hours without notifications, such as 22:00-07:00", "", {
    isHours: true,
    unset: "none",
  }),
  "notify.command": setting("text", "program that gets each notification as JSON on stdin", "", { unset: "none" }),
  "serve.listen": setting("text", "address and port of the network listener; read when a kernel starts", "", {
    ...ROOT,
    unset: "none",
  }),
  "serve.tls": setting("text", "certificate and key files of the listener, as CERT,KEY", "", {
    ...ROOT,
    unset: "none",
  }),
  "serve.proxy": setting("text", "networks of the proxies before the listener, such as 10.0.0.0/8", "", {
    ...ROOT,
    unset: "none",
  }),
  "serve.public": flag("serve everything under /public without a token; read when the listener opens", false, ROOT),
  "serve.hosts": setting("text", "more host names of the listener, separated by commas", "", {
    ...ROOT,
    unset: "none",
  }),
  "terminal.hyperlinks": choice("file paths in answers as links", ["auto", "always", "never"], {
    env: "GSV_TERMINAL_HYPERLINKS",
  }),
  "terminal.motion": choice("animation on the terminal", ["full", "reduced"], { env: "GSV_TERMINAL_MOTION" }),

  "retention.archivesDays": count("days before archives are deleted; 0 for never", 0, {
    max: DAYS_MAX,
    writes: "root",
  }),
  "retention.syscallLogRows": count("syscalls kept in the log of each process", 1000, {
    min: 1,
    max: 100_000,
    writes: "root",
  }),
  "retention.auditDays": count("days before audit entries are deleted; 0 for never", 0, {
    max: DAYS_MAX,
    writes: "root",
  }),
  "retention.crashes": count("failed runs kept per account in /var/crash", 50, { max: 10_000, writes: "root" }),
  "retention.crashDays": count("days before crash files are deleted; 0 for never", 30, {
    max: DAYS_MAX,
    writes: "root",
  }),
  "retention.endedDays": count("days before rows of ended processes are deleted; 0 for never", 0, {
    max: DAYS_MAX,
    writes: "root",
  }),
} satisfies { readonly [key: string]: Setting };

export type SettingName = keyof typeof SETTINGS;

export const SETTING_NAMES = Object.keys(SETTINGS) as readonly SettingName[];

/** The kernel's own settings, all numbers. */
export type Config = { readonly [K in Extract<SettingName, `kernel.${string}` | `retention.${string}`>]: number };

/** The last text that is a whole number in range. */
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

function wrongVariable(variable: string, { min = 0, max = Number.MAX_SAFE_INTEGER }: Setting, text: string): SysError {
  const shown = JSON.stringify(text.length > 60 ? `${text.slice(0, 59)}…` : text);
  return new SysError("ECONFIG", `${variable} must be a whole number from ${min} to ${max}, not ${shown}`);
}

/** Values from the environment only. Throws ECONFIG for a wrong one. */
export function configFrom(env: { readonly [name: string]: string | undefined }): Partial<Config> {
  const said = NUMBERS.map((name) => {
    const { env: variable = "" }: Setting = SETTINGS[name];
    const text = env[variable];
    const number = numberOf(name, text);
    if (number === undefined && text !== undefined && text !== "") throw wrongVariable(variable, SETTINGS[name], text);
    return [name, number] as const;
  });
  return Object.fromEntries(said.filter(([, value]) => value !== undefined));
}

/** Weakest first: default, stored for the home, set for this invocation. */
export function configOver(stored: { readonly [key: string]: string }, said: Partial<Config>): Config {
  const values = NUMBERS.map((name) => [name, numberOf(name, SETTINGS[name].fallback, stored[name])]);
  return { ...Object.fromEntries(values), ...said } as Config;
}

const NUMBERS = SETTING_NAMES.filter(
  (name) => name.startsWith("kernel.") || name.startsWith("retention."),
) as readonly (keyof Config)[];
