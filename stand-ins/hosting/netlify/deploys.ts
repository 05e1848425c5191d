import { z } from "zod";
import { contentType, readJson } from "../bodies.ts";
import { iso, newHex } from "../ids.ts";
import { siteUrl } from "../parts.ts";
import type { DeployedFile, Deployment, Phase, Site } from "../records.ts";
import { tidyPath } from "../sources.ts";
import { InvalidBody } from "../invalid-body.ts";
import { type Exchange, Refused, type WireCall } from "../wire.ts";
import { netlifyError, notFound } from "./errors.ts";
import { getSite, pageOf } from "./sites.ts";

const MAX_FILE_BYTES = 100 * 1024 * 1024;

const Digest = z.string().regex(/^[0-9a-f]{40}$/u, "must be a SHA-1");

/** `definitions.deployFiles`, without zip archives, which the stand-in does not read. */
const NewDeploy = z.looseObject({
  files: z.record(z.string(), Digest),
  async: z.boolean().optional(),
  draft: z.boolean().optional(),
  branch: z.string().optional(),
  title: z.string().optional(),
  framework: z.string().nullish(),
  functions: z.record(z.string(), z.string()).optional(),
});

const Stored = z.object({
  title: z.string().nullable(),
  branch: z.string(),
  /** The digest of each file by its path. */
  files: z.record(z.string(), z.string()),
  isDraft: z.boolean(),
  user: z.string(),
  publishedAt: z.number().optional(),
});

const STATES: Readonly<Record<Phase, string>> = {
  uploading: "uploading",
  queued: "uploaded",
  building: "processing",
  ready: "ready",
  failed: "error",
  // https://github.com/netlify/cli: a cancelled deploy is in the state `error` with this message.
  canceled: "error",
};

/** Digests that the site's owner has not uploaded yet. */
function missing({ parts, account }: Exchange, files: Readonly<Record<string, string>>): string[] {
  const digests = [...new Set(Object.values(files))];
  return digests.filter((digest) => !parts.store.upload("netlify", account, digest));
}

function show(exchange: Exchange, site: Site, deployment: Deployment): object {
  const { parts, now } = exchange;
  const { title, branch, files, isDraft, user } = Stored.parse(deployment.details);
  const phase = parts.store.phase(deployment, now);
  const url = siteUrl(parts, site.host);
  const deployUrl = siteUrl(parts, deployment.host ?? "");
  const canceled = phase === "canceled" ? "Canceled build" : null;
  return {
    id: deployment.id,
    site_id: site.id,
    user_id: user,
    build_id: null,
    state: STATES[phase],
    name: site.name,
    url,
    ssl_url: url,
    admin_url: `${parts.url()}/`,
    deploy_url: deployUrl,
    deploy_ssl_url: deployUrl,
    created_at: iso(deployment.createdAt),
    updated_at: iso(Math.min(now, deployment.dueAt)),
    published_at: phase === "ready" && !isDraft ? iso(deployment.dueAt) : null,
    required: phase === "uploading" ? missing(exchange, files) : [],
    required_functions: [],
    error_message: canceled ?? (phase === "failed" ? deployment.reason : null),
    branch,
    context: "production",
    title,
    draft: isDraft,
    locked: null,
    skipped: null,
    commit_ref: null,
    commit_url: null,
    review_id: null,
    review_url: null,
    framework: null,
    summary: {
      status: phase === "ready" ? "ready" : "building",
      messages: deployment.log.map((text) => ({ type: "info", title: text, description: text })),
    },
  };
}

function getDeploy({ parts, account, at }: Exchange): { site: Site; deployment: Deployment } {
  const deployment = parts.store.deployment(at("deploy"));
  const site = deployment && parts.store.site("netlify", deployment.site);
  if (!deployment || site?.account !== account) throw notFound();
  return { site, deployment };
}

/** The files of a deploy, once all of them have been uploaded. */
function collect({ parts, account }: Exchange, files: Readonly<Record<string, string>>): DeployedFile[] {
  return Object.entries(files).flatMap(([path, digest]) => {
    const upload = parts.store.upload("netlify", account, digest);
    return upload ? [{ ...upload, path }] : [];
  });
}

/** Starts to process a deploy whose files are there. */
function finish(exchange: Exchange, deployment: Deployment): void {
  const files = collect(exchange, Stored.parse(deployment.details).files);
  const log = [`Received ${files.length} files.`, "Site is live."];
  exchange.parts.store.finish(deployment, { files, root: "", log }, exchange.now);
}

