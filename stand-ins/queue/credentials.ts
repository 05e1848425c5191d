import { createHmac } from "node:crypto";
import { keptSecret } from "#local/kept-secret.ts";

/** Credentials for publishing to the local queue, and keys that sign its deliveries. */
interface QueueCredentials {
  token: string;
  currentSigningKey: string;
  nextSigningKey: string;
}

/** Derives the credentials of a data folder from one random secret in it. */
export function queueCredentials(dataDir: string): QueueCredentials {
  const secret = keptSecret(dataDir, "queue-secret");
  const made = (use: string) => createHmac("sha256", secret).update(use).digest("base64url");
  return {
    token: made("token"),
    currentSigningKey: `sig_${made("current signing key")}`,
    nextSigningKey: `sig_${made("next signing key")}`,
  };
}
