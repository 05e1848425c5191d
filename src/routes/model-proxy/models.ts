import { z } from "zod";
import { listModels, type OfferedModels } from "#src/domain/models/model-proxy/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { AppError } from "#src/lib/errors.ts";
import { bareName } from "#src/models/settings.ts";

const Item = z.object({
  id: z.string(),
  object: z.literal("model"),
  created: z.int().describe("Always 0: the creation time is unknown"),
  owned_by: z.string(),
  pricing: z
    .object({ input_per_1m: z.number(), output_per_1m: z.number() })
    .nullable()
    .describe("US dollars per million tokens"),
  is_byok: z.literal(false),
});

const describeModel = ({ id, price }: OfferedModels["models"][number]): z.input<typeof Item> => ({
  id,
  object: "model",
  created: 0,
  owned_by: "internal",
  pricing: { input_per_1m: price.input, output_per_1m: price.output },
  is_byok: false,
});

export const models = endpoint({
  operationId: "listProxyModels",
  method: "get",
  path: "/api/v1/models",
  summary: "List proxy models",
  description: "The platform's models with their prices, and the providers for which people can store keys.",
  tag: "Models for programs",
  access: { key: "models.proxy" },
  errorStyle: "openai",
  response: {
    status: 200,
    schema: z.object({
      object: z.literal("list"),
      data: z.array(Item),
      providers: z.array(
        z.object({
          provider: z.string().describe("First segment of the ids of its models"),
          name: z.string(),
          description: z.string(),
          has_key: z.boolean(),
          website: z.string(),
        }),
      ),
    }),
  },
  async handler({ services, caller }) {
    const { models: offered, providers } = await listModels(services, caller);
    return {
      object: "list" as const,
      data: offered.map(describeModel),
      providers: providers.map(({ provider: { id, name, description, website }, hasKey }) => ({
        provider: id,
        name,
        description,
        has_key: hasKey,
        website,
      })),
    };
  },
});

export const model = endpoint({
  operationId: "getProxyModel",
  method: "get",
  path: "/api/v1/models/:platform_model{.+}",
  summary: "Get a proxy model",
  description: "One of the platform's models, with or without `builtin/`.",
  tag: "Models for programs",
  access: { key: "models.proxy" },
  errorStyle: "openai",
  params: z.object({ platform_model: z.string() }),
  response: { status: 200, schema: Item },
  async handler({ services, caller, params }) {
    const { models: offered } = await listModels(services, caller);
    const found = offered.find(({ id }) => bareName(id) === bareName(params.platform_model));
    if (!found) throw new AppError("not_found", "There is no such model here");
    return describeModel(found);
  },
});
