import { z } from "zod";
import { safeParseJson } from "#src/lib/parse-json.ts";
import { addressOf } from "./address.ts";
import { createApi, LIST_BYTES, pathOf, type Api, type EndpointOf } from "./api.ts";
import { sha1 } from "./digests.ts";
import { HostingFailure } from "./failure.ts";
import type { DeploymentState, HostedSite, HostingAccess, HostingProvider, Release } from "./hosting.ts";
import { logLines } from "./log-lines.ts";
import { sendFiles } from "./send-files.ts";
import { createSiteName } from "./site-name.ts";
import { vercelFramework } from "./vercel-frameworks.ts";

/*
 * Sources: vercel/vercel, packages/client (deployments, files, `missing_files`), packages/cli (projects, variables) and
 * packages/fs-detectors (what empty build settings do); vercel.com/docs/rest-api for the remaining calls.
 */

/** Metadata of our deployments: our id of each. */
const META = "workspaceDeployment";
/** A label of a host name. */
const MAX_NAME = 63;
/** Further files may be missing once the first ones are there. */
const ROUNDS = 3;

/** Only the fields that are read. */
const Projects = z.object({ projects: z.array(z.object({ id: z.string() })) });
const User = z.object({
  user: z.object({ id: z.string(), username: z.string().nullish(), email: z.string().nullish() }),
});
const Team = z.object({ id: z.string(), name: z.string().nullish(), slug: z.string().nullish() });
const Project = z.object({ id: z.string(), name: z.string() });
const Created = z.object({ id: z.string() });
const Found = z.object({ deployments: z.array(z.object({ uid: z.string() })) });
const Deployment = z.object({
  readyState: z.string().nullish(),
  status: z.string().nullish(),
  url: z.string().nullish(),
  alias: z.array(z.string()).nullish(),
  aliasAssigned: z.union([z.boolean(), z.number()]).nullish(),
  aliasError: z.object({ message: z.string().nullish() }).nullish(),
  errorMessage: z.string().nullish(),
});
const Events = z.array(
  z.object({
    text: z.string().nullish(),
    payload: z.object({ text: z.string().nullish() }).nullish().catch(null),
  }),
);
const Variables = z.object({
  failed: z.array(z.object({ error: z.object({ message: z.string().nullish() }).nullish() })).nullish(),
});
const MissingFiles = z.object({
  error: z.object({ code: z.literal("missing_files"), missing: z.array(z.string()) }),
});

export function createVercel(endpointOf: EndpointOf): HostingProvider {
  const apiOf = (access: HostingAccess, env: Release["env"] = {}) =>
    createApi(endpointOf(access), {
      headers: { authorization: `Bearer ${access.token}` },
      secrets: [access.token, ...Object.values(env)],
    });

  return {
    name: "vercel",
    siteName: createSiteName(MAX_NAME),
    digest: sha1,
    async account(access) {
      const api = apiOf(access);
      const query = team(access);
      await api.send(Projects, {
        path: "/v9/projects",
        query: { limit: "1", ...query },
        maxBytes: LIST_BYTES,
      });
      if (query.teamId !== undefined) {
        const found = await api.send(Team, { path: `/v2/teams${pathOf(query.teamId)}` });
        return { id: found.id, name: found.name ?? found.slug ?? found.id };
      }
      const { user } = await api.send(User, { path: "/v2/user" });
      return { id: user.id, name: user.username ?? user.email ?? user.id };
    },
    async findSite(access, name) {
      const found = await apiOf(access).find(Project, {
        path: `/v9/projects${pathOf(name)}`,
        query: team(access),
        maxBytes: LIST_BYTES,
      });
      return found && { id: found.id, name: found.name, url: null };
    },
    async createSite(access, { name, framework }) {
      const made = await apiOf(access).send(
        Project,
        {
          method: "POST",
          path: "/v11/projects",
          query: team(access),
          json: { name, framework: vercelFramework(framework) },
        },
        ({ status }) =>
          status === 409
            ? new HostingFailure("name_taken", `Vercel has a project named ${name} already`)
            : undefined,
      );
      return { id: made.id, name: made.name, url: null };
    },
    async publish(access, release, budget) {
      const api = apiOf(access, release.env);
      const query = team(access);
      const found = await findDeployment(api, release, query);
      if (found !== undefined) return { deploymentId: found };
      await setVariables(api, release, query);
      for (let round = 0; round < ROUNDS && budget.left > 1; round += 1) {
        const outcome = await createDeployment(api, release, query);
        if ("deploymentId" in outcome) return outcome;
        const { missing } = outcome;
        const sent = await sendFiles(api, missing, {
          files: release.files,
          budget,
          call: ({ digest }) => ({
            method: "POST",
            path: "/v2/files",
            query,
            headers: { "content-type": "application/octet-stream", "x-vercel-digest": digest },
          }),
        });
        if (sent < missing.length) return "unfinished";
      }
      return "unfinished";
    },
    async state(access, site, deploymentId) {
      const api = apiOf(access);
      const found = await api.send(Deployment, {
        path: `/v13/deployments${pathOf(deploymentId)}`,
        query: team(access),
        maxBytes: LIST_BYTES,
      });
      return stateOf(found, site, new URL(endpointOf(access).baseUrl).protocol, api.scrub);
    },
    async logs(access, _site, deploymentId) {
      const api = apiOf(access);
      const query = { builds: "1", direction: "forward", follow: "0", limit: "1000", ...team(access) };
      const path = `/v3/deployments${pathOf(deploymentId)}/events`;
      const events = await api.send(Events, { path, query, maxBytes: LIST_BYTES });
      return logLines(
        events.flatMap(({ text, payload }) => text ?? payload?.text ?? []),
        api.scrub,
      );
    },
    // A deployment that is over is refused.
    cancel: (access, _site, deploymentId) =>
      apiOf(access).run(
        { method: "PATCH", path: `/v12/deployments${pathOf(deploymentId)}/cancel`, query: team(access) },
        [400, 404, 409, 422],
      ),
    removeSite: (access, site) =>
      apiOf(access).run(
        { method: "DELETE", path: `/v9/projects${pathOf(site.id)}`, query: team(access) },
        [404],
      ),
  };
}

