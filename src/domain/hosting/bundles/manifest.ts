import { z } from "zod";
import type { StoredBundle } from "#src/db/schema/deployments.ts";
import { AppError } from "#src/lib/errors.ts";
import { safeParseJson } from "#src/lib/parse-json.ts";
import type { ArchiveStore } from "#src/platform/archives/archive-store.ts";

/**
 * A bundle in the archive: below `deployments/<deployment>/<bundle>/` a pack, the contents of all files one after the
 * other, and a manifest. The manifest is written last, so that a bundle is whole or absent, and neither changes after
 * that. They are kept while a deployment names the bundle.
 */
export const BUNDLES = "deployments/";

/** Beginning of the names of everything that is stored for a deployment. */
export const bundlesOf = (deploymentId: string) => `${BUNDLES}${deploymentId}/`;

export const packKey = (prefix: string) => `${prefix}files.pack`;
export const manifestKey = (prefix: string) => `${prefix}manifest.json`;

const BundledFile = z.object({
  path: z.string(),
  size: z.int().nonnegative(),
  /** Where its content begins in the pack. */
  offset: z.int().nonnegative(),
  /** As the provider identifies the content. */
  digest: z.string(),
  isExecutable: z.boolean(),
});
export type BundledFile = z.infer<typeof BundledFile>;

const Manifest = z.object({
  version: z.literal(1),
  pack: z.object({ bytes: z.int().nonnegative(), sha256: z.string() }),
  /** Sorted by path, in the order of their contents. */
  files: z.array(BundledFile),
});
export type Manifest = z.infer<typeof Manifest>;

export async function storeManifest(
  archives: Pick<ArchiveStore, "put">,
  prefix: string,
  manifest: Manifest,
): Promise<StoredBundle> {
  await archives.put(manifestKey(prefix), new Blob([JSON.stringify(manifest)]).stream());
  return bundleOf(prefix, manifest);
}

export function bundleOf(prefix: string, { files, pack }: Manifest): StoredBundle {
  return { prefix, files: files.length, bytes: pack.bytes };
}

/** Throws `unavailable` if it is missing or damaged, or its pack does not have the length that it says. */
export async function loadManifest(
  archives: Pick<ArchiveStore, "get" | "read">,
  prefix: string,
): Promise<Manifest> {
  const stored = await archives.get(manifestKey(prefix));
  const manifest = stored && safeParseJson(await new Response(stored).text(), Manifest)?.value;
  if (!manifest || !isContiguous(manifest)) throw damaged();
  const { bytes } = manifest.pack;
  const last = bytes > 0 ? await archives.read(packKey(prefix), { offset: bytes - 1, length: 1 }) : true;
  if (!last) throw damaged();
  return manifest;
}

function isContiguous({ files, pack }: Manifest): boolean {
  let end = 0;
  for (const { offset, size } of files) {
    if (offset !== end) return false;
    end += size;
  }
  return end === pack.bytes;
}

export function damaged(): AppError {
  return new AppError("unavailable", "The stored files of the deployment are damaged; deploy again");
}
