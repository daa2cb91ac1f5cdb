// The calls that can name another's things, with every way to name one.

/** Things with an owner, and missing ones: the same calls are tried on both. */
export interface Things {
  readonly pid: string;
  readonly run: string;
  readonly approval: string;
  readonly archive: string;
  readonly account: string;
  readonly token: string;
  readonly repo: string;
  readonly workspace: string;
  readonly agent: string;
  readonly bundle: string;
  readonly project: string;
  /** By its id: a key is always the caller's own. */
  readonly session: string;
  readonly schedule: string;
  readonly notification: string;
  readonly watch: string;
  /** A script that was run. */
  readonly script: string;
}

export const ABSENT: Things = {
  pid: "task:zzzzzz",
  run: "0190a1b2-0000-7000-8000-000000000001",
  approval: "zz99",
  archive: "0190a1b2-0000-7000-8000-000000000002",
  repo: "nemo/zzzzzz",
  workspace: "ws_zzzzzz",
  account: "nemo",
  agent: "nobody",
  bundle: "nothing",
  project: "nowhere",
  session: "0190a1b2-0000-7000-8000-000000000004",
  token: "0190a1b2-0000-7000-8000-000000000003",
  schedule: "no-schedule",
  notification: "zzzzzz",
  watch: "no-watch",
  script: "0190a1b2-0000-7000-8000-000000000005",
};

