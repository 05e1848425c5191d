import {
  ConnectionError,
  TimeoutError,
  UnauthorizedError,
  type api,
  type Fetch,
  type Workspace,
  type WorkspaceError,
} from "@agent-workspace/client";
import { clientOver } from "../service/client-over.ts";
import { fetchRenewing } from "../service/renewal.ts";

/** The service over a `fetch`. A person who waits is told of a refusal at once, and tries again by hand. */
export const serviceBy = (send: Fetch): Workspace => clientOver(send, { maxRetries: 0 });

/** The service, as the person whose session the browser has; it is renewed. */
export const workspace = serviceBy((url, init) => fetchRenewing(url, init));

/** The service, as anyone. What it refuses with 401, such as a wrong code, is not sent again. */
export const visitor = serviceBy((url, init) => fetch(url, init));

/** The account that is signed in; undefined without one. */
export async function whoIsSignedIn(): Promise<api.GetMeResponses[200] | undefined> {
  try {
    return await workspace.account.get();
  } catch (error) {
    if (error instanceof UnauthorizedError) return undefined;
    throw error;
  }
}

/** Sentences for codes that clients compare literally. Every other message of the service is a sentence already. */
const SENTENCES: ReadonlyMap<string, string> = new Map([
  ["LOGIN_BAD_CREDENTIALS", "The username or the password is wrong."],
  ["REGISTER_USER_ALREADY_EXISTS", "An account with this email address or username already exists."],
  ["RESET_PASSWORD_BAD_TOKEN", "This link has been used, or has expired. Ask for a new one."],
  ["VERIFY_USER_BAD_TOKEN", "This link has been used, or has expired."],
  ["VERIFY_USER_ALREADY_VERIFIED", "This address is already confirmed."],
]);

/** What the person reads about a refusal. */
export function sentenceOf(error: WorkspaceError): string {
  if (error instanceof ConnectionError || error instanceof TimeoutError) {
    return "The service does not respond. Check your connection and try again.";
  }
  return SENTENCES.get(error.detail) ?? error.detail;
}
