import { z } from "zod";
import { isGuid } from "#src/lib/ids.ts";
import { addressOf } from "../address.ts";
import { callNamed, createApi, LIST_BYTES, pathOf, type Api, type EndpointOf } from "../api.ts";
import { sha256 } from "../digests.ts";
import { HostingFailure } from "../failure.ts";
import type { HostedSite, HostingAccess, HostingProvider, Release } from "../hosting.ts";
import { logLines } from "../log-lines.ts";
import { createSiteName } from "../site-name.ts";
import { App, Deployment } from "./answers.ts";
import { publishApp } from "./publish.ts";

/* Sources: digitalocean/godo, apps.go and apps.gen.go; digitalocean/app_action, deploy/main.go. */

const MAX_NAME = 32;
/** Of the addresses of a log's parts. */
const MAX_LOG_PARTS = 3;
/** Pages of apps that are looked through for a name. */
const MAX_PAGES = 5;
const PER_PAGE = 200;

const Account = z.object({
  account: z.object({
    uuid: z.string(),
    email: z.string().nullish(),
    team: z.object({ uuid: z.string().nullish(), name: z.string().nullish() }).nullish(),
  }),
});
const Apps = z.object({ apps: z.array(App).nullish() });
const Logs = z.object({ historic_urls: z.array(z.string()).nullish() });

/**
 * DigitalOcean's App Platform, which fetches the sources by git. An app cannot be made without its sources, so the first
 * publication makes it; until then a site's name stands for its id.
 */
export function createDigitalOcean(endpointOf: EndpointOf): HostingProvider {
  const apiOf = (access: HostingAccess, env: Release["env"] = {}) =>
    createApi(endpointOf(access), {
      headers: { authorization: `Bearer ${access.token}` },
      secrets: [access.token, ...Object.values(env)],
    });

  return {
    name: "digitalocean",
    siteName: createSiteName(MAX_NAME),
    digest: sha256,
    async account(access) {
      const { account } = await apiOf(access).send(Account, { path: "/v2/account" });
      // A token belongs to a team, and a person may be in several.
      const id = account.team?.uuid ?? account.uuid;
      return { id, name: account.team?.name || account.email || id };
    },
    async findSite(access, name) {
      const found = await findApp(apiOf(access), name);
      return found && hosted(found);
    },
    createSite: (_access, { name }) => Promise.resolve({ id: name, name, url: null }),
    async publish(access, release, budget) {
      const api = apiOf(access, release.env);
      const appId = await idOf(api, release.site);
      return publishApp(api, appId, release, budget);
    },
    async state(access, site, deploymentId) {
      const api = apiOf(access);
      const path = `/v2/apps${pathOf(await knownId(api, site))}`;
      const { deployment } = await api.send(z.object({ deployment: Deployment }), {
        path: `${path}/deployments${pathOf(deploymentId)}`,
        maxBytes: LIST_BYTES,
      });
      const { phase: word } = deployment;
      const reason = deployment.progress?.steps?.flatMap((step) => step.reason?.message ?? [])[0];
      switch (word) {
        case "ACTIVE": {
          const { app } = await api.send(z.object({ app: App }), { path, maxBytes: LIST_BYTES });
          const url = addressOf(app.live_url || app.default_ingress);
          // The address comes a little later than the state.
          return { word, outcome: url === null ? "pending" : "success", url, error: null };
        }
        case "ERROR": {
          const error = reason ? api.scrub(reason).slice(0, 300) : "DigitalOcean could not build or start it";
          return { word, outcome: "failed", url: null, error };
        }
        case "CANCELED":
          return { word, outcome: "cancelled", url: null, error: null };
        case "SUPERSEDED": {
          const error = "Another deployment at DigitalOcean took its place";
          return { word, outcome: "cancelled", url: null, error };
        }
        default:
          return { word, outcome: "pending", url: null, error: null };
      }
    },
    async logs(access, site, deploymentId) {
      const api = apiOf(access);
      const app = await knownId(api, site);
      const { historic_urls } = await api.send<z.output<typeof Logs>>(
        Logs,
        {
          path: `/v2/apps${pathOf(app)}/deployments${pathOf(deploymentId)}/logs`,
          query: { type: "BUILD", follow: "false", tail_lines: "1000" },
        },
        // The build has not begun.
        ({ status }) => (status === 400 || status === 404 ? { outcome: {} } : undefined),
      );
      const texts: string[] = [];
      for (const address of (historic_urls ?? []).slice(0, MAX_LOG_PARTS)) {
        texts.push(await callNamed(endpointOf(access), address, { method: "GET", maxBytes: LIST_BYTES }));
      }
      return logLines(texts, api.scrub);
    },
    async cancel(access, site, deploymentId) {
      const api = apiOf(access);
      const app = await idOf(api, site);
      if (app === undefined) return;
      const path = `/v2/apps${pathOf(app)}/deployments${pathOf(deploymentId)}/cancel`;
      await api.run({ method: "POST", path }, [400, 404, 409, 412, 422]);
    },
    async removeSite(access, site) {
      const api = apiOf(access);
      const app = await idOf(api, site);
      if (app !== undefined) await api.run({ method: "DELETE", path: `/v2/apps${pathOf(app)}` }, [404]);
    },
  };
}

function hosted(app: z.output<typeof App>): HostedSite {
  return { id: app.id, name: app.spec.name, url: addressOf(app.live_url || app.default_ingress) };
}

/** Undefined while there is no app. */
async function idOf(api: Api, site: HostedSite): Promise<string | undefined> {
  return isGuid(site.id) ? site.id : (await findApp(api, site.name))?.id;
}

async function knownId(api: Api, site: HostedSite): Promise<string> {
  const id = await idOf(api, site);
  if (id === undefined) throw new HostingFailure("not_found", `DigitalOcean has no app named ${site.name}`);
  return id;
}

/** There is no call that finds an app by its name. */
async function findApp(api: Api, name: string): Promise<z.output<typeof App> | undefined> {
  for (let page = 1; page <= MAX_PAGES; page += 1) {
    const query = { page: String(page), per_page: String(PER_PAGE) };
    const { apps } = await api.send(Apps, { path: "/v2/apps", query, maxBytes: LIST_BYTES });
    const found = apps?.find(({ spec }) => spec.name === name);
    if (found || (apps?.length ?? 0) < PER_PAGE) return found;
  }
  return undefined;
}
