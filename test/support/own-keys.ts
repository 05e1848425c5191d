import type { Account } from "./api-client.ts";
import { databaseOf } from "./database.ts";
import type { SharedService } from "./shared-service.ts";
import { setTier } from "./tiers.ts";

export const KEYS = "/api/secrets/api-keys";
export const PROVIDERS = "/api/secrets/providers/custom";
export const VALUE = "sk-proj-0123456789abcdef";

export interface OwnKey {
  id: string;
  provider: string;
  key_name: string;
  key_preview: string | null;
  key_value?: string | null;
  [field: string]: unknown;
}

/** What people with own keys of model providers do there. */
export function ownKeysOf(service: SharedService) {
  return {
    /** A person who may have keys. */
    newPro: async (): Promise<Account> => {
      const account = await service.signUp();
      await setTier(databaseOf(service), account.id, "pro");
      return account;
    },
    store: async (token: string, json: Record<string, unknown>) =>
      service.call<{ key_id: string; message: string }>("POST", KEYS, {
        token,
        json: { provider: "openai", api_key: VALUE, ...json },
      }),
    list: async (token: string, query = "") =>
      (await service.call<{ api_keys: OwnKey[] }>("GET", KEYS + query, { token })).body.api_keys,
    show: async (token: string, id: string, query = "") =>
      service.call<OwnKey>("GET", `${KEYS}/${id}${query}`, { token }),
  };
}
