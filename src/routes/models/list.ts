import { z } from "zod";
import * as modelKeys from "#src/domain/models/model-keys/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { describeModel, ModelItem } from "./model.ts";

const Listed = z.object({
  models: z.array(ModelItem),
  default: z.string().nullable().describe("Id of the platform's default model"),
  count: z.int(),
  external_providers: z.array(
    z.object({
      provider: z.string(),
      name: z.string(),
      description: z.string(),
      has_key: z.boolean(),
      setup_required: z.boolean(),
      website: z.string(),
    }),
  ),
  user_providers: z.array(z.string()).describe("Providers that the caller has a key for, or has added"),
  custom_models: z.array(ModelItem).describe("Those of `models` that the caller added"),
});

export const listModels = endpoint({
  operationId: "listModels",
  method: "get",
  path: "/api/marketplace/models",
  summary: "List available models",
  description:
    "The platform's models, the models of providers that the caller has a key for, and the models that the caller added.",
  tag: "Models",
  access: { user: "any" },
  refusals: [404],
  response: { status: 200, schema: Listed },
  async handler({ services, caller }) {
    const { models, providers, ownProviders } = await modelKeys.listModels(services, caller);
    const described = models.map(describeModel);
    return {
      models: described,
      default: described.find(({ source }) => source === "system")?.id ?? null,
      count: described.length,
      external_providers: providers.map(({ provider, hasKey }) => ({
        provider: provider.id,
        name: provider.name,
        description: provider.description,
        has_key: hasKey,
        setup_required: !hasKey,
        website: provider.website,
      })),
      user_providers: ownProviders,
      custom_models: described.filter(({ source }) => source === "custom" || source === "custom_provider"),
    };
  },
});
