import { randomUUID } from "node:crypto";
import { z } from "zod";
import { readJson } from "../bodies.ts";
import { asUuid, hexOf, iso } from "../ids.ts";
import { siteUrl } from "../parts.ts";
import { type Deployment, isOver, type Site } from "../records.ts";
import type { Exchange, WireCall } from "../wire.ts";
import { addDeployment, showDeployment } from "./deployment.ts";
import { refuse } from "./errors.ts";
import { AppSpec, shownSpec } from "./spec.ts";

const NewApp = z.strictObject({ spec: AppSpec, project_id: z.string().optional() });
const ChangedApp = z.strictObject({ spec: AppSpec, update_all_source_versions: z.boolean().optional() });

export function specOf({ details }: Pick<Site, "details">): AppSpec {
  return AppSpec.parse(details["spec"]);
}

function show(exchange: Exchange, app: Site): object {
  const { parts, now } = exchange;
  const deployments = parts.store.deployments(app.id);
  const phase = (each: Deployment) => parts.store.phase(each, now);
  const pending = deployments.find((each) => phase(each) === "queued");
  const building = deployments.find((each) => phase(each) === "building");
  const active = deployments.find(({ id }) => id === app.live);
  const pinned = deployments.find(({ id }) => id === app.details["pinned"]);
  const url = siteUrl(parts, app.host);
  const shown = (each: Deployment) => showDeployment(exchange, app, each);
  return {
    id: app.id,
    owner_uuid: asUuid(app.account),
    spec: shownSpec(specOf(app)),
    project_id: asUuid(hexOf(`project ${app.account}`)),
    tier_slug: "starter",
    region: { slug: "nyc", label: "New York", default: true },
    created_at: iso(app.createdAt),
    updated_at: iso(app.updatedAt),
    last_deployment_created_at: iso(deployments[0]?.createdAt ?? app.createdAt),
    ...(pending && { pending_deployment: shown(pending) }),
    ...(building && { in_progress_deployment: shown(building) }),
    ...(active && {
      active_deployment: shown(active),
      default_ingress: url,
      live_url: url,
      live_url_base: url,
      live_domain: new URL(url).host,
    }),
    ...(pinned && { pinned_deployment: shown(pinned) }),
  };
}

/** Finds the app that the path names. */
export function getApp({ parts, account, at }: Exchange): Site {
  const app = parts.store.site("digitalocean", at("app"));
  if (app?.account !== account)
    throw refuse(404, "not_found", "The resource you were accessing could not be found.");
  return app;
}

/** Throws while a rollback pins the app to its deployment. */
export function checkUnpinned({ details }: Site): void {
  if (typeof details["pinned"] === "string") {
    throw refuse(400, "bad_request", "The app is pinned to a rollback: commit or revert it first.");
  }
}

/** Cancels what the newest deployment replaces: an app has one deployment under way. */
export function supersede({ parts: { store }, now }: Exchange, app: Site): void {
  for (const each of store.deployments(app.id)) {
    if (!isOver(store.phase(each, now))) store.cancel(each, now);
  }
}

export const digitaloceanApps: readonly WireCall[] = [
  {
    method: "GET",
    path: "v2/account",
    run: ({ account }) => ({
      status: 200,
      json: {
        account: {
          droplet_limit: 10,
          floating_ip_limit: 3,
          reserved_ip_limit: 3,
          volume_limit: 10,
          email: `${account.slice(0, 6)}@digitalocean.invalid`,
          name: `Person ${account.slice(0, 6)}`,
          uuid: asUuid(account),
          email_verified: true,
          status: "active",
          status_message: "",
          team: { uuid: asUuid(account), name: `Team ${account.slice(0, 6)}` },
        },
      },
    }),
  },
  {
    method: "GET",
    path: "v2/apps",
    run(exchange) {
      const { parts, url, account } = exchange;
      const all = parts.store.sites("digitalocean", account);
      const page = Math.max(1, Number(url.searchParams.get("page") ?? 1));
      const size = Math.min(200, Number(url.searchParams.get("per_page") ?? 20));
      const apps = all.slice((page - 1) * size, page * size).map((app) => show(exchange, app));
      return { status: 200, json: { apps, links: { pages: {} }, meta: { total: all.length } } };
    },
  },
  {
    method: "POST",
    path: "v2/apps",
    async run(exchange) {
      const { parts, account, now } = exchange;
      const { spec } = await readJson(exchange, NewApp);
      const { store } = parts;
      const { app, deployment } = store.transaction(() => {
        if (store.siteNamed("digitalocean", spec.name, account)) {
          throw refuse(409, "conflict", `An app with the name ${spec.name} already exists.`);
        }
        const made = store.addSite(
          { id: randomUUID(), provider: "digitalocean", account, name: spec.name, details: { spec } },
          now,
        );
        return {
          app: made,
          deployment: addDeployment(exchange, made, { cause: "initial deployment", spec }),
        };
      });
      parts.builds.start("digitalocean", deployment);
      return { status: 200, json: { app: show(exchange, app) } };
    },
  },
  {
    method: "GET",
    path: "v2/apps/{app}",
    run: (exchange) => ({ status: 200, json: { app: show(exchange, getApp(exchange)) } }),
  },
  {
    method: "PUT",
    path: "v2/apps/{app}",
    async run(exchange) {
      const { parts, now } = exchange;
      const { spec } = await readJson(exchange, ChangedApp);
      const before = getApp(exchange);
      checkUnpinned(before);
      if (spec.name !== before.name) {
        throw refuse(400, "bad_request", "The stand-in does not rename apps.");
      }
      const deployment = parts.store.transaction(() => {
        supersede(exchange, before);
        parts.store.changeSite(before, { ...before.details, spec }, now);
        return addDeployment(exchange, before, { cause: "app spec updated", spec });
      });
      parts.builds.start("digitalocean", deployment);
      return { status: 200, json: { app: show(exchange, getApp(exchange)) } };
    },
  },
  {
    method: "DELETE",
    path: "v2/apps/{app}",
    run(exchange) {
      const app = getApp(exchange);
      exchange.parts.store.removeSite(app);
      return { status: 200, json: { id: app.id } };
    },
  },
];