export const NAMING: { readonly [call: string]: (things: Things) => object[] } = {
  "proc.get": ({ pid }) => [{ pid }],
  "proc.spawn": ({ pid, workspace, project }) => [
    { parent: pid },
    { parent: pid, as: "root" },
    { workspace },
    { project },
  ],
  "workspace.get": ({ workspace: id }) => [{ id }],
  "workspace.log": ({ workspace: id }) => [{ id }, { id, path: "a.md" }],
  "workspace.attach": ({ workspace: what, pid }) => [{ what, pid: "init:1000" }, { what }, { what: "/", pid }],
  "workspace.speaks": ({ workspace: id }) => [{ id }],
  "workspace.trust": ({ workspace: id }) => [{ id }, { id, undo: true }],
  "workspace.archive": ({ workspace: id }) => [{ id }, { id, undo: true }],
  "proc.send": ({ pid }) => [
    { pid, message: "hello" },
    { pid, message: "hello", interrupt: true },
  ],
  "signal.watch": ({ pid }) => [
    { signal: "chat.complete", notify: "hello", pid },
    { signal: "chat.complete", send: pid, text: "hello" },
  ],
  "signal.unwatch": ({ watch: key }) => [{ key }],
  "proc.ipc.send": ({ pid }) => [{ pid, message: "hello" }],
  "proc.ipc.call": ({ pid }) => [{ pid, message: "hello" }],
  "proc.caps": ({ pid }) => [{ pid }],
  "proc.model": ({ pid }) => [{ pid }, { pid, model: "offline" }],
  "proc.compact": ({ pid }) => [{ pid }, { pid, preview: true }, { pid, undo: true }],
  "proc.search": ({ pid }) => [{ words: ["hello"], pid }],
  "proc.segments": ({ pid }) => [{ pid }],
  "proc.fork": ({ pid }) => [{ pid }, { pid, through: 1 }],
  "proc.usage": ({ pid }) => [{ pid }, { pid, by: "day" }],
  "proc.history.policy": ({ pid }) => [{ pid }, { pid, keep: 3 }, { pid, unset: true }],
  "proc.prompt": ({ pid, run }) => [{ pid }, { pid, turn: 1, run }],
  "proc.context.list": ({ pid }) => [{ pid }],
  "proc.context.set": ({ pid }) => [
    { pid, name: "10-x.md", text: "hello" },
    { pid, name: "10-x.md" },
  ],
  "proc.diff": ({ pid, run }) => [{ pid }, { pid, run, turn: 1 }],
  "proc.undo": ({ pid, run }) => [{ pid }, { pid, run, force: true }, { pid, redo: true }],
  "proc.rewind": ({ pid }) => [
    { pid, message: 0 },
    { pid, message: 1, what: "files", force: true },
  ],
  "proc.budgets": ({ pid }) => [{ pid }],
  "proc.runs": ({ pid }) => [{ pid }],
  "proc.budget": ({ pid }) => [
    { pid, budget: "$1" },
    { pid, budget: "none" },
  ],
  "proc.abort": ({ pid, run }) => [{ pid }, { pid, runId: run }],
  "proc.label": ({ pid }) => [{ pid, label: "mine" }],
  "proc.history": ({ pid }) => [{ pid }, { pid, limit: 1, afterSeq: 1 }],
  "proc.message": ({ pid }) => [{ pid }, { pid, seq: 1 }],
  "proc.trace": ({ pid }) => [{ pid }],
  "proc.media.list": ({ pid }) => [{ pid }],
  "proc.media.put": ({ pid }) => [{ pid, data: "aGk=" }],
  "proc.media.get": ({ pid, run: id }) => [{ pid, id }],
  "proc.media.rm": ({ pid, run: id }) => [{ pid, id }],
  "proc.reset": ({ pid }) => [{ pid }],
  "proc.kill": ({ pid }) => [{ pid }, { pid, noArchive: true }],
  "proc.wait": ({ pid, run }) => [{ pids: [pid] }, { pids: [pid], run }, { pids: [pid], wait: true }],
  "proc.signal": ({ pid }) => ["STOP", "CONT", "INT", "TERM", "KILL", "0"].map((signal) => ({ pid, signal })),
  "proc.restart": ({ pid }) => [{ pid }, { pid, rule: "never" }],
  "proc.extend": ({ pid }) => [{ pid }, { pid, seconds: 60 }],
  "proc.mode": ({ pid }) => [{ pid }, { pid, mode: "plan" }],
  "policy.explain": ({ pid }) => [{ pid, command: "ls" }],
  "hil.list": ({ approval: id }) => [{ id }],
  "hil.answer": ({ approval: id }) => ["approve", "deny"].map((decision) => ({ id, decision })),
  "agent.show": ({ agent: name }) => [{ name }],
  "agent.edit": ({ agent: name, bundle: bundles }) => [
    { name, description: "x" },
    { name: "friday", bundles },
  ],
  "agent.rm": ({ agent: name }) => [{ name }, { name, force: true }],
  "persona.show": ({ agent: name }) => [{ name }],
  "persona.set": ({ agent: name }) => [{ name, traits: "x" }],
  "persona.clear": ({ agent: name }) => [{ name }],
  "bundle.show": ({ bundle: name }) => [{ name }],
  "bundle.edit": ({ bundle: name }) => [{ name, prompt: "x" }],
  "bundle.rm": ({ bundle: name }) => [{ name }],
  "bundle.assign": ({ agent, bundle: name, project }) => [
    { name, agent: "friday" },
    { name: "coder", agent },
    { name: "coder", project },
  ],
  "bundle.unassign": ({ agent, project }) => [
    { name: "coder", agent },
    { name: "coder", project },
  ],
  "project.show": ({ project: name }) => [{ name }],
  "project.edit": ({ project: name }) => [{ name, instructions: "x" }],
  "project.rm": ({ project: name }) => [{ name }],
  "sched.get": ({ schedule }) => [{ schedule }],
  "sched.next": ({ schedule: when }) => [{ when }],
  "sched.history": ({ schedule }) => [{ schedule }],
  "sched.add": ({ pid }) => [{ when: "every 1h", text: "hello", pid }],
  "sched.update": ({ schedule, pid }) => [{ schedule }, { schedule, pid }],
  "sched.remove": ({ schedule }) => [{ schedule }],
  "sched.run": ({ schedule }) => [{ schedule }],
  "notify.send": ({ pid, approval, schedule }) => [
    { title: "hello", action: `open ${pid}` },
    { title: "hello", action: `approve ${approval}` },
    { title: "hello", action: `retry ${schedule}` },
  ],
  "notify.read": ({ notification }) => [{ ids: [notification] }],
  "notify.dismiss": ({ notification }) => [{ ids: [notification] }],
  "session.get": ({ session: key }) => [{ key }],
  "session.stats": ({ session: key }) => [{ key }],
  "session.history": ({ session: key }) => [{ key }],
  "session.messages": ({ session: key }) => [{ key }],
  "session.reset": ({ session: key }) => [{ key }],
  "session.compact": ({ session: key }) => [{ key }],
  "session.open": ({ session: key }) => [{ key }],
  "session.set": ({ session: key }) => [{ key, path: "label", value: "x" }],
  "session.start": ({ session: key }) => [{ key }],
  "session.resume": ({ session: key }) => [{ key }],
  "session.stop": ({ session: key }) => [{ key }],
  "session.remove": ({ session: key }) => [{ key }],
  "sys.mcp.offer": ({ pid }) => [{ pid }],
  "session.restore": ({ archive: id }) => [{ id }],
  "proc.think": ({ pid }) => [{ pid }, { pid, level: "high" }],
  "proc.nice": ({ pid }) => [{ pid }, { pid, nice: "5" }],
  "account.update": ({ account: username }) => [
    { username, comment: "x" },
    { username, lock: true },
    { username, unlock: true },
  ],
  "account.remove": ({ account: username }) => [{ username }, { username, force: true }],
  "account.passwd": ({ account: username }) => [
    { username, password: "long enough" },
    { username, password: "long enough", typed: true },
  ],
  "account.create": ({ account: owner }) => [{ username: "scout", agent: true, owner }],
  "sys.token.revoke": ({ token: id }) => [{ id }],
  "sys.login.revoke": ({ token: id }) => [{ id }],
  "archive.show": ({ archive: id }) => [{ id }],
  "archive.verify": ({ archive: id }) => [{ id }],
  "fs.read": ({ pid }) => [`/proc/${pid}`, `/proc/${pid}/status`, `/proc/${pid}/messages`].map((path) => ({ path })),
  "fs.uses": ({ pid }) => [{ pid }],
  "fs.stat": ({ pid }) => [{ path: `/proc/${pid}` }, { path: `/proc/${pid}/status`, link: true }],
  "fs.list": ({ pid, workspace }) => [{ path: `/proc/${pid}` }, { path: `/workspaces/${workspace}` }],
  "fs.get": ({ pid }) => [{ path: `/proc/${pid}/status` }, { path: `/proc/${pid}/messages`, offset: 3 }],
  "fs.put": ({ pid, workspace }) => [
    { path: `/proc/${pid}/status`, data: "" },
    { path: `/workspaces/${workspace}/x`, data: "" },
  ],
  "fs.mkdir": ({ pid }) => [{ path: `/proc/${pid}/x` }, { path: `/proc/${pid}/x/y`, parents: true }],
  "fs.rename": ({ pid }) => [{ from: `/proc/${pid}/status`, to: "~/x" }],
  "fs.link": ({ pid }) => [{ path: `/proc/${pid}/x`, target: "y" }],
  "fs.setattr": ({ pid }) => [{ path: `/proc/${pid}/status`, mode: "0600" }],
  "fs.remove": ({ pid }) => [{ path: `/proc/${pid}`, recursive: true }],
  "fs.search": ({ pid }) => [{ query: "State", path: `/proc/${pid}` }],
  "repo.create": ({ repo: name }) => [{ name }],
  "repo.refs": ({ repo }) => [{ repo }],
  "repo.read": ({ repo }) => [{ repo }, { repo, path: "a.md" }],
  "repo.search": ({ repo }) => [{ repo, query: "words" }],
  "repo.log": ({ repo }) => [{ repo }],
  "repo.show": ({ repo }) => [{ repo }],
  "repo.diff": ({ repo }) => [{ repo }],
  "repo.compare": ({ repo }) => [{ repo, base: "HEAD" }],
  "repo.restore": ({ repo }) => [{ repo, path: "a.md", ref: "HEAD" }],
  "repo.apply": ({ repo }) => [{ repo, message: "why", changes: { ops: [{ delete: "a.md" }] } }],
  "repo.import": ({ repo }) => [{ repo, remote: "https://127.0.0.1:1/x.git" }],
  "repo.sync": ({ repo }) => [{ repo, remote: "https://127.0.0.1:1/x.git" }],
  "repo.delete": ({ repo }) => [{ repo }],
  "shell.output": ({ script: id }) => [{ id, from: 0 }],
  "shell.signal": ({ script: id }) => [{ id, signal: "TERM" }],
  "shell.input": ({ script: id }) => [{ id, data: "" }],
};
