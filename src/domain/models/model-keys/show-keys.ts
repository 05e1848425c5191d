import { reveal, type RevealDeps } from "#src/domain/access/reveals/index.ts";
import type { Client } from "#src/lib/client.ts";
import { AppError } from "#src/lib/errors.ts";
import { isId } from "#src/lib/ids.ts";
import type { Db } from "#src/platform/db/client.ts";
import type { Secrets } from "#src/platform/secrets/secrets.ts";
import { activeKeys, keyOfUser, type ModelKey } from "./queries/keys.ts";

export interface ShownKey extends Omit<ModelKey, "encryptedValue"> {
  /** The beginning of the key, to identify it; null if the key cannot be decrypted. */
  preview: string | null;
  /** The whole key, if a reveal was requested. */
  value: string | null;
}

interface ShowDeps {
  db: Db;
  modelKeySecrets: Pick<Secrets, "decrypt">;
}

/** A person's active keys, newest first, masked. A key that cannot be decrypted is listed without its beginning. */
export async function listKeys(deps: ShowDeps, userId: string, provider?: string): Promise<ShownKey[]> {
  const keys = await activeKeys(deps.db, userId, provider);
  return Promise.all(keys.map((key) => masked(deps, key)));
}

/** One of a person's keys, including deleted ones. Throws `not_found`. */
export async function showKey(deps: ShowDeps, userId: string, id: string): Promise<ShownKey> {
  return masked(deps, await requireKey(deps, userId, id));
}

/**
 * As `showKey`, with the whole key, for its owner only. Within the limits of all revealed secrets, and with an audit
 * log entry. Throws `not_found`, `rate_limited`, `conflict` for a key that cannot be decrypted.
 */
export async function revealKey(
  deps: ShowDeps & RevealDeps,
  userId: string,
  id: string,
  client: Client,
): Promise<ShownKey> {
  const { encryptedValue, ...key } = await requireKey(deps, userId, id);
  const entry = {
    userId,
    resourceType: "model_key",
    resourceId: key.id,
    details: { provider: key.provider, key_name: key.keyName },
    client,
  };
  const value = await reveal(deps, entry, () => opened(deps, encryptedValue));
  if (value === undefined) throw new AppError("conflict", "This stored key can no longer be decrypted");
  return { ...key, preview: null, value };
}

async function requireKey({ db }: ShowDeps, userId: string, id: string): Promise<ModelKey> {
  const key = isId(id) ? await keyOfUser(db, userId, id) : undefined;
  if (!key) throw new AppError("not_found", "API key not found");
  return key;
}

async function masked(deps: ShowDeps, { encryptedValue, ...key }: ModelKey): Promise<ShownKey> {
  const value = await opened(deps, encryptedValue);
  return { ...key, preview: value === undefined ? null : previewOf(value), value: null };
}

function opened({ modelKeySecrets }: ShowDeps, encrypted: string): Promise<string | undefined> {
  return modelKeySecrets.decrypt(encrypted).catch(() => undefined);
}

/** At most eight characters and half of the key, so that a short key is not shown whole. */
function previewOf(value: string): string {
  return `${value.slice(0, Math.min(8, Math.floor(value.length / 2)))}...`;
}
