// HTML as a model reads it: the visible text of the page, without hidden parts; and no page takes long.

import { expect, test } from "bun:test";
import { markdownOf } from "../../src/tools/html/html-to-markdown.ts";

const BASE = new URL("https://example.org/docs/");

async function text(html: string): Promise<string> {
  return (await markdownOf(html, BASE, async () => {})).text;
}

const PAIRS: { readonly [html: string]: string } = {
  "<h1>A <em>b</em></h1><p>c\n  d</p><p>e": "# A b\n\nc d\n\ne",
  "<p>a<br>b</p><hr><div>c</div><div>d</div>": "a\nb\n\n---\n\nc\nd",
  "<ul><li>one<li>two<ul><li>in</ul></ul><ol><li>x<li>y</ol>": "- one\n- two\n  - in\n\n1. x\n2. y",
  "<p>see <a href='/x?a=1&amp;b=2'>this <b>link</b></a>.": "see [this link](https://example.org/x?a=1&b=2).",
  "<a href='page (1).html'>p</a>": "[p](https://example.org/docs/page%20%281%29.html)",
  "<a href='javascript:alert(1)'>x</a> <a href='#top'>y</a> <a href='data:text/html,z'>z</a>": "x y z",
  "<pre><code>if (a &lt; b) {\n  go();\n}</code></pre>": "```\nif (a < b) {\n  go();\n}\n```",
  "use <code>npm  test</code> now": "use `npm test` now",
  "<blockquote><p>a<p>b</blockquote>c": "> a\n>\n> b\n\nc",
  "<table><tr><th>A<th>B</tr><tr><td><p>1</p><td>2</table>": "| A | B |\n| --- | --- |\n| 1 | 2 |",
  "<img src=x alt='a cat'><img src=y>": "[image: a cat]",
  "&eacute;&#233;&#xe9; &unknown; &lt;b&gt; &amp;amp; &#xd800;": "ééé &unknown; <b> &amp; \ufffd",
  "a < b and c > d <3": "a < b and c > d <3",
  "<base href='https://other.org/'><a href='x'>y</a>": "[y](https://other.org/x)",
  "<p>a</p></div></p></ul></blockquote></table><p>b</p>": "a\n\nb",
  "<a title='>' href=\"/a>b\">x</a>": "[x](https://example.org/a%3Eb)",
};

for (const [html, expected] of Object.entries(PAIRS)) {
  test(`${html} becomes readable Markdown`, async () => expect(await text(html)).toBe(expected));
}

test("hidden parts of a page are skipped", async () => {
  const hidden = [
    "<script>ignore this</script>",
    "<style>ignore this</style>",
    "<!-- ignore this -->",
    "<p hidden>ignore <p>this</p></p>",
    "<div style='color:red; display : none'>ignore <div>this</div></div>",
    "<span style='visibility:hidden'>ignore this</span>",
    "<span aria-hidden=true>ignore this</span>",
    "<template>ignore this</template>",
    "<noscript>ignore this</noscript>",
    "<svg><text>ignore this</text></svg>",
    "<textarea>ignore this</textarea>",
  ];
  for (const html of hidden) expect(await text(`<p>seen</p>${html}<p>too</p>`)).toBe("seen\n\ntoo");
  expect(await text("a\u200bb\u202ec\u{e0041}\u2066d&#8203;&#x202e;e")).toBe("abcde");
});

test("only the main part of a page is converted, if it has enough text", async () => {
  const nav = "<nav><a href=/>home</a></nav>";
  const long = "word ".repeat(60);
  expect(await text(`${nav}<main><p>${long}</p></main><footer>end</footer>`)).toBe(long.trim());
  expect(await text(`${nav}<main>short</main>`)).toContain("home");
});

const HOSTILE: { readonly [what: string]: string } = {
  "unclosed tags": "<",
  "tags without an end": "<a ",
  "quotes without an end": '<a b="',
  "links in links": "<a href=x>y",
  "lists in lists": "<ul><li>",
  "quotations in quotations": "<blockquote>x",
  entities: "&#x41",
  "ampersands alone": "&",
  tables: "<table><td>x",
  comments: "<!--",
  scripts: "<script>",
  "preformatted lines": "<pre>\n ",
  blanks: " ",
  "preformatted blanks": "<pre>   x",
  attributes: "<a b=c d='e' f ",
};

for (const [what, piece] of Object.entries(HOSTILE)) {
  test(`a page of ${what} takes little time, and other work runs meanwhile`, async () => {
    const html = piece.repeat((200 * 1024) / piece.length);
    const begun = performance.now();
    await markdownOf(html, BASE, async () => {});
    expect(performance.now() - begun).toBeLessThan(1500);
  });
}
