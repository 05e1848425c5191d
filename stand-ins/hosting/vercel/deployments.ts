import { createHash } from "node:crypto";
import { z } from "zod";
import { readJson } from "../bodies.ts";
import { newHex, newId } from "../ids.ts";
import { siteHost } from "../parts.ts";
import type { DeployedFile, Deployment, Phase, Site } from "../records.ts";
import { servedRoot, tidyPath } from "../sources.ts";
import { InvalidBody } from "../invalid-body.ts";
import type { Exchange, WireCall } from "../wire.ts";
import { scopeOf } from "./account.ts";
import { refuse } from "./errors.ts";
import { addProject, BUILD_SETTINGS, findProject, ProjectName } from "./projects.ts";

/** The largest file. https://vercel.com/docs/limits: 100 MB of source files by the API. */
const MAX_FILE_BYTES = 100 * 1024 * 1024;

const File = z.union([
  z.strictObject({
    file: z.string().min(1),
    sha: z.string().regex(/^[0-9a-f]{40}$/u, "must be a SHA-1"),
    size: z.int().min(0).optional(),
    mode: z.int().optional(),
  }),
  z.strictObject({
    file: z.string().min(1),
    data: z.string(),
    encoding: z.enum(["base64", "utf-8"]).optional(),
    mode: z.int().optional(),
  }),
]);

/** https://vercel.com/docs/rest-api/deployments/create-a-new-deployment, and the fields of a vercel.json. */
const NewDeployment = z.strictObject({
  name: z.string().min(1).max(100),
  project: z.string().optional(),
  files: z.array(File).optional(),
  deploymentId: z.string().optional(),
  target: z.string().nullish(),
  meta: z.record(z.string(), z.string()).optional(),
  gitMetadata: z.looseObject({}).optional(),
  projectSettings: z
    .strictObject({
      ...BUILD_SETTINGS,
      skipGitConnectDuringLink: z.boolean().optional(),
      sourceFilesOutsideRootDirectory: z.boolean().optional(),
    })
    .optional(),
  customEnvironmentSlugOrId: z.string().optional(),
  monorepoManager: z.string().nullish(),
  withLatestCommit: z.boolean().optional(),
  version: z.number().optional(),
  regions: z.array(z.string()).optional(),
  public: z.boolean().optional(),
  env: z.record(z.string(), z.string()).optional(),
  build: z.looseObject({}).optional(),
  builds: z.array(z.looseObject({})).optional(),
  routes: z.array(z.looseObject({})).optional(),
  functions: z.looseObject({}).optional(),
  headers: z.array(z.looseObject({})).optional(),
  redirects: z.array(z.looseObject({})).optional(),
  rewrites: z.array(z.looseObject({})).optional(),
  cleanUrls: z.boolean().optional(),
  trailingSlash: z.boolean().optional(),
});
type NewDeployment = z.infer<typeof NewDeployment>;

const Shown = z.object({
  name: z.string(),
  target: z.string().nullable(),
  meta: z.record(z.string(), z.string()),
  creator: z.string(),
});

const STATES: Readonly<Record<Phase, string>> = {
  uploading: "INITIALIZING",
  queued: "QUEUED",
  building: "BUILDING",
  ready: "READY",
  failed: "ERROR",
  canceled: "CANCELED",
};

/** A deployment in the form of `/v13/deployments`. */
function show({ parts, now }: Exchange, site: Site, deployment: Deployment): object {
  const { name, target, meta, creator } = Shown.parse(deployment.details);
  const phase = parts.store.phase(deployment, now);
  const isAliased = phase === "ready" && deployment.published && deployment.isProduction;
  return {
    id: deployment.id,
    uid: deployment.id,
    name,
    version: 2,
    url: siteHost(parts, deployment.host ?? ""),
    projectId: site.id,
    project: { id: site.id, name: site.name, framework: null },
    ownerId: site.account,
    creator: { uid: creator },
    target,
    meta,
    type: "LAMBDAS",
    source: "cli",
    public: false,
    regions: ["iad1"],
    createdAt: deployment.createdAt,
    created: deployment.createdAt,
    buildingAt: deployment.createdAt + parts.store.pace.queued,
    ...((phase === "ready" || phase === "failed") && { ready: deployment.dueAt }),
    readyState: STATES[phase],
    status: STATES[phase],
    alias: isAliased ? [siteHost(parts, site.host)] : [],
    aliasAssigned: phase === "ready" ? deployment.dueAt : null,
    aliasError: null,
    ...(phase === "failed" && { errorCode: "BUILD_FAILED", errorMessage: deployment.reason }),
  };
}

