// Text of HTML: decodes entities and removes invisible characters, so that a model gets only what a person could read.

const NAMED: { readonly [name: string]: string } = {
  ...{ amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: " ", ensp: " ", emsp: " ", thinsp: " ", shy: "" },
  ...{ copy: "©", reg: "®", trade: "™", hellip: "…", mdash: "—", ndash: "–", minus: "−", middot: "·", bull: "•" },
  ...{ lsquo: "‘", rsquo: "’", ldquo: "“", rdquo: "”", laquo: "«", raquo: "»", sbquo: "‚", bdquo: "„" },
  ...{ times: "×", divide: "÷", plusmn: "±", deg: "°", micro: "µ", sect: "§", para: "¶", frac12: "½", frac14: "¼" },
  ...{ euro: "€", pound: "£", yen: "¥", cent: "¢", larr: "←", rarr: "→", uarr: "↑", darr: "↓", harr: "↔" },
  ...{ auml: "ä", ouml: "ö", uuml: "ü", Auml: "Ä", Ouml: "Ö", Uuml: "Ü", szlig: "ß", eacute: "é", egrave: "è" },
  ...{ agrave: "à", aacute: "á", acirc: "â", ecirc: "ê", ccedil: "ç", iacute: "í", ntilde: "ñ", oacute: "ó" },
  ...{
    uacute: "ú",
    aring: "å",
    oslash: "ø",
    aelig: "æ",
    le: "≤",
    ge: "≥",
    ne: "≠",
    asymp: "≈",
    infin: "∞",
    check: "✓",
  },
};
const ENTITY = /&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|([a-z][a-z0-9]{1,30}));?/gi;

// Control characters, zero-width characters (except joiners), bidi controls, tag characters.
const UNSEEN =
  /[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\u{e0000}-\u{e007f}]/gu;

export function decodedText(text: string): string {
  return seenText(text.includes("&") ? text.replace(ENTITY, character) : text);
}

function character(whole: string, hex?: string, decimal?: string, name?: string): string {
  if (name !== undefined) return Object.hasOwn(NAMED, name) ? (NAMED[name] ?? whole) : whole;
  const point = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
  return point > 0x10ffff || (point >= 0xd800 && point <= 0xdfff) ? "\ufffd" : String.fromCodePoint(point);
}

export function seenText(text: string): string {
  return text.replace(UNSEEN, "");
}
