// The service behind project.*. A process gets its project when it starts: gsv spawn --project NAME.

import { SysError } from "../../abi/errno.ts";
import type { Caller } from "../../abi/identity.ts";
import { type RandomBytes, uuidv7 } from "../../abi/ids.ts";
import type { Project } from "../../abi/process/agent.ts";
import type { Clock } from "../../lib/clock.ts";
import { defined } from "../../lib/defined.ts";
import { clip } from "../../lib/text/truncate.ts";
import type { KernelStore } from "../../store/kernel/sqlite.ts";
import type { Projects } from "../../syscalls/account/agent-service.ts";
import { knownBundles } from "./bundle-names.ts";

export interface ProjectPorts {
  readonly kernel: KernelStore;
  readonly clock: Clock;
  readonly random: RandomBytes;
}

export function projectsShown(kernel: KernelStore): Pick<Projects, "list" | "show"> {
  return {
    list: async (caller) => ({ projects: await kernel.projects.list(caller.ownerUid) }),
    show: async (caller, name) => await projectNamed(kernel, caller, name),
  };
}

export function projectsService({ kernel, clock, random }: ProjectPorts): Projects {
  return {
    ...projectsShown(kernel),

    async create({ caller }, { name, workspace = "", instructions = "", bundles = "" }) {
      if (!/^[\w.-]{1,60}$/.test(name))
        throw new SysError("EINVAL", `invalid project name ${clip(name)}: use letters, digits, - _ ., at most 60`);
      const now = clock.now();
      const about = { ownerUid: caller.ownerUid, name, workspace, instructions };
      const project = {
        id: uuidv7(now, random),
        ...about,
        bundles: await knownBundles(kernel, caller.ownerUid, bundles),
      };
      if (await kernel.projects.create(project, now)) return project;
      const there = await projectNamed(kernel, caller, name);
      // A repeated request.
      if (JSON.stringify({ ...there, id: "" }) === JSON.stringify({ ...project, id: "" })) return there;
      throw new SysError("EEXIST", `project ${name} already exists`, [`to change it: gsv project edit ${name}`]);
    },

    async edit({ caller }, { name, workspace, instructions, bundles }) {
      const project = await projectNamed(kernel, caller, name);
      const known = bundles === undefined ? undefined : await knownBundles(kernel, caller.ownerUid, bundles);
      const change = defined({ workspace, instructions, bundles: known });
      await kernel.projects.change(project.id, change, clock.now());
      return { ...project, ...change };
    },

    async remove({ caller }, name) {
      const { id } = await projectNamed(kernel, caller, name);
      await kernel.projects.remove(id);
      return { name };
    },
  };
}

export async function projectNamed(kernel: KernelStore, caller: Caller, name: string): Promise<Project> {
  const project = await kernel.projects.byName(caller.ownerUid, name);
  if (project !== null) return project;
  throw new SysError("ENOENT", `no such project: ${clip(name)}`, ["gsv project list shows all"]);
}
