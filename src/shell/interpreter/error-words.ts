// Rewords the interpreter's errors as bash words them.

/** The interpreter's token names. */
const SIGNS: { readonly [name: string]: string } = {
  ...{ NEWLINE: "newline", SEMICOLON: ";", AMP: "&", PIPE: "|", PIPE_AMP: "|&", AND_AND: "&&", OR_OR: "||", BANG: "!" },
  ...{ LPAREN: "(", RPAREN: ")", LBRACE: "{", RBRACE: "}", DSEMI: ";;", SEMI_AND: ";&", SEMI_SEMI_AND: ";;&" },
  ...{ LESS: "<", GREAT: ">", DLESS: "<<", DGREAT: ">>", DBRACK_START: "[[", DBRACK_END: "]]" },
};
const WORDS = new Set("IF THEN ELSE ELIF FI FOR WHILE UNTIL DO DONE CASE ESAC IN FUNCTION SELECT TIME".split(" "));

/** Replaces messages that differ from bash's, and drops advice on just-bash's options. */
export function worded(text: string): string {
  return text
    .replaceAll(
      /^bash: (?!syntax error: )(.*?): Parse error at (\d+):\d+: (.*)$/gm,
      (_, name, line, why) => `bash: ${name}: line ${Number(line) + (name === "eval" ? 1 : 0)}: ${mistake(why)}`,
    )
    .replaceAll(/^(?=division by 0$|syntax error: operand expected )/gm, "bash: ")
    .replaceAll(/, increase executionLimits\.\w+|\(increase executionLimits\.\w+\)/g, "")
    .replaceAll(/syntax error: Parse error at (\d+):\d+: (.*)/g, (_, line, why) => `line ${line}: ${mistake(why)}`);
}

function mistake(why: string): string {
  const [, word] = /^syntax error near unexpected token `(select|coproc)'/.exec(why) ?? [];
  if (word === "select") return "select: not available: a script has no terminal for a menu";
  if (word === "coproc") return "coproc: not available; use a job with & and a file";
  if (/^Parser stuck: /.test(why))
    return "syntax error: more than 10000 commands; split the script and source the parts";
  if (/^Expected RPAREN, got EOF/.test(why)) return "unexpected EOF while looking for matching `)'";
  const [, got = ""] = /^Expected \w+, got (\w+)$/.exec(why) ?? [];
  const token = SIGNS[got] ?? (WORDS.has(got) ? got.toLowerCase() : undefined);
  if (token !== undefined) return `syntax error near unexpected token \`${token}'`;
  if (/^Expected \w+, got EOF/.test(why)) return "syntax error: unexpected end of file";
  return /^(?:syntax error|unexpected EOF)/.test(why) ? why : `syntax error: ${why}`;
}
