import { secretVariables } from "#src/domain/containers/index.ts";
import { secretTokens } from "#src/domain/git-hosts/index.ts";
import type { Db } from "#src/platform/db/client.ts";
import type { Secrets } from "#src/platform/secrets/secrets.ts";
import type { KnownSecret } from "./placement.ts";

export interface KnownSecretsDeps {
  db: Db;
  secrets: Pick<Secrets, "decrypt">;
  deploymentSecrets: Pick<Secrets, "decrypt">;
}

type Others = readonly { name: string; value: string }[];

/**
 * What is known to be secret in a run, apart from its files: variables and credentials of the project's containers, the git
 * tokens of the user on whose behalf it runs, and `others`, such as their own model keys, all asked for at the same time.
 */
export async function knownSecrets(
  deps: KnownSecretsDeps,
  run: { projectId: string; userId: string },
  others: Others | Promise<Others> = [],
): Promise<KnownSecret[]> {
  const known = await Promise.all([
    secretVariables(deps, run.projectId),
    secretTokens(deps, run.userId),
    others,
  ]);
  return known.flat().map(({ name, value }) => ({ name, value, declared: true }));
}
