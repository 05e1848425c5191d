import { insertAuditEntry, type AuditEntry } from "#src/domain/organisations/audit/index.ts";
import { AppError } from "#src/lib/errors.ts";
import { rateHeaders } from "#src/lib/rate-headers.ts";
import type { Db } from "#src/platform/db/client.ts";
import type { AttemptLimits } from "#src/platform/objects/attempt-limits.ts";

export interface RevealDeps {
  db: Db;
  attempts: Pick<AttemptLimits, "take">;
}

/** Both count what a person has been shown, whatever it belongs to. */
const LIMITS = [
  { rule: "revealBurst", name: "burst" },
  { rule: "revealDay", name: "daily" },
] as const;

/**
 * Show a person a secret: within limits, and the audit log is told before the value leaves. `open` answers `undefined` where
 * there is nothing to show, which is not an entry. Throws `rate_limited`, which is.
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
    throw new AppError("rate_limited", "Rate limit exceeded for secret_reveal", {
      retryAfterSeconds: decision.retryAfterSeconds,
      headers: rateHeaders(decision),
    });
  }
  const value = await open();
  if (value !== undefined) await insertAuditEntry(deps.db, { ...entry, action: "secret_revealed" });
  return value;
}
