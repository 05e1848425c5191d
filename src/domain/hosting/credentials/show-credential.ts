import type { UserCaller } from "#src/domain/access/permissions/index.ts";
import type { Db } from "#src/platform/db/client.ts";
import type { Secrets } from "#src/platform/secrets/secrets.ts";
import { maskedMetadata, type Metadata } from "./metadata.ts";
import { HOSTING_NAMES } from "./provider-facts.ts";
import { credentialsOf, type Credential } from "./queries.ts";
import { openCredential } from "./sealed-credential.ts";

/** A credential as its owner sees it: without the token. */
export interface ShownCredential {
  credential: Credential;
  /** Masked. */
  metadata: Metadata;
  /** False when no configured key decrypts it: the person has to connect again. */
  isReadable: boolean;
}

interface ShowDeps {
  db: Db;
  deploymentSecrets: Secrets;
}

/** A person's credentials, oldest first; an unknown provider has none. */
export async function listCredentials(
  deps: ShowDeps,
  { userId }: UserCaller,
  filter: { provider?: string | undefined; projectId?: string | undefined },
): Promise<ShownCredential[]> {
  const provider = HOSTING_NAMES.find((name) => name === filter.provider);
  if (filter.provider !== undefined && !provider) return [];
  const found = await credentialsOf(deps.db, userId, { provider, projectId: filter.projectId });
  return Promise.all(found.map((credential) => showCredential(deps, credential)));
}

/** Shows a credential, also one that cannot be decrypted, so that it can be replaced. */
export async function showCredential(
  deps: Pick<ShowDeps, "deploymentSecrets">,
  credential: Credential,
): Promise<ShownCredential> {
  try {
    const { metadata } = await openCredential(deps, credential);
    return { credential, metadata: maskedMetadata(metadata), isReadable: true };
  } catch {
    return { credential, metadata: maskedMetadata(credential.metadata), isReadable: false };
  }
}
