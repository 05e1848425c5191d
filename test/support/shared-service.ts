import { inject } from "vitest";
import type { Stack } from "#local/stack.ts";
import { apiClient, type ApiClient } from "./api-client.ts";

/** A service whose people, projects and tasks are not only the test's own. */
export interface SharedService extends ApiClient {
  stack: Pick<
    Stack,
    "url" | "variables" | "callbacksUrl" | "mailUrl" | "chatPlatformUrl" | "stripeUrl" | "hostingUrl"
  >;
}

/**
 * The service that all test files share which neither set its variables nor look at what all share: the first account,
 * the lists of an administrator, the log, caught mail, faults. Each makes people of its own there.
 */
export function sharedService(): SharedService {
  const stack = inject("sharedStack");
  return { ...apiClient(stack.url), stack };
}
