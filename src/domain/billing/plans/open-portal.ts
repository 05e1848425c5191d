import { requirePayments } from "#src/domain/billing/provider/index.ts";
import type { SubscriptionDeps } from "#src/domain/billing/subscriptions/index.ts";
import { AppError } from "#src/lib/errors.ts";
import { newId } from "#src/lib/ids.ts";
import { planOfTeam } from "./queries.ts";

/**
 * Returns the address of the provider's page on which a team changes its plan, its card and its subscriptions. Throws
 * `invalid_input` for a team that never paid, and what the provider throws.
 */
export async function openPortal(
  deps: SubscriptionDeps,
  { teamId, returnOrigin }: { teamId: string; returnOrigin: string },
): Promise<{ url: string }> {
  const payments = requirePayments(deps);
  const { customerId } = (await planOfTeam(deps.db, teamId)) ?? {};
  if (customerId === undefined || customerId === null) {
    throw new AppError("invalid_input", "The team has bought nothing yet: subscribe or buy something first");
  }
  const session = { customerId, returnUrl: `${returnOrigin}/billing` };
  return { url: await payments.createPortalSession(session, `portal-${newId()}`) };
}
