import type { StoredBundle } from "#src/db/schema/deployments.ts";
import type { ArchiveStore } from "#src/platform/archives/archive-store.ts";
import type { ReleaseFiles } from "#src/platform/hosting/hosting.ts";
import { damaged, loadManifest, packKey } from "./manifest.ts";
import { openSourceArchive, storeSourceArchive } from "./source-archive.ts";

/** The stored files of a deployment, as a provider's client reads them. Throws `unavailable` for a damaged bundle. */
export async function openBundle(archives: ArchiveStore, bundle: StoredBundle): Promise<ReleaseFiles> {
  const { prefix } = bundle;
  const { files, pack } = await loadManifest(archives, prefix);
  if (files.length !== bundle.files || pack.bytes !== bundle.bytes) throw damaged();
  const offsets = new Map(files.map(({ path, offset }) => [path, offset]));
  return {
    list: files.map(({ path, size, digest }) => ({ path, size, digest })),

    async read({ path, size }) {
      const offset = offsets.get(path);
      if (offset === undefined) throw damaged();
      const content =
        size === 0 ? new Uint8Array() : await archives.read(packKey(prefix), { offset, length: size });
      if (!content) throw damaged();
      return content;
    },

    async archive() {
      await storeSourceArchive(archives, bundle);
      return openSourceArchive(archives, bundle);
    },
  };
}
