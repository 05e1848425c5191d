/** Whether a name says that its value is secret, and whether a value is only a placeholder. */

const SECRET_NAME =
  /(?:(?:api|app|access|secret|private|signing|encryption|master|service|account|shared|jwt|webhook|license|storage|deploy|auth|client|admin|anon|role)[_\-. ]?key|token|secret|secret[_\-. ]?key(?:[_-]?base)?|password|passwd|passphrase|passcode|pwd|credentials?|webhook[_\-. ]?url|database[_\-. ]?url|connection[_\-. ]?string|dsn|authorization|cookie[_\-. ]?salt|(?:^|[_\-. ])(?:pass|pat|pin|salt|pw))[_-]?[0-9]?$/iu;

/** `publicKey`, `csrf-token`: names of values that are public. */
const PUBLIC_NAME = /public|publishable|csrf|xsrf|token[_-]?type/iu;

/** Last letters of all such names: a cheap filter, because every `:` and `=` of a text is checked. */
const ENDINGS = new Set("key ken ret ase ord swd ode pwd ial als url ing dsn ion alt ass pat pin".split(" "));

export function isSecretName(name: string): boolean {
  const letters = name
    .replace(/[_-]?[0-9]$/u, "")
    .slice(-3)
    .toLowerCase();
  if (!ENDINGS.has(letters) && !/pw$/iu.test(letters)) return false;
  return SECRET_NAME.test(name) && !PUBLIC_NAME.test(name);
}

const PLACEHOLDER =
  /^(?:<.*>?|\$.*|\{.*|%.*|\[.*|#.*|(.)\1{2,}|.*(?:your[-_ ]|change[-_ ]?me|placeholder|replace[-_ ]?(?:me|this|with)|insert[-_ ]|example|redacted|dummy|xxxx|\.\.\.|\*\*\*).*)$/iu;

/** `<your key>`, `${TOKEN}`, `xxxx`, `changeme`: a placeholder for a value. */
export function isPlaceholder(value: string): boolean {
  return PLACEHOLDER.test(value);
}
