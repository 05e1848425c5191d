/** The pattern of `LIKE` that finds a text anywhere in another one, with its wildcards taken as they are written. */
export function containing(text: string): string {
  return `%${text.replaceAll(/[\\%_]/gu, String.raw`\$&`)}%`;
}
