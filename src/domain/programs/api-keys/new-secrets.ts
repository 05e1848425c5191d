import { sha256Hex } from "#src/lib/hash.ts";
import { newId, randomHex } from "#src/lib/ids.ts";
import type { Secrets } from "#src/platform/secrets/secrets.ts";
import type { NewApiKey } from "./queries.ts";

const PREFIX = "tsk_";
/** Standard Webhooks requires 24 to 64 bytes. */
const WEBHOOK_SECRET_BYTES = 32;

export interface KeySecrets {
  /** The raw key. */
  token: string;
  /** Secret that signs the callbacks of the key's tasks. */
  webhookSecret: string;
  /** The part that is stored. */
  stored: Pick<NewApiKey, "id" | "keyHash" | "keyPrefix" | "webhookSecretEncrypted">;
}

/** The secrets of a key that is about to be stored. */
export async function newKeySecrets(deps: { secrets: Secrets }): Promise<KeySecrets> {
  const token = PREFIX + randomHex(32);
  const webhookSecret = newWebhookSecret();
  const stored = {
    id: newId(),
    keyHash: sha256Hex(token),
    keyPrefix: token.slice(0, PREFIX.length + 4),
    webhookSecretEncrypted: await deps.secrets.encrypt(webhookSecret),
  };
  return { token, webhookSecret, stored };
}

/** `whsec_` and the secret in base64, the form that Standard Webhooks libraries expect. */
export function newWebhookSecret(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(WEBHOOK_SECRET_BYTES));
  return `whsec_${btoa(String.fromCodePoint(...bytes))}`;
}
