import type { Rows } from "./row.ts";

/** What model calls cost, and the models that programs ask themselves. */
export const USAGE: Rows = {
  "GET /api/billing/usage": { admits: "person", viewer: 403 },
  "GET /api/billing/usage/logs": { admits: "person", viewer: 403 },
  "GET /api/billing/credits": { admits: "person" },
  "GET /api/billing/credits/status": { admits: "person" },
  "POST /api/billing/credits/purchase": { admits: "person", viewer: 403 },
  "GET /api/billing/credits/history": { admits: "person" },
  "POST /api/billing/verify-checkout": { admits: "person", viewer: 403 },
  "GET /api/billing/subscription": { admits: "person" },
  "POST /api/billing/subscribe": { admits: "person", viewer: 403 },
  "POST /api/billing/cancel": { admits: "person", viewer: 403 },
  "POST /api/billing/renew": { admits: "person", viewer: 403 },
  "GET /api/billing/portal": { admits: "person", viewer: 403 },
  "POST /api/billing/connect": { admits: "person", viewer: 403 },
  "GET /api/billing/earnings": { admits: "person" },
  "POST /api/billing/deploy/purchase": { admits: "person", viewer: 403 },
  "GET /api/billing/transactions": { admits: "person" },
  "POST /api/billing/usage/sync": { admits: "person", viewer: 403 },
  "GET /api/admin/billing/events": { admits: "superuser" },
  "POST /api/admin/billing/events/{payment_event}/retry": { admits: "superuser" },
  "POST /api/v1/chat/completions": { admits: "key: models.proxy" },
  "GET /api/v1/models": { admits: "key: models.proxy" },
  "GET /api/v1/models/{platform_model}": { admits: "key: models.proxy" },
  "GET /api/v1/usage": { admits: "key: usage.read" },
};
