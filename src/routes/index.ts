import type { Endpoint } from "#src/http/endpoint.ts";
import { apiKeyEndpoints } from "./api-keys/index.ts";
import { authEndpoints } from "./auth/index.ts";
import { metaEndpoints } from "./meta/index.ts";
import { fileEndpoints } from "./projects/files/index.ts";
import { projectEndpoints } from "./projects/index.ts";
import { taskEndpoints } from "./tasks/index.ts";
import { userEndpoints } from "./users/index.ts";

/** The whole public surface. Order matters where a literal path and a parameter could both match. */
export const endpoints: readonly Endpoint[] = [
  ...authEndpoints,
  ...userEndpoints,
  ...apiKeyEndpoints,
  ...projectEndpoints,
  ...fileEndpoints,
  ...taskEndpoints,
  ...metaEndpoints(() => endpoints),
];
