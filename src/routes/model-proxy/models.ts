import { z } from "zod";
import { listModels } from "#src/domain/model-proxy/index.ts";
import { endpoint } from "#src/http/endpoint.ts";

export const models = endpoint({
  method: "get",
  path: "/api/v1/models",
  summary: "The platform's models with their prices, and the providers that people may have keys of",
  tag: "Models for programs",
  access: { key: "models.proxy" },
  errorStyle: "openai",
  response: {
    status: 200,
    schema: z.object({
      object: z.literal("list"),
      data: z.array(
        z.object({
          id: z.string(),
          object: z.literal("model"),
          created: z.int().describe("Always 0: nobody knows"),
          owned_by: z.string(),
          pricing: z
            .object({ input_per_1m: z.number(), output_per_1m: z.number() })
            .nullable()
            .describe("US dollars per million tokens"),
          is_byok: z.literal(false),
        }),
      ),
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
      data: offered.map(({ id, price }) => ({
        id,
        object: "model" as const,
        created: 0,
        owned_by: "internal",
        pricing: { input_per_1m: price.input, output_per_1m: price.output },
        is_byok: false as const,
      })),
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
