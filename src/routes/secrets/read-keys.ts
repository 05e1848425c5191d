import { z } from "zod";
import { listKeys, revealKey, showKey } from "#src/domain/models/model-keys/index.ts";
import { endpoint, Reply } from "#src/http/endpoint.ts";
import { text } from "#src/http/schemas.ts";
import { describeListedKey, describeSingleKey, KeyParams, ListedKey, SingleKey } from "./key.ts";

export const listModelKeys = endpoint({
  operationId: "listModelKeys",
  method: "get",
  path: "/api/secrets/api-keys",
  summary: "List model keys",
  description: "The caller's active keys of model providers, newest first and masked.",
  tag: "Own model keys",
  access: { user: "any" },
  query: z.object({ provider: text({ max: 64 }).optional() }),
  response: { status: 200, schema: z.object({ api_keys: z.array(ListedKey) }) },
  async handler({ services, caller, query }) {
    const keys = await listKeys(services, caller.userId, query.provider || undefined);
    return { api_keys: keys.map(describeListedKey) };
  },
});

export const getModelKey = endpoint({
  operationId: "getModelKey",
  method: "get",
  path: "/api/secrets/api-keys/:model_key",
  summary: "Get a model key",
  description:
    "Deleted keys included. Revealed on request: at most 10 in 5 minutes and 100 a day, each written to the audit log.",
  tag: "Own model keys",
  access: { user: "any" },
  params: KeyParams,
  query: z.object({ reveal: z.stringbool().default(false) }),
  refusals: [409, 429],
  response: { status: 200, schema: SingleKey },
  async handler({ services, caller, params, query, client }) {
    const { userId } = caller;
    const key = query.reveal
      ? await revealKey(services, userId, params.model_key, client)
      : await showKey(services, userId, params.model_key);
    return new Reply(describeSingleKey(key), { "Cache-Control": "no-store" });
  },
});
