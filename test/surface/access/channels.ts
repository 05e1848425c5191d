import { NAMED, PERSON, SUPERUSER, type Rows } from "./row.ts";

/** Messaging channels and the accounts that people link with them. */
export const CHANNELS: Rows = {
  "GET /api/gateway/status": PERSON,
  "POST /api/gateway/reload": SUPERUSER,
  "GET /api/gateway/platforms": PERSON,
  "GET /api/channels": PERSON,
  "POST /api/channels": PERSON,
  "GET /api/channels/{channel}": NAMED,
  "PATCH /api/channels/{channel}": NAMED,
  "DELETE /api/channels/{channel}": NAMED,
  "POST /api/channels/{channel}/rotate-secret": NAMED,
  "POST /api/channels/{channel}/test": NAMED,
  "GET /api/channels/{channel}/messages": NAMED,
  "POST /api/channels/{channel}/messages/{channel_message}/retry": NAMED,
  "POST /api/gateway/pair/preview": PERSON,
  "POST /api/gateway/pair/verify": PERSON,
  "GET /api/gateway/identities": PERSON,
  "DELETE /api/gateway/identities/{identity}": NAMED,
};
