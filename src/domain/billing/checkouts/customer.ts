import { AppError } from "#src/lib/errors.ts";
import { setCustomer, customerOfTeam } from "./queries/customers.ts";
import type { CheckoutDeps } from "./checkout.ts";
import { makeOnce, requirePayments } from "#src/domain/billing/provider/index.ts";

/**
 * Makes a team a customer of the payment provider, once. Throws `not_found` for a deleted team, and what the provider
 * throws.
 */
export async function ensureCustomer(deps: CheckoutDeps, teamId: string): Promise<void> {
  const [team] = await customerOfTeam(deps.db, teamId);
  if (!team) throw new AppError("not_found", "Team not found");
  if (team.customerId !== null) return;
  await setCustomer(deps.db, teamId, await newCustomer(deps, teamId));
}

function newCustomer(deps: CheckoutDeps, teamId: string): Promise<string> {
  const payments = requirePayments(deps);
  // The team's name and address are left out: they may change, and a repeated call must not differ.
  const customer = { metadata: { team_id: teamId } };
  return makeOnce(`customer-${teamId}`, (key) => payments.createCustomer(customer, key));
}
