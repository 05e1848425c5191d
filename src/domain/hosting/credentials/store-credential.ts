import { isForeignKeyViolation } from "#src/db/foreign-key-violation.ts";
import type { UserCaller } from "#src/domain/access/permissions/index.ts";
import { requireProject } from "#src/domain/workspaces/projects/index.ts";
import type { Client } from "#src/lib/client.ts";
import { AppError } from "#src/lib/errors.ts";
import { isId } from "#src/lib/ids.ts";
import type { Db } from "#src/platform/db/client.ts";
import type { Hosting, HostingName } from "#src/platform/hosting/hosting.ts";
import type { Secrets } from "#src/platform/secrets/secrets.ts";
import { mergeMetadata, type GivenMetadata, type Metadata } from "./metadata.ts";
import { HOSTING_FACTS, requireHostingName } from "./provider-facts.ts";
import {
  changeCredential,
  credentialOf,
  deleteCredential as deleteRow,
  putCredential,
  type Credential,
  type CredentialPlace,
  type LimitedDb,
  type SealedCredential,
} from "./queries.ts";
import { openMetadata, sealCredential } from "./sealed-credential.ts";

export interface StoreDeps extends LimitedDb {
  hosting: Pick<Hosting, "placeOf">;
  deploymentSecrets: Secrets;
}

interface CredentialInput {
  provider: string;
  token: string;
  metadata: GivenMetadata;
  /** Id or slug; null for the person's default. */
  project: string | null;
}

/**
 * Stores a token that a person entered. It replaces the credential that they have for this provider and project, with its
 * metadata. Throws `invalid_input` for another provider, for missing metadata and for a token of the stand-in where there is
 * none, `invalid_body` for unknown metadata, and as `requireProject`.
 */
export async function storeCredential(
  deps: StoreDeps,
  caller: UserCaller,
  input: CredentialInput,
  client: Client,
): Promise<Credential> {
  const projectId = await projectToDeploy(deps, caller, input.project);
  const provider = requireHostingName(input.provider);
  const sealed = await sealCredential(deps, {
    ...entered(deps, provider, input.token),
    metadata: mergeMetadata(provider, {}, input.metadata),
  });
  const place = { userId: caller.userId, provider, projectId };
  return putWhileThere(deps, place, sealed, { action: "entered", client });
}

/** The id of the project of a credential. Throws as `requireProject` for one in which the person may not deploy. */
export async function projectToDeploy(
  deps: { db: Db },
  caller: UserCaller,
  project: string | null,
): Promise<string | null> {
  if (project === null) return null;
  return (await requireProject(deps, caller, project, "deployment.create")).id;
}

/** As `putCredential`. Throws `not_found` when the project was deleted in the meantime. */
export async function putWhileThere(
  deps: LimitedDb,
  place: CredentialPlace,
  sealed: SealedCredential,
  entry: Parameters<typeof putCredential>[3],
): Promise<Credential> {
  try {
    const stored = await putCredential(deps, place, sealed, entry);
    if (stored) return stored;
  } catch (error) {
    if (!isForeignKeyViolation(error)) throw error;
  }
  throw new AppError("not_found", place.projectId === null ? "User not found" : "Project not found");
}

/** Attempts against writes at the same moment. */
const MAX_ATTEMPTS = 5;

/**
 * Changes a credential's token, its metadata, or both; metadata is merged. Throws `not_found` for one that the person does
 * not have, and otherwise as `storeCredential`.
 */
export async function updateCredential(
  deps: StoreDeps,
  caller: UserCaller,
  { id, ...change }: { id: string; token: string | undefined; metadata: GivenMetadata },
  client: Client,
): Promise<Credential> {
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
    const before = await requireCredential(deps.db, caller.userId, id);
    await projectToDeploy(deps, caller, before.projectId);
    const changed = await changeCredential(deps.db, before, await changedBy(deps, before, change), client);
    if (changed) return changed;
  }
  throw new AppError("conflict", "The credential is being changed: try again");
}

async function changedBy(
  deps: StoreDeps,
  before: Credential,
  { token, metadata: given }: { token: string | undefined; metadata: GivenMetadata },
): Promise<SealedCredential> {
  const { provider, authType, isStandin, expiresAt, encryptedRefreshToken } = before;
  const metadata = mergeMetadata(provider, await readableMetadata(deps, before), given);
  if (token !== undefined) return sealCredential(deps, { ...entered(deps, provider, token), metadata });
  const kept = await deps.deploymentSecrets.decrypt(before.encryptedToken).catch(() => {
    const { label } = HOSTING_FACTS[provider];
    throw new AppError("invalid_input", `The token of ${label} cannot be decrypted: enter it again`);
  });
  const open = { token: kept, refreshToken: null, expiresAt, metadata, authType, isStandin };
  return { ...(await sealCredential(deps, open)), encryptedRefreshToken };
}

/** Metadata as far as it can be decrypted, so that a person can enter the rest again. */
async function readableMetadata(deps: StoreDeps, credential: Credential): Promise<Metadata> {
  return openMetadata(deps, credential).catch(() => credential.metadata);
}

/** A token that a person entered. Throws `invalid_input` for one of the stand-in where there is none. */
function entered({ hosting }: StoreDeps, provider: HostingName, token: string) {
  const belongsTo = hosting.placeOf(provider, token);
  if (belongsTo === "refused") {
    throw new AppError(
      "invalid_input",
      "access_token: tokens that begin `standin_` are for trying the service: use one of your own account",
    );
  }
  const isStandin = belongsTo === "standin";
  return { token, refreshToken: null, expiresAt: null, authType: "token" as const, isStandin };
}

/**
 * Deletes a credential. It needs no access to its project: a person can always take a token away. Throws `not_found` for one
 * that the person does not have.
 */
export async function deleteCredential(
  deps: { db: Db },
  caller: UserCaller,
  id: string,
  client: Client,
): Promise<void> {
  const found = await requireCredential(deps.db, caller.userId, id);
  if (!(await deleteRow(deps.db, found, client))) throw missing();
}

async function requireCredential(db: Db, userId: string, id: string): Promise<Credential> {
  const found = isId(id) ? await credentialOf(db, userId, id) : undefined;
  if (!found) throw missing();
  return found;
}

const missing = () => new AppError("not_found", "Credential not found");
