import type { Db } from "#src/platform/db/client.ts";
import type { GitHostName, GitHosts } from "#src/platform/git-hosts/git-host.ts";
import { connectionsOf, type Connection } from "./queries.ts";

/** One host, and whether a person is connected to it. */
export interface ConnectionState {
  provider: GitHostName;
  label: string;
  /** Whether accounts can be connected by OAuth; a personal token can always be used. */
  hasOAuth: boolean;
  connection: Connection | undefined;
}

/** Every host, by its name. */
export async function listConnections(
  { db, gitHosts }: { db: Db; gitHosts: GitHosts },
  userId: string,
): Promise<Record<GitHostName, ConnectionState>> {
  const connections = await connectionsOf(db, userId);
  const stateOf = (provider: GitHostName): ConnectionState => ({
    provider,
    label: gitHosts[provider].label,
    hasOAuth: gitHosts[provider].oauth !== null,
    connection: connections.find((each) => each.provider === provider),
  });
  return { github: stateOf("github"), gitlab: stateOf("gitlab"), bitbucket: stateOf("bitbucket") };
}
