import type { ArrivingCaller, Caller } from "#src/domain/access/permissions/index.ts";
import type { Env } from "#src/env.ts";
import type { Services } from "#src/services.ts";

/** Values that middleware stores on Hono's context for handlers. */
export interface AppEnv {
  Bindings: Env;
  Variables: {
    requestId: string;
    services: Services;
    /** Set by the access guard; absent only on public endpoints. */
    caller?: Caller | ArrivingCaller;
    /** State of the caller's rate limit; sent with every response, refusals included. */
    rateHeaders?: Readonly<Record<string, string>>;
    /** Methods of the patterns that match the path. */
    methods?: readonly string[];
    /** Set on paths for clients of another API: errors additionally have that API's format. */
    errorStyle?: "openai" | "oauth";
  };
}
