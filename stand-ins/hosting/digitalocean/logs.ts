import { z } from "zod";
import type { Answer, Exchange, WireCall } from "../wire.ts";
import { getDeployment } from "./deployments.ts";
import { refuse } from "./errors.ts";

const LIFETIME_SECONDS = 900;

const Claims = z.looseObject({ deployment: z.string() });
const TYPES: ReadonlySet<string> = new Set(["BUILD", "DEPLOY", "RUN", "RUN_RESTARTED", "AUTOSCALE_EVENT"]);

/** Addresses of the logs, which are read without a token: models/apps_get_logs_response.yml. */
function addresses(exchange: Exchange): Answer {
  const { parts, url, now } = exchange;
  const { deployment } = getDeployment(exchange);
  const type = url.searchParams.get("type") ?? "";
  if (!TYPES.has(type)) throw refuse(400, "bad_request", "type must be BUILD, DEPLOY or RUN");
  const key = parts.signer.sign("digitalocean log", { deployment: deployment.id }, LIFETIME_SECONDS, now);
  const address = `${parts.url()}/digitalocean/_logs/${deployment.id}?key=${key}`;
  return { status: 200, json: { live_url: address, historic_urls: type === "BUILD" ? [address] : [] } };
}

export const digitaloceanLogs: readonly WireCall[] = [
  { method: "GET", path: "v2/apps/{app}/deployments/{deployment}/logs", run: addresses },
  {
    method: "GET",
    path: "v2/apps/{app}/deployments/{deployment}/components/{component}/logs",
    run: addresses,
  },
  {
    method: "GET",
    path: "_logs/{deployment}",
    isOpen: true,
    run({ parts, url, at, now }) {
      const claims = parts.signer.read("digitalocean log", url.searchParams.get("key") ?? "", Claims, now);
      const deployment = claims && parts.store.deployment(claims.deployment);
      if (!deployment || deployment.id !== at("deployment")) {
        throw refuse(404, "not_found", "There is no such log.");
      }
      return { status: 200, text: deployment.log.map((line) => `${line}\n`).join("") };
    },
  },
];
