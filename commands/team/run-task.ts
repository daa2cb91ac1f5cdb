// `gsv run -- "…"`: starts a task for one message, follows it and exits with its status, like `docker run`. Same as `gsv chat --new`.

import { ENDED_BY } from "../../src/abi/errno.ts";
import { field } from "../../src/syscalls/define.ts";
import { runChat } from "../chat/chat.ts";
import { CHAT } from "../chat/spec.ts";
import { command } from "../define.ts";
import { note } from "../io/status.ts";

const { pid: _pid, session: _session, new: _new, continue: _continue, interrupt: _interrupt, ...usual } = CHAT.input;

/** `run` always creates a process: drops that condition from the docs. */
function ofNew<Given extends { readonly doc: string }>(given: Given): Given {
  return { ...given, doc: given.doc.replace(/^with --new: /, "").replace(/; else from now on$/, "") };
}

const { mode, as, label, budget, system, noTools } = usual;
const input = {
  ...usual,
  ...{
    mode: ofNew(mode),
    as: ofNew(as),
    label: ofNew(label),
    budget: ofNew(budget),
    system: ofNew(system),
    noTools: ofNew(noTools),
  },
};

const spec = {
  name: "run",
  summary: "Run a task and wait for it",
  input: {
    ...input,
    rm: field.flag("kill the process afterwards and archive its history"),
  },
  examples: [
    'gsv run -- "Find stale commands in the docs."',
    'gsv run --label "nightly audit" --timeout 600 -- "Check the notes."; echo $?',
    'gsv run --as reviewer -- "Review the change in /tmp/x.diff."',
    'gsv run --rm -x -- "Write a shell loop over all .log files."',
  ],
  notes: ["Takes the flags of gsv chat, except those that select a process or session.", CHAT.notes.at(-1) ?? ""],
} as const;

export const run = command(spec, async ({ args, json }, io) => {
  const { rm, ...rest } = args;
  let pid: string | null = null;
  const onFresh = (made: string) => {
    pid = made;
  };
  const exit = await runChat({ args: { ...rest, new: true }, json }, io, { spec, onFresh });
  if (!rm || pid === null) return exit;
  // A run on hold may still continue; remove only what has ended.
  if (exit === 0 || exit === 1 || exit === ENDED_BY.INT) await io.sys().call("proc.kill", { pid });
  else await note(io, `gsv: ${pid} is still running. To end it: gsv kill ${pid}`);
  return exit;
});
