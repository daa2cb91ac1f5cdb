// Whether output is coloured, from what the environment says and whether somebody looks. What forces colours wins over what forbids them
// (FORCE_COLOR, then NO_COLOR, then CLICOLOR_FORCE), as most programs have it; with neither, a terminal that takes them gets them.

interface Env {
  readonly [name: string]: string | undefined;
}

/** What the environment insists on; null where it leaves the choice to us. */
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

/** The environment in which that was chosen, for us and for the programs that are started from it. */
export function colourEnv(env: Env, choice: ColourChoice): Env {
  if (choice === "auto") return env;
  const { FORCE_COLOR: _force, CLICOLOR_FORCE: _too, NO_COLOR: _none, ...rest } = env;
  return choice === "always" ? { ...rest, FORCE_COLOR: "1" } : { ...rest, NO_COLOR: "1" };
}

function isOn(value: string | undefined): boolean {
  return value !== undefined && value !== "" && value !== "0";
}
