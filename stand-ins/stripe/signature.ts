import { createHmac } from "node:crypto";

/**
 * The `Stripe-Signature` header for a body sent at this time, in milliseconds since the epoch.
 * https://docs.stripe.com/webhooks/signature
 */
export function signatureHeader(secret: string, body: string, now: number): string {
  const timestamp = Math.floor(now / 1000);
  const signature = createHmac("sha256", secret).update(`${timestamp}.${body}`).digest("hex");
  return `t=${timestamp},v1=${signature}`;
}
