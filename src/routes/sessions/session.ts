import { z } from "zod";
import type { ListedSession } from "#src/domain/access/sessions/index.ts";
import { Moment } from "#src/http/schemas.ts";

/** A sign-in as its owner sees it. */
export const Session = z
  .object({
    id: z.uuid(),
    is_current: z.boolean().describe("Whether it is the session of this request"),
    user_agent: z.string().describe("Device that last used the session"),
    client_name: z
      .string()
      .nullable()
      .describe("Name of the program, for a session that was approved for it; otherwise null"),
    ip_address: z.string().describe("IP address that last refreshed the session"),
    created_at: Moment,
    last_used_at: Moment,
    expires_at: Moment.describe("When the session expires unless it is refreshed"),
  })
  .meta({ id: "Session" });

export function describeSession(session: ListedSession): z.input<typeof Session> {
  return {
    id: session.id,
    is_current: session.isCurrent,
    user_agent: session.userAgent,
    client_name: session.clientName,
    ip_address: session.ipAddress,
    created_at: session.createdAt.toISOString(),
    last_used_at: session.lastUsedAt.toISOString(),
    expires_at: session.expiresAt.toISOString(),
  };
}
