// Whether output is coloured, by environment and terminal. Variables that force colours win over those that forbid them
// (FORCE_COLOR, then NO_COLOR, then CLICOLOR_FORCE), as in most programs. Otherwise terminals with colours get them.

interface Env {
  readonly [name: string]: string | undefined;
}

/** The choice of the environment; null if it makes none. */
function insisted({ FORCE_COLOR, NO_COLOR, CLICOLOR_FORCE }: Env): boolean | null {
  if (isOn(FORCE_COLOR)) return true;
  if (NO_COLOR) return false;
  return isOn(CLICOLOR_FORCE) ? true : null;
}

export function wantsColour(isTTY: boolean, env: Env): boolean {
  return insisted(env) ?? (isTTY && env.TERM !== "dumb" && env.CLICOLOR !== "0");
}

export const COLOUR_CHOICES = ["auto", "always", "never"] as const;
export type ColourChoice = (typeof COLOUR_CHOICES)[number];

/** The environment with that choice, for gsv and its child programs. */
export function colourEnv(env: Env, choice: ColourChoice): Env {
  if (choice === "auto") return env;
  const { FORCE_COLOR: _force, CLICOLOR_FORCE: _too, NO_COLOR: _none, ...rest } = env;
  return choice === "always" ? { ...rest, FORCE_COLOR: "1" } : { ...rest, NO_COLOR: "1" };
}

function isOn(value: string | undefined): boolean {
  return value !== undefined && value !== "" && value !== "0";
}
