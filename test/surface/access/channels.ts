import type { Rows } from "./row.ts";

/** Messaging channels and the accounts that people link with them. */
export const CHANNELS: Rows = {
  "GET /api/gateway/status": { admits: "person" },
  "POST /api/gateway/reload": { admits: "superuser" },
  "GET /api/gateway/platforms": { admits: "person" },
  "GET /api/channels": { admits: "person" },
  "POST /api/channels": { admits: "person" },
  "GET /api/channels/{channel}": { admits: "person", stranger: 404 },
  "PATCH /api/channels/{channel}": { admits: "person", stranger: 404 },
  "DELETE /api/channels/{channel}": { admits: "person", stranger: 404 },
  "POST /api/channels/{channel}/rotate-secret": { admits: "person", stranger: 404 },
  "POST /api/channels/{channel}/test": { admits: "person", stranger: 404 },
  "GET /api/channels/{channel}/messages": { admits: "person", stranger: 404 },
  "POST /api/channels/{channel}/messages/{channel_message}/retry": { admits: "person", stranger: 404 },
  "POST /api/gateway/pair/preview": { admits: "person" },
  "POST /api/gateway/pair/verify": { admits: "person" },
  "GET /api/gateway/identities": { admits: "person" },
  "DELETE /api/gateway/identities/{identity}": { admits: "person", stranger: 404 },
};
