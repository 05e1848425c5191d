import { z } from "zod";
import { addressOf } from "./address.ts";
import { callNamed, createApi, LIST_BYTES, pathOf, type Api, type EndpointOf } from "./api.ts";
import { sha256 } from "./digests.ts";
import { HostingFailure } from "./failure.ts";
import type { DeploymentState, HostedSite, HostingAccess, HostingProvider, Release } from "./hosting.ts";
import { logLines } from "./log-lines.ts";
import { createSiteName } from "./site-name.ts";

/*
 * Sources: devcenter.heroku.com, "Platform API reference" and "Building and releasing using the Platform API"; heroku/cli,
 * builds:cancel.
 */

const MAX_NAME = 30;
const ACCEPT = "application/vnd.heroku+json; version=3";
/** Find, variables, source, its upload, the build. */
const REQUESTS = 5;
const NEWEST_BUILDS = "created_at ..; order=desc, max=100";

/** Only the fields that are read. */
const Account = z.object({ id: z.string(), email: z.string().nullish(), name: z.string().nullish() });
const App = z.object({ id: z.string(), name: z.string(), web_url: z.string().nullish() });
const Source = z.object({ source_blob: z.object({ get_url: z.string(), put_url: z.string() }) });
const Build = z.object({
  id: z.string(),
  status: z.string(),
  output_stream_url: z.string().nullish(),
  source_blob: z.object({ version: z.string().nullish() }).nullish(),
});

export function createHeroku(endpointOf: EndpointOf): HostingProvider {
  const apiOf = (access: HostingAccess, env: Release["env"] = {}) =>
    createApi(endpointOf(access), {
      headers: { authorization: `Bearer ${access.token}`, accept: ACCEPT },
      secrets: [access.token, ...Object.values(env)],
    });
  return {
    name: "heroku",
    siteName: createSiteName(MAX_NAME),
    digest: sha256,
    async account(access) {
      const { id, name, email } = await apiOf(access).send(Account, { path: "/account" });
      return { id, name: name || email || id };
    },
    async findSite(access, name) {
      // Another account's app is forbidden: it is none of ours.
      const found = await apiOf(access).send<z.output<typeof App> | undefined>(
        App.optional(),
        { path: `/apps${pathOf(name)}` },
        ({ status, text }) =>
          status === 404 || (status === 403 && /"id"\s*:\s*"forbidden"/u.test(text))
            ? { outcome: undefined }
            : undefined,
      );
      return found && hosted(found);
    },
    async createSite(access, { name }) {
      const made = await apiOf(access).send(
        App,
        { method: "POST", path: "/apps", json: { name } },
        ({ status, text }) =>
          status === 409 || (status === 422 && /taken/iu.test(text))
            ? new HostingFailure("name_taken", `Heroku has an app named ${name} already`)
            : undefined,
      );
      return hosted(made);
    },
    async publish(access, release, budget) {
      if (budget.left < REQUESTS) return "unfinished";
      const api = apiOf(access, release.env);
      const app = `/apps${pathOf(release.site.id)}`;
      const builds = await api.send(z.array(Build), {
        path: `${app}/builds`,
        headers: { range: NEWEST_BUILDS },
        maxBytes: LIST_BYTES,
      });
      const found = builds.find((build) => build.source_blob?.version === release.id);
      if (found) return { deploymentId: found.id };
      if (!release.files)
        throw new HostingFailure("refused", "Heroku is given files, and the deployment has none");

      if (Object.keys(release.env).length > 0) {
        const path = `${app}/config-vars`;
        await api.send(z.record(z.string(), z.unknown()), { method: "PATCH", path, json: release.env });
      }
      const { source_blob } = await api.send(Source, { method: "POST", path: `${app}/sources` });
      // The address is signed for a request without a content type.
      await callNamed(endpointOf(access), source_blob.put_url, {
        method: "PUT",
        upload: await release.files.archive(),
      });
      const made = await api.send(Build, {
        method: "POST",
        path: `${app}/builds`,
        json: { source_blob: { url: source_blob.get_url, version: release.id } },
      });
      return { deploymentId: made.id };
    },
    async state(access, site, deploymentId) {
      const api = apiOf(access);
      const { status: word } = await readBuild(api, site, deploymentId);
      if (word === "failed") return ended(word, "failed", "Heroku could not build the program: see the logs");
      if (word === "cancelled" || word === "canceled") return ended(word, "cancelled", null);
      if (word !== "succeeded") return ended(word, "pending", null);
      const url = site.url ?? hosted(await api.send(App, { path: `/apps${pathOf(site.id)}` })).url;
      return { word, outcome: "success", url, error: null };
    },
    async logs(access, site, deploymentId) {
      const api = apiOf(access);
      const { output_stream_url } = await readBuild(api, site, deploymentId);
      if (!output_stream_url) return [];
      const text = await callNamed(endpointOf(access), output_stream_url, {
        method: "GET",
        maxBytes: LIST_BYTES,
      });
      return logLines([text], api.scrub);
    },
    // Only a build that is not over can be cancelled; any other is refused.
    cancel: (access, site, deploymentId) =>
      apiOf(access).run(
        {
          method: "DELETE",
          path: `/apps${pathOf(site.id)}/builds${pathOf(deploymentId)}`,
          headers: { accept: `${ACCEPT}.cancel-build` },
        },
        [400, 404, 405, 409, 422],
      ),
    removeSite: (access, site) =>
      apiOf(access).run({ method: "DELETE", path: `/apps${pathOf(site.id)}` }, [404]),
  };
}

const readBuild = (api: Api, site: HostedSite, id: string) =>
  api.send(Build, { path: `/apps${pathOf(site.id)}/builds${pathOf(id)}` });

function hosted({ id, name, web_url }: z.output<typeof App>): HostedSite {
  return { id, name, url: addressOf(web_url) };
}

function ended(word: string, outcome: DeploymentState["outcome"], error: string | null): DeploymentState {
  return { word, outcome, url: null, error };
}