/** Vercel takes the person's own account when there is no team. */
const team = ({ metadata }: HostingAccess) => ({ teamId: metadata["team_id"] || undefined });

type Query = Readonly<Record<string, string | undefined>>;

async function findDeployment(api: Api, release: Release, query: Query): Promise<string | undefined> {
  const { deployments } = await api.send(Found, {
    path: "/v6/deployments",
    query: { projectId: release.site.id, [`meta-${META}`]: release.id, limit: "1", ...query },
    maxBytes: LIST_BYTES,
  });
  return deployments[0]?.uid;
}

/** Before the deployment, whose build reads them. */
async function setVariables(api: Api, { site, env }: Release, query: Query): Promise<void> {
  const variables = Object.entries(env).map(([key, value]) => ({
    key,
    value,
    type: "encrypted",
    target: ["production"],
  }));
  if (variables.length === 0) return;
  const { failed } = await api.send(Variables, {
    method: "POST",
    path: `/v10/projects${pathOf(site.id)}/env`,
    query: { upsert: "true", ...query },
    json: variables,
    maxBytes: LIST_BYTES,
  });
  const problem = failed?.[0];
  if (!problem) return;
  const reason = api.scrub(problem.error?.message ?? "no reason given").slice(0, 300);
  throw new HostingFailure("refused", `Vercel refuses a variable: ${reason}`);
}

async function createDeployment(
  api: Api,
  release: Release,
  query: Query,
): Promise<{ deploymentId: string } | { missing: string[] }> {
  const made = await api.send<{ id: string } | { missing: string[] }>(
    Created,
    {
      method: "POST",
      path: "/v13/deployments",
      query: { skipAutoDetectionConfirmation: "1", ...query },
      json: {
        name: release.site.name,
        project: release.site.id,
        target: "production",
        meta: { [META]: release.id },
        files: (release.files?.list ?? []).map(({ path, digest, size }) => ({
          file: path,
          sha: digest,
          size,
        })),
        projectSettings: buildSettings(release),
      },
      maxBytes: LIST_BYTES,
    },
    ({ text }) => {
      const missing = missingFiles(text);
      return missing && { outcome: { missing } };
    },
  );
  return "missing" in made ? made : { deploymentId: made.id };
}

function missingFiles(text: string): string[] | undefined {
  return safeParseJson(text, MissingFiles)?.value.error.missing;
}

/**
 * Built files are served as they are: an empty build command makes no build, and an empty output directory is the root.
 */
function buildSettings({ mode, framework, buildCommand, outputDirectory }: Release) {
  return mode === "source"
    ? { framework: vercelFramework(framework), buildCommand, outputDirectory }
    : { framework: null, buildCommand: "", installCommand: "", outputDirectory: "" };
}

/** A deployment that is ready is seen only once the production alias leads to it. */
function stateOf(
  found: z.output<typeof Deployment>,
  site: HostedSite,
  protocol: string,
  scrub: (text: string) => string,
): DeploymentState {
  const word = found.readyState ?? found.status ?? "UNKNOWN";
  const error = (text: string | null | undefined) => (text ? scrub(text).slice(0, 300) : null);
  if (word === "CANCELED") return { word, outcome: "cancelled", url: null, error: error(found.errorMessage) };
  if (word === "ERROR") return { word, outcome: "failed", url: null, error: error(found.errorMessage) };
  if (word !== "READY") return { word, outcome: "pending", url: null, error: null };
  if (found.aliasError) return { word, outcome: "failed", url: null, error: error(found.aliasError.message) };
  const isAssigned = found.aliasAssigned === undefined || Boolean(found.aliasAssigned);
  if (!isAssigned) return { word, outcome: "pending", url: null, error: null };
  const host = productionAlias(found.alias ?? [], site.name) ?? found.url ?? undefined;
  const url = host === undefined ? null : addressOf(host.includes("://") ? host : `${protocol}//${host}`);
  return { word, outcome: "success", url, error: null };
}

/** The others name the team or the branch, and are longer. */
function productionAlias(aliases: readonly string[], name: string): string | undefined {
  return (
    aliases.find((alias) => alias.startsWith(`${name}.`)) ??
    aliases.toSorted((one, other) => one.length - other.length)[0]
  );
}
