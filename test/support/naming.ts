// Every call there is, by whether it can name a thing of somebody else, and every way to name one.

/** What belongs to somebody, or does not exist: the same calls are tried on both. */
export interface Things {
  readonly pid: string;
  readonly run: string;
  readonly approval: string;
  readonly archive: string;
  readonly account: string;
  readonly token: string;
  readonly repo: string;
  readonly workspace: string;
}

export const ABSENT: Things = {
  pid: "task:zzzzzz",
  run: "0190a1b2-0000-7000-8000-000000000001",
  approval: "zz99",
  archive: "0190a1b2-0000-7000-8000-000000000002",
  repo: "nemo/zzzzzz",
  workspace: "ws_zzzzzz",
  account: "nemo",
  token: "0190a1b2-0000-7000-8000-000000000003",
};

/** Every call that can name a thing of somebody else, with every way to name one. */
export const NAMING: { readonly [call: string]: (things: Things) => object[] } = {
  "proc.get": ({ pid }) => [{ pid }],
  "proc.spawn": ({ pid, workspace }) => [{ parent: pid }, { parent: pid, as: "root" }, { workspace }],
  "workspace.get": ({ workspace: id }) => [{ id }],
  "workspace.log": ({ workspace: id }) => [{ id }, { id, path: "a.md" }],
  "workspace.attach": ({ workspace: what, pid }) => [{ what, pid: "init:1000" }, { what }, { what: "/", pid }],
  "workspace.archive": ({ workspace: id }) => [{ id }, { id, undo: true }],
  "proc.send": ({ pid }) => [
    { pid, message: "hello" },
    { pid, message: "hello", interrupt: true },
  ],
  "proc.caps": ({ pid }) => [{ pid }],
  "proc.model": ({ pid }) => [{ pid }, { pid, model: "offline" }],
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
  "proc.wait": ({ pid, run }) => [{ pids: [pid] }, { pids: [pid], run }, { pids: [pid], patient: true }],
  "proc.signal": ({ pid }) => ["STOP", "CONT", "INT", "TERM", "KILL", "0"].map((signal) => ({ pid, signal })),
  "hil.list": ({ approval: id }) => [{ id }],
  "hil.answer": ({ approval: id }) => ["approve", "deny"].map((decision) => ({ id, decision })),
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
  "archive.show": ({ archive: id }) => [{ id }],
  "archive.verify": ({ archive: id }) => [{ id }],
  "fs.read": ({ pid }) => [`/proc/${pid}`, `/proc/${pid}/status`, `/proc/${pid}/messages`].map((path) => ({ path })),
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
};

/** Calls that name nobody's things; what they show is tried below. */
export const NAMELESS = [
  "account.list",
  "ai.models",
  "ai.test",
  "net.fetch",
  "codemode.exec",
  "audit.list",
  "group.list",
  "group.add",
  "group.mod",
  "group.rm",
  "sys.token.create",
  "sys.token.list",
  "proc.list",
  "archive.list",
  "repo.list",
  "workspace.list",
  "workspace.create",
  "sys.bootstrap",
  "fs.write",
  "fs.edit",
  "fs.delete",
  "fs.stage",
  "config.get",
  "config.list",
  "config.set",
  "config.unset",
  "config.apply",
  "storage.status",
  "storage.verify",
  "storage.gc",
  "storage.migrate",
  "shell.run",
  "shell.exec",
  "shell.output",
  "shell.input",
  "shell.signal",
  "shell.list",
  "shell.stop",
  "system.status",
  "system.start",
  "system.whoami",
  "sys.version",
  "sys.drain",
];
