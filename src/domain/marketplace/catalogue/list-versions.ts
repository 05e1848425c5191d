import { listTags, type RemoteTag } from "#src/git/list-tags.ts";
import type { GitTransport } from "#src/git/transport.ts";
import type { Log } from "#src/platform/log/log.ts";

const MOST_VERSIONS = 5;
/** Names of refs are short: this is thousands of them. */
const MAX_BYTES = 2 * 1024 * 1024;
const KEPT_MS = 600_000;
const MOST_KEPT = 1_000;

/** Versions by the repository's address, for ten minutes: visitors may ask often, and git hosts limit requests. */
const kept = new Map<string, { versions: RemoteTag[]; until: number }>();

/**
 * The newest tags of a template's repository; none for a template without one, and none for ten minutes where the git host
 * refuses or fails.
 */
export async function listVersions(
  deps: { gitTransport: (maxBytes: number) => GitTransport; log: Log },
  { gitRepoUrl }: { gitRepoUrl: string | null },
): Promise<RemoteTag[]> {
  if (gitRepoUrl === null) return [];
  const known = kept.get(gitRepoUrl);
  if (known && known.until > Date.now()) return known.versions;
  const versions = await listTags(deps.gitTransport(MAX_BYTES), gitRepoUrl).catch((cause: unknown) => {
    deps.log.warn("versions of a template were not read", { cause });
    return [];
  });
  const [oldest] = kept.keys();
  if (kept.size >= MOST_KEPT && oldest !== undefined) kept.delete(oldest);
  const newest = versions.slice(0, MOST_VERSIONS);
  kept.set(gitRepoUrl, { versions: newest, until: Date.now() + KEPT_MS });
  return newest;
}
