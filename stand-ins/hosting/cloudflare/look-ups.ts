import { hexOf } from "../ids.ts";
import type { WireCall } from "../wire.ts";
import { success } from "./errors.ts";
import { getScript } from "./scripts.ts";

/** What `wrangler deploy` asks about a Worker before and after it uploads one. */
export const cloudflareLookUps: readonly WireCall[] = [
  {
    method: "GET",
    path: "accounts/{account}/workers/services/{script}",
    run(exchange) {
      const { id, name } = getScript(exchange);
      const script = { id: name, tag: hexOf(id), last_deployed_from: "api" };
      return success({ id: name, default_environment: { environment: "production", script } });
    },
  },
  {
    method: "GET",
    path: "accounts/{account}/workers/scripts/{script}/deployments",
    run(exchange) {
      const { live } = getScript(exchange);
      return success({ deployments: live === undefined ? [] : [{ id: live, versions: [] }] });
    },
  },
  {
    method: "GET",
    path: "accounts/{account}/workers/workers/{script}",
    run(exchange) {
      const { id, name, details } = getScript(exchange);
      const enabled = details["enabled"] === true;
      return success({ id: hexOf(id), name, subdomain: { enabled, previews_enabled: enabled } });
    },
  },
];
