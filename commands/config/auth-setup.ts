// `gsv auth setup`: asks for provider, key and model on a terminal. Enter accepts the default of each question. All answers are saved together
// at the end, so quitting changes nothing.

import { SysError } from "../../src/abi/errno.ts";
import { reveal } from "../../src/lib/text/sanitize.ts";
import type { ChangedSetting, SettingInfo } from "../../src/syscalls/services.ts";
import type { Io } from "../command.ts";
import { command } from "../define.ts";
import { declared } from "../derive.ts";
import { printResult, printText } from "../print.ts";

interface Offer {
  readonly name: string;
  readonly about: string;
  readonly provider: string;
  readonly key?: string;
  /** Default of the question for the address; none if the address is fixed. */
  readonly baseUrl?: string;
  /** Empty: the server decides. */
  readonly model: string;
}

const OFFLINE = "offline";

const OFFERS: readonly Offer[] = [
  { name: OFFLINE, about: "the built-in manual: no key, no network", provider: OFFLINE, model: "" },
  {
    name: "anthropic",
    about: "Anthropic (API key)",
    provider: "anthropic",
    key: "apiKeys.anthropic",
    model: "claude-sonnet-5-5",
  },
  {
    name: "openai",
    about: "OpenAI (API key)",
    provider: "openai",
    key: "apiKeys.openai",
    model: "gpt-5.4",
  },
  {
    name: "ollama",
    about: "models on this computer, through Ollama",
    provider: "ollama",
    baseUrl: "http://127.0.0.1:11434",
    model: "llama3.2",
  },
  {
    name: "compatible",
    about: "an OpenAI-compatible server, by address",
    provider: "openai",
    key: "ai.apiKey",
    baseUrl: "http://127.0.0.1:8080/v1",
    model: "",
  },
];

const spec = {
  name: "auth setup",
  summary: "Set up a model: provider and key",
  input: {},
  examples: ["gsv auth setup"],
  notes: ["Needs a terminal. Enter keeps the value in brackets. Nothing is saved before the last answer."],
};

type Settings = (key: string) => SettingInfo | undefined;

export const setup = command(spec, async ({ json }, io) => {
  if (!io.stdin.isTTY || !io.stderr.isTTY) throw needsTerminal();
  const { settings } = await io.sys().call<{ settings: readonly SettingInfo[] }>("config.list", {});
  const known: Settings = (key) => settings.find((each) => each.key === key);
  await printText(io.stderr, `${[...fromEnvironment(settings), ...offersText()].join("\n")}\n`);
  const offer = await chosen(io, known);
  const changes = await answers(io, offer, known);
  const result = await io.sys().call<{ changed: readonly ChangedSetting[] }>("config.apply", { changes });
  await printResult(io, (await declared("config.apply")).cli.print, result, json);
  const built = await io.machine.providers();
  await printText(io.stderr, after(offer, built.includes(offer.provider), settings).join("\n"));
  return 0;
});

function needsTerminal(): SysError {
  return new SysError("EUSAGE", "gsv auth setup asks questions and needs a terminal; the same without one:", [
    "gsv config set ai.provider anthropic",
    "gsv config set apiKeys.anthropic < key.txt",
    "gsv config set ai.model anthropic:MODEL",
    "another server: gsv config set ai.provider openai; gsv config set ai.baseUrl URL; gsv config set ai.apiKey < key.txt",
  ]);
}

function fromEnvironment(settings: readonly SettingInfo[]): string[] {
  const variables = settings.filter(({ key, layer }) => layer === "environment" && /^(?:ai|apiKeys)\./.test(key));
  if (variables.length === 0) return ["The environment configures no model.", ""];
  const lines = variables.map(({ key, env, shown }) => `  ${env} for ${key}: ${shown}`);
  return ["The environment overrides saved settings:", ...lines, ""];
}

function offersText(): string[] {
  const rows = OFFERS.map(({ name, about }, index) => `  ${index + 1}  ${name.padEnd(10)}  ${about}`);
  return ["Which provider?", ...rows];
}

