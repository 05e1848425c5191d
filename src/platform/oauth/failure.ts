import { z } from "zod";

/**
 * Why a provider did not say who a person is, in words for the log. The libraries' errors carry answers of the token
 * endpoint as their causes, so none of them goes any further than here.
 */
export class OAuthFailure extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = "OAuthFailure";
  }
}

/** Do a step; whatever it throws becomes an `OAuthFailure` that names the step. */
export async function failingAs<T>(step: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw new OAuthFailure(`${step}: ${reasonOf(error)}`);
  }
}

/** The libraries' sentences are fixed ones; of anything else only the kind is told. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return "unknown";
  if (error instanceof OAuthFailure) return error.message;
  if (!("code" in error) || typeof error.code !== "string") return error.name;
  const word = Refusal.safeParse(error).data?.error ?? RefusalWithin.safeParse(error.cause).data?.body.error;
  return word === undefined ? error.message : `${error.message} (${word})`;
}

/** A provider's own word for its refusal, such as `access_denied`. It may be anybody's text. */
const Refusal = z.object({ error: z.string().regex(/^[\w.-]{1,64}$/u) });
/** GitHub refuses with status 200. */
const RefusalWithin = z.object({ body: Refusal });
