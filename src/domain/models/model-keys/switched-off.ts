import type { ModelSettings } from "#src/models/settings.ts";
import { parseModelId } from "./parse-model-id.ts";

/** A model in a form that different spellings of its id share. */
export interface NamedModel {
  /** Id of a built-in provider or slug of a custom one; null for the platform's models. */
  provider: string | null;
  /** The provider's name of the model. */
  name: string;
}

/**
 * The entries of a list of switched-off models that match a model: with or without `builtin/`, with the provider's
 * prefix, or the bare name. A bare name, as people write it when they add a model, matches the model of every provider.
 */
export function idsOf(
  model: NamedModel,
  disabled: readonly string[],
  settings: Pick<ModelSettings, "platformModels" | "providers">,
): string[] {
  return disabled.filter((id) => {
    const route = parseModelId(id, settings);
    switch (route.kind) {
      case "platform":
        return model.provider === null && route.name === model.name;
      case "provider":
        return model.provider === route.provider && route.name === model.name;
      case "custom":
        return model.provider === route.slug && route.name === model.name;
      case "added":
        return model.provider !== null && route.name === model.name;
      case "malformed":
        break;
    }
    return false;
  });
}

/** Whether a team has switched a model off. */
export function isSwitchedOff(...args: Parameters<typeof idsOf>): boolean {
  return idsOf(...args).length > 0;
}

/** The model that an id alone identifies; undefined if only a list of added models can tell. */
export function namedBy(
  id: string,
  settings: Pick<ModelSettings, "platformModels" | "providers">,
): NamedModel | undefined {
  const route = parseModelId(id, settings);
  if (route.kind === "platform") return { provider: null, name: route.name };
  if (route.kind === "provider") return { provider: route.provider, name: route.name };
  return route.kind === "custom" ? { provider: route.slug, name: route.name } : undefined;
}
