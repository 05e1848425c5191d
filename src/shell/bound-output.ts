/** Most characters of one output stream that leave the object: the first and the last half of a longer one. */
const MAX_OUTPUT = 1024 * 1024;

/** Returns the beginning and the end of a long text, with a line between them that says how much is missing. */
export function boundOutput(text: string, max = MAX_OUTPUT): string {
  if (text.length <= max) return text;
  const half = Math.floor(max / 2);
  // A cut through a surrogate pair leaves halves, which no transport can carry.
  const head = text.slice(0, half).toWellFormed();
  const tail = text.slice(-half).toWellFormed();
  return `${head}\n[… ${text.length - 2 * half} characters left out …]\n${tail}`;
}
