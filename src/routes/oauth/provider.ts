import { z } from "zod";

/**
 * Which provider; any other name is a path that does not exist. The router puts the pattern between `^` and `$`, each of
 * which would bind to one alternative only.
 */
export const PROVIDER = ":provider{(?:github|google)}";

export const ProviderParams = z.object({ provider: z.enum(["github", "google"]) });
