import { z } from "zod";
import { changeKey, deleteKey, storeKey, type KeyChange } from "#src/domain/models/model-keys/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { JsonObject } from "#src/http/schemas.ts";
import { BaseUrl, Cleared, Done, Expiry, KeyDone, KeyName, KeyParams, KeyValue, Provider } from "./key.ts";

const AUTH_TYPES = ["api_key", "oauth_token", "bearer_token", "personal_access_token"] as const;

export const storeModelKey = endpoint({
  operationId: "createModelKey",
  method: "post",
  path: "/api/secrets/api-keys",
  summary: "Store a model key",
  description: "A deleted key of the same name is restored with the new value.",
  tag: "Own model keys",
  access: { user: "any" },
  example: { provider: "anthropic", api_key: "sk-ant-example" },
  body: z.object({
    provider: Provider.describe("Id of a built-in provider, or the slug of a custom one"),
    api_key: KeyValue,
    auth_type: z.enum(AUTH_TYPES).default("api_key"),
    key_name: KeyName.or(Cleared).nullish().describe("The provider's name when absent"),
    base_url: BaseUrl.or(Cleared).nullish().describe("Address to call instead of the provider's own"),
    provider_metadata: JsonObject.nullish(),
    expires_at: Expiry,
  }),
  refusals: [400, 403],
  response: { status: 200, schema: KeyDone.extend({ provider: z.string() }) },
  async handler({ services, caller, body, client }) {
    const key = {
      provider: body.provider,
      value: body.api_key,
      authType: body.auth_type,
      keyName: body.key_name || null,
      baseUrl: body.base_url || null,
      providerMetadata: body.provider_metadata ?? {},
      expiresAt: body.expires_at || null,
    };
    const { id, isReused } = await storeKey(services, caller.userId, key, client);
    const message = isReused ? "API key updated" : "API key added";
    return { message, key_id: id, provider: body.provider, success: true as const };
  },
});

const Change = z.object({
  api_key: KeyValue.nullish(),
  key_name: KeyName.nullish(),
  base_url: BaseUrl.or(Cleared).nullish().describe("An empty string removes it"),
  provider_metadata: JsonObject.nullish(),
  expires_at: Expiry.describe("An empty string removes it"),
});

/** The fields that are there, under the names of the domain. */
function changeOf(body: z.output<typeof Change>): KeyChange {
  return {
    ...(typeof body.api_key === "string" && { value: body.api_key }),
    ...(typeof body.key_name === "string" && { keyName: body.key_name }),
    ...(typeof body.base_url === "string" && { baseUrl: body.base_url || null }),
    ...(body.provider_metadata && { providerMetadata: body.provider_metadata }),
    ...(body.expires_at !== undefined && body.expires_at !== null && { expiresAt: body.expires_at || null }),
  };
}

export const changeModelKey = endpoint({
  operationId: "updateModelKey",
  method: "put",
  path: "/api/secrets/api-keys/:model_key",
  summary: "Update a model key",
  description: "Absent fields are unchanged.",
  tag: "Own model keys",
  access: { user: "any" },
  params: KeyParams,
  example: { key_name: "work" },
  body: Change,
  refusals: [400],
  response: { status: 200, schema: KeyDone },
  async handler({ services, caller, params, body, client }) {
    const which = { userId: caller.userId, id: params.model_key };
    await changeKey(services, which, changeOf(body), client);
    return { message: "API key updated", key_id: params.model_key, success: true as const };
  },
});

export const deleteModelKey = endpoint({
  operationId: "deleteModelKey",
  method: "delete",
  path: "/api/secrets/api-keys/:model_key",
  summary: "Delete a model key",
  description: "The key is no longer used. Its record is kept for audit.",
  tag: "Own model keys",
  access: { user: "any" },
  params: KeyParams,
  response: { status: 200, schema: Done },
  async handler({ services, caller, params, client }) {
    await deleteKey(services, { userId: caller.userId, id: params.model_key }, client);
    return { message: "API key deleted", success: true as const };
  },
});
