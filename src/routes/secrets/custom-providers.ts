import { z } from "zod";
import {
  addCustomProvider,
  changeCustomProvider,
  deleteCustomProvider,
  listCustomProviders,
  type ShownProvider,
} from "#src/domain/models/model-keys/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { OutboundHeaders } from "#src/http/outbound-headers.ts";
import { Moment, text } from "#src/http/schemas.ts";
import { API_TYPES } from "#src/models/providers.ts";
import { BaseUrl, Done } from "./key.ts";

const Params = z.object({ model_provider: z.string() });

const Models = z.array(text({ min: 1, max: 200, trim: true })).max(200);
const Name = text({ min: 1, max: 100, trim: true });
const ApiType = z.enum(API_TYPES);
/** Invalid protocols and slugs are refused later as 400, which existing clients expect. */
const GivenApiType = text({ max: 20 });
const GivenSlug = text({ max: 2048, trim: true }).describe(
  "First segment of its models: `custom/<slug>/<name>`; 1 to 64 letters, digits, - and _",
);

const Item = z
  .object({
    id: z.uuid(),
    name: z.string(),
    slug: z.string(),
    base_url: z.string(),
    api_type: ApiType,
    default_headers: z.record(z.string(), z.string()),
    available_models: z.array(z.string()),
    created_at: Moment,
  })
  .meta({ id: "CustomModelProvider" });

const describeProvider = (provider: ShownProvider): z.input<typeof Item> => ({
  id: provider.id,
  name: provider.name,
  slug: provider.slug,
  base_url: provider.baseUrl,
  api_type: provider.apiType,
  default_headers: provider.defaultHeaders,
  available_models: provider.availableModels,
  created_at: provider.createdAt.toISOString(),
});

const ProviderDone = Done.extend({ provider_id: z.uuid(), slug: z.string() }).meta({
  id: "ChangedCustomProvider",
});

export const listOwnProviders = endpoint({
  operationId: "listCustomProviders",
  method: "get",
  path: "/api/secrets/providers/custom",
  summary: "List custom providers",
  description: "The model providers that the caller added.",
  tag: "Own model keys",
  access: { user: "any" },
  response: { status: 200, schema: z.object({ providers: z.array(Item) }) },
  async handler({ services, caller }) {
    return { providers: (await listCustomProviders(services, caller.userId)).map(describeProvider) };
  },
});

export const addOwnProvider = endpoint({
  operationId: "createCustomProvider",
  method: "post",
  path: "/api/secrets/providers/custom",
  summary: "Add a custom provider",
  description: "Any server that speaks OpenAI's or Anthropic's protocol.",
  tag: "Own model keys",
  access: { user: "any" },
  example: { name: "My models", slug: "my-models", base_url: "https://models.example.com/v1" },
  body: z.object({
    name: Name,
    slug: GivenSlug,
    base_url: BaseUrl,
    api_type: GivenApiType.nullish().describe("`openai` or `anthropic`"),
    default_headers: OutboundHeaders.nullish(),
    available_models: Models.nullish(),
  }),
  refusals: [400, 403],
  response: { status: 200, schema: ProviderDone },
  async handler({ services, caller, body, client }) {
    const wish = {
      name: body.name,
      slug: body.slug,
      baseUrl: body.base_url,
      apiType: body.api_type ?? "openai",
      defaultHeaders: body.default_headers ?? {},
      availableModels: body.available_models ?? [],
    };
    const { id, slug } = await addCustomProvider(services, caller.userId, wish, client);
    return { message: "Provider added", provider_id: id, slug, success: true as const };
  },
});

export const changeOwnProvider = endpoint({
  operationId: "updateCustomProvider",
  method: "put",
  path: "/api/secrets/providers/custom/:model_provider",
  summary: "Update a custom provider",
  description: "Absent fields are unchanged. The slug cannot change.",
  tag: "Own model keys",
  access: { user: "any" },
  params: Params,
  example: { name: "My models" },
  body: z.object({
    name: Name.nullish(),
    base_url: BaseUrl.nullish(),
    api_type: GivenApiType.nullish(),
    default_headers: OutboundHeaders.nullish(),
    available_models: Models.nullish(),
  }),
  refusals: [400],
  response: { status: 200, schema: ProviderDone },
  async handler({ services, caller, params, body, client }) {
    const change = {
      ...(typeof body.name === "string" && { name: body.name }),
      ...(typeof body.base_url === "string" && { baseUrl: body.base_url }),
      ...(typeof body.api_type === "string" && { apiType: body.api_type }),
      ...(body.default_headers && { defaultHeaders: body.default_headers }),
      ...(body.available_models && { availableModels: body.available_models }),
    };
    const id = params.model_provider;
    const slug = await changeCustomProvider(services, { userId: caller.userId, id }, change, client);
    return { message: "Provider updated", provider_id: id, slug, success: true as const };
  },
});

export const deleteOwnProvider = endpoint({
  operationId: "deleteCustomProvider",
  method: "delete",
  path: "/api/secrets/providers/custom/:model_provider",
  summary: "Delete a custom provider",
  description: "Deletes its keys, and the models that were added under it, too.",
  tag: "Own model keys",
  access: { user: "any" },
  params: Params,
  response: { status: 200, schema: Done },
  async handler({ services, caller, params, client }) {
    await deleteCustomProvider(services, { userId: caller.userId, id: params.model_provider }, client);
    return { message: "Provider deleted", success: true as const };
  },
});
