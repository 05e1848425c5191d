import type { RE2JS } from "re2js";

/** Longest pattern, in characters: its parser is not linear. */
const MAX_PATTERN = 1_000;
/** Most instructions of a compiled pattern: each may cost a step at every character. */
const MAX_PROGRAM = 3_000;

export type SearchPattern = { ok: true; regex: RE2JS; size: number } | { ok: false; error: string };

/**
 * Compiles a regular expression in RE2's syntax (https://github.com/google/re2/wiki/Syntax), which has no look-around
 * and no back-references and so takes time linear in the text: patterns come from a model, and texts from any source.
 */
export async function compileSearch(
  pattern: string,
  { ignoreCase, multiline }: { ignoreCase: boolean; multiline: boolean },
): Promise<SearchPattern> {
  if (pattern.length > MAX_PATTERN) {
    return { ok: false, error: `The pattern is longer than ${MAX_PATTERN} characters.` };
  }
  // Loaded on first use, like every heavy module.
  const { RE2JS, RE2JSSyntaxException } = await import("re2js");
  const flags = (ignoreCase ? RE2JS.CASE_INSENSITIVE : 0) | (multiline ? RE2JS.MULTILINE | RE2JS.DOTALL : 0);
  try {
    const regex = RE2JS.compile(pattern, flags);
    const size = regex.programSize();
    if (size <= MAX_PROGRAM) return { ok: true, regex, size };
    return { ok: false, error: "The pattern is too complex: its repetitions multiply." };
  } catch (error) {
    if (!(error instanceof RE2JSSyntaxException)) throw error;
    return { ok: false, error: `The pattern is not a regular expression: ${error.message}.` };
  }
}
