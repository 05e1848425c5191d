import { AppError } from "#src/lib/errors.ts";
import { settleCheckout, type SettleDeps, type Settled } from "./settle-checkout.ts";

/**
 * What became of a payment of the team's, which is settled if it was not yet; `undefined` for an unknown session. Throws
 * `invalid_input` for one of which nothing was granted, `forbidden` for another team's, and what the provider throws.
 */
export async function verifyCheckout(
  deps: SettleDeps,
  { sessionId, teamId }: { sessionId: string; teamId: string },
): Promise<(Settled & { state: "paid" | "pending" }) | undefined> {
  const settled = await settleCheckout(deps, sessionId, { teamId });
  if (!settled) return undefined;
  const { state, checkout, isNew } = settled;
  if (checkout.status === "refunded") {
    throw new AppError("invalid_input", "This payment was refunded, and what it paid for has ended");
  }
  if (state === "expired") {
    throw new AppError("invalid_input", "This checkout has expired and nothing was paid. Begin a new one");
  }
  if (state === "failed") {
    throw new AppError("invalid_input", `${checkout.error ?? "The payment failed"}. Nothing was granted`);
  }
  return { state, checkout, isNew };
}
