import { Webhook } from "standardwebhooks";
import { AppError } from "#src/lib/errors.ts";
import type { Db } from "#src/platform/db/client.ts";
import type { SafeFetch } from "#src/platform/safe-fetch/safe-fetch.ts";
import type { Secrets } from "#src/platform/secrets/secrets.ts";

const TIMEOUT_MS = 10_000;
/** Only the status of the receiver's response counts. */
const MAX_ANSWER_BYTES = 64 * 1024;

export interface SignDeps {
  db: Db;
  safeFetch: SafeFetch;
  secrets: Pick<Secrets, "decrypt">;
}

/**
 * Returns the headers of a signed body. Standard Webhooks: `webhook-id`, `webhook-timestamp` (seconds),
 * `webhook-signature` (v1, HMAC-SHA256; one for each secret, the current one's first). A task without a key has no secret,
 * and no signature.
 */
export async function signedHeaders(
  { secrets }: Pick<SignDeps, "secrets">,
  id: string,
  body: string,
  encrypted: { current: string | null; previous: string | null },
): Promise<Record<string, string>> {
  const now = new Date();
  const known = [encrypted.current, encrypted.previous].filter((each) => each !== null);
  const signatures = await Promise.all(
    known.map(async (each) => new Webhook(await secrets.decrypt(each)).sign(id, now, body)),
  );
  return {
    "content-type": "application/json",
    "webhook-id": id,
    "webhook-timestamp": String(Math.floor(now.getTime() / 1000)),
    ...(signatures.length > 0 && { "webhook-signature": signatures.join(" ") }),
  };
}

/** Posts a body to a task's receiver. Never throws. */
export async function post(
  safeFetch: SafeFetch,
  url: string,
  headers: Record<string, string>,
  body: string,
): Promise<{ delivered: boolean; statusCode: number | null; error: string | null }> {
  try {
    const { status } = await safeFetch(url, {
      method: "POST",
      headers,
      body,
      timeoutMs: TIMEOUT_MS,
      maxBytes: MAX_ANSWER_BYTES,
      maxRedirects: 0,
    });
    const delivered = status >= 200 && status < 300;
    return { delivered, statusCode: status, error: delivered ? null : `The receiver returned ${status}` };
  } catch (error) {
    const known = error instanceof AppError ? error.message : "The receiver could not be reached";
    return { delivered: false, statusCode: null, error: known };
  }
}
