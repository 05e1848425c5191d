import { sweepEach } from "#src/domain/billing/provider/index.ts";
import type { Log } from "#src/platform/log/log.ts";
import type { Checkout } from "./checkout.ts";
import { endCheckout, unsettledCheckouts } from "./queries/checkouts.ts";
import { settleCheckout, type SettleDeps } from "./settle-checkout.ts";

/** Most checkouts of one sweep; the next takes others. */
const BATCH = 100;

/** Minutes in which the provider's event settles a checkout, if it comes. */
const QUIET_MINUTES = 10;

/** Settles checkouts whose event may have been lost. A failure does not stop the others, an outage of the provider does. */
export async function sweepCheckouts(deps: SettleDeps & { log: Log }): Promise<void> {
  if (!deps.payments) return;
  const checkouts = await unsettledCheckouts(deps.db, { minutes: QUIET_MINUTES, limit: BATCH });
  await sweepEach(
    checkouts,
    (checkout) => sweep(deps, checkout),
    ({ id }, cause) => deps.log.error("a checkout could not be settled", { checkout: id, cause }),
  );
}

async function sweep(deps: SettleDeps, { id, sessionId, createdAt }: Checkout): Promise<void> {
  if (sessionId !== null) {
    const settled = await settleCheckout(deps, sessionId);
    if (!settled)
      await endCheckout(deps.db, id, { status: "failed", error: "The provider lost the checkout" });
    return;
  }
  // Its page was shown to no one, and the same request does not find it any more.
  const isOver = Date.now() - createdAt.getTime() > 60 * 60 * 1000;
  if (isOver) await endCheckout(deps.db, id, { status: "expired", error: null });
}
