/** Most paths that one notice of changed files names. */
export const MAX_CHANGED_PATHS = 100;

/** Paths of changed files; null if any file may have changed. */
type ChangedPaths = readonly string[] | null;

/** Two notices of changed files as one. Above the most paths of a notice, any file may have changed. */
export function joined(before: ChangedPaths | undefined, paths: ChangedPaths): ChangedPaths {
  if (before === null || paths === null) return null;
  const all = [...new Set([...(before ?? []), ...paths])];
  return all.length > MAX_CHANGED_PATHS ? null : all;
}
