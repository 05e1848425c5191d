import type { Wire } from "../wire.ts";
import { digitaloceanApps } from "./apps.ts";
import { digitaloceanDeployments } from "./deployments.ts";
import { digitaloceanError } from "./errors.ts";
import { digitaloceanLogs } from "./logs.ts";

const IDS: Readonly<Record<number, string>> = {
  404: "not_found",
  413: "request_too_large",
  429: "too_many_requests",
};

/** The calls of DigitalOcean's API for the App Platform. Source: digitalocean/openapi specification/resources/apps. */
export const digitaloceanWire: Wire = {
  provider: "digitalocean",
  base: "/digitalocean",
  calls: [...digitaloceanApps, ...digitaloceanDeployments, ...digitaloceanLogs],
  refusal: (status, message) => digitaloceanError(status, IDS[status] ?? "server_error", message),
  unauthorized: () => digitaloceanError(401, "unauthorized", "Unable to authenticate you"),
  invalid: (message) => digitaloceanError(400, "bad_request", message),
  limited: (seconds, now) => ({
    "ratelimit-limit": "5000",
    "ratelimit-remaining": "0",
    "ratelimit-reset": String(Math.ceil(now / 1000) + seconds),
  }),
};
