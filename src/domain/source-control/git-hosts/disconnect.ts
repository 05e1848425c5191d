import type { Client } from "#src/lib/client.ts";
import type { Db } from "#src/platform/db/client.ts";
import type { GitHostName, GitHosts } from "#src/platform/git-hosts/git-host.ts";
import { deleteConnection } from "./queries.ts";

/** Deletes a person's connection to a host, with its tokens. Idempotent. */
export async function disconnectGitHost(
  { db, gitHosts }: { db: Db; gitHosts: GitHosts },
  userId: string,
  name: GitHostName,
  client: Client,
): Promise<{ label: string }> {
  await deleteConnection(db, userId, name, client);
  return { label: gitHosts[name].label };
}
