import { z } from "zod";

/**
 * The provider; other names do not match the path. The group is needed because the router anchors the pattern with `^`
 * and `$`, which would otherwise bind to one alternative only.
 */
export const PROVIDER = ":provider{(?:github|google)}";

export const ProviderParams = z.object({ provider: z.enum(["github", "google"]) });
