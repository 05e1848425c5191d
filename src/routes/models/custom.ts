import { z } from "zod";
import { addModel, deleteModel, idOfAdded, prefixOf } from "#src/domain/models/model-keys/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { Succeeded, text } from "#src/http/schemas.ts";
import { Pricing } from "./model.ts";

const Dollars = z
  .number()
  .min(0, "must be at least 0")
  .max(1_000_000, "must be at most 1000000")
  .nullish()
  .describe("US dollars per million tokens");

export const addCustomModel = endpoint({
  operationId: "createCustomModel",
  method: "post",
  path: "/api/marketplace/models/custom",
  summary: "Add a custom model",
  description: "Adds a provider's model to the caller's list.",
  tag: "Models",
  access: { user: "any" },
  example: { model_id: "my-models/small", model_name: "Small" },
  body: z.object({
    model_id: text({ min: 1, max: 200, trim: true }).describe("The provider's name of the model"),
    model_name: text({ min: 1, max: 200, trim: true }),
    provider: text({ min: 1, max: 71, trim: true })
      .default("openrouter")
      .describe("Id of a built-in provider, or `custom/<slug>` of a custom one"),
    pricing_input: Dollars,
    pricing_output: Dollars,
  }),
  refusals: [400],
  response: {
    status: 200,
    schema: z.object({
      message: z.string(),
      model: z.object({
        id: z.string(),
        name: z.string(),
        source: z.literal("custom"),
        provider: z.string(),
        pricing: Pricing,
        custom_id: z.uuid(),
      }),
    }),
  },
  async handler({ services, caller, body }) {
    const { model_id: modelId, model_name: modelName } = body;
    const [input, output] = [body.pricing_input ?? null, body.pricing_output ?? null];
    const wish = { modelId, modelName, provider: body.provider, pricingInput: input, pricingOutput: output };
    const { id, provider } = await addModel(services, caller.userId, wish);
    const model = {
      id: idOfAdded({ provider, modelId }, services.modelSettings),
      name: modelName,
      source: "custom" as const,
      provider: prefixOf(provider, services.modelSettings),
      pricing: input === null || output === null ? null : { input, output },
      custom_id: id,
    };
    return { message: "Model added", model };
  },
});

export const deleteCustomModel = endpoint({
  operationId: "deleteCustomModel",
  method: "delete",
  path: "/api/marketplace/models/custom/:added_model",
  summary: "Remove a custom model",
  description: "Removes a model that the caller added.",
  tag: "Models",
  access: { user: "any" },
  params: z.object({ added_model: z.string() }),
  response: { status: 200, schema: Succeeded },
  async handler({ services, caller, params }) {
    await deleteModel(services, caller.userId, params.added_model);
    return { message: "Model deleted", success: true as const };
  },
});
