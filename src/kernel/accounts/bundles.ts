// The service behind bundle.*: everyone sees all bundles. Shipped ones can only be changed by root and not removed; others belong to their
// owner.

import { SysError } from "../../abi/errno.ts";
import { type Caller, isRoot } from "../../abi/identity.ts";
import type { Bundle } from "../../abi/process/agent.ts";
import type { Clock } from "../../lib/clock.ts";
import { defined } from "../../lib/defined.ts";
import { clip } from "../../lib/text/truncate.ts";
import type { KernelStore } from "../../store/kernel/sqlite.ts";
import type { BundleHolder, Bundles } from "../../syscalls/account/agent-service.ts";
import { agentNamed } from "./agents.ts";
import { isSeen, toolsNamed } from "./bundle-names.ts";
import { projectNamed } from "./projects.ts";

const NAME = /^[a-z0-9][a-z0-9_-]{0,39}$/;

export interface BundlePorts {
  readonly kernel: KernelStore;
  readonly clock: Clock;
  readonly toolNames: () => readonly string[];
}

export function bundlesShown(kernel: KernelStore): Pick<Bundles, "list" | "show"> {
  return {
    list: async (caller) => ({ bundles: (await kernel.bundles.list()).filter((each) => isSeen(each, caller)) }),
    show: async (caller, name) => await bundleNamed(kernel, caller, name),
  };
}

async function bundleNamed(kernel: KernelStore, caller: Caller, name: string): Promise<Bundle> {
  const [bundle] = await kernel.bundles.named([name]);
  if (bundle !== undefined && isSeen(bundle, caller)) return bundle;
  throw new SysError("ENOENT", `no bundle ${clip(name)}`, ["gsv bundle list shows all"]);
}

export function bundlesService({ kernel, clock, toolNames }: BundlePorts): Bundles {
  const changeable = async (caller: Caller, name: string) => {
    const bundle = await bundleNamed(kernel, caller, name);
    if (isRoot(caller) || bundle.ownerUid === caller.uid) return bundle;
    throw new SysError("EPERM", `${bundle.name} ships with gsv: only root may change it`, [
      `for your own: gsv bundle create my-${bundle.name} --tools ${bundle.tools.join(",")}`,
    ]);
  };

  return {
    ...bundlesShown(kernel),

    async create({ caller }, { name, description = "", tools = "", prompt = "" }) {
      if (!NAME.test(name))
        throw new SysError("EINVAL", `invalid bundle name ${clip(name)}: use a-z 0-9 - _, at most 40`);
      const words = { description, promptAdditions: prompt, tools: toolsNamed(tools, toolNames()) };
      const bundle = { name, ...words, preset: false, ownerUid: caller.uid };
      const [there] = (await kernel.bundles.create(bundle, clock.now())) ? [] : await kernel.bundles.named([name]);
      // A repeated request.
      if (there !== undefined && JSON.stringify(there) !== JSON.stringify({ ...there, ...bundle }))
        throw new SysError("EEXIST", `bundle ${name} already exists`, [`to change your own: gsv bundle edit ${name}`]);
      return bundle;
    },

    async edit({ caller }, { name, description, tools, prompt }) {
      const bundle = await changeable(caller, name);
      const named = tools === undefined ? undefined : toolsNamed(tools, toolNames());
      const change = defined({ description, tools: named, promptAdditions: prompt });
      await kernel.bundles.change(name, change, clock.now());
      return { ...bundle, ...change };
    },

    async remove({ caller }, name) {
      const bundle = await changeable(caller, name);
      if (bundle.preset) throw new SysError("EPERM", `${name} ships with gsv and cannot be removed`);
      await kernel.bundles.remove(name);
      return { name };
    },

    async assign({ caller }, name, to) {
      const bundle = await bundleNamed(kernel, caller, name);
      return await held(caller, to, (bundles) => [...bundles.filter((each) => each !== bundle.name), bundle.name]);
    },
    unassign: async ({ caller }, name, from) =>
      await held(caller, from, (bundles) => {
        if (bundles.includes(name)) return bundles.filter((each) => each !== name);
        throw new SysError("ENOENT", `${from.agent ?? from.project} does not have ${clip(name)}`);
      }),
  };

  async function held(
    caller: Caller,
    { agent, project }: BundleHolder,
    change: (bundles: readonly string[]) => readonly string[],
  ) {
    if ((agent === undefined) === (project === undefined))
      throw new SysError("EINVAL", "name either an agent or a project", ["--agent NAME or --project NAME"]);
    const now = clock.now();
    if (agent !== undefined) {
      const { username, uid, ownerUid } = await agentNamed(kernel, caller, agent);
      const bundles = change((await kernel.agents.byUid(uid)).bundles);
      await kernel.agents.change({ username, uid, ownerUid: ownerUid ?? uid }, { bundles }, { now });
      return { to: username, bundles };
    }
    const { id, name, bundles: before } = await projectNamed(kernel, caller, project ?? "");
    const bundles = change(before);
    await kernel.projects.change(id, { bundles }, now);
    return { to: name, bundles };
  }
}
