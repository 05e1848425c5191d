import type { Endpoint } from "#src/http/endpoint.ts";
import { metaEndpoints } from "./meta/index.ts";
import { taskEndpoints } from "./tasks/index.ts";

/** The whole public surface. Order matters where a literal path and a parameter could both match. */
export const endpoints: readonly Endpoint[] = [...metaEndpoints(() => endpoints), ...taskEndpoints];
