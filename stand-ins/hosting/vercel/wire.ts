import type { Answer, Wire } from "../wire.ts";
import { vercelDeployments } from "./deployments.ts";
import { vercelEnvironment } from "./environment.ts";
import { vercelError } from "./errors.ts";
import { vercelProjects } from "./projects.ts";
import { vercelAccount } from "./account.ts";

const CODES: Readonly<Record<number, string>> = {
  400: "bad_request",
  403: "forbidden",
  404: "not_found",
  413: "request_entity_too_large",
  429: "rate_limited",
};

/**
 * The calls of Vercel's REST API that publish files. Sources: https://vercel.com/docs/rest-api, vercel/vercel
 * packages/client/src and packages/cli/src/util/projects.
 */
export const vercelWire: Wire = {
  provider: "vercel",
  base: "/vercel",
  calls: [...vercelAccount, ...vercelProjects, ...vercelEnvironment, ...vercelDeployments],
  refusal: (status, message) => vercelError(status, CODES[status] ?? "internal_server_error", message),
  // The API has 403 for a token that it does not know, and says so in a field: vercel/vercel packages/cli/test/mocks/team.ts.
  unauthorized: (): Answer => ({
    status: 403,
    json: { error: { code: "forbidden", message: "Not authorized", invalidToken: true } },
  }),
  invalid: (message) => vercelError(400, "bad_request", `Invalid request: ${message}.`),
  limited: (seconds, now) => ({
    "x-ratelimit-limit": "100",
    "x-ratelimit-remaining": "0",
    "x-ratelimit-reset": String(Math.ceil(now / 1000) + seconds),
  }),
};
