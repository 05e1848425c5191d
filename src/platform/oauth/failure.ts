import { z } from "zod";

/**
 * Why a provider did not identify a person, in words for the log. The libraries' errors carry responses of the token
 * endpoint as their causes, so no cause is passed on.
 */
export class OAuthFailure extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = "OAuthFailure";
  }
}

/** No request is sent to the address, now or later. */
export class ForbiddenAddress extends OAuthFailure {}

/** Runs a step; any error becomes an `OAuthFailure` that names the step. */
export async function failingAs<T>(step: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw new OAuthFailure(`${step}: ${reasonOf(error)}`);
  }
}

/** The libraries' messages are fixed texts; of any other error only the class is included. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return "unknown";
  if (error instanceof OAuthFailure) return error.message;
  if (!("code" in error) || typeof error.code !== "string") return error.name;
  const word = Refusal.safeParse(error).data?.error ?? RefusalWithin.safeParse(error.cause).data?.body.error;
  return word === undefined ? error.message : `${error.message} (${word})`;
}

/** The provider's error code, such as `access_denied`. It is untrusted text. */
const Refusal = z.object({ error: z.string().regex(/^[\w.-]{1,64}$/u) });
/** GitHub refuses with status 200. */
const RefusalWithin = z.object({ body: Refusal });
