import { AppError } from "#src/lib/errors.ts";
import type { ModelSettings } from "#src/models/settings.ts";
import { isPlatformModel, parseModelId } from "./parse-model-id.ts";

/**
 * Throws `invalid_input` for a malformed id, and for a platform model that does not exist. Does not check for a key of
 * another provider, because keys belong to the people who use the model.
 */
export function checkModelId(
  settings: Pick<ModelSettings, "platformModels" | "providers">,
  id: string,
): void {
  const route = parseModelId(id, settings);
  const isThere = route.kind === "platform" ? isPlatformModel(settings, route.name) : true;
  if (route.kind === "malformed" || !isThere) {
    throw new AppError("invalid_input", `model: There is no model '${id}'`);
  }
}
