// One program of the shell's interpreter, html-to-markdown, brings a parser of HTML that is made as it is loaded: a sixth of what a Worker
// takes to start, for the few scripts that ask for it. In a binary it is made at its first use.

import { dirname } from "node:path";

const PARSER = "turndown/lib/turndown.cjs.js";

export const lateHtml: Bun.BunPlugin = {
  name: "late-html",
  setup(builder) {
    let parser = "";
    builder.onResolve({ filter: /^turndown$/ }, ({ importer }) => {
      parser = Bun.resolveSync(PARSER, dirname(importer));
      return { path: "turndown", namespace: "late" };
    });
    builder.onLoad({ filter: /.*/, namespace: "late" }, () => ({
      contents: `export default function (options) { return new (require(${JSON.stringify(parser)}))(options); }`,
      loader: "js",
    }));
  },
};
