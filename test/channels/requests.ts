import type { WebhookRequest } from "#src/channels/channel.ts";

/** A message as it is received, in private and with nothing to it, but for what is said. */
export const receivedMessage = (parts: object) => ({
  kind: "message",
  replyTarget: undefined,
  isAddressed: true,
  media: [],
  replyTo: undefined,
  sentAt: new Date(1_699_999_990_000),
  ...parts,
});

export const NOW = 1_700_000_000_000;
export const NOW_SECONDS = String(NOW / 1000);

export const bytes = (text: string) => Uint8Array.from(new TextEncoder().encode(text));

/** A request to a webhook, as a platform sends it: a body that is no text becomes JSON. */
export function post(body: unknown, headers: Record<string, string> = {}): WebhookRequest {
  return {
    method: "POST",
    headers: new Headers(headers),
    query: new URLSearchParams(),
    body: bytes(typeof body === "string" ? body : JSON.stringify(body)),
  };
}

export function get(query: Record<string, string> = {}): WebhookRequest {
  return {
    method: "GET",
    headers: new Headers(),
    query: new URLSearchParams(query),
    body: new Uint8Array(),
  };
}

/** HMAC-SHA256 in hexadecimal. */
export async function hmac(secret: string, ...parts: Uint8Array[]): Promise<string> {
  const key = await crypto.subtle.importKey("raw", bytes(secret), { name: "HMAC", hash: "SHA-256" }, false, [
    "sign",
  ]);
  return Buffer.from(await crypto.subtle.sign("HMAC", key, Uint8Array.from(Buffer.concat(parts)))).toString(
    "hex",
  );
}
