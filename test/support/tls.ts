// Certificates for tests: one for localhost that no authority has signed, and another.

import { readFileSync } from "node:fs";
import { resolve } from "node:path";

export function pem(name: string): string {
  return readFileSync(resolve(import.meta.dir, "../golden/tls", name), "utf8");
}

export const TLS = { cert: pem("localhost.crt"), key: pem("localhost.key") };
