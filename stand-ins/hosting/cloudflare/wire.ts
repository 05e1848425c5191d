import type { Wire } from "../wire.ts";
import { cloudflareAccount } from "./account.ts";
import { cloudflareAssets } from "./assets.ts";
import { cloudflareError } from "./errors.ts";
import { cloudflareScripts } from "./scripts.ts";
import { cloudflareLookUps } from "./look-ups.ts";

const CODES: Readonly<Record<number, number>> = { 404: 7003, 429: 971 };

/**
 * The calls of Cloudflare's API that publish a Worker with static assets. Sources:
 * https://developers.cloudflare.com/workers/static-assets/direct-upload/, https://developers.cloudflare.com/api/, and
 * cloudflare/workers-sdk packages/deploy-helpers/src/deploy/helpers/assets.ts.
 */
export const cloudflareWire: Wire = {
  provider: "cloudflare",
  base: "/cloudflare/client/v4",
  calls: [...cloudflareAccount, ...cloudflareAssets, ...cloudflareScripts, ...cloudflareLookUps],
  refusal: (status, message) => cloudflareError(status, CODES[status] ?? 10_013, message),
  unauthorized: (path) =>
    path === "user/tokens/verify"
      ? cloudflareError(401, 1000, "Invalid API Token")
      : cloudflareError(401, 10_000, "Authentication error"),
  invalid: (message) => cloudflareError(400, 10_026, message),
};
