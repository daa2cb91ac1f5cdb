// Globals of a code block: `fs`, `shell`, `fetch`, `args`, `console`, `mcp` and one for each MCP server, over two host functions that are deleted
// before the block starts. Time stands still and random numbers are seeded, so that a repeated block does the same. Runs inside QuickJS.

export const PRELUDE = `(() => {
  const call = globalThis.__call, log = globalThis.__log, facts = JSON.parse(globalThis.__facts);
  for (const name of ["__call", "__log", "__facts"]) delete globalThis[name];
  const { stringify, parse } = JSON, { assign, create, freeze, entries } = Object, { isArray } = Array, Fault = Error, Text = String;
  const words = { "fs.read": ["path"], "fs.write": ["path", "content"], "fs.edit": ["path", "oldString", "newString"],
    "fs.delete": ["path"], "fs.search": ["query", "path"], "shell.exec": ["command"], "net.fetch": ["url"] };
  const ask = async (name, args) => {
    const answer = parse(await call(name, stringify(args) ?? "{}"));
    if (answer.fault !== undefined) throw new Fault(answer.fault);
    return answer.value;
  };
  const tool = (name) => async (...given) => {
    const args = {};
    for (const [index, value] of entries(given)) {
      if (typeof value === "object" && value !== null && !isArray(value)) assign(args, value);
      else if (words[name][index] !== undefined) args[words[name][index]] = value;
    }
    return await ask(name, args);
  };
  const types = new Map();
  const serverTool = (server, tool) => async (given = {}) => {
    if (typeof given !== "object" || given === null || isArray(given))
      throw new Fault(server + "." + tool + " takes one object");
    const { text, structured } = await ask("sys.mcp.call", { tool: "mcp." + server + "." + tool, args: given });
    return structured ?? text;
  };
  // Names that differ only in such characters keep their own form alone.
  const folded = (names) => {
    const all = new Map();
    for (const name of names) {
      const plain = name.replace(/[^A-Za-z0-9_$]/g, "_");
      if (!names.includes(plain)) all.set(plain, all.has(plain) ? null : name);
    }
    return [...all].filter(([, name]) => name !== null);
  };
  const closed = (own, what) => new Proxy(freeze(own), { get: (all, key) => {
    if (typeof key === "symbol" || key in all || key === "then" || key === "toJSON") return all[key];
    throw new Fault(what + " has no " + key + "; it has: " + Object.keys(all).join(", "));
  } });
  const server = ({ name, tools, types: text }) => {
    const own = create(null);
    for (const tool of tools) own[tool] = serverTool(name, tool);
    for (const [plain, tool] of folded(tools)) own[plain] = own[tool];
    const made = closed(own, name);
    types.set(made, text);
    return made;
  };
  const mcp = create(null);
  for (const each of facts.servers) mcp[each.name] = server(each);
  for (const [plain, name] of folded(facts.servers.map(({ name }) => name))) mcp[plain] = mcp[name];
  const shown = (value) => {
    if (typeof value === "string") return value;
    if (types.has(value)) return types.get(value);
    if (value instanceof Fault) return Text(value);
    try { return stringify(value) ?? Text(value); } catch { return Text(value); }
  };
  const print = (...values) => { log(values.map(shown).join(" ")); };
  const own = { fs: freeze({ read: tool("fs.read"), write: tool("fs.write"), edit: tool("fs.edit"),
      delete: tool("fs.delete"), search: tool("fs.search") }),
    shell: tool("shell.exec"), fetch: tool("net.fetch"), args: facts.args, mcp: closed(mcp, "mcp"),
    console: freeze({ log: print, info: print, warn: print, error: print, debug: print }) };
  for (const [name, value] of entries(mcp)) if (!(name in own) && !(name in globalThis)) own[name] = value;
  for (const [name, value] of entries(own))
    Object.defineProperty(globalThis, name, { value, writable: true, configurable: true });
  let state = facts.seed >>> 0 || 1;
  Math.random = () => { state ^= state << 13; state >>>= 0; state ^= state >>> 17; state ^= state << 5; state >>>= 0;
    return state / 4294967296; };
  const Time = Date, now = facts.now;
  globalThis.Date = new Proxy(Time, {
    construct: (target, given) => (given.length === 0 ? new target(now) : new target(...given)),
    apply: () => new Time(now).toString(),
    get: (target, name) => (name === "now" ? () => now : target[name]),
  });
})();`;
