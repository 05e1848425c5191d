/**
 * Text the database can keep: PostgreSQL refuses NUL and half of a surrogate pair, and a model may write either. Both
 * become the replacement character.
 */
export function storableText(text: string): string {
  return text.toWellFormed().replaceAll("\0", "\uFFFD");
}
