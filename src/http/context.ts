import type { Caller } from "#src/domain/organisations/access/index.ts";
import type { Env } from "#src/env.ts";
import type { Services } from "#src/services.ts";

/** What middleware leaves on Hono's context for handlers. */
export interface AppEnv {
  Bindings: Env;
  Variables: {
    requestId: string;
    services: Services;
    /** Set by the access guard; absent only on public endpoints. */
    caller?: Caller;
    /** Where the caller stands with its limit; on every answer, refusals included. */
    rateHeaders?: Readonly<Record<string, string>>;
    /** Methods of the patterns that match the path. */
    methods?: readonly string[];
    /** Set where clients of another API call: their errors have its shape besides ours. */
    errorStyle?: "openai";
  };
}
