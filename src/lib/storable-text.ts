/**
 * Text that the database can store: PostgreSQL refuses NUL and unpaired surrogates, and a model may write either. Both
 * become the replacement character.
 */
export function storableText(text: string): string {
  return text.toWellFormed().replaceAll("\0", "\uFFFD");
}
