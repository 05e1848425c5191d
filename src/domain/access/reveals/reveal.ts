import { insertAuditEntry, type AuditEntry } from "#src/domain/access/audit/index.ts";
import { rateLimited } from "#src/lib/rate-headers.ts";
import type { Db } from "#src/platform/db/client.ts";
import type { AttemptLimits } from "#src/domain/operations/limits/index.ts";

export interface RevealDeps {
  db: Db;
  attempts: Pick<AttemptLimits, "take">;
}

/** Both limits count all secrets that a person reveals, of any kind. */
const LIMITS = [
  { rule: "revealBurst", name: "burst" },
  { rule: "revealDay", name: "daily" },
] as const;

/**
 * Reveals a secret to a person: within limits, and after writing to the audit log. `open` returns `undefined` if there
 * is nothing to reveal, which is not logged. Throws `rate_limited`, which is logged.
 */
export async function reveal(
  deps: RevealDeps,
  entry: Omit<AuditEntry, "action">,
  open: () => Promise<string | undefined>,
): Promise<string | undefined> {
  for (const { rule, name } of LIMITS) {
    const decision = await deps.attempts.take(rule, `${rule}:${entry.userId}`);
    if (decision?.allowed !== false) continue;
    await insertAuditEntry(deps.db, { ...entry, action: `secret_reveal_rate_limited_${name}` });
    throw rateLimited(decision, "Rate limit exceeded for secret_reveal");
  }
  const value = await open();
  if (value !== undefined) await insertAuditEntry(deps.db, { ...entry, action: "secret_revealed" });
  return value;
}
