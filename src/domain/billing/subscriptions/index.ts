export { bookInvoice, sharesOf } from "./book-invoice.ts";
export { type SubscriptionConfig, type SubscriptionDeps } from "./deps.ts";
export { rankOf, recountTier, type SyncRules } from "./queries/standing.ts";
export { readClock } from "./queries/sync.ts";
export { syncRules, syncSubscription } from "./sync-subscription.ts";
export { cancelSubscriptionsWithoutTeam, sweepSubscriptions } from "./sweep-subscriptions.ts";
export { cancelSubscription, renewSubscription } from "./change-subscription.ts";
export { INTERVALS, PAID_TIERS, priceOfTier, type Interval, type PaidTier } from "./tiers.ts";
