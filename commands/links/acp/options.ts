// What an editor can choose for a session: mode, model and reasoning effort.

import { SysError } from "../../../src/abi/errno.ts";
import { MODES, type Mode } from "../../../src/abi/policy.ts";
import { THINKING } from "../../../src/abi/process/session.ts";
import type { Sys } from "../../../src/abi/sys.ts";
import type { Clock } from "../../../src/lib/clock.ts";
import { waitAtMost } from "../../../src/lib/wait.ts";
import type { ModelInfo, ModelPage, ProcessModel, ProcessThinking } from "../../../src/syscalls/run/ai.ts";
import type { Json } from "./rpc.ts";

/** Model servers may be slow or gone. */
const LIST_MS = 1000;
/** Values of options have to be names. */
const DEFAULT = "default";

const MODE_NAMES = { plan: "Plan", ask: "Ask", "accept-edits": "Accept edits", yolo: "Allow all" };
const MODE_TEXTS = {
  plan: "Reads and plans, changes nothing",
  ask: "Asks before it changes files of this computer or runs commands",
  "accept-edits": "Edits files of the project without asking",
  yolo: "Runs commands in a sandbox without asking",
};

/** For editors that know no options. */
export function modesOf(currentModeId: string): Json {
  const availableModes = MODES.map((id) => ({ id, name: MODE_NAMES[id], description: MODE_TEXTS[id] }));
  return { currentModeId, availableModes };
}

export class Options {
  private models: Promise<readonly ModelInfo[]> | null = null;

  constructor(
    private readonly sys: Sys,
    private readonly clock: Clock,
  ) {}

  async of(pid: string, mode: Mode): Promise<readonly Json[]> {
    const [model, thinking] = await Promise.all([
      this.sys.call<ProcessModel>("proc.model", { pid }),
      this.sys.call<ProcessThinking>("proc.think", { pid }),
    ]);
    return [modeOption(mode), modelOption(model, await this.listed()), thinkingOption(thinking)];
  }

  async set(pid: string, id: string, value: string): Promise<void> {
    const chosen = value === DEFAULT ? "" : value;
    if (id === "mode") await this.sys.call("proc.mode", { pid, mode: value });
    else if (id === "model") await this.sys.call("proc.model", { pid, model: chosen });
    else if (id === "thinking") await this.sys.call("proc.think", { pid, level: chosen });
    else throw new SysError("EINVAL", `no such option: ${id.slice(0, 80)}`, ["options: mode, model, thinking"]);
  }

  private async listed(): Promise<readonly ModelInfo[]> {
    this.models ??= this.sys.call<ModelPage>("ai.models", {}).then(
      ({ models }) => models,
      () => {
        this.models = null;
        return [];
      },
    );
    return (await waitAtMost(this.clock, LIST_MS, this.models))?.value ?? [];
  }
}

function modeOption(mode: Mode): Json {
  const options = MODES.map((value) => ({ value, name: MODE_NAMES[value], description: MODE_TEXTS[value] }));
  return { id: "mode", name: "Mode", category: "mode", type: "select", currentValue: mode, options };
}

function modelOption({ model, answers }: ProcessModel, models: readonly ModelInfo[]): Json {
  const names = new Set([...models.map((each) => each.model), ...(model === null ? [] : [model])]);
  const usual = { value: DEFAULT, name: "Default", ...(model === null && { description: answers }) };
  const options = [usual, ...[...names].map((name) => ({ value: name, name }))];
  return { id: "model", name: "Model", category: "model", type: "select", currentValue: model ?? DEFAULT, options };
}

function thinkingOption({ thinking, usual }: ProcessThinking): Json {
  const names = [{ value: DEFAULT, name: "Default", description: usual }];
  const options = [...names, ...THINKING.map((value) => ({ value, name: value }))];
  return {
    ...{ id: "thinking", name: "Reasoning effort", category: "thought_level", type: "select" },
    ...{ currentValue: thinking ?? DEFAULT, options },
  };
}
