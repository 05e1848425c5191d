import { z } from "zod";
import type { ListedSession } from "#src/domain/sessions/index.ts";
import { Moment } from "#src/http/schemas.ts";

/** A sign-in as its owner sees it. */
export const Session = z
  .object({
    id: z.uuid(),
    is_current: z.boolean().describe("Whether this request came with it"),
    user_agent: z.string().describe("Device that used it last"),
    ip_address: z.string().describe("Address that refreshed it last"),
    created_at: Moment,
    last_used_at: Moment,
    expires_at: Moment.describe("When it is over unless it is refreshed before"),
  })
  .meta({ id: "Session" });

export function describeSession(session: ListedSession): z.input<typeof Session> {
  return {
    id: session.id,
    is_current: session.isCurrent,
    user_agent: session.userAgent,
    ip_address: session.ipAddress,
    created_at: session.createdAt.toISOString(),
    last_used_at: session.lastUsedAt.toISOString(),
    expires_at: session.expiresAt.toISOString(),
  };
}
