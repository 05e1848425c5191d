import { z } from "zod";
import { readJson, readOptionalJson } from "../bodies.ts";
import type { Deployment, Site } from "../records.ts";
import type { Exchange, WireCall } from "../wire.ts";
import { checkUnpinned, getApp, specOf, supersede } from "./apps.ts";
import { addDeployment, showDeployment, Stored } from "./deployment.ts";
import { refuse } from "./errors.ts";

const NewDeployment = z.strictObject({
  force_build: z.boolean().optional(),
  component_names: z.array(z.string()).optional(),
});
const Rollback = z.strictObject({ deployment_id: z.string(), skip_pin: z.boolean().optional() });

export function getDeployment(exchange: Exchange): { app: Site; deployment: Deployment } {
  const app = getApp(exchange);
  const deployment = exchange.parts.store.deployment(exchange.at("deployment"));
  if (deployment?.site !== app.id) {
    throw refuse(404, "not_found", "The resource you were accessing could not be found.");
  }
  return { app, deployment };
}

function setPinned({ parts, now }: Exchange, app: Site, pinned: string | undefined): void {
  const { pinned: _, ...details } = app.details;
  parts.store.changeSite(app, { ...details, ...(pinned !== undefined && { pinned }) }, now);
}

/** Starts a deployment; what was under way is superseded. */
function deploy(exchange: Exchange, app: Site, details: Parameters<typeof addDeployment>[2]): Deployment {
  const { store, builds } = exchange.parts;
  const deployment = store.transaction(() => {
    supersede(exchange, app);
    return addDeployment(exchange, app, details);
  });
  builds.start("digitalocean", deployment);
  return deployment;
}

const APP = "v2/apps/{app}";

export const digitaloceanDeployments: readonly WireCall[] = [
  {
    method: "GET",
    path: `${APP}/deployments`,
    run(exchange) {
      const { parts, url } = exchange;
      const app = getApp(exchange);
      const all = parts.store.deployments(app.id);
      const page = Math.max(1, Number(url.searchParams.get("page") ?? 1));
      const size = Math.min(200, Number(url.searchParams.get("per_page") ?? 20));
      const deployments = all
        .slice((page - 1) * size, page * size)
        .map((each) => showDeployment(exchange, app, each));
      return { status: 200, json: { deployments, links: { pages: {} }, meta: { total: all.length } } };
    },
  },
  {
    method: "POST",
    path: `${APP}/deployments`,
    async run(exchange) {
      await readOptionalJson(exchange, NewDeployment);
      const app = getApp(exchange);
      checkUnpinned(app);
      const deployment = deploy(exchange, app, { cause: "manual", spec: specOf(app) });
      return { status: 200, json: { deployment: showDeployment(exchange, app, deployment) } };
    },
  },
  {
    method: "GET",
    path: `${APP}/deployments/{deployment}`,
    run(exchange) {
      const { app, deployment } = getDeployment(exchange);
      return { status: 200, json: { deployment: showDeployment(exchange, app, deployment) } };
    },
  },
  {
    method: "POST",
    path: `${APP}/deployments/{deployment}/cancel`,
    run(exchange) {
      const { app, deployment } = getDeployment(exchange);
      const { store } = exchange.parts;
      if (!store.cancel(deployment, exchange.now)) {
        throw refuse(400, "bad_request", "The deployment is not in progress.");
      }
      const canceled = store.deployment(deployment.id) ?? deployment;
      return { status: 200, json: { deployment: showDeployment(exchange, app, canceled) } };
    },
  },
  {
    method: "POST",
    path: `${APP}/rollback`,
    async run(exchange) {
      const wish = await readJson(exchange, Rollback);
      const app = getApp(exchange);
      checkUnpinned(app);
      const { store } = exchange.parts;
      const earlier = store.deployment(wish.deployment_id);
      if (earlier?.site !== app.id || store.phase(earlier, exchange.now) !== "ready") {
        throw refuse(400, "bad_request", "There is no such deployment to roll back to.");
      }
      const { spec } = Stored.parse(earlier.details);
      const deployment = deploy(exchange, app, { cause: "rollback", spec, clonedFrom: earlier.id });
      if (wish.skip_pin !== true) setPinned(exchange, app, deployment.id);
      return { status: 200, json: { deployment: showDeployment(exchange, app, deployment) } };
    },
  },
  {
    method: "POST",
    path: `${APP}/rollback/commit`,
    run(exchange) {
      const app = getApp(exchange);
      if (app.details["pinned"] === undefined) throw refuse(400, "bad_request", "The app is not pinned.");
      setPinned(exchange, app, undefined);
      return { status: 200, json: {} };
    },
  },
];