/** Finds a deployment by its id or its address. */
function getDeployment(exchange: Exchange): { site: Site; deployment: Deployment } {
  const { store } = exchange.parts;
  const id = exchange.at("id");
  const deployment = store.deployment(id) ?? store.deploymentAt(id.replace(/\.localhost(?::\d+)?$/u, ""));
  const site = deployment && store.site("vercel", deployment.site);
  if (!deployment || site?.account !== scopeOf(exchange)) {
    throw refuse(404, "not_found", "The deployment could not be found");
  }
  return { site, deployment };
}

/** The files of a new deployment. Those that the account has not uploaded are the error `missing_files`. */
function collect(
  exchange: Exchange,
  scope: string,
  files: NonNullable<NewDeployment["files"]>,
): DeployedFile[] {
  const { store, files: kept } = exchange.parts;
  const missing = new Set<string>();
  const collected = files.flatMap((each): DeployedFile[] => {
    const path = tidyPath(each.file);
    if (path === undefined) throw new InvalidBody(`\`files.file\` ${each.file} is no path`);
    if ("data" in each) {
      const bytes = Buffer.from(each.data, each.encoding === "base64" ? "base64" : "utf8");
      const { blob, size } = kept.keep(bytes);
      return [{ path, blob, size, type: undefined }];
    }
    const upload = store.upload("vercel", scope, each.sha);
    if (upload) return [{ ...upload, path }];
    missing.add(each.sha);
    return [];
  });
  if (missing.size > 0) throw refuse(400, "missing_files", "Missing files", { missing: [...missing] });
  return collected;
}

/** Finds the project of a new deployment, or makes it as the API does. */
function projectOf(exchange: Exchange, scope: string, wish: NewDeployment): Site {
  const found = findProject(exchange, wish.project ?? wish.name);
  if (found) return found;
  const { searchParams } = exchange.url;
  if (!wish.projectSettings && searchParams.get("skipAutoDetectionConfirmation") !== "1") {
    throw refuse(
      400,
      "missing_project_settings",
      "The `projectSettings` object is required for new projects, but is missing in the deployment payload",
      { framework: { name: "Other", slug: null }, projectSettings: {} },
    );
  }
  if (wish.project !== undefined) throw refuse(404, "not_found", "Project not found");
  const name = ProjectName.safeParse(wish.name.toLowerCase().replaceAll(/[^a-z0-9-_.]+/gu, "-"));
  if (!name.success) throw new InvalidBody(name.error.issues[0]?.message ?? "`name` is invalid");
  return addProject(exchange, name.data, scope, wish.projectSettings ?? {});
}

function create(exchange: Exchange, wish: NewDeployment): { site: Site; deployment: Deployment } {
  const { parts, now, account } = exchange;
  const { store } = parts;
  const scope = scopeOf(exchange);
  const again = wish.deploymentId === undefined ? undefined : store.deployment(wish.deploymentId);
  if (wish.deploymentId !== undefined && again === undefined) {
    throw refuse(404, "not_found", "The deployment could not be found");
  }
  if (!again && !wish.files?.length) throw new InvalidBody("should have required property `files`");
  const files = again ? store.files(again.id) : collect(exchange, scope, wish.files ?? []);
  const site = projectOf(exchange, scope, wish);
  const settings = {
    ...z.looseObject(BUILD_SETTINGS).safeParse(site.details["settings"]).data,
    ...wish.projectSettings,
  };
  const served = again
    ? { root: again.root }
    : servedRoot(parts.files, files, {
        buildCommand: settings.buildCommand,
        outputDirectory: settings.outputDirectory,
      });
  const id = newId("dpl_");
  const failed = "reason" in served;
  const deployment = store.addDeployment(
    {
      id,
      site: site.id,
      status: failed ? "failed" : "ready",
      isProduction: wish.target === "production",
      host: `${site.host.slice(0, 40)}-${newHex(9)}`,
      log: [`Received ${files.length} files.`, failed ? `Error: ${served.reason}` : "Deployment completed."],
      details: {
        name: wish.name,
        target: wish.target ?? null,
        meta: wish.meta ?? {},
        creator: account.slice(0, 24),
      },
      ...(failed ? { reason: served.reason } : { root: served.root }),
      files,
    },
    now,
  );
  return { site, deployment };
}

/** Parameters such as `meta-commit=1a2b` of a list of deployments. */
function wantedMeta({ url }: Exchange): [string, string][] {
  return [...url.searchParams].flatMap(([name, value]): [string, string][] =>
    name.startsWith("meta-") ? [[name.slice("meta-".length), value]] : [],
  );
}

