import { AppError } from "#src/lib/errors.ts";
import { isId } from "#src/lib/ids.ts";
import { rateLimited } from "#src/lib/rate-headers.ts";
import type { AttemptLimits } from "#src/domain/operations/limits/index.ts";
import type { AccountCheck, AccountToCheck } from "#src/models/check-account.ts";
import { ModelError } from "#src/models/model.ts";
import { accountOf, targetOf, type ReadDeps } from "./own-account.ts";
import { prefixOf } from "./added-models.ts";
import { keyOfUser, type ModelKey } from "./queries/keys.ts";
import { activeProviders } from "./queries/providers.ts";
import { requireByokTier, type TierDeps } from "./require-tier.ts";

export interface TestKeyDeps extends TierDeps, ReadDeps {
  attempts: Pick<AttemptLimits, "take">;
  /** Asks the provider about a key. */
  checkOwnAccount(account: AccountToCheck): Promise<AccountCheck>;
}

/**
 * Asks the provider whether it takes a stored key, without a cost. `models` are ids as the service takes them. Throws
 * `not_found` for a key that the person does not have, `forbidden` for the tier, and `rate_limited`.
 */
export async function testKey(
  deps: TestKeyDeps,
  { userId, id }: { userId: string; id: string },
): Promise<AccountCheck> {
  const key = isId(id) ? await keyOfUser(deps.db, userId, id) : undefined;
  if (!key?.isActive) throw new AppError("not_found", "API key not found");
  await requireByokTier(deps, userId);
  await countTest(deps, userId);
  if (key.expiresAt !== null && key.expiresAt.getTime() <= Date.now()) {
    return {
      outcome: "refused",
      sentence: "This key has expired by the date that it was given.",
      models: [],
    };
  }
  try {
    const account = await accountToCheck(deps, key);
    if (!account) return NO_MODELS;
    const check = await deps.checkOwnAccount(account);
    const prefix = prefixOf(key.provider, deps.modelSettings);
    return { ...check, models: check.models.map((name) => `${prefix}/${name}`) };
  } catch (error) {
    if (!(error instanceof ModelError)) throw error;
    return { outcome: "unknown", sentence: error.message, models: [] };
  }
}

const NO_MODELS: AccountCheck = {
  outcome: "unknown",
  sentence: "This key is of no model provider, so it cannot be checked.",
  models: [],
};

async function countTest({ attempts }: TestKeyDeps, userId: string): Promise<void> {
  const decision = await attempts.take("modelKeyTest", `modelKeyTest:${userId}`);
  if (decision?.allowed !== false) return;
  throw rateLimited(decision, "You have tested many keys: wait a few minutes");
}

/** Undefined for a key of an integration, or of a provider that was deleted. */
async function accountToCheck(deps: TestKeyDeps, key: ModelKey): Promise<AccountToCheck | undefined> {
  const { providers } = deps.modelSettings;
  const builtIn = providers.find(({ id }) => id === key.provider);
  const custom = builtIn
    ? undefined
    : (await activeProviders(deps.db, key.userId)).find(({ slug }) => slug === key.provider);
  const target = targetOf({ providers }, key.provider, custom);
  if (!target) return undefined;
  const account = await accountOf(deps, target, key, custom?.defaultHeadersEncrypted ?? null);
  return {
    ...account,
    ...(builtIn?.isListOpen && { isListOpen: true }),
    // At another address it may be another service.
    ...(builtIn?.keyPath !== undefined && key.baseUrl === null && { keyPath: builtIn.keyPath }),
  };
}
