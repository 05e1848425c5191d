export { createApiKey, type KeyWish } from "./create-api-key.ts";
export { listApiKeys, listGrantableScopes } from "./list-api-keys.ts";
export { type ApiKey } from "./queries.ts";
export { revokeApiKey } from "./revoke-api-key.ts";
