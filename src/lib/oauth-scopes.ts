/** Most scopes that are asked for, and most characters of them. */
const MOST_SCOPES = 100;
const MOST_CHARS = 2_000;

/** RFC 6749, 3.3. */
const SCOPE = /^[\x21\x23-\x5b\x5d-\x7e]+$/u;

/** The scopes in texts, each once, in one text; null for none. What is no scope is left out. */
export function scopesIn(...texts: readonly (string | null | undefined)[]): string | null {
  const scopes = new Set(
    texts.flatMap((text) => (text ?? "").split(/\s+/u).filter((scope) => SCOPE.test(scope))),
  );
  let chars = 0;
  const kept = [...scopes].slice(0, MOST_SCOPES).filter((scope) => (chars += scope.length + 1) <= MOST_CHARS);
  return kept.length === 0 ? null : kept.join(" ");
}