async function chosen(io: Io, known: Settings): Promise<Offer> {
  const usual = usualOffer(known);
  for (;;) {
    const answer = (await question(io, "who", usual.name)).toLowerCase();
    const offer = OFFERS.find(({ name }, index) => answer === name || answer === String(index + 1));
    if (offer !== undefined) return offer;
    await printText(io.stderr, `  enter a number from 1 to ${OFFERS.length} or a name`);
  }
}

/** The saved provider, else one with a key in the environment, else one without a key. */
function usualOffer(known: Settings): Offer {
  const provider = known("ai.provider")?.shown;
  const hasUrl = known("ai.baseUrl")?.shown !== "";
  const stored = OFFERS.find((offer) => offer.provider === provider && (offer.baseUrl !== undefined) === hasUrl);
  const byKey = OFFERS.find(({ key }) => key?.startsWith("apiKeys.") && known(key)?.layer === "environment");
  return stored ?? byKey ?? OFFERS[0]!;
}

async function answers(io: Io, offer: Offer, known: Settings): Promise<{ [key: string]: string | null }> {
  const { provider, key, baseUrl } = offer;
  if (provider === OFFLINE) return { "ai.provider": OFFLINE, "ai.model": OFFLINE, "ai.baseUrl": null };
  const isSame = known("ai.provider")?.shown === provider;
  const url = baseUrl === undefined ? null : await address(io, (isSame && known("ai.baseUrl")?.shown) || baseUrl);
  const secret = key === undefined ? "" : await secretFor(io, key, known(key));
  const [before = "", ...rest] = (known("ai.model")?.shown ?? "").split(":");
  const usual = (before === provider && rest.join(":")) || offer.model;
  const model = await question(io, "model", usual === "" ? "the server's own" : usual, usual);
  return {
    "ai.provider": provider,
    "ai.baseUrl": url,
    ...(key !== undefined && secret !== "" ? { [key]: secret } : {}),
    "ai.model": model === "" ? provider : `${provider}:${model}`,
  };
}

async function address(io: Io, usual: string): Promise<string> {
  for (;;) {
    const url = await question(io, "address", usual);
    const fault = faultOf(url);
    if (fault === null) return url;
    await printText(io.stderr, `  ${fault}`);
  }
}

function faultOf(url: string): string | null {
  const parsed = URL.canParse(url) ? new URL(url) : null;
  if (parsed === null || !/^https?:$/.test(parsed.protocol)) return "enter an address such as http://127.0.0.1:8080/v1";
  if (parsed.username !== "" || parsed.password !== "") return "leave user and password out: the key comes next";
  return null;
}

const SECRET_CHARS_MIN = 8;

/** Empty to keep the current one. */
async function secretFor(io: Io, key: string, info: SettingInfo | undefined): Promise<string> {
  const isSet = info !== undefined && info.layer !== "default";
  const stays = isSet
    ? `Enter keeps what is ${info.layer === "environment" ? `in ${info.env}` : "stored"}`
    : "Enter skips it";
  for (;;) {
    const typed = (await io.person.askHidden(`${key}, not shown [${stays}]: `))?.trim();
    if (typed === undefined) throw needsTerminal();
    if (typed === "" || typed.length >= SECRET_CHARS_MIN) return typed;
    await printText(io.stderr, `  at least ${SECRET_CHARS_MIN} characters`);
  }
}

async function question(io: Io, what: string, shown: string, usual = shown): Promise<string> {
  const typed = (await io.person.ask(`${what} [${reveal(shown)}]: `)).trim();
  return typed === "" ? usual : typed;
}

function after({ provider }: Offer, isBuilt: boolean, settings: readonly SettingInfo[]): string[] {
  const wins = settings.find(({ key, layer }) => key === "ai.model" && layer === "environment");
  return [
    "To change it: gsv config set KEY, or gsv auth setup. To see it: gsv config list ai",
    ...(isBuilt
      ? []
      : [`this version cannot use ${provider}: the settings are saved, answers come from the built-in manual`]),
    ...(wins === undefined ? [] : [`${wins.env} is set in this environment and overrides ai.model`]),
  ];
}
