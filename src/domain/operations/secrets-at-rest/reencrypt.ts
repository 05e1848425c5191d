import type { Db } from "#src/platform/db/client.ts";
import type { Secrets } from "#src/platform/secrets/secrets.ts";
import type { SecretsAtRest } from "#src/platform/secrets/secrets-at-rest.ts";
import { readTokens, replaceTokens, type EncryptedColumn } from "./queries.ts";

/** Every column of Fernet tokens, and the keys that encrypt it. A test compares the list with the schema. */
export const ENCRYPTED: readonly (EncryptedColumn & { keys: keyof SecretsAtRest })[] = [
  { table: "external_api_keys", column: "webhook_secret_encrypted", keys: "secrets" },
  { table: "external_api_keys", column: "previous_webhook_secret_encrypted", keys: "secrets" },
  { table: "authenticators", column: "encrypted_secret", keys: "secrets" },
  { table: "mcp_servers", column: "encrypted_headers", keys: "secrets" },
  { table: "mcp_authorizations", column: "encrypted_client_secret", keys: "secrets" },
  { table: "mcp_authorizations", column: "encrypted_token", keys: "secrets" },
  { table: "mcp_authorizations", column: "encrypted_refresh_token", keys: "secrets" },
  { table: "approvals", column: "encrypted_answers", keys: "secrets" },
  { table: "containers", column: "encrypted_env", keys: "secrets" },
  { table: "containers", column: "encrypted_credentials", keys: "secrets" },
  { table: "git_connections", column: "encrypted_token", keys: "deploymentSecrets" },
  { table: "git_connections", column: "encrypted_refresh_token", keys: "deploymentSecrets" },
  { table: "deployment_credentials", column: "encrypted_token", keys: "deploymentSecrets" },
  { table: "deployment_credentials", column: "encrypted_refresh_token", keys: "deploymentSecrets" },
  { table: "deployment_credentials", column: "encrypted_metadata", keys: "deploymentSecrets" },
  { table: "deployments", column: "encrypted_env", keys: "deploymentSecrets" },
  { table: "user_api_keys", column: "encrypted_value", keys: "modelKeySecrets" },
  { table: "user_providers", column: "default_headers_encrypted", keys: "modelKeySecrets" },
  { table: "channel_configs", column: "encrypted_credentials", keys: "channelSecrets" },
  { table: "channel_configs", column: "encrypted_webhook_secret", keys: "channelSecrets" },
];

export interface Reencrypted extends EncryptedColumn {
  rewritten: number;
  /** Tokens that no configured key decrypts. They stay as they are. */
  unreadable: number;
}

const PAGE = 200;

/**
 * Re-encrypts every secret in the database with the currently configured keys, so that the previous keys are no longer
 * needed. Idempotent, and safe beside a running service: a value that changes in the meantime is not overwritten.
 */
export async function reencrypt(deps: { db: Db } & SecretsAtRest): Promise<Reencrypted[]> {
  const done: Reencrypted[] = [];
  for (const { keys, ...column } of ENCRYPTED) {
    done.push({ ...column, ...(await reencryptColumn(deps.db, column, deps[keys])) });
  }
  return done;
}

async function reencryptColumn(
  db: Db,
  column: EncryptedColumn,
  secrets: Secrets,
): Promise<Omit<Reencrypted, keyof EncryptedColumn>> {
  const count = { rewritten: 0, unreadable: 0 };
  for (let after: string | undefined; ;) {
    const rows = await readTokens(db, column, { after, limit: PAGE });
    const renewed = await Promise.all(
      rows.map(async ({ id, token }) => {
        const text = await secrets.decrypt(token).catch(() => undefined);
        return text === undefined ? [] : [{ id, token, by: await secrets.encrypt(text) }];
      }),
    );
    count.unreadable += renewed.filter(({ length }) => length === 0).length;
    count.rewritten += await replaceTokens(db, column, renewed.flat());
    if (rows.length < PAGE) return count;
    after = rows.at(-1)?.id;
  }
}
