export { BILLING_PAGE, type Buyer, buyCredits, buySlot, CREDIT_PACKAGES, creditPackages } from "./buy.ts";
export { createCheckout, type OpenSession } from "./create-checkout.ts";
export { purchasesOfTeam, transactionsOfTeam } from "./queries/purchases.ts";
export { settleCheckout, type SettleDeps, type Settled } from "./settle-checkout.ts";
export { sweepCheckouts } from "./sweep-checkouts.ts";
export { verifyCheckout } from "./verify-checkout.ts";
