// What the terminal shell is handed: the terminal itself, what it can do, how things look on it, and what was typed before.

import type { History } from "./line/history.ts";
import type { Abilities } from "./screen/abilities.ts";
import type { Tty } from "./screen/screen.ts";
import type { Theme } from "./screen/theme.ts";
import type { SeenPort } from "./talk/presence.ts";

export interface Terminal extends Tty {
  /** Keys from now on, as bytes, with the terminal in raw mode. */
  take(hear: (bytes: Uint8Array) => void): void;
  /** The terminal is somebody else's, as it was found. */
  give(): void;
  onResize(listener: () => void): void;
  /** There is no terminal any more. */
  onGone(listener: () => void): void;
  /** From now on somebody puts it right when this program cannot. */
  watch(): void;
  /** Stops this program as ctrl-z does; resolves when it goes on, to false where it could not stop: nobody would take it back. */
  suspend(): Promise<boolean>;
  /** Somebody asks for that from outside. */
  onAside(listener: () => void): void;
  /** It was stopped unasked and goes on: what stands on the terminal is no longer only its own. */
  onBack(listener: () => void): void;
}

export interface SkippedPort {
  has(directory: string): boolean;
  add(directory: string): void;
}

export interface AppPorts {
  readonly version: string;
  readonly terminal: Terminal;
  readonly theme: Theme;
  readonly abilities: Pick<Abilities, "told" | "notifies" | "unicode">;
  readonly history: History;
  /** What was to be told on the way here. */
  readonly words: readonly string[];
  /** What was typed before anybody could look at it; whoever asks hears everything from now on. */
  readonly early: () => readonly Uint8Array[];
  /** Whom to talk to; the init where nobody was named. */
  readonly to?: { readonly pid: string | undefined; readonly readOnly: boolean } | null;
  /** Directories where the person does not want to be asked; nobody asks when left out. */
  readonly skipped?: SkippedPort;
  /** How far each process was seen here. */
  readonly seen?: SeenPort;
}
