// Which command lines open gsv's terminal.

/** null for a command: anything but `gsv`, `gsv attach` and their flags. */
export async function terminalAsked(all: readonly string[]) {
  const { rest, remote } = await withoutRemote(all);
  const attached =
    rest[0] === "attach" ? await (await import("../../commands/proc/attach.ts")).attachRequest(rest) : null;
  if (attached === null && rest.some((word) => word !== "--plain" && word !== "--init")) return null;
  return { remote, plain: rest.includes("--plain"), to: attached, init: rest.includes("--init") };
}

async function withoutRemote(all: readonly string[]) {
  if (!all.some((word) => /^--remote(?:=|$)/.test(word))) return { rest: all, remote: null };
  const { takeGlobals } = await import("../../commands/global-flags.ts");
  const { rest, globals } = takeGlobals(all, { refuses: false });
  const [remote, ...others] = globals.get("--remote") ?? [];
  // A wrong line is refused as a command.
  if (remote === undefined || remote === "" || others.length > 0 || globals.size > 1)
    return { rest: all, remote: null };
  return { rest, remote };
}
