import type { Endpoint } from "#src/http/endpoint.ts";
import { billingConfig } from "./config.ts";
import { creditHistory } from "./credit-history.ts";
import { creditsOfTeam, creditsStatus } from "./credits.ts";
import { connect, earnings } from "./payouts.ts";
import { purchaseCredits } from "./purchase-credits.ts";
import { purchaseSlot } from "./purchase-slot.ts";
import { stripeWebhook } from "./stripe-webhook.ts";
import { syncUsage } from "./sync-usage.ts";
import { transactions } from "./transactions.ts";
import {
  cancelSubscription,
  portal,
  renewSubscription,
  subscribeTeam,
  subscriptionOfTeam,
} from "./subscription.ts";
import { usage } from "./usage.ts";
import { usageLogs } from "./usage-logs.ts";
import { verify } from "./verify-checkout.ts";

export const billingEndpoints: readonly Endpoint[] = [
  usage,
  usageLogs,
  creditsOfTeam,
  creditsStatus,
  purchaseCredits,
  creditHistory,
  verify,
  billingConfig,
  subscriptionOfTeam,
  subscribeTeam,
  cancelSubscription,
  renewSubscription,
  portal,
  connect,
  earnings,
  purchaseSlot,
  transactions,
  syncUsage,
  stripeWebhook,
];
