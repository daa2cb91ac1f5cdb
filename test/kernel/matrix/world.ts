// Nine kinds of callers around the files and processes of two people, for the capability matrix.

import type { Approval } from "../../../src/abi/process/process.ts";
import type { Sys } from "../../../src/abi/sys.ts";
import type { Closed } from "../../../src/syscalls/services.ts";
import { TestKernel } from "../../support/kernel.ts";

export type Owner = "sam" | "bob";

/** The outcomes: own person, other person, root, own process, other process. */
export type Row = readonly [own: string, other: string, root: string, ownProcess: string, otherProcess: string];
export interface Call {
  readonly outcomes: Row;
  /** Arguments about a thing of that owner, created again after each call that changed it. */
  readonly about: (world: World, owner: Owner) => Promise<object> | object;
}
export type Rows = { readonly [call: string]: Call };

export const ALL: Row = ["ok", "ok", "ok", "ok", "ok"];
export const PERSON: Row = ["ok", "ok", "ok", "EPERM", "EPERM"];
export const ROOT: Row = ["EPERM", "EPERM", "ok", "EPERM", "EPERM"];
export const HIDDEN: Row = ["ok", "ESRCH", "ok", "ok", "ESRCH"];
export const ABSENT: Row = ["ok", "ENOENT", "ok", "ok", "ENOENT"];
export const PERSONS_OWN: Row = ["ok", "ENOENT", "ok", "EPERM", "EPERM"];

export const pid = async (world: World, owner: Owner) => ({ pid: await world.pid(owner) });

export class World {
  private number = 0;
  private constructor(
    readonly home: TestKernel,
    readonly people: { readonly [O in Owner]: Sys },
    readonly actors: { readonly [name: string]: Sys },
  ) {}

  static async make(): Promise<World> {
    const home = await TestKernel.boot();
    const root = home.person(0);
    const { uid } = await root.call<{ uid: number }>("account.create", { username: "bob" });
    const carol = await root.call<{ uid: number }>("account.create", { username: "carol" });
    await home.sys.call("account.create", { username: "scout", agent: true });
    const bob = home.person(uid);
    const token = async (sys: Sys, kind: string) =>
      (await sys.call<{ token: string }>("sys.token.create", { kind })).token;
    const spawn = async (sys: Sys, args: object) => (await sys.call<{ pid: string }>("proc.spawn", args)).pid;
    const actors = {
      owner: home.sys,
      "other human": bob,
      root,
      "process of owner": await home.insideOf(await spawn(home.sys, {})),
      "process of other": await home.insideOf(await spawn(bob, {})),
      "agent account": await home.insideOf(await spawn(home.sys, { as: "scout" })),
      package: await home.insideOf(await spawn(home.sys, { profile: "app", drop: "*" })),
      device: await home.login({ token: await token(home.sys, "node") }),
      "locked account": await home.login({ token: await token(home.person(carol.uid), "user") }),
    };
    await root.call("account.update", { username: "carol", lock: true });
    return new World(home, { sam: home.sys, bob }, actors);
  }

  fresh(): string {
    return `x${++this.number}`;
  }

  script(): string {
    return `0190a1b2-0000-7000-8000-${String(++this.number).padStart(12, "0")}`;
  }

  async pid(owner: Owner): Promise<string> {
    return (await this.people[owner].call<{ pid: string }>("proc.spawn", {})).pid;
  }

  async file(owner: Owner): Promise<string> {
    const path = `/home/${owner}/${this.fresh()}`;
    await this.people[owner].call("fs.write", { path, content: "words" });
    return path;
  }

  async agent(owner: Owner): Promise<string> {
    const username = this.fresh();
    await this.people[owner].call("account.create", { username, agent: true });
    return username;
  }

  async archive(owner: Owner): Promise<string> {
    const pid = await this.pid(owner);
    await this.people[owner].call("proc.send", { pid, message: "hello" });
    await this.people[owner].call("proc.wait", { pids: [pid] });
    return (await this.people[owner].call<Closed>("proc.kill", { pid })).archiveId ?? "";
  }

  async approval(owner: Owner): Promise<string> {
    const pid = await this.pid(owner);
    this.home.model.will(pid, { calls: [{ name: "Delete", args: { path: "~/none" } }] });
    await this.people[owner].call("proc.send", { pid, message: "delete it" });
    let open: Approval[] = [];
    await this.home.until(`${pid} asks`, async () => {
      open = (await this.people[owner].call<{ approvals: Approval[] }>("hil.list", {})).approvals;
      return open.some((each) => each.pid === pid);
    });
    return open.find((each) => each.pid === pid)?.id ?? "";
  }

  /** A repository of that owner with one version. */
  async repo(owner: Owner): Promise<{ repo: string }> {
    const repo = `${owner}/${this.fresh()}`;
    await this.people[owner].call("repo.create", { name: repo });
    const changes = { ops: [{ put: "a.md", content: "words" }] };
    await this.people[owner].call("repo.apply", { repo, message: "first", changes });
    return { repo };
  }

  async media(owner: Owner): Promise<object> {
    const where = { pid: await this.pid(owner) };
    const { id } = await this.people[owner].call<{ id: string }>("proc.media.put", { ...where, data: "aGk=" });
    return { ...where, id };
  }

  async workspace(owner: Owner): Promise<string> {
    return (await this.people[owner].call<{ id: string }>("workspace.create", {})).id;
  }

  async group(): Promise<string> {
    const name = this.fresh();
    await this.home.person(0).call("group.add", { name });
    return name;
  }
}
