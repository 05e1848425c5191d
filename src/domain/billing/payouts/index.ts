export { connectAccount } from "./connect-account.ts";
export { type Earnings, readEarnings } from "./read-earnings.ts";
export { messageOfPayout, storePayouts } from "./payout-due.ts";
export { payCreator, type PayoutDeps, releasePayouts, sendPayout, sweepPayouts } from "./pay-creator.ts";
