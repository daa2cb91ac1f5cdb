// `gsv policy edit`: edits the policy, which says what agents may do without asking. An invalid policy is not saved.

import { parsePolicy } from "../../src/abi/policy.ts";
import { PROFILES } from "../../src/abi/process/process.ts";
import { field } from "../../src/syscalls/define.ts";
import type { SettingInfo } from "../../src/syscalls/services.ts";
import { command } from "../define.ts";
import { note } from "../io/status.ts";
import { printText } from "../print.ts";

export const edit = command(
  {
    name: "policy edit",
    summary: "Edit your policy",
    input: {
      profile: field.optional(field.choice("policy of this kind of process", PROFILES, { meta: "NAME" })),
      system: field.flag("policy of the whole home (root only)"),
    },
    examples: ["gsv policy edit", "gsv policy edit --profile cron"],
    notes: ["A rule has the form {match, target, when, action}. gsv man policy has examples."],
  },
  async ({ args }, io) => {
    const key = args.profile === undefined ? "ai.tools.approval" : `ai.profile.${args.profile}.tools.approval`;
    const { layers } = await io.sys().call<SettingInfo>("config.get", { key });
    const layer = args.system ? "system" : "user";
    const before = layers.find((each) => each.layer === layer)?.shown ?? '{"rules":[]}';
    const edited = await io.person.edit({
      text: `${JSON.stringify(JSON.parse(before), null, 2)}\n`,
      name: "policy.json",
      draftName: key,
      onDraft: (path) => note(io, `gsv: continuing the draft ${path}`),
    });
    try {
      parsePolicy(edited.text);
      await io.sys().call("config.set", { key, value: edited.text, ...(args.system && { system: true }) });
    } catch (error) {
      await note(io, `gsv: saved as a draft for the next edit: ${edited.keep()}`);
      throw error;
    }
    edited.done();
    await printText(io.stdout, `${key} changed. gsv policy list shows the rules.`);
    return 0;
  },
);
