import type { Db } from "#src/platform/db/client.ts";
import { boundsOf, pagesOf, type Page } from "./page.ts";
import { pageOfActions, type ActionFilter } from "./queries/lists.ts";

/** Actions of administrators, newest first. */
export async function listActions(deps: { db: Db }, filter: ActionFilter, page: Page) {
  const { actions, total } = await pageOfActions(deps.db, filter, boundsOf(page));
  return { logs: actions.map(describeAction), total, page: page.page, pages: pagesOf(total, page) };
}

function describeAction({ action, adminName }: Awaited<ReturnType<typeof pageOfActions>>["actions"][number]) {
  return {
    id: action.id,
    admin_id: action.adminId,
    admin_name: adminName,
    action_type: action.actionType,
    target_type: action.targetType,
    target_id: action.targetId,
    reason: action.reason,
    details: action.details,
    ip_address: action.ipAddress,
    created_at: action.createdAt.toISOString(),
  };
}
