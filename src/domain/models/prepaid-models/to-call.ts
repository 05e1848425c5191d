import type { ChosenModel } from "#src/domain/models/model-keys/index.ts";
import { costOf, priceOf, type ModelCall } from "#src/domain/metering/usage/index.ts";
import type { ModelUsage } from "#src/models/model.ts";
import { bareName } from "#src/models/settings.ts";

/** A call as it is recorded and charged, with the model's canonical name. `number` counts a task's calls by purpose. */
export function toCall(
  chosen: ChosenModel,
  purpose: ModelCall["purpose"],
  usage: ModelUsage,
  number = 1,
): ModelCall {
  const { id, model, isByok } = chosen;
  return {
    purpose,
    number,
    provider: model.provider,
    model: isByok ? id : `builtin/${bareName(id)}`,
    ...usage,
    cost: isByok ? { input: 0, output: 0 } : costOf(priceOf(id), usage),
    isByok,
  };
}
