// `gsv completion bash|zsh|fish`: a script for the shell. It only calls `gsv __complete` and passes the candidates on.

import { field } from "../../src/syscalls/define.ts";
import bash from "../completion/gsv.bash" with { type: "text" };
import fish from "../completion/gsv.fish" with { type: "text" };
import zsh from "../completion/gsv.zsh" with { type: "text" };
import { command } from "../define.ts";
import { printText } from "../print.ts";

const SCRIPTS = { bash, zsh, fish } as const;

const spec = {
  name: "completion",
  summary: "Print a shell completion script",
  input: { shell: field.choice("your shell", ["bash", "zsh", "fish"], { positional: true }) },
  examples: [
    "source <(gsv completion bash)",
    "gsv completion zsh > ~/.zfunc/_gsv",
    "gsv completion fish > ~/.config/fish/completions/gsv.fish",
  ],
  notes: [
    "Put the first example in ~/.bashrc. For zsh, add the directory to $fpath before compinit.",
    "Completion reads pids, labels and ids from your home. It never starts a kernel.",
  ],
};

export const completion = command(spec, async ({ args }, io) => {
  await printText(io.stdout, SCRIPTS[args.shell]);
  return 0;
});
