import { z } from "zod";
import { safeParseJson } from "#src/lib/parse-json.ts";
import { addressOf } from "./address.ts";
import { createApi, LIST_BYTES, pathOf, type Api, type EndpointOf } from "./api.ts";
import { sha1 } from "./digests.ts";
import { HostingFailure } from "./failure.ts";
import type { HostedSite, HostingAccess, HostingProvider, Release, RequestBudget } from "./hosting.ts";
import { logLines } from "./log-lines.ts";
import { setNetlifyVariables } from "./netlify-variables.ts";
import { sendFiles } from "./send-files.ts";
import { createSiteName } from "./site-name.ts";

/* Source: netlify/open-api, swagger.yml; netlify/cli for files beyond which a deploy is prepared in the background. */

/** Netlify gives each deploy the name `<24 characters>--<site>`, one label of at most 63. */
const MAX_NAME = 37;
const MANY_FILES = 100;
/** Longest wait in one call for a deploy that is prepared in the background. */
const PREPARING_ATTEMPTS = 8;
const PREPARING_MS = 1000;
/** States in which Netlify does not say yet which files it needs. */
const PREPARING: ReadonlySet<string> = new Set(["new", "enqueued", "preparing"]);
/** States in which it needs no more files. */
const COMPLETE: ReadonlySet<string> = new Set([
  "uploaded",
  "processing",
  "processed",
  "ready",
  "error",
  "rejected",
]);

/** Only the fields that are read. */
const User = z.object({ id: z.string(), full_name: z.string().nullish(), email: z.string().nullish() });
const Site = z.object({
  id: z.string(),
  name: z.string(),
  ssl_url: z.string().nullish(),
  url: z.string().nullish(),
});
const Deploy = z.object({
  id: z.string(),
  state: z.string().nullish(),
  title: z.string().nullish(),
  required: z.array(z.string()).nullish(),
  error_message: z.string().nullish(),
  ssl_url: z.string().nullish(),
  url: z.string().nullish(),
  summary: z
    .object({
      messages: z
        .array(z.object({ title: z.string().nullish(), description: z.string().nullish() }))
        .nullish(),
    })
    .nullish()
    .catch(null),
});
type Deploy = z.output<typeof Deploy>;

/** The deploy, and the last digest, in alphabetical order, up to which its files are sent. */
const Notes = z.object({ deploy: z.string(), sentUpTo: z.string() });

