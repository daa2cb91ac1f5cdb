// Passwords as argon2id hashes. At most two are computed at once, because each takes 64 MiB. Unknown accounts cost the same work, so that
// the time reveals nothing.

import { SysError } from "../../abi/errno.ts";

export interface PasswordCost {
  readonly memoryCost: number;
  readonly timeCost: number;
}

const COST: PasswordCost = { memoryCost: 65_536, timeCost: 2 };
/** Limit for imported hashes: 256 MiB. */
const MEMORY_COST_MAX = 262_144;
const TIME_COST_MAX = 10;
const LANES_MAX = 4;
const AT_ONCE_MAX = 2;
const CHARS_MIN = 8;
const CHARS_MAX = 1024;

export class Passwords {
  private busy = 0;
  private readonly waiting: (() => void)[] = [];
  private decoy: Promise<string> | null = null;
  /** The highest number computed at once. */
  peak = 0;

  constructor(private readonly cost: PasswordCost = COST) {}

  hash(password: string): Promise<string> {
    return this.inTurn(() => Bun.password.hash(password.normalize("NFC"), { algorithm: "argon2id", ...this.cost }));
  }

  /** False, after the same work, for an account that is locked, has no password or does not exist. */
  async verify(password: string, hash: string): Promise<boolean> {
    const real = hash.startsWith("$argon2id$");
    if (!real) this.decoy ??= this.hash("not a password of any account");
    const against = real ? hash : await this.decoy;
    const same = await this.inTurn(() => Bun.password.verify(bounded(password), against ?? hash));
    return same && real;
  }

  private async inTurn<T>(work: () => Promise<T>): Promise<T> {
    if (this.busy >= AT_ONCE_MAX) await new Promise<void>((resolve) => this.waiting.push(resolve));
    else this.busy++;
    this.peak = Math.max(this.peak, this.busy);
    try {
      return await work();
    } finally {
      const next = this.waiting.shift();
      // Passes the slot to the longest waiting.
      if (next === undefined) this.busy--;
      else next();
    }
  }
}

const PHC = /^\$argon2id\$v=19\$m=([1-9]\d{0,6}),t=([1-9]\d?),p=([1-9])\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/;

/** True if an imported hash can be checked at an acceptable cost. */
export function isPasswordHash(text: string): boolean {
  const [, memory, time, lanes, salt = "", sum = ""] = PHC.exec(text) ?? [];
  const [m, t, p] = [Number(memory), Number(time), Number(lanes)];
  const isBearable = m >= 8 * p && m <= MEMORY_COST_MAX && t <= TIME_COST_MAX && p <= LANES_MAX;
  return isBearable && isBytes(salt, 8, 64) && isBytes(sum, 16, 64);
}

function isBytes(base64: string, min: number, max: number): boolean {
  const bytes = Buffer.from(base64, "base64");
  const isWhole = bytes.toString("base64").replace(/=+$/, "") === base64;
  return isWhole && bytes.length >= min && bytes.length <= max;
}

/** Throws if the password is not allowed. */
export function checkPassword(password: string): void {
  if (password.length >= CHARS_MIN && password.length <= CHARS_MAX && !/[\u0000-\u001f\u007f]/.test(password)) return;
  throw new SysError("EINVAL", `passwords must have ${CHARS_MIN} to ${CHARS_MAX} characters on one line`);
}

// Endless input would keep the kernel busy; Bun rejects empty input with an error of its own.
function bounded(password: string): string {
  return password === "" ? " " : password.slice(0, CHARS_MAX).normalize("NFC");
}
