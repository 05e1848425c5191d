import { uniqueViolation } from "#src/db/unique-violation.ts";
import type { CeilingConfig } from "#src/domain/operations/ceilings/index.ts";
import type { Client } from "#src/lib/client.ts";
import { AppError } from "#src/lib/errors.ts";
import { isId, newId } from "#src/lib/ids.ts";
import type { Secrets } from "#src/platform/secrets/secrets.ts";
import { checkAddress, type AddressDeps } from "./check-address.ts";
import { bareKey } from "./bare-key.ts";
import { fieldNames } from "./field-names.ts";
import { INTEGRATIONS } from "./integrations.ts";
import { keyOfUser, putKey, removeKey, updateKey, type KeyValues } from "./queries/keys.ts";
import { activeProviders } from "./queries/providers.ts";
import { requireByokTier, type TierDeps } from "./require-tier.ts";

export interface StoreDeps extends TierDeps, AddressDeps {
  modelKeySecrets: Pick<Secrets, "encrypt">;
  config: CeilingConfig<"model_keys">;
}

export interface KeyToStore extends Omit<KeyValues, "encryptedValue" | "keyName"> {
  /** The raw key. */
  value: string;
  /** Null for the provider's name. */
  keyName: string | null;
}

/**
 * Stores a person's key of a provider; restores a deleted one of the same name with the new value. Throws `forbidden`
 * for the tier, `invalid_input` for an unknown provider, a used name, an address that must not be called, and
 * the most keys.
 */
export async function storeKey(
  deps: StoreDeps,
  userId: string,
  { value, keyName, ...wish }: KeyToStore,
  client: Client,
): Promise<{ id: string; isReused: boolean }> {
  await requireByokTier(deps, userId);
  if (wish.baseUrl !== null) checkAddress(deps, wish.baseUrl);
  const nameOfProvider = await requireProvider(deps, userId, wish.provider);
  const key = {
    ...wish,
    id: newId(),
    userId,
    keyName: keyName ?? nameOfProvider,
    encryptedValue: await deps.modelKeySecrets.encrypt(bareKey(value)),
  };
  const entry = {
    ...entryOf(userId, client),
    action: "model_key.created",
    details: { provider: key.provider, key_name: key.keyName },
  };
  const stored = await putKey(deps, key, entry);
  if (!stored) throw duplicate(key.provider, key.keyName);
  return stored;
}

/**
 * The name of a provider: a built-in one, an integration, or a custom one of the person. Throws `invalid_input` for any
 * other.
 */
async function requireProvider(
  { db, modelSettings }: TierDeps,
  userId: string,
  provider: string,
): Promise<string> {
  const own = (await activeProviders(db, userId)).map(({ slug, name }) => ({ id: slug, name }));
  const known = [...modelSettings.providers, ...INTEGRATIONS, ...own];
  const found = known.find(({ id }) => id === provider);
  if (found) return found.name;
  const ids = [...new Set<string>(known.map(({ id }) => id))].join(", ");
  throw new AppError(
    "invalid_input",
    `provider: '${provider}' is not one of ${ids}; add a custom provider first`,
  );
}

/** Absent fields stay as they are. */
export interface KeyChange extends Partial<
  Pick<KeyValues, "keyName" | "baseUrl" | "providerMetadata" | "expiresAt">
> {
  /** The raw key. */
  value?: string;
}

/** Changes an active key. Throws `not_found`, and `invalid_input` as `storeKey` does. */
export async function changeKey(
  deps: StoreDeps,
  { userId, id }: { userId: string; id: string },
  { value, ...change }: KeyChange,
  client: Client,
): Promise<void> {
  if (change.baseUrl) checkAddress(deps, change.baseUrl);
  const changed = fieldNames({ ...change, apiKey: value });
  if (changed.length === 0) {
    if (isId(id) && (await keyOfUser(deps.db, userId, id))?.isActive) return;
    throw new AppError("not_found", "API key not found");
  }
  const encryptedValue = value === undefined ? undefined : await deps.modelKeySecrets.encrypt(bareKey(value));
  const written = { ...change, ...(encryptedValue !== undefined && { encryptedValue }) };
  const entry = {
    ...entryOf(userId, client),
    resourceId: id,
    action: "model_key.updated",
    details: { changed },
  };
  try {
    if (isId(id) && (await updateKey(deps.db, { userId, id }, written, entry))) return;
  } catch (error) {
    if (uniqueViolation(error) !== "user_api_keys_name_unique") throw error;
    throw new AppError(
      "invalid_input",
      "You already have another active key for this provider with that name",
      {
        cause: error,
      },
    );
  }
  throw new AppError("not_found", "API key not found");
}

/** Deletes a key: it is no longer used, and its row stays for audit. Throws `not_found`. */
export async function deleteKey(
  { db }: Pick<StoreDeps, "db">,
  { userId, id }: { userId: string; id: string },
  client: Client,
): Promise<void> {
  const entry = { ...entryOf(userId, client), resourceId: id, action: "model_key.deleted" };
  if (isId(id) && (await removeKey(db, { userId, id }, entry))) return;
  throw new AppError("not_found", "API key not found");
}

const entryOf = (userId: string, client: Client) => ({ userId, resourceType: "model_key", client });

function duplicate(provider: string, name: string): AppError {
  return new AppError(
    "invalid_input",
    `You already have an active key for ${provider} named '${name}': change that key, or give this one another name`,
  );
}
