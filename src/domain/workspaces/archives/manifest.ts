import { z } from "zod";
import { sha256Hex } from "#src/lib/hash.ts";
import { AppError } from "#src/lib/errors.ts";
import { safeParseJson } from "#src/lib/parse-json.ts";
import type { ArchiveStore } from "#src/platform/archives/archive-store.ts";

const Entry = z.object({
  path: z.string(),
  kind: z.enum(["file", "directory", "symlink"]),
  /** Bytes of a file; 0 for other kinds. */
  size: z.int().nonnegative(),
  mode: z.int().nonnegative(),
  /** In milliseconds since the epoch. */
  modifiedAt: z.number(),
  target: z.string(),
  /** The runtime's fingerprint; empty if the file changed while it was read, so that it never matches. */
  fingerprint: z.string(),
  /** The pack with the content; null for entries without content: directories, links and empty files. */
  pack: z.string().nullable(),
});
export type ManifestEntry = z.infer<typeof Entry>;

const Pack = z.object({
  name: z.string(),
  sha256: z.string(),
  /** Size of the tar file. */
  bytes: z.int().nonnegative(),
  /** Total size of the files in the pack. */
  contentBytes: z.int().nonnegative(),
});
export type ManifestPack = z.infer<typeof Pack>;

const Manifest = z.object({
  version: z.literal(1),
  /** ISO 8601. */
  createdAt: z.string(),
  /** Hash of the snapshot that was the newest when this one was taken. */
  parent: z.string().nullable(),
  /** Every entry of the project, parents before children. */
  entries: z.array(Entry),
  packs: z.array(Pack),
});
export type Manifest = z.infer<typeof Manifest>;

/** Prefix of the keys of everything stored for a project's snapshots. */
export const snapshotsKey = (projectId: string) => `snapshots/${projectId}/`;

export const packKey = (projectId: string, pack: string) => `${snapshotsKey(projectId)}packs/${pack}.tar`;

export const manifestKey = (projectId: string, hash: string) =>
  `${snapshotsKey(projectId)}manifests/${hash}.json`;

/** Stores a manifest. Its hash, SHA-256 of its bytes, is the snapshot's name. */
export async function storeManifest(
  archives: Pick<ArchiveStore, "put">,
  projectId: string,
  manifest: Manifest,
): Promise<string> {
  const text = JSON.stringify(manifest);
  const hash = sha256Hex(text);
  await archives.put(manifestKey(projectId, hash), new Blob([text]).stream());
  return hash;
}

/** Loads the manifest of a snapshot. Throws `unavailable` if the manifest is missing or damaged. */
export async function loadManifest(
  archives: Pick<ArchiveStore, "get">,
  projectId: string,
  hash: string,
): Promise<Manifest> {
  const stored = await archives.get(manifestKey(projectId, hash), hash);
  if (!stored) throw new AppError("unavailable", "The snapshot is damaged: its manifest is missing");
  const parsed = safeParseJson(await new Response(stored).text(), Manifest);
  if (!parsed) throw new AppError("unavailable", "The snapshot is damaged: its manifest cannot be read");
  return parsed.value;
}
