/** The fields of a change by their API names, for the audit log. */
export function fieldNames(change: Readonly<Record<string, unknown>>): string[] {
  return Object.entries(change)
    .filter(([, value]) => value !== undefined)
    .map(([name]) => name.replaceAll(/[A-Z]/gu, (letter) => `_${letter.toLowerCase()}`));
}
