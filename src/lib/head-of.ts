/** The beginning of a text: at most `chars` UTF-16 units, without splitting a surrogate pair. */
export function headOf(text: string, chars: number): string {
  return text.slice(0, chars).replace(/[\uD800-\uDBFF]$/u, "");
}
