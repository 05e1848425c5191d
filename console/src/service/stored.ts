/** What a storage of the browser has under a name; undefined for nothing, and for what is no JSON. */
export function readStored(storage: Storage, name: string): unknown {
  try {
    // oxlint-disable-next-line no-restricted-properties -- a schema library does not fit the size of the console
    return JSON.parse(storage.getItem(name) ?? "null") ?? undefined;
  } catch {
    return undefined;
  }
}
