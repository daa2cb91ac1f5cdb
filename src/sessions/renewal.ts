// Automatic resets of sessions: never, daily at an hour, or after idle time. Checked when a message arrives, by the kernel's clock; the
// process store compares the result with the time of the last message. Each session copies its policy from the settings at its first
// message.

import type { Resolved } from "../abi/config/config-value.ts";
import type { ResetMode, ResetPolicy } from "../abi/process/session.ts";
import { settingsFor } from "../kernel/settings/config.ts";
import { hourBegan } from "../lib/text/days.ts";
import type { ProcessRow } from "../store/kernel/processes/processes.ts";
import type { SessionRow } from "../store/kernel/processes/sessions.ts";
import type { KernelStore } from "../store/kernel/sqlite.ts";

const MINUTE_MS = 60_000;

type SettingsOf = Awaited<ReturnType<typeof settingsFor>>;

/** A new message begins a new history if the last message is older than this instant; null for never. */
export function renewsBefore({ mode, atHour, idleMinutes }: ResetPolicy, now: number, zone: string): number | null {
  switch (mode) {
    case "manual":
      return null;
    case "daily":
      return hourBegan(now, atHour, zone);
    case "idle":
      return now - idleMinutes * MINUTE_MS;
  }
}

export async function defaultPolicy({ config }: Pick<KernelStore, "config">, ownerUid: number): Promise<ResetPolicy> {
  return policyOf(await settingsFor(config, { uid: ownerUid, client: undefined }));
}

function policyOf(setting: SettingsOf): ResetPolicy {
  return {
    mode: setting("session.defaultResetPolicy.mode").text as ResetMode,
    atHour: numberOf(setting("session.defaultResetPolicy.atHour")),
    idleMinutes: numberOf(setting("session.defaultResetPolicy.idleMinutes")),
  };
}

function numberOf({ text }: Resolved): number {
  return Number(text);
}

type Ports = Pick<KernelStore, "config" | "sessions">;

/** Called for each message. null if the process belongs to no session. */
export async function renewalFor(kernel: Ports, row: ProcessRow, now: number): Promise<number | null> {
  const session = await kernel.sessions.ofProcess(row.pid);
  if (session === null) return null;
  const policy = session.resetPolicy ?? (await copied(kernel, session, now));
  if (policy.mode !== "daily") return renewsBefore(policy, now, "UTC");
  const setting = await settingsFor(kernel.config, { uid: row.ownerUid, client: undefined });
  return renewsBefore(policy, now, setting("server.timezone").text);
}

async function copied(kernel: Ports, { id, ownerUid }: SessionRow, now: number): Promise<ResetPolicy> {
  const resetPolicy = await defaultPolicy(kernel, ownerUid);
  await kernel.sessions.change(id, { resetPolicy }, now);
  return resetPolicy;
}