function tidy(files: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(files).map(([path, digest]) => {
      const tidied = tidyPath(path);
      // https://github.com/netlify/cli, utils/deploy/util.ts: "Deployed filenames cannot contain # or ? characters".
      if (tidied === undefined || /[#?]/u.test(tidied)) throw new InvalidBody(`${path} is no path`);
      return [tidied, digest];
    }),
  );
}

function newest(exchange: Exchange, id: string): Deployment {
  const deployment = exchange.parts.store.deployment(id);
  if (!deployment) throw notFound();
  return deployment;
}

export const netlifyDeploys: readonly WireCall[] = [
  {
    method: "GET",
    path: "sites/{site}/deploys",
    run(exchange) {
      const { parts, url } = exchange;
      const site = getSite(exchange);
      const state = url.searchParams.get("state");
      const deploys = parts.store
        .deployments(site.id)
        .filter((each) => state === null || STATES[parts.store.phase(each, exchange.now)] === state);
      return { status: 200, json: pageOf(url, deploys).map((each) => show(exchange, site, each)) };
    },
  },
  {
    method: "POST",
    path: "sites/{site}/deploys",
    async run(exchange) {
      const { parts, url, account, now } = exchange;
      const wish = await readJson(exchange, NewDeploy);
      const site = getSite(exchange);
      const files = tidy(wish.files);
      const deployment = parts.store.transaction(() => {
        const id = newHex(24);
        const made = parts.store.addDeployment(
          {
            id,
            site: site.id,
            status: "uploading",
            isProduction: wish.draft !== true,
            host: `${id}--${site.host}`.slice(0, 63),
            details: {
              title: url.searchParams.get("title") ?? wish.title ?? null,
              branch: wish.branch ?? "main",
              files,
              isDraft: wish.draft === true,
              user: account.slice(0, 24),
            },
          },
          now,
        );
        if (missing(exchange, files).length === 0) finish(exchange, made);
        return newest(exchange, id);
      });
      return { status: 200, json: show(exchange, site, deployment) };
    },
  },
  {
    method: "GET",
    path: "sites/{site}/deploys/{deploy}",
    run(exchange) {
      const { site, deployment } = getDeploy(exchange);
      if (getSite(exchange).id !== site.id) throw notFound();
      return { status: 200, json: show(exchange, site, deployment) };
    },
  },
  {
    method: "POST",
    path: "sites/{site}/deploys/{deploy}/restore",
    run(exchange) {
      const { site, deployment } = getDeploy(exchange);
      if (getSite(exchange).id !== site.id) throw notFound();
      const { store } = exchange.parts;
      if (store.phase(deployment, exchange.now) !== "ready") {
        throw new Refused(netlifyError(422, "Only a deploy that is ready can be published."));
      }
      store.setLive(site, deployment.id);
      return { status: 201, json: show(exchange, site, deployment) };
    },
  },
  {
    method: "GET",
    path: "deploys/{deploy}",
    run(exchange) {
      const { site, deployment } = getDeploy(exchange);
      return { status: 200, json: show(exchange, site, deployment) };
    },
  },
  {
    method: "POST",
    path: "deploys/{deploy}/cancel",
    run(exchange) {
      const { site, deployment } = getDeploy(exchange);
      if (!exchange.parts.store.cancel(deployment, exchange.now)) {
        throw new Refused(netlifyError(422, "The deploy is over."));
      }
      return { status: 201, json: show(exchange, site, newest(exchange, deployment.id)) };
    },
  },
  {
    method: "PUT",
    path: "deploys/{deploy}/files/{path...}",
    async run(exchange) {
      const { parts, request, account } = exchange;
      const { deployment } = getDeploy(exchange);
      const path = tidyPath(exchange.at("path")) ?? "";
      const expected = Stored.parse(deployment.details).files[path];
      if (expected === undefined) throw notFound();
      if (!contentType(request).startsWith("application/octet-stream")) {
        throw new Refused(netlifyError(415, "The Content-Type must be application/octet-stream"));
      }
      const kept = await parts.files.receive(request, MAX_FILE_BYTES);
      if (kept.sha1 !== expected) {
        throw new Refused(netlifyError(422, `The SHA-1 of ${path} is not that of the deploy`));
      }
      parts.store.transaction(() => {
        parts.store.addUpload("netlify", account, { ...kept, digest: kept.sha1 });
        const { status, details } = newest(exchange, deployment.id);
        if (status === "uploading" && missing(exchange, Stored.parse(details).files).length === 0) {
          finish(exchange, deployment);
        }
      });
      return {
        status: 200,
        json: { id: `/${path}`, path: `/${path}`, sha: kept.sha1, size: kept.size, mime_type: null },
      };
    },
  },
];
