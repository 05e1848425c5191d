/** Returns a key without the word `Bearer` before it, which comes along when a whole header is copied. */
export function bareKey(value: string): string {
  return value.replace(/^\s*(?:authorization:\s*)?bearer\s+(?=\S)/iu, "").trim();
}
