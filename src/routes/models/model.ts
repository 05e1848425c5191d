import { z } from "zod";
import type { ListedModel } from "#src/domain/models/model-keys/index.ts";

export const Pricing = z
  .object({ input: z.number(), output: z.number() })
  .nullable()
  .describe("US dollars per million tokens; null where it is not known");

export const ModelItem = z
  .object({
    id: z.string(),
    name: z.string(),
    source: z.enum(["system", "provider", "custom", "custom_provider"]),
    provider: z.string(),
    provider_name: z.string().nullable(),
    pricing: Pricing,
    available: z.boolean().describe("Whether the caller has a key for it, and a tier that allows keys"),
    health: z.enum(["healthy", "unhealthy", "timeout"]).nullable(),
    supports_vision: z.boolean(),
    disabled: z.boolean().describe("Whether the active team has switched it off"),
    custom_id: z.uuid().nullable().describe("For a model that the caller added: the id to remove it with"),
  })
  .meta({ id: "Model" });

export const describeModel = (model: ListedModel): z.input<typeof ModelItem> => ({
  id: model.id,
  name: model.name,
  source: model.source,
  provider: model.provider,
  provider_name: model.providerName,
  pricing: model.price,
  available: model.isAvailable,
  health: null,
  supports_vision: model.supportsVision,
  disabled: model.isDisabled,
  custom_id: model.customId,
});
