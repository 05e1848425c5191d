import type { Account } from "#test/support/api-client.ts";
import { databaseOf } from "#test/support/database.ts";
import type { SharedService } from "#test/support/shared-service.ts";
import { setTier } from "#test/support/tiers.ts";

/** Gives a person a model of their own at a server that speaks as OpenAI's. Returns the model's name. */
export async function withOwnModel(
  service: SharedService,
  { id, token }: Pick<Account, "id" | "token">,
  origin: string,
): Promise<string> {
  await setTier(databaseOf(service), id, "pro");
  const slug = `own-${crypto.randomUUID().slice(0, 8)}`;
  const provider = { name: "Own", slug, base_url: `${origin}/v1`, available_models: ["m"] };
  const key = { provider: slug, api_key: "sk-0123456789abcdef" };
  for (const [path, json] of [
    ["providers/custom", provider],
    ["api-keys", key],
  ] as const) {
    const { status, text } = await service.call("POST", `/api/secrets/${path}`, { token, json });
    if (status >= 300) throw new Error(`No model was made: ${status} ${text}`);
  }
  return `custom/${slug}/m`;
}
