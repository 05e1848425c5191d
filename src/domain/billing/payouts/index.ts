export { connectAccount } from "./connect-account.ts";
export { type Earnings, readEarnings } from "./read-earnings.ts";
export { payoutDue } from "./payout-due.ts";
export { payCreator, type PayoutDeps, releasePayouts, sweepPayouts } from "./pay-creator.ts";