export const vercelDeployments: readonly WireCall[] = [
  {
    method: "POST",
    path: "v2/files",
    async run(exchange) {
      const { parts, request } = exchange;
      const scope = scopeOf(exchange);
      const digest = request.headers["x-vercel-digest"] ?? request.headers["x-now-digest"];
      if (typeof digest !== "string" || digest.length > 40) {
        throw refuse(400, "missing_digest", "The `x-vercel-digest` header is required.");
      }
      const length = request.headers["content-length"] ?? request.headers["x-now-size"];
      if (length === undefined) throw refuse(400, "missing_size", "The `Content-Length` header is required.");
      const kept = await parts.files.receive(request, MAX_FILE_BYTES);
      if (kept.sha1 !== digest) {
        throw refuse(400, "invalid_digest", "The SHA-1 of the file is not that of the header.", {
          given: digest,
          computed: kept.sha1,
        });
      }
      if (kept.size !== Number(length)) throw refuse(400, "size_mismatch", "The file has another size.");
      parts.store.addUpload("vercel", scope, { ...kept, digest });
      return { status: 200, json: { urls: [] } };
    },
  },
  {
    method: "POST",
    path: "v13/deployments",
    async run(exchange) {
      const wish = await readJson(exchange, NewDeployment);
      const made = exchange.parts.store.transaction(() => create(exchange, wish));
      return { status: 200, json: show(exchange, made.site, made.deployment) };
    },
  },
  {
    method: "GET",
    path: "v13/deployments/{id}",
    run(exchange) {
      const { site, deployment } = getDeployment(exchange);
      return { status: 200, json: show(exchange, site, deployment) };
    },
  },
  {
    method: "DELETE",
    path: "v13/deployments/{id}",
    run(exchange) {
      const { deployment } = getDeployment(exchange);
      exchange.parts.store.removeDeployment(deployment);
      return { status: 200, json: { uid: deployment.id, state: "DELETED" } };
    },
  },
  {
    method: "PATCH",
    path: "v12/deployments/{id}/cancel",
    run(exchange) {
      const { site, deployment } = getDeployment(exchange);
      const { store } = exchange.parts;
      if (!store.cancel(deployment, exchange.now)) {
        throw refuse(400, "bad_request", "The deployment is not building, so that it cannot be canceled.");
      }
      return { status: 200, json: show(exchange, site, store.deployment(deployment.id) ?? deployment) };
    },
  },
  {
    method: "GET",
    path: "v6/deployments",
    run(exchange) {
      const { parts, url } = exchange;
      const scope = scopeOf(exchange);
      const projectId = url.searchParams.get("projectId");
      const limit = Number(url.searchParams.get("limit") ?? 20);
      const wanted = wantedMeta(exchange);
      const sites = parts.store
        .sites("vercel", scope)
        .filter(({ id, name }) => projectId === null || id === projectId || name === projectId);
      const deployments = sites
        .flatMap((site) => parts.store.deployments(site.id).map((deployment) => ({ site, deployment })))
        .filter(({ deployment }) => {
          const { meta } = Shown.parse(deployment.details);
          return wanted.every(([name, value]) => meta[name] === value);
        })
        .toSorted((a, b) => b.deployment.seq - a.deployment.seq)
        .slice(0, limit)
        .map(({ site, deployment }) => {
          const shown = show(exchange, site, deployment);
          return { ...shown, state: STATES[parts.store.phase(deployment, exchange.now)] };
        });
      return {
        status: 200,
        json: { deployments, pagination: { count: deployments.length, next: null, prev: null } },
      };
    },
  },
  {
    method: "GET",
    path: "v3/deployments/{id}/events",
    run(exchange) {
      const { deployment } = getDeployment(exchange);
      const phase = exchange.parts.store.phase(deployment, exchange.now);
      const shown =
        phase === "queued" ? [] : phase === "building" ? deployment.log.slice(0, 1) : deployment.log;
      const events = shown.map((text, serial) => ({
        type: text.startsWith("Error: ") ? "stderr" : "stdout",
        created: deployment.createdAt + serial,
        date: deployment.createdAt + serial,
        deploymentId: deployment.id,
        id: createHash("sha1").update(`${deployment.id} ${serial}`).digest("hex").slice(0, 20),
        text,
        serial: String(serial),
        info: { type: "build", name: "bld_standin", entrypoint: "." },
      }));
      return { status: 200, json: events };
    },
  },
];
