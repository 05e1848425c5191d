import { AppError } from "#src/lib/errors.ts";
import { isId } from "#src/lib/ids.ts";
import type { Hosting, HostingAccount } from "#src/platform/hosting/hosting.ts";
import { isHostingFailure } from "./hosting-failure.ts";
import { accessOf, type CredentialDeps } from "./usable-credential.ts";

/** Requests to the provider for one test. */
const REQUESTS = 5;

export type TestOutcome =
  | { isValid: true; account: HostingAccount }
  /** The reason is a sentence for the person. */
  | { isValid: false; reason: string };

/**
 * Asks the provider whether a credential is good. A provider that does not answer is a reason as well, and so is an expired
 * grant. Throws `not_found` for a credential that the person does not have.
 */
export async function testCredential(
  deps: CredentialDeps & { hosting: Pick<Hosting, "oauth" | "provider"> },
  { userId, id }: { userId: string; id: string },
): Promise<TestOutcome> {
  if (!isId(id)) throw new AppError("not_found", "Credential not found");
  try {
    const { provider, access } = await accessOf(deps, { userId, id });
    const account = await deps.hosting.provider(provider, { requests: REQUESTS }).account(access);
    return { isValid: true, account };
  } catch (error) {
    if (isHostingFailure(error)) return { isValid: false, reason: error.message };
    const isAnswer = error instanceof AppError && error.code !== "not_found";
    if (isAnswer) return { isValid: false, reason: error.message };
    throw error;
  }
}
