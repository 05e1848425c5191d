import { inject } from "vitest";
import type { Stack } from "#local/stack.ts";
import { apiClient, type ApiClient } from "./api-client.ts";

export type SharedStack = Pick<
  Stack,
  | "url"
  | "variables"
  | "callbacksUrl"
  | "mailUrl"
  | "chatPlatformUrl"
  | "stripeUrl"
  | "hostingUrl"
  | "logFile"
>;

/** A service whose people, projects and tasks are not only the test's own. */
export interface SharedService extends ApiClient {
  stack: SharedStack;
}

/** The services that test files share, by the variables that a person would set for them. */
export const SHARED = {
  /** As it comes. */
  plain: {},
  /** Looks again each second where it usually waits longer, and reaches servers on this machine. */
  eager: { OUTBOUND_ALLOW_PRIVATE: "true", DEPLOYMENT_POLL_SECONDS: "1", SOCKET_CHECK_SECONDS: "1" },
  /** Logging in takes a mailed code, and one of the sign-in providers is configured. Its mail is read with `caughtInbox`. */
  codes: { TWO_FA_ENABLED: "true", GITHUB_CLIENT_ID: "id", GITHUB_CLIENT_SECRET: "a secret of ours" },
  /** Runs the programs of projects, where bubblewrap is there, and reaches servers on this machine. */
  host: { PROJECT_RUNTIME: "host", OUTBOUND_ALLOW_PRIVATE: "true", DEPLOYMENT_POLL_SECONDS: "1" },
} as const satisfies Record<string, Readonly<Record<string, string>>>;

export type SharedName = keyof typeof SHARED;

/**
 * The service that all test files share which neither set its variables nor look at what all share: the first account,
 * the lists of an administrator, the log, caught mail, faults. Each makes people of its own there.
 */
export function sharedService(): SharedService {
  const stack = inject("sharedStack");
  return { ...apiClient(stack.url), stack };
}

/** Another of the services that test files share, as `sharedService`. It starts when the first file asks for it. */
export async function otherSharedService(name: SharedName): Promise<SharedService> {
  const answer = await fetch(inject("serviceKeeperUrl"), { method: "POST", body: name });
  if (!answer.ok) throw new Error(`The service "${name}" did not start: ${await answer.text()}`);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as service-keeper.ts answers
  const stack = (await answer.json()) as SharedStack;
  return { ...apiClient(stack.url), stack };
}
