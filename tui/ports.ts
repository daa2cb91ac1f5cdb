// Ports of the terminal shell: the terminal and its abilities, colors, history.

import type { History } from "./line/history.ts";
import type { Abilities } from "./screen/abilities.ts";
import type { Tty } from "./screen/screen.ts";
import type { Theme } from "./screen/theme.ts";
import type { SeenPort } from "./talk/presence.ts";

export interface Terminal extends Tty {
  /** Raw mode: keys arrive as bytes. */
  take(hear: (bytes: Uint8Array) => void): void;
  /** Restores the terminal's mode for other programs. */
  give(): void;
  onResize(listener: () => void): void;
  onGone(listener: () => void): void;
  /** Starts a guard that restores the terminal if this program is killed. */
  watch(): void;
  /** Stops this program as ctrl-z does. Resolves when it continues; false if no shell could continue it. */
  suspend(): Promise<boolean>;
  onAside(listener: () => void): void;
  /**
   * This program was stopped without `suspend` and continues: other programs may have written meanwhile. Also called while another program has
   * the terminal.
   */
  onBack(listener: () => void): void;
}

/** Directories where gsv does not ask whether to work there. */
export interface SkippedPort {
  has(directory: string): boolean;
  add(directory: string): void;
}

/** Whether a model was chosen, or choosing one was skipped. */
export interface SetupPort {
  isOver(): boolean;
  end(): void;
}

export interface AppPorts {
  readonly version: string;
  readonly terminal: Terminal;
  readonly theme: Theme;
  readonly abilities: Pick<Abilities, "osc" | "links" | "notifies" | "unicode">;
  /** The name of this computer, for links to its files. */
  readonly hostname: string;
  readonly history: History;
  /** Messages from the start, for the top of the screen. */
  readonly words: readonly string[];
  /** Keys typed before the shell was ready. The caller gets all keys from now on. */
  readonly early: () => readonly Uint8Array[];
  /** The process to attach to; your init if null. */
  readonly to?: { readonly pid: string | undefined; readonly readOnly: boolean } | null;
  /** Without it gsv never asks. */
  readonly skipped?: SkippedPort;
  readonly seen?: SeenPort;
  /** Without it gsv does not offer to choose a model. */
  readonly setup?: SetupPort;
}
