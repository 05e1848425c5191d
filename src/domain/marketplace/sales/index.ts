export { buyItem, verifyPurchase } from "./buy-item.ts";
export { cancelAgentSubscription, renewAgentSubscription } from "./change-subscription.ts";
export { listSubscriptions } from "./list-subscriptions.ts";
