import { z } from "zod";
import { INTEGRATIONS } from "#src/domain/models/model-keys/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { API_TYPES } from "#src/models/providers.ts";

const ProviderItem = z
  .object({
    id: z.string(),
    name: z.string(),
    description: z.string(),
    auth_type: z.enum(["api_key", "oauth", "personal_access_token"]),
    website: z.string(),
    requires_key: z.boolean(),
    supports_oauth: z.boolean(),
    base_url: z.string().optional().describe("Absent for integrations, which have no models"),
    api_type: z.enum(API_TYPES).optional(),
  })
  .meta({ id: "ModelProvider" });

export const listModelProviders = endpoint({
  operationId: "listModelKeyProviders",
  method: "get",
  path: "/api/secrets/providers",
  summary: "List key providers",
  description: "The built-in model providers, then the integrations. `google` is both.",
  tag: "Own model keys",
  access: { user: "any" },
  response: { status: 200, schema: z.object({ providers: z.array(ProviderItem) }) },
  async handler({ services }) {
    const models = services.modelSettings.providers.map((provider) => ({
      id: provider.id,
      name: provider.name,
      description: provider.description,
      auth_type: "api_key" as const,
      website: provider.website,
      requires_key: true,
      supports_oauth: false,
      base_url: provider.baseUrl,
      api_type: provider.apiType,
    }));
    return { providers: [...models, ...INTEGRATIONS] };
  },
});
