import type { InventoryEntry } from "#src/platform/runtime/project-storage.ts";
import type { Manifest, ManifestEntry, ManifestPack } from "./manifest.ts";

/** A restore fetches every pack, so many packs make it slow. */
const MAX_PACKS = 8;

/** Which packs a snapshot reuses, and which files it packs itself. */
export interface PackPlan {
  /** Entries in the order of the inventory; `pack` is still null for files to be packed. */
  entries: ManifestEntry[];
  /** Packs of earlier snapshots that the entries refer to. */
  packs: ManifestPack[];
  /** Paths of the files to be packed. */
  toPack: string[];
}

/**
 * Unchanged files stay in the packs of the parent snapshot. All files are packed anew when there would be too many
 * packs, or when less than half of the bytes in the packs are still used.
 */
export function planPacks(inventory: readonly InventoryEntry[], parent: Manifest | undefined): PackPlan {
  const before = new Map(parent?.entries.map((entry) => [entry.path, entry]));
  const entries = inventory.map((entry) => toManifestEntry(entry, before.get(entry.path)));
  const plan = planOf(entries, parent?.packs ?? []);
  if (isWorthKeeping(plan)) return plan;
  return planOf(
    entries.map((entry) => ({ ...entry, pack: null })),
    [],
  );
}

function toManifestEntry(now: InventoryEntry, before: ManifestEntry | undefined): ManifestEntry {
  const { path, kind, size, mode, modifiedAt, target, fingerprint } = now;
  const isUnchanged =
    before !== undefined &&
    fingerprint !== "" &&
    before.fingerprint === fingerprint &&
    before.kind === kind &&
    (kind !== "file" || before.size === size);
  // Mode, time and target are only in the manifest: a changed mode does not repack the content.
  const pack = isUnchanged ? before.pack : null;
  const bytes = kind === "file" ? size : 0;
  return { path, kind, size: bytes, mode, modifiedAt, target, fingerprint, pack };
}

function planOf(entries: ManifestEntry[], known: readonly ManifestPack[]): PackPlan {
  const used = new Set(entries.map(({ pack }) => pack));
  const toPack = entries.filter(({ kind, size, pack }) => kind === "file" && size > 0 && pack === null);
  return {
    entries,
    packs: known.filter(({ name }) => used.has(name)),
    toPack: toPack.map(({ path }) => path),
  };
}

function isWorthKeeping({ entries, packs, toPack }: PackPlan): boolean {
  if (packs.length + (toPack.length > 0 ? 1 : 0) > MAX_PACKS) return false;
  const alive = entries.reduce((sum, { pack, size }) => sum + (pack === null ? 0 : size), 0);
  const stored = packs.reduce((sum, { contentBytes }) => sum + contentBytes, 0);
  return alive * 2 >= stored;
}
