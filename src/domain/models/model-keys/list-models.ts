import type { UserCaller } from "#src/domain/access/permissions/index.ts";
import { requireTeam } from "#src/domain/organisations/teams/index.ts";
import { knownModels, knownPriceOf, type Price } from "#src/domain/metering/usage/index.ts";
import { supportsVision } from "#src/models/model-facts.ts";
import type { ModelProvider } from "#src/models/providers.ts";
import type { ModelSettings } from "#src/models/settings.ts";
import type { Db } from "#src/platform/db/client.ts";
import { idOfAdded, prefixOf } from "./added-models.ts";
import { activeKeys } from "./queries/keys.ts";
import { addedModels, disabledModels, hasTierOf } from "./queries/models.ts";
import { activeProviders } from "./queries/providers.ts";
import { isSwitchedOff, namedBy } from "./switched-off.ts";

export interface ListedModel {
  id: string;
  name: string;
  source: "system" | "provider" | "custom" | "custom_provider";
  provider: string;
  providerName: string | null;
  price: Price | null;
  /** Whether the caller has a key for the model, and a tier that allows keys. */
  isAvailable: boolean;
  supportsVision: boolean;
  /** Switched off by the person's default team. */
  isDisabled: boolean;
  /** Id of the row in the person's list of added models. */
  customId: string | null;
}

export interface ListedModels {
  models: ListedModel[];
  providers: { provider: ModelProvider; hasKey: boolean }[];
  /** Providers for which the person has a key, or which the person has added. */
  ownProviders: string[];
}

/**
 * Models that a person can choose: the platform's, those of providers for which the person has a key, and those that
 * the person added.
 */
export async function listModels(
  { db, modelSettings }: { db: Db; modelSettings: ModelSettings },
  caller: UserCaller,
): Promise<ListedModels> {
  const { userId } = caller;
  const { teamId } = await requireTeam({ db }, caller, "team.view");
  const [keys, custom, added, [team], hasTier] = await Promise.all([
    activeKeys(db, userId),
    activeProviders(db, userId),
    addedModels(db, userId),
    disabledModels(db, teamId),
    hasTierOf(db, userId, modelSettings.byokTiers),
  ]);
  const { providers, platformModels } = modelSettings;
  const now = Date.now();
  const withKey = new Set(
    keys
      .filter(({ expiresAt }) => expiresAt === null || expiresAt.getTime() > now)
      .map(({ provider }) => provider),
  );
  const isDisabled = (id: string) => {
    const named = namedBy(id, modelSettings);
    return named !== undefined && isSwitchedOff(named, team?.disabled ?? [], modelSettings);
  };
  const nameOfProvider = (id: string) =>
    [...providers, ...custom.map(({ slug, name }) => ({ id: slug, name }))].find((each) => each.id === id)
      ?.name;
  const listed = (
    model: Pick<ListedModel, "id" | "name" | "source" | "provider"> & Partial<ListedModel>,
  ): ListedModel => ({
    providerName: null,
    price: null,
    isAvailable: true,
    customId: null,
    supportsVision: supportsVision(model.id),
    isDisabled: isDisabled(model.id),
    ...model,
  });

  const system = platformModels.map((name) =>
    listed({
      id: `builtin/${name}`,
      name,
      source: "system",
      provider: "internal",
      price: knownPriceOf(name),
    }),
  );
  const ofProviders = providers
    .filter(({ id }) => withKey.has(id))
    .flatMap(({ id: provider, name: providerName }) =>
      knownModels(provider).map(({ name, price }) =>
        listed({
          id: `${provider}/${name}`,
          name,
          source: "provider",
          provider,
          providerName,
          price,
          isAvailable: hasTier,
        }),
      ),
    );
  const ofCustom = custom.flatMap(({ slug, name: providerName, availableModels }) =>
    availableModels.map((name) =>
      listed({
        id: `custom/${slug}/${name}`,
        name,
        source: "custom_provider",
        provider: `custom/${slug}`,
        providerName,
        isAvailable: hasTier && withKey.has(slug),
      }),
    ),
  );
  const own = added.map((model) =>
    listed({
      id: idOfAdded(model, modelSettings),
      name: model.modelName,
      source: "custom",
      provider: prefixOf(model.provider, modelSettings),
      providerName: nameOfProvider(model.provider) ?? null,
      price: priceOfAdded(model),
      isAvailable: hasTier && withKey.has(model.provider),
      customId: model.id,
    }),
  );
  // Each id once; an added model replaces the provider's entry.
  const models = new Map([...system, ...ofProviders, ...ofCustom, ...own].map((model) => [model.id, model]));
  return {
    models: [...models.values()],
    providers: providers.map((provider) => ({ provider, hasKey: withKey.has(provider.id) })),
    ownProviders: [...new Set([...withKey, ...custom.map(({ slug }) => slug)])],
  };
}

function priceOfAdded(model: { pricingInput: number | null; pricingOutput: number | null }): Price | null {
  const { pricingInput: input, pricingOutput: output } = model;
  return input === null || output === null ? null : { input, output };
}
