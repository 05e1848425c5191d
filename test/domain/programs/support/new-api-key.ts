import type { UserCaller } from "#src/domain/access/permissions/index.ts";
import { createApiKey, type KeyInput } from "#src/domain/programs/api-keys/index.ts";
import type { Db } from "#src/platform/db/client.ts";
import { CLIENT, sessionDeps } from "#test/support/people.ts";

/** A key of a person that may do all that the person may, but for what is said. */
export function newApiKey(db: Db, { caller }: { caller: UserCaller }, input: Partial<KeyInput> = {}) {
  const anything = { name: "key", scopes: null, projectIds: null, expiresAt: null };
  return createApiKey(sessionDeps(db), caller, { ...anything, ...input }, CLIENT);
}
