import type { Wire } from "../wire.ts";
import { netlifyAccount } from "./account.ts";
import { netlifyDeploys } from "./deploys.ts";
import { netlifyEnvironment } from "./environment.ts";
import { netlifyError } from "./errors.ts";
import { netlifySites } from "./sites.ts";

/** The calls of Netlify's API that publish files. Source: netlify/open-api swagger.yml. */
export const netlifyWire: Wire = {
  provider: "netlify",
  base: "/netlify/api/v1",
  calls: [...netlifyAccount, ...netlifySites, ...netlifyDeploys, ...netlifyEnvironment],
  refusal: netlifyError,
  unauthorized: () => netlifyError(401, "Access Denied"),
  invalid: (message) => netlifyError(422, message),
  // Read by @netlify/api, lib/methods/retry.js.
  limited: (seconds, now) => ({
    "x-ratelimit-limit": "500",
    "x-ratelimit-remaining": "0",
    "x-ratelimit-reset": String(Math.ceil(now / 1000) + seconds),
  }),
};
