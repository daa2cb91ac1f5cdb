// The service behind bundle.*: accounts see their own bundles and the shipped ones. Shipped ones can only be changed by root and not removed.

import { SysError } from "../../abi/errno.ts";
import { type Caller, isRoot } from "../../abi/identity.ts";
import type { Bundle } from "../../abi/process/agent.ts";
import type { Clock } from "../../lib/clock.ts";
import { defined } from "../../lib/defined.ts";
import { clip } from "../../lib/text/truncate.ts";
import type { KernelStore } from "../../store/kernel/sqlite.ts";
import type { BundleHolder, Bundles } from "../../syscalls/account/agent-service.ts";
import { agentNamed } from "./agents.ts";
import { toolsNamed } from "./bundle-names.ts";
import { projectNamed } from "./projects.ts";

const NAME = /^[a-z0-9][a-z0-9_-]{0,39}$/;

export interface BundlePorts {
  readonly kernel: KernelStore;
  readonly clock: Clock;
  readonly toolNames: () => readonly string[];
}

export function bundlesShown(kernel: KernelStore): Pick<Bundles, "list" | "show"> {
  return {
    list: async ({ ownerUid }) => ({ bundles: await kernel.bundles.list(ownerUid) }),
    show: async ({ ownerUid }, name) => await bundleNamed(kernel, ownerUid, name),
  };
}

async function bundleNamed(kernel: KernelStore, ownerUid: number, name: string): Promise<Bundle> {
  const [bundle] = await kernel.bundles.named(ownerUid, [name]);
  if (bundle !== undefined) return bundle;
  throw new SysError("ENOENT", `no such bundle: ${clip(name)}`, ["gsv bundle list shows all"]);
}

export function bundlesService({ kernel, clock, toolNames }: BundlePorts): Bundles {
  const changeable = async (caller: Caller, name: string) => {
    const bundle = await bundleNamed(kernel, caller.ownerUid, name);
    if (isRoot(caller) || bundle.ownerUid !== null) return bundle;
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
      const { ownerUid } = caller;
      const bundle = { name, ...words, preset: false, ownerUid };
      const [there] = (await kernel.bundles.create(bundle, clock.now()))
        ? []
        : await kernel.bundles.named(ownerUid, [name]);
      // A repeated request.
      if (there !== undefined && JSON.stringify(there) !== JSON.stringify({ ...there, ...bundle }))
        throw new SysError("EEXIST", `bundle ${name} already exists`, [`to change your own: gsv bundle edit ${name}`]);
      return bundle;
    },

    async edit({ caller }, { name, description, tools, prompt }) {
      const bundle = await changeable(caller, name);
      const named = tools === undefined ? undefined : toolsNamed(tools, toolNames());
      const change = defined({ description, tools: named, promptAdditions: prompt });
      await kernel.bundles.change(bundle, change, clock.now());
      return { ...bundle, ...change };
    },

    async remove({ caller }, name) {
      const bundle = await changeable(caller, name);
      if (bundle.preset) throw new SysError("EPERM", `${name} ships with gsv and cannot be removed`);
      await kernel.bundles.remove(bundle);
      return { name };
    },

    async assign({ caller }, name, to) {
      return await held(caller, to, async (bundles, ownerUid) => {
        await bundleNamed(kernel, ownerUid, name);
        return [...bundles.filter((each) => each !== name), name];
      });
    },
    unassign: async ({ caller }, name, from) =>
      await held(caller, from, async (bundles) => {
        if (bundles.includes(name)) return bundles.filter((each) => each !== name);
        throw new SysError("ENOENT", `${from.agent ?? from.project} does not have ${clip(name)}`);
      }),
  };

  async function held(
    caller: Caller,
    { agent, project }: BundleHolder,
    change: (bundles: readonly string[], ownerUid: number) => Promise<readonly string[]>,
  ) {
    if ((agent === undefined) === (project === undefined))
      throw new SysError("EINVAL", "name either an agent or a project", ["--agent NAME or --project NAME"]);
    const now = clock.now();
    if (agent !== undefined) {
      const { username, uid, ownerUid: of } = await agentNamed(kernel, caller, agent);
      const ownerUid = of ?? uid;
      const bundles = await change((await kernel.agents.byUid(uid)).bundles, ownerUid);
      await kernel.agents.change({ username, uid, ownerUid }, { bundles }, { now });
      return { to: username, bundles };
    }
    const { id, name, ownerUid, bundles: before } = await projectNamed(kernel, caller, project ?? "");
    const bundles = await change(before, ownerUid);
    await kernel.projects.change(id, { bundles }, now);
    return { to: name, bundles };
  }
}
