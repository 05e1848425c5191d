import type { CheckoutInput } from "./checkout.ts";
import { createCheckout, type OpenSession } from "./create-checkout.ts";
import type { SettleDeps } from "./settle-checkout.ts";

/** Who buys, and where the payer returns to. */
export type Buyer = Pick<CheckoutInput, "userId" | "teamId" | "returnOrigin">;

export const CREDIT_PACKAGES = ["small", "medium", "large", "team"] as const;
export type CreditPackage = (typeof CREDIT_PACKAGES)[number];

export interface PackageConfig {
  CREDIT_PACKAGE_SMALL: number;
  CREDIT_PACKAGE_MEDIUM: number;
  CREDIT_PACKAGE_LARGE: number;
  CREDIT_PACKAGE_TEAM: number;
}

/** Where a payer returns to after buying something for the team. */
export const BILLING_PAGE = {
  success: "/settings/team/billing?success=true&session_id={CHECKOUT_SESSION_ID}",
  cancel: "/settings/team/billing?cancelled=true",
};

/** Credits of each package, which are also its price in cents. */
export function creditPackages(config: PackageConfig): Readonly<Record<CreditPackage, number>> {
  return {
    small: config.CREDIT_PACKAGE_SMALL,
    medium: config.CREDIT_PACKAGE_MEDIUM,
    large: config.CREDIT_PACKAGE_LARGE,
    team: config.CREDIT_PACKAGE_TEAM,
  };
}

/** Opens a page on which the team pays for credits. Throws as `createCheckout`. */
export function buyCredits(
  deps: SettleDeps & { config: PackageConfig },
  buyer: Buyer,
  name: CreditPackage,
): Promise<OpenSession> {
  const credits = creditPackages(deps.config)[name];
  return createCheckout(deps, {
    ...buyer,
    type: "credit_purchase",
    item: name,
    name: `${credits} credits`,
    amountCents: credits,
    currency: "usd",
    credits,
    metadata: { amount_cents: String(credits) },
    paths: BILLING_PAGE,
  });
}

/** Opens a page on which the team pays for one deployment beyond those of its tier. Throws as `createCheckout`. */
export function buySlot(
  deps: SettleDeps & { config: { ADDITIONAL_DEPLOY_PRICE: number } },
  buyer: Buyer,
): Promise<OpenSession> {
  const amountCents = deps.config.ADDITIONAL_DEPLOY_PRICE;
  return createCheckout(deps, {
    ...buyer,
    type: "deploy_purchase",
    item: "slot",
    name: "Deployment slot",
    amountCents,
    currency: "usd",
    metadata: { amount_cents: String(amountCents) },
    paths: BILLING_PAGE,
  });
}
