// The shell's package without the programs that gsv replaces: 0.2 MB of source and twice as much bytecode. The package keeps each program in
// functions that run at its first use; here those of replaced programs are no longer referenced, and the bundler drops them.

import { PROGRAMS } from "../shell/programs/table.ts";

const LOADED =
  /\{name:"([\w-]+)",load:async\(\)=>\(await Promise\.resolve\(\)\.then\(\(\)=>\((\w+)\(\),(\w+)\)\)\)\.\w+\}/g;

export const leanShell: Bun.BunPlugin = {
  name: "lean-shell",
  setup(builder) {
    builder.onLoad({ filter: /[\\/]just-bash[\\/]dist[\\/]bundle[\\/]browser\.js$/ }, async ({ path }) => ({
      contents: withoutReplaced(await Bun.file(path).text()),
      loader: "js",
    }));
  },
};

function withoutReplaced(source: string): string {
  const [, lazy, exported] = /var (\w+)=\(e,t\)=>\(\)=>\(e&&.*?,(\w+)=\(e,t\)=>\{for\(var n in t\)/.exec(source) ?? [];
  if (lazy === undefined || exported === undefined) throw new Error("just-bash is bundled otherwise than gsv knows");
  const dropped = new Set<string>();
  const text = source.replace(LOADED, (whole, name: string, _start, exports: string) => {
    if (!PROGRAMS.has(name)) return whole;
    dropped.add(exports);
    return `{name:"${name}",load:async()=>{throw new Error("gsv has its own ${name}")}}`;
  });
  if (dropped.size === 0) throw new Error("just-bash loads its programs otherwise than gsv knows");
  const kept = [...dropped].reduce((rest, name) => withoutExports(rest, `${exported}(${name},{`), text);
  return kept.replaceAll(`=${lazy}(()=>`, `=/* @__PURE__ */${lazy}(()=>`);
}

/** Removes the statement that fills the object of a program's exports, unless other code also uses the object. */
function withoutExports(text: string, call: string): string {
  const start = text.indexOf(call);
  const name = call.slice(call.indexOf("(") + 1, call.indexOf(","));
  const uses = text.match(new RegExp(`\\b${name}\\b`, "g"))?.length ?? 0;
  if (start < 0 || uses !== 2) return text;
  const end = text.indexOf("});", start);
  return text.slice(0, start) + text.slice(end + "});".length);
}
