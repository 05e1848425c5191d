import { z } from "zod";
import { describeEntry, type AuditFilter, listAuditEntries } from "#src/domain/access/audit/index.ts";
import { Reply } from "#src/http/endpoint.ts";
import { Moment } from "#src/http/schemas.ts";
import type { Services } from "#src/services.ts";

export const AuditEntry = z
  .object({
    id: z.uuid(),
    team_id: z.uuid(),
    project_id: z.uuid().nullable(),
    project_name: z.string().nullable(),
    user_id: z.uuid().nullable().describe("Account that did it; null once the account is deleted"),
    user_name: z.string().nullable(),
    action: z.string(),
    resource_type: z.string(),
    resource_id: z.string().nullable(),
    details: z.record(z.string(), z.unknown()).nullable(),
    ip_address: z.string().nullable(),
    user_agent: z.string().nullable(),
    created_at: Moment,
  })
  .meta({ id: "AuditEntry" });

/** A page of entries, with the total number in a header. */
export async function answerPage(
  services: Services,
  filter: AuditFilter,
  query: { page: number; per_page: number },
): Promise<Reply<z.input<typeof AuditEntry>[]>> {
  const { entries, total } = await listAuditEntries(services, filter, {
    page: query.page,
    perPage: query.per_page,
  });
  return new Reply(entries.map(describeEntry), { "X-Total-Count": String(total) });
}
