// The time zone of this computer. Bun reads /etc/localtime once, so a change is applied to this process through TZ.

import { readlinkSync } from "node:fs";

/** `TZ` of the environment wins: it never changes. */
export function localZone(env: { [name: string]: string | undefined }, file = "/etc/localtime"): () => string {
  const given = env.TZ;
  if (given !== undefined && given !== "") return () => given;
  let known = zoneIn(file);
  return () => {
    const zone = zoneIn(file);
    if (zone !== "" && zone !== known) env.TZ = zone;
    known = zone;
    return zone;
  };
}

/** Empty if the system names none. */
function zoneIn(file: string): string {
  try {
    const [, zone = ""] = /zoneinfo\/(.+)$/.exec(readlinkSync(file)) ?? [];
    new Intl.DateTimeFormat("en", { timeZone: zone });
    return zone;
  } catch {
    return "";
  }
}
