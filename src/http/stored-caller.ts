import { hashOfKey, type Caller, type StoredCaller } from "#src/domain/access/permissions/index.ts";
import type { Credentials } from "./credentials.ts";

/** What is stored of an admitted caller to check the access again while a socket or a stream is open. */
export function storedCallerOf(caller: Caller, credentials: Credentials): StoredCaller {
  if (caller.kind === "user") return { kind: "user", userId: caller.userId, sessionId: caller.sessionId };
  return { kind: "key", keyHash: hashOfKey("token" in credentials ? credentials.token : "") };
}
