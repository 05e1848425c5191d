import { createHmac } from "node:crypto";
import { keptSecret } from "#local/kept-secret.ts";

/** Keys of the stand-in's only account. */
export interface StripeCredentials {
  secretKey: string;
  publishableKey: string;
  webhookSecret: string;
}

/** Derives the keys of a data folder from one random secret in it. */
export function stripeCredentials(dataDir: string): StripeCredentials {
  const secret = keptSecret(dataDir, "stripe-secret");
  const made = (use: string) => createHmac("sha256", secret).update(use).digest("hex").slice(0, 32);
  return {
    secretKey: `sk_test_standin${made("secret key")}`,
    publishableKey: `pk_test_standin${made("publishable key")}`,
    webhookSecret: `whsec_standin${made("webhook secret")}`,
  };
}
