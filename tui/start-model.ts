// Chooses a model at the first start in a home that has none: a card offers the keys of the environment by the names of their variables, Ollama
// on this computer, and a key to type. gsv connects to nothing before a key is pressed. The choice is tested with one small request.

import type { Io } from "../commands/command.ts";
import { messageOf } from "../src/abi/errno.ts";
import { initPid } from "../src/abi/ids.ts";
import type { ProcessInfo } from "../src/abi/process/process.ts";
import { reveal } from "../src/lib/text/sanitize.ts";
import { cutWidth } from "../src/lib/text/truncate.ts";
import type { ModelTrial } from "../src/syscalls/run/ai.ts";
import type { SettingInfo } from "../src/syscalls/services.ts";
import type { AppPorts } from "./ports.ts";
import { askCard, cardLines, showCard } from "./start-card.ts";
import type { Who } from "./state/state.ts";

export interface ModelStart {
  /** One line for the transcript. */
  readonly note: string | null;
  /** ctrl-c or ctrl-d instead of an answer. */
  readonly leaves?: true;
  readonly typed: readonly Uint8Array[];
}

interface Offer {
  readonly provider: string;
  readonly about: string;
}

type Choice = Offer | "type-key" | "skip";

const NOTHING: ModelStart = { note: null, typed: [] };
const OLLAMA = "127.0.0.1:11434";
/** Providers that a key alone selects. */
const BY_KEY = ["anthropic", "openai"];
const SKIPPED = "Skipped. To choose a model later: gsv auth setup";
const ESC = "\x1b";
const NAME_COLUMNS = 11;

export async function startModel(io: Io, ports: AppPorts): Promise<ModelStart> {
  const { setup } = ports;
  if (ports.to != null || setup === undefined || setup.isOver()) return NOTHING;
  const offers = await offersFor(io);
  if (offers === null) return NOTHING;
  const typed: Uint8Array[] = [];
  for (let failure: string | null = null; ; ) {
    const asked = await askCard(io, ports, rowsOf(offers, failure, ports), (key) => choiceOf(offers, key));
    typed.push(...asked.typed);
    if (asked.answer === null) return { ...NOTHING, leaves: true };
    if (asked.answer === "skip") {
      // A key in the environment would be used otherwise.
      if (offers.some(({ provider }) => BY_KEY.includes(provider))) await choose(io, "offline");
      setup.end();
      return { note: SKIPPED, typed };
    }
    if (asked.answer === "type-key") {
      setup.end();
      return { note: null, typed: [Buffer.from("auth setup\r"), ...typed] };
    }
    const tested = await test(io, ports, asked.answer);
    typed.push(...tested.typed);
    if (tested.ok) setup.end();
    if (tested.ok) return { note: tested.text, typed };
    failure = tested.text;
  }
}

/** null if a model is set or has answered before. */
async function offersFor(io: Io): Promise<readonly Offer[] | null> {
  const sys = io.sys();
  const [{ settings }, { tokens }] = await Promise.all([
    sys.call<{ settings: readonly SettingInfo[] }>("config.list", {}),
    sys.call<Who>("system.whoami", {}).then(({ uid }) => sys.call<ProcessInfo>("proc.get", { pid: initPid(uid) })),
  ]);
  const set = (key: string) => settings.find((setting) => setting.key === key && setting.layer !== "default");
  if (tokens > 0 || ["ai.model", "ai.provider", "ai.baseUrl"].some((key) => set(key) !== undefined)) return null;
  const keys = BY_KEY.flatMap((provider) => {
    const key = set(`apiKeys.${provider}`);
    if (key === undefined) return [];
    return [{ provider, about: key.layer === "environment" ? `key in ${key.env}` : "saved key" }];
  });
  const at = set("baseUrls.ollama")?.shown ?? OLLAMA;
  return at === "none" ? keys : [...keys, { provider: "ollama", about: `on this computer, ${reveal(at)}` }];
}

function choiceOf(offers: readonly Offer[], key: string): Choice | undefined {
  if (key === ESC) return "skip";
  const number = key === "\r" ? 1 : Number(key);
  return number === offers.length + 1 ? "type-key" : offers[number - 1];
}

function rowsOf(offers: readonly Offer[], failure: string | null, { terminal, theme }: AppPorts): readonly string[] {
  const { bold, dim, bad, glyphs } = theme;
  const room = Math.max(1, terminal.columns - NAME_COLUMNS - 5);
  const about = (name: string, text: string) => `${name.padEnd(NAME_COLUMNS)}${dim(cutWidth(text, room))}`;
  const rows = [
    ...offers.map((offer) => about(offer.provider, offer.about)),
    about("other", "type a key, or use another server"),
  ].map((text, at) => `${bold(String(at + 1))} ${text}`);
  const last = rows.length;
  return cardLines(
    [
      bold("Choose a model"),
      ...(failure === null
        ? ["gsv connects to nothing before you press a key."]
        : [null, `${bad(glyphs.bad)} ${failure}`]),
      null,
      ...rows,
      null,
      `${bold(last === 1 ? "1" : `1-${last}`)} choose and test   ${bold("esc")} skip`,
    ],
    terminal.columns,
    theme,
  );
}

async function test(
  io: Io,
  { terminal, theme }: AppPorts,
  { provider }: Offer,
): Promise<{ readonly ok: boolean; readonly text: string; readonly typed: readonly Uint8Array[] }> {
  const rows = [theme.bold(`Testing ${provider} with one small request …`), `${theme.bold("esc")} stop`];
  const remove = showCard(terminal, cardLines(rows, terminal.columns, theme));
  const stop = new AbortController();
  const typed: Uint8Array[] = [];
  terminal.take((bytes) => {
    if ([ESC, "\x03"].includes(Buffer.from(bytes).toString("latin1"))) stop.abort();
    else typed.push(bytes);
  });
  try {
    const { signal } = stop;
    const trial = await io.sys().call<ModelTrial>("ai.test", { model: provider }, { signal });
    if (trial.failure !== null) return { ok: false, text: failureOf(trial, provider), typed };
    await choose(io, trial.model);
    const took = `${(trial.ms / 1000).toFixed(1)} s`;
    return { ok: true, text: `${reveal(trial.model)} answered in ${took}. Another: gsv auth setup`, typed };
  } catch (error) {
    return { ok: false, text: stop.signal.aborted ? "Stopped." : reveal(messageOf(error)), typed };
  } finally {
    remove();
  }
}

async function choose(io: Io, model: string): Promise<void> {
  await io.sys().call("config.apply", { changes: { "ai.model": model } });
}

/** Without the command: the card has the keys. */
function failureOf({ failure, address }: ModelTrial, provider: string): string {
  if (provider === "ollama" && ["network", "server"].includes(failure?.class ?? ""))
    return `Ollama does not answer at ${reveal(address ?? "")}. To start it: ollama serve`;
  if (failure?.class === "config" && provider === "ollama")
    return "Ollama has no model. To get one: ollama pull llama3.2";
  return reveal(failure?.message.split(". ", 1)[0] ?? "");
}
