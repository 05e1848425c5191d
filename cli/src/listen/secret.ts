import { createHmac, randomBytes } from "node:crypto";
import path from "node:path";
import { objectOf, parseJson, textOf } from "../json.ts";
import { withLock } from "../session/lock.ts";
import { readPrivateFile, writePrivateFile } from "../session/private-file.ts";

const PREFIX = "whsec_";
/** Standard Webhooks asks for 24 to 64. */
const SECRET_BYTES = 32;

/** The secret with which callbacks to local ports are signed. It is made once for a machine, and stays the same. */
export async function listenSecret(configFolder: string): Promise<{ secret: string; isNew: boolean }> {
  const file = path.join(configFolder, "listen-secret.json");
  return withLock(`${file}.lock`, async () => {
    const text = await readPrivateFile(file);
    const stored = textOf(objectOf(text === undefined ? undefined : parseJson(text)), "secret");
    if (stored?.startsWith(PREFIX)) return { secret: stored, isNew: false };
    const secret = PREFIX + randomBytes(SECRET_BYTES).toString("base64");
    await writePrivateFile(file, `${JSON.stringify({ secret })}\n`);
    return { secret, isNew: true };
  });
}

/** The headers of a signed body: Standard Webhooks, as the service's own callbacks have them. */
export function signedHeaders(id: string, body: string, secret: string, now: number): Record<string, string> {
  const timestamp = String(Math.floor(now / 1000));
  const key = Buffer.from(secret.slice(PREFIX.length), "base64");
  const signature = createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest("base64");
  return {
    "content-type": "application/json",
    "webhook-id": id,
    "webhook-timestamp": timestamp,
    "webhook-signature": `v1,${signature}`,
  };
}
