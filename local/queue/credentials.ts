import { createHmac } from "node:crypto";
import { keptSecret } from "#local/kept-secret.ts";

/** What publishes to the local queue, and what signs its deliveries. */
interface QueueCredentials {
  token: string;
  currentSigningKey: string;
  nextSigningKey: string;
}

/** Those of a data folder, made from one random secret in it. */
export function queueCredentials(dataDir: string): QueueCredentials {
  const secret = keptSecret(dataDir, "queue-secret");
  const made = (use: string) => createHmac("sha256", secret).update(use).digest("base64url");
  return {
    token: made("token"),
    currentSigningKey: `sig_${made("current signing key")}`,
    nextSigningKey: `sig_${made("next signing key")}`,
  };
}
