export { createApiKey, requireGrantable, type KeyInput } from "./create-api-key.ts";
export { listApiKeys, listGrantableScopes } from "./list-api-keys.ts";
export { newKeySecrets, type KeySecrets } from "./new-secrets.ts";
export { revokeKey, revokeKeysOfFormerMember, type ApiKey } from "./queries.ts";
export { rotateWebhookSecret } from "./rotate-webhook-secret.ts";
export { revokeApiKey } from "./revoke-api-key.ts";
