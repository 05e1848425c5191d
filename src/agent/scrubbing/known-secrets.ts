import { credentialSecrets, sealedSecrets } from "#src/domain/hosting/credentials/index.ts";
import { sealedEnvs } from "#src/domain/hosting/deployments/index.ts";
import { sealedVariables, secretVariables } from "#src/domain/workspaces/containers/index.ts";
import { sealedTokens, secretTokens } from "#src/domain/source-control/git-hosts/index.ts";
import { ownKeyValues, sealedHeaders, sealedKeys } from "#src/domain/models/model-keys/index.ts";
import type { Db } from "#src/platform/db/client.ts";
import type { Secrets } from "#src/platform/secrets/secrets.ts";
import type { KnownSecret } from "./placement.ts";

export interface KnownSecretsDeps {
  db: Db;
  secrets: Pick<Secrets, "decrypt">;
  deploymentSecrets: Pick<Secrets, "decrypt">;
  modelKeySecrets: Pick<Secrets, "decrypt">;
}

/**
 * Returns the stored secrets of a run, without those in the project's files: variables and credentials of the project's
 * containers and deployments, and the git tokens, hosting tokens and model keys of the user for whom it runs. One round trip.
 */
export async function knownSecrets(
  deps: KnownSecretsDeps,
  { projectId, userId }: { projectId: string; userId: string },
): Promise<KnownSecret[]> {
  const { db } = deps;
  const [variables, envs, tokens, credentials, keys, headers] = await db.batch([
    sealedVariables(db, { projectId }),
    sealedEnvs(db, { projectId }),
    sealedTokens(db, { userId }),
    sealedSecrets(db, { userId }),
    sealedKeys(db, { userId }),
    sealedHeaders(db, { userId }),
  ]);
  const known = await Promise.all([
    secretVariables(deps, variables),
    secretVariables(
      { secrets: deps.deploymentSecrets },
      envs.map(({ encryptedEnv }) => ({ encryptedEnv, encryptedCredentials: null })),
    ),
    secretTokens(deps, tokens),
    credentialSecrets(deps, credentials),
    ownKeyValues(deps, keys, headers),
  ]);
  return known.flat().map(({ name, value }) => ({ name, value, declared: true }));
}
