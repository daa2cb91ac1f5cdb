// The time zone of this computer. Bun reads /etc/localtime once, so a change is applied to this process through TZ.

import { readlinkSync } from "node:fs";

/** `TZ` of the environment wins: it never changes. */
export function localZone(env: { [name: string]: string | undefined }, file = "/etc/localtime"): () => string {
  const given = env.TZ;
  if (given !== undefined && given !== "") return () => given;
  let link = linked(file);
  let zone = link;
  return () => {
    const now = linked(file);
    if (now === link) return zone;
    link = now;
    // Only a new name is checked: the first format of a process takes 10 ms.
    zone = isZone(now) ? now : "";
    if (zone !== "") env.TZ = zone;
    return zone;
  };
}

/** Empty if the system names none. */
function linked(file: string): string {
  try {
    return /zoneinfo\/(.+)$/.exec(readlinkSync(file))?.[1] ?? "";
  } catch {
    return "";
  }
}

function isZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat("en", { timeZone: name });
    return true;
  } catch {
    return false;
  }
}
