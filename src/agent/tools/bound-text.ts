import { headOf } from "#src/lib/head-of.ts";
import { storableText } from "#src/lib/storable-text.ts";

/**
 * Returns the first and the last `kept / 2` characters of a long text, with a note of how many were cut between them
 * (at most 48 characters more); a text of up to `kept` characters stays whole. The result is well-formed Unicode
 * without NUL, as PostgreSQL's text and jsonb require: lone surrogates and NUL become U+FFFD.
 */
export function headAndTail(text: string, kept: number): string {
  if (text.length <= kept) return storableText(text);
  const half = Math.floor(kept / 2);
  const head = headOf(text, half);
  const tail = text.slice(text.length - half).replace(/^[\uDC00-\uDFFF]/, "");
  const cut = text.length - head.length - tail.length;
  return `${storableText(head)}\n[... ${cut} characters cut ...]\n${storableText(tail)}`;
}
