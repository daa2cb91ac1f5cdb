// Markdown of models as elements. The lexer makes tokens, and only this file makes elements of them: HTML stays text, an image is its
// description, and a link has an address that a person can check.

import { Lexer, type Token, type Tokens } from "marked";
import { Fragment, memo, type ReactNode } from "react";
import { reveal, sanitize } from "../../../src/lib/text/sanitize.ts";
import { blocksOf } from "./blocks.ts";
import { safeHref } from "./link.ts";

/** Longer blocks are shown as they are: parsing takes more than linear time. */
const BLOCK_CHARS_MAX = 64 * 1024;
/** Deeper nesting is shown as text. */
const DEPTH_MAX = 24;

export const Markdown = memo(function Markdown({ text }: { readonly text: string }) {
  return (
    <div className="prose">
      {blocksOf(sanitize(text)).map((block, at) => (
        <Block key={at} text={block} />
      ))}
    </div>
  );
});

const Block = memo(function Block({ text }: { readonly text: string }) {
  if (text.length > BLOCK_CHARS_MAX) return <pre>{text}</pre>;
  return <>{blocks(new Lexer({ gfm: true }).lex(text), 0)}</>;
});

function blocks(tokens: readonly Token[], depth: number): ReactNode {
  return tokens.map((token, at) => <Fragment key={at}>{block(token, depth)}</Fragment>);
}

function block(token: Token, depth: number): ReactNode {
  if (depth > DEPTH_MAX) return token.raw;
  switch (token.type) {
    case "space":
    case "def":
      return null;
    case "heading":
      return heading(token as Tokens.Heading, depth);
    case "paragraph":
      return <p>{inline(token.tokens ?? [], depth + 1)}</p>;
    case "text":
      return token.tokens === undefined ? plain(token.text) : inline(token.tokens, depth + 1);
    case "blockquote":
      return <blockquote>{blocks(token.tokens ?? [], depth + 1)}</blockquote>;
    case "code":
      return <Code token={token as Tokens.Code} />;
    case "list":
      return list(token as Tokens.List, depth);
    case "table":
      return table(token as Tokens.Table, depth);
    case "hr":
      return <hr />;
    default:
      return <p>{token.raw.trimEnd()}</p>;
  }
}

function heading({ depth: level, tokens }: Tokens.Heading, depth: number): ReactNode {
  const words = inline(tokens, depth + 1);
  // The page itself has the first level.
  if (level === 1) return <h2>{words}</h2>;
  return level === 2 ? <h3>{words}</h3> : <h4>{words}</h4>;
}

function Code({ token: { text, lang = "" } }: { readonly token: Tokens.Code }) {
  const name = lang.split(/\s/)[0] ?? "";
  return (
    <figure className="code">
      {name !== "" && <figcaption>{name}</figcaption>}
      <pre tabIndex={0}>
        <code>{text}</code>
      </pre>
    </figure>
  );
}

function list({ ordered, start, items }: Tokens.List, depth: number): ReactNode {
  const rows = items.map((item, at) => (
    <li key={at} className={item.task ? "task" : undefined}>
      {item.task && <input type="checkbox" checked={item.checked === true} disabled aria-label="task" />}
      {blocks(item.tokens, depth + 1)}
    </li>
  ));
  return ordered ? <ol start={start === "" ? 1 : start}>{rows}</ol> : <ul>{rows}</ul>;
}

function table({ header, rows, align }: Tokens.Table, depth: number): ReactNode {
  const side = (at: number) => (align[at] === "right" ? "right" : undefined);
  return (
    <div className="scroll" tabIndex={0} role="region" aria-label="table">
      <table>
        <thead>
          <tr>
            {header.map(({ tokens }, at) => (
              <th key={at} className={side(at)}>
                {inline(tokens, depth + 1)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, line) => (
            <tr key={line}>
              {row.map(({ tokens }, at) => (
                <td key={at} className={side(at)}>
                  {inline(tokens, depth + 1)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function inline(tokens: readonly Token[], depth: number): ReactNode {
  return tokens.map((token, at) => <Fragment key={at}>{span(token, depth)}</Fragment>);
}

function span(token: Token, depth: number): ReactNode {
  if (depth > DEPTH_MAX) return token.raw;
  const inner = () => inline(("tokens" in token && token.tokens) || [], depth + 1);
  switch (token.type) {
    case "text":
    case "escape":
      return plain(token.text);
    case "strong":
      return <strong>{inner()}</strong>;
    case "em":
      return <em>{inner()}</em>;
    case "del":
      return <del>{inner()}</del>;
    case "codespan":
      return <code>{token.text}</code>;
    case "br":
      return <br />;
    case "link":
      return <Link token={token as Tokens.Link}>{inner()}</Link>;
    case "image":
      return <span className="dim">{`[image: ${reveal(token.text || token.href)}]`}</span>;
    default:
      return token.raw;
  }
}

function Link({ token, children }: { readonly token: Tokens.Link; readonly children: ReactNode }) {
  const href = safeHref(token.href);
  if (href === null) return <>{token.raw}</>;
  // The model chose the words of the link: the address is always in sight.
  const isShown = token.text === token.href || `mailto:${token.text}` === token.href;
  return (
    <>
      <a href={href} rel="noopener noreferrer" target="_blank">
        {children}
      </a>
      {!isShown && <span className="dim"> ({href})</span>}
    </>
  );
}

/** The lexer leaves entities in place; HTML would have made characters of them. */
function plain(text: string): string {
  return text.replace(/&(amp|lt|gt|quot|#39);/g, (_, name: string) => ENTITIES[name] ?? "");
}

const ENTITIES: { readonly [name: string]: string } = { amp: "&", lt: "<", gt: ">", quot: '"', "#39": "'" };