export function createNetlify(endpointOf: EndpointOf): HostingProvider {
  const apiOf = (access: HostingAccess, env: Release["env"] = {}) =>
    createApi(endpointOf(access), {
      headers: { authorization: `Bearer ${access.token}` },
      secrets: [access.token, ...Object.values(env)],
    });

  return {
    name: "netlify",
    siteName: createSiteName(MAX_NAME),
    digest: sha1,
    async account(access) {
      const api = apiOf(access);
      await api.send(z.array(Site), { path: "/sites", query: { per_page: "1" }, maxBytes: LIST_BYTES });
      const { id, full_name, email } = await api.send(User, { path: "/user" });
      return { id, name: full_name || email || id };
    },
    async findSite(access, name) {
      const path = "/sites";
      const query = { name, filter: "all", per_page: "100" };
      const found = await apiOf(access).send(z.array(Site), { path, query, maxBytes: LIST_BYTES });
      // The filter also finds names that contain this one.
      const site = found.find((each) => each.name === name);
      return site && hosted(site);
    },
    async createSite(access, { name }) {
      const made = await apiOf(access).send(
        Site,
        { method: "POST", path: "/sites", json: { name } },
        ({ status, text }) =>
          status === 409 || (status === 422 && /unique|taken|already/iu.test(text))
            ? new HostingFailure("name_taken", `Netlify has a site named ${name} already`)
            : undefined,
      );
      return hosted(made);
    },
    async publish(access, release, budget) {
      const api = apiOf(access, release.env);
      const noted = safeParseJson(release.notes.get() ?? "", Notes)?.value;
      const known = noted?.deploy ?? (await findDeploy(api, release));
      const begun = known === undefined ? await createDeploy(api, release) : await readDeploy(api, known);
      const deploy = await prepared(api, begun, budget);
      if (!deploy) return "unfinished";
      if (COMPLETE.has(deploy.state ?? "")) return { deploymentId: deploy.id };
      // One file for each digest. The deploy may go on to name files that it has; what is sent is noted in this order.
      const digests = [...new Set(deploy.required ?? [])]
        .toSorted()
        .filter((each) => each > (noted?.sentUpTo ?? ""));
      const sent = await sendFiles(api, digests, {
        files: release.files,
        budget,
        call: ({ path }) => ({
          method: "PUT",
          path: `/deploys${pathOf(deploy.id)}/files${pathOf(...path.split("/"))}`,
          headers: { "content-type": "application/octet-stream" },
        }),
      });
      if (sent === digests.length) return { deploymentId: deploy.id };
      const sentUpTo = digests[sent - 1] ?? noted?.sentUpTo ?? "";
      await release.notes.set(JSON.stringify({ deploy: deploy.id, sentUpTo }));
      return "unfinished";
    },
    async state(access, site, deploymentId) {
      const api = apiOf(access);
      const found = await readDeploy(api, deploymentId);
      const word = found.state ?? "unknown";
      const reason = found.error_message ? api.scrub(found.error_message).slice(0, 300) : null;
      if (word === "ready") {
        return {
          word,
          outcome: "success",
          url: addressOf(found.ssl_url || found.url) ?? site.url,
          error: null,
        };
      }
      if (word !== "error" && word !== "rejected")
        return { word, outcome: "pending", url: null, error: null };
      // A deploy that was cancelled is one with an error that says so.
      const outcome = /^cancel/iu.test(reason ?? "") ? "cancelled" : "failed";
      return { word, outcome, url: null, error: reason };
    },
    // The lines of a build go over a socket of their own; these deploys have none, but a summary.
    async logs(access, _site, deploymentId) {
      const api = apiOf(access);
      const { summary, error_message } = await readDeploy(api, deploymentId);
      const messages = (summary?.messages ?? []).map(({ title, description }) =>
        [title, description].filter(Boolean).join(": "),
      );
      return logLines([...messages, error_message ?? ""], api.scrub);
    },
    cancel: (access, _site, deploymentId) =>
      apiOf(access).run(
        { method: "POST", path: `/deploys${pathOf(deploymentId)}/cancel` },
        [400, 404, 409, 422],
      ),
    removeSite: (access, site) =>
      apiOf(access).run({ method: "DELETE", path: `/sites${pathOf(site.id)}` }, [404]),
  };
}

function hosted({ id, name, ssl_url, url }: z.output<typeof Site>): HostedSite {
  return { id, name, url: addressOf(ssl_url || url) };
}

async function findDeploy(api: Api, { id, site }: Release): Promise<string | undefined> {
  const path = `/sites${pathOf(site.id)}/deploys`;
  const found = await api.send(z.array(Deploy), { path, query: { per_page: "100" }, maxBytes: LIST_BYTES });
  return found.find((each) => each.title === id)?.id;
}

async function createDeploy(api: Api, release: Release): Promise<Deploy> {
  const { id, site, env } = release;
  const list = release.files?.list ?? [];
  // Source: netlify/cli, utils/deploy/util.ts.
  const unnameable = list.find(({ path }) => /[#?]/u.test(path));
  if (unnameable) {
    throw new HostingFailure(
      "refused",
      `Netlify takes no file with # or ? in its name: rename "${unnameable.path}" and deploy again`,
    );
  }
  if (Object.keys(env).length > 0) await setNetlifyVariables(api, site, env);
  return api.send(Deploy, {
    method: "POST",
    path: `/sites${pathOf(site.id)}/deploys`,
    query: { title: id },
    json: {
      files: Object.fromEntries(list.map(({ path, digest }) => [`/${path}`, digest])),
      draft: false,
      async: list.length > MANY_FILES,
    },
    maxBytes: LIST_BYTES,
  });
}

const readDeploy = (api: Api, id: string) =>
  api.send(Deploy, { path: `/deploys${pathOf(id)}`, maxBytes: LIST_BYTES });

/** Waits until Netlify says which files it needs; undefined when it takes too long for one call. */
async function prepared(api: Api, begun: Deploy, budget: RequestBudget): Promise<Deploy | undefined> {
  let deploy = begun;
  for (let attempt = 0; PREPARING.has(deploy.state ?? ""); attempt += 1) {
    // A deploy of few files says so at once.
    if (deploy.required && deploy.required.length > 0) return deploy;
    if (attempt === PREPARING_ATTEMPTS || budget.left <= 1) return undefined;
    await new Promise((resolve) => setTimeout(resolve, PREPARING_MS));
    deploy = await readDeploy(api, deploy.id);
  }
  return deploy;
}
