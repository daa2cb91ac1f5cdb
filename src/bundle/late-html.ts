// The shell program html-to-markdown creates an HTML parser when it is loaded: 10 ms of the start of a Worker. In the binary the parser is
// created at its first use.

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
