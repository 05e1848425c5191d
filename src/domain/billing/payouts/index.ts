export { connectAccount } from "./connect-account.ts";
export { type Earnings, readEarnings } from "./read-earnings.ts";
export { publishPayout, type Booked } from "./payout-due.ts";
export { storePayouts } from "./queries/payouts.ts";
export { payCreator, type PayoutDeps, releasePayouts, sendPayout, sweepPayouts } from "./pay-creator.ts";
