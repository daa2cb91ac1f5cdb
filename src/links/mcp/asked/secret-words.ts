// Finds requests for secrets in the questions of MCP servers. A form is never the way for a password: what is typed there goes to the server
// and stays in logs. Searches in five languages, whatever the spelling.

/** Letters of other alphabets that look like Latin ones. */
const LOOKALIKES: { readonly [letter: string]: string } = {
  ...{ а: "a", е: "e", о: "o", р: "p", с: "c", х: "x", у: "y", і: "i", ѕ: "s", ԁ: "d", к: "k", т: "t", в: "b", н: "h" },
  ...{ α: "a", ε: "e", ο: "o", ρ: "p", ν: "v", ι: "i", κ: "k", τ: "t", ß: "ss" },
};

const WORDS = [
  // English
  ...[
    "passwords?",
    "passwd",
    "passcodes?",
    "passphrases?",
    "pass phrase",
    "pwd",
    "pin",
    "pin code",
    "secrets?",
    "credential",
    "credentials",
  ],
  ...[
    "token",
    "access token",
    "bearer",
    "api ?keys?",
    "access ?keys?",
    "private ?keys?",
    "secret ?keys?",
    "seed phrase",
    "recovery codes?",
  ],
  ...["otp", "totp", "one time (?:code|password)", "(?:2fa|mfa|verification|authenti?cation|security) codes?"],
  ...[
    "(?:credit |debit )?card (?:number|no)",
    "card ?number",
    "credit ?card",
    "cvv2?",
    "cvc2?",
    "security number",
    "ssn",
  ],
  // German
  ...[
    "pass?wort",
    "kennwort",
    "zugangs(?:daten|code|schlussel)",
    "api schlussel",
    "geheim(?:nis|wort|zahl)",
    "einmal(?:code|kennwort|passwort)",
  ],
  ...["(?:kredit)?karten ?nummer", "kreditkarte", "prufziffer", "tan", "losung"],
  // French
  ...[
    "mots? de passe",
    "code secret",
    "code confidentiel",
    "jeton",
    "cle (?:d )?(?:api|acces|secrete|privee)",
    "identifiants",
  ],
  ...["code a usage unique", "numero de (?:la )?carte", "carte (?:bancaire|de credit)"],
  // Spanish
  ...["contrasena", "clave", "clave (?:api|de acceso|secreta)", "codigo de un solo uso", "codigo de verificacion"],
  ...["numero de (?:la )?tarjeta", "tarjeta de credito", "credenciales"],
  // Portuguese
  ...[
    "senha",
    "palavra passe",
    "chave (?:de )?(?:api|acesso|secreta)",
    "codigo de uso unico",
    "numero do cartao",
    "cartao de credito",
  ],
];
const SECRET = new RegExp(`(?<![a-z0-9])(?:${WORDS.join("|")})(?![a-z0-9])`);

/** True if the text names a secret. */
export function namesSecret(text: string): boolean {
  return SECRET.test(folded(text));
}

/** Small Latin letters without marks, one space between words: `apiKey`, `API-KEY` and `ａｐｉ＿ｋｅｙ` are `api key`. */
function folded(text: string): string {
  return text
    .normalize("NFKD")
    .replace(/[\p{M}\p{Cf}]/gu, "")
    .replace(/(\p{Ll})(\p{Lu})/gu, "$1 $2")
    .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, "$1 $2")
    .toLowerCase()
    .replace(/\p{L}/gu, (letter) => LOOKALIKES[letter] ?? letter)
    .replace(/[^\p{L}\p{N}]+/gu, " ");
}
