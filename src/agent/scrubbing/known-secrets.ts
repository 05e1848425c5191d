import type { BatchResponse } from "drizzle-orm/batch";
import { statement, type Slot } from "#src/db/statement.ts";
import { personOfTask, projectOfTask } from "#src/domain/agent-work/tasks/index.ts";
import { credentialSecrets, sealedSecrets } from "#src/domain/hosting/credentials/index.ts";
import { sealedEnvs } from "#src/domain/hosting/deployments/index.ts";
import { sealedVariables, secretVariables } from "#src/domain/workspaces/containers/index.ts";
import { sealedTokens, secretTokens } from "#src/domain/source-control/git-hosts/index.ts";
import { ownKeyValues, sealedHeaders, sealedKeys } from "#src/domain/models/model-keys/index.ts";
import type { Db } from "#src/platform/db/client.ts";
import type { Secrets } from "#src/platform/secrets/secrets.ts";
import type { KnownSecret } from "./placement.ts";

export interface KnownSecretsDeps {
  secrets: Pick<Secrets, "decrypt">;
  deploymentSecrets: Pick<Secrets, "decrypt">;
  modelKeySecrets: Pick<Secrets, "decrypt">;
}

type Task = Record<"taskId", Slot<string>>;

const variablesOf = statement((db, { taskId }: Task) => sealedVariables(db, projectOfTask(taskId)));
const envsOf = statement((db, { taskId }: Task) => sealedEnvs(db, projectOfTask(taskId)));
const tokensOf = statement((db, { taskId }: Task) => sealedTokens(db, personOfTask(taskId)));
const credentialsOf = statement((db, { taskId }: Task) => sealedSecrets(db, personOfTask(taskId)));
const keysOf = statement((db, { taskId }: Task) => sealedKeys(db, personOfTask(taskId)));
const headersOf = statement((db, { taskId }: Task) => sealedHeaders(db, personOfTask(taskId)));

/**
 * The stored secrets of a task's run, encrypted, without those in the project's files: variables and credentials of the project's
 * containers and deployments, and the git tokens, hosting tokens and model keys of the user for whom it runs. To be part of a
 * batch.
 */
export function sealedOfTask(db: Db, taskId: string) {
  return [
    variablesOf(db, { taskId }),
    envsOf(db, { taskId }),
    tokensOf(db, { taskId }),
    credentialsOf(db, { taskId }),
    keysOf(db, { taskId }),
    headersOf(db, { taskId }),
  ] as const;
}

/** What a batch read for `sealedOfTask`. */
export type SealedOfTask = BatchResponse<ReturnType<typeof sealedOfTask>>;

/** Opens the stored secrets of a run. */
export async function knownSecrets(
  deps: KnownSecretsDeps,
  [variables, envs, tokens, credentials, keys, headers]: SealedOfTask,
): Promise<KnownSecret[]> {
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
