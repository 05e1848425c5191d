import { EDITOR, PERSON, SUPERUSER, type Rows } from "./row.ts";

/** What model calls cost, and the models that programs ask themselves. */
export const USAGE: Rows = {
  "GET /api/billing/usage": EDITOR,
  "GET /api/billing/usage/logs": EDITOR,
  "GET /api/billing/credits": PERSON,
  "GET /api/billing/credits/status": PERSON,
  "POST /api/billing/credits/purchase": EDITOR,
  "GET /api/billing/credits/history": PERSON,
  "POST /api/billing/verify-checkout": EDITOR,
  "GET /api/billing/subscription": PERSON,
  "POST /api/billing/subscribe": EDITOR,
  "POST /api/billing/cancel": EDITOR,
  "POST /api/billing/renew": EDITOR,
  "GET /api/billing/portal": EDITOR,
  "POST /api/billing/connect": EDITOR,
  "GET /api/billing/earnings": PERSON,
  "POST /api/billing/deploy/purchase": EDITOR,
  "GET /api/billing/transactions": PERSON,
  "POST /api/billing/usage/sync": EDITOR,
  "GET /api/admin/billing/events": SUPERUSER,
  "POST /api/admin/billing/events/{payment_event}/retry": SUPERUSER,
  "POST /api/v1/chat/completions": { admits: "key: models.proxy" },
  "GET /api/v1/models": { admits: "key: models.proxy" },
  "GET /api/v1/models/{platform_model}": { admits: "key: models.proxy" },
  "GET /api/v1/usage": { admits: "key: usage.read" },
};
