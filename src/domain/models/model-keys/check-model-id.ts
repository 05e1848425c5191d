import { AppError } from "#src/lib/errors.ts";
import type { ModelSettings } from "#src/models/settings.ts";
import { isPlatformModel, parseModelId } from "./parse-model-id.ts";

/**
 * Refuse an id that can be no model's: one that is malformed, and one of the platform's that it does not have. Whether there is a
 * key for any other shows when a person works with it: it is theirs. Throws `invalid_input`.
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
