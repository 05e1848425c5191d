/** The fields that a change names, as the API calls them: what the audit log tells of it. */
export function fieldNames(change: Readonly<Record<string, unknown>>): string[] {
  return Object.entries(change)
    .filter(([, value]) => value !== undefined)
    .map(([name]) => name.replaceAll(/[A-Z]/gu, (letter) => `_${letter.toLowerCase()}`));
}
