import { uniqueViolation } from "#src/db/unique-violation.ts";
import type { CeilingConfig } from "#src/domain/operations/ceilings/index.ts";
import { AppError } from "#src/lib/errors.ts";
import { isId, newId } from "#src/lib/ids.ts";
import type { ModelSettings } from "#src/models/settings.ts";
import type { Db } from "#src/platform/db/client.ts";
import { insertModel, removeModel } from "./queries/models.ts";
import { activeProviders } from "./queries/providers.ts";

export interface ModelToAdd {
  modelId: string;
  modelName: string;
  /** Id of a built-in provider, or the slug of a custom one, with `custom/` or without. */
  provider: string;
  /** In US dollars per million tokens. */
  pricingInput: number | null;
  pricingOutput: number | null;
}

/**
 * Adds a model to the person's list, and returns the canonical provider. Throws `invalid_input` for an unknown
 * provider, for a model that is already listed, for only one of the two prices, and for a person with the
 * most models.
 */
export async function addModel(
  deps: { db: Db; modelSettings: Pick<ModelSettings, "providers">; config: CeilingConfig<"added_models"> },
  userId: string,
  wish: ModelToAdd,
): Promise<{ id: string; provider: string }> {
  const { db, modelSettings } = deps;
  const model = { ...wish, provider: wish.provider.replace(/^custom\//u, "") };
  if ((model.pricingInput === null) !== (model.pricingOutput === null)) {
    throw new AppError(
      "invalid_input",
      "pricing_input and pricing_output go together: give both, or neither",
    );
  }
  const slugs = (await activeProviders(db, userId)).map(({ slug }) => slug);
  const known = [...modelSettings.providers.map(({ id }) => id), ...slugs];
  if (!known.includes(model.provider)) {
    throw new AppError("invalid_input", `provider: '${wish.provider}' is not one of ${known.join(", ")}`);
  }
  const id = newId();
  try {
    await insertModel(deps, { ...model, id, userId });
  } catch (error) {
    if (uniqueViolation(error) !== "user_models_model_unique") throw error;
    throw new AppError("invalid_input", "You have already added this model", { cause: error });
  }
  return { id, provider: model.provider };
}

/** Removes a model from the person's list. Throws `not_found`. */
export async function deleteModel({ db }: { db: Db }, userId: string, id: string): Promise<void> {
  if (isId(id) && (await removeModel(db, userId, id))) return;
  throw new AppError("not_found", "Model not found");
}

/** The id of an added model: the provider's prefix, once, and the model's name. */
export function idOfAdded(
  { provider, modelId }: Pick<ModelToAdd, "provider" | "modelId">,
  settings: Pick<ModelSettings, "providers">,
): string {
  const prefix = prefixOf(provider, settings);
  return modelId.startsWith(`${prefix}/`) ? modelId : `${prefix}/${modelId}`;
}

/** Prefix of the ids of a provider's models: the provider's id, or `custom/` and the slug of a custom one. */
export function prefixOf(provider: string, { providers }: Pick<ModelSettings, "providers">): string {
  return providers.some(({ id }) => id === provider) ? provider : `custom/${provider}`;
}
