import { isSwitchedOff } from "#src/domain/models/model-keys/index.ts";
import { payerById } from "#src/domain/metering/credits/index.ts";
import { priceOf, type Price } from "#src/domain/metering/usage/index.ts";
import type { ModelProvider } from "#src/models/providers.ts";
import type { ModelSettings } from "#src/models/settings.ts";
import type { Db } from "#src/platform/db/client.ts";
import { providersWithKey } from "./queries.ts";
import type { Payer } from "./metered-call.ts";

export interface OfferedModels {
  /** Models of the platform that the team has not switched off, the default one first. */
  models: readonly { id: string; price: Price }[];
  /** Providers for which people can have keys. */
  providers: readonly { provider: ModelProvider; hasKey: boolean }[];
}

/**
 * Models that a person can request from the proxy: the platform's, and any of a provider for which the person has a
 * key.
 */
export async function listModels(
  deps: { db: Db; modelSettings: ModelSettings },
  { userId, teamId }: Payer,
): Promise<OfferedModels> {
  const { platformModels, providers } = deps.modelSettings;
  const [[team], own] = await deps.db.batch([payerById(deps.db, teamId), providersWithKey(deps.db, userId)]);
  const disabled = team?.disabledModels ?? [];
  const withKey = new Set(own.map(({ provider }) => provider));
  return {
    models: platformModels
      .filter((name) => !isSwitchedOff({ provider: null, name }, disabled, deps.modelSettings))
      .map((name) => ({ id: `builtin/${name}`, price: priceOf(name) })),
    providers: providers.map((provider) => ({ provider, hasKey: withKey.has(provider.id) })),
  };
}
