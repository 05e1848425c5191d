import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { z } from "zod";
import { readJson } from "../bodies.ts";
import { asUuid, hexOf, iso } from "../ids.ts";
import type { HostingParts } from "../parts.ts";
import { type Deployment, isOver, type Phase, type Site } from "../records.ts";
import { servedRoot } from "../sources.ts";
import type { Built } from "../store.ts";
import { unpackSources } from "../unpack-sources.ts";
import type { Exchange, WireCall } from "../wire.ts";
import { getApp, ownerOf, STACK } from "./apps.ts";
import { refuse } from "./errors.ts";
import { uploadedSource } from "./sources.ts";

const OUTPUT_LIFETIME_SECONDS = 86_400;
const OUTPUT_PAUSE_MS = 50;

const NewBuild = z.strictObject({
  source_blob: z.strictObject({
    url: z.string().min(1),
    checksum: z
      .string()
      .regex(/^SHA256:[0-9a-f]{64}$/u, "must be SHA256: and 64 hexadecimal digits")
      .nullish(),
    version: z.string().nullish(),
    version_description: z.string().nullish(),
  }),
  buildpacks: z.array(z.looseObject({ url: z.string() })).optional(),
});

const Stored = z.object({
  source: z.object({
    url: z.string(),
    checksum: z.string().nullable(),
    version: z.string().nullable(),
    version_description: z.string().nullable(),
  }),
  buildpacks: z.array(z.looseObject({})).nullable(),
  user: z.string(),
});

const STATES: Readonly<Record<Phase, string>> = {
  uploading: "pending",
  queued: "pending",
  building: "pending",
  ready: "succeeded",
  failed: "failed",
  canceled: "failed",
};

const OutputClaims = z.looseObject({ build: z.string() });

function show({ parts, now }: Exchange, app: Site, deployment: Deployment): object {
  const { source, buildpacks, user } = Stored.parse(deployment.details);
  const phase = parts.store.phase(deployment, now);
  const key = parts.signer.sign("heroku output", { build: deployment.id }, OUTPUT_LIFETIME_SECONDS, now);
  const release = phase === "ready" ? { id: asUuid(hexOf(`release ${deployment.id}`)) } : null;
  return {
    id: deployment.id,
    app: { id: app.id },
    buildpacks,
    created_at: iso(deployment.createdAt),
    updated_at: iso(isOver(phase) ? deployment.dueAt : deployment.createdAt),
    output_stream_url: `${parts.url()}/heroku/_output/${deployment.id}?key=${key}`,
    release,
    slug: release && { id: asUuid(hexOf(`slug ${deployment.id}`)) },
    source_blob: source,
    stack: STACK.name,
    status: STATES[phase],
    user: ownerOf(user),
  };
}

function getBuild(exchange: Exchange): { app: Site; deployment: Deployment } {
  const app = getApp(exchange);
  const deployment = exchange.parts.store.deployment(exchange.at("build"));
  if (deployment?.site !== app.id) {
    throw refuse(404, "not_found", "Couldn't find that build.", { resource: "build" });
  }
  return { app, deployment };
}

/** Unpacks the source of a build, and decides what of the program is served. */
export async function buildHeroku(
  parts: Pick<HostingParts, "store" | "signer" | "files">,
  deployment: Deployment,
): Promise<Built> {
  const { source } = Stored.parse(deployment.details);
  const log = ["-----> Building on the Heroku-24 stack"];
  const failed = (reason: string): Built => ({ reason, log: [...log, ` !     ${reason}`] });
  // The address is valid for an hour from its creation on; this build began within it.
  const uploaded = uploadedSource(parts, source.url, deployment.createdAt);
  if (!uploaded) return failed("The source could not be downloaded: nothing was uploaded at its address.");
  if (source.checksum !== null && source.checksum !== `SHA256:${uploaded.blob}`) {
    return failed("The checksum of the source does not match.");
  }
  const files = await unpackSources(parts.files, uploaded.blob);
  if (!files) return failed("The source is not a gzipped tar archive.");
  log.push(`       Received ${files.length} files`);
  const isProgram = files.some(({ path }) => PROGRAMS.has(path));
  if (!isProgram) {
    return failed("No default language could be detected for this app: it is no program.");
  }
  const served = servedRoot(parts.files, files, { isProgram });
  if ("reason" in served) return failed(served.reason);
  return { files, root: served.root, log: [...log, "-----> Launching...", "       Released"] };
}

/** Files by which buildpacks know a program. https://devcenter.heroku.com/articles/buildpacks#officially-supported-buildpacks */
const PROGRAMS: ReadonlySet<string> = new Set([
  "package.json",
  "Procfile",
  "requirements.txt",
  "Pipfile",
  "pyproject.toml",
  "setup.py",
  "Gemfile",
  "composer.json",
  "index.php",
  "go.mod",
  "pom.xml",
  "build.gradle",
  "build.sbt",
  "project.clj",
]);

/** The log of a build as it is written; ends with the build. */
async function* output({ store, clock }: HostingParts, id: string): AsyncGenerator<string> {
  let sent = 0;
  for (;;) {
    const deployment = store.deployment(id);
    if (!deployment) return;
    const isEnd = isOver(store.phase(deployment, clock()));
    const lines = deployment.log.slice(sent);
    sent += lines.length;
    if (lines.length > 0) yield lines.map((line) => `${line}\n`).join("");
    if (isEnd) return;
    await pause(OUTPUT_PAUSE_MS);
  }
}

export const herokuBuilds: readonly WireCall[] = [
  {
    method: "GET",
    path: "apps/{app}/builds",
    run(exchange) {
      const app = getApp(exchange);
      const builds = exchange.parts.store.deployments(app.id).toReversed();
      return { status: 200, json: builds.map((build) => show(exchange, app, build)) };
    },
  },
  {
    method: "POST",
    path: "apps/{app}/builds",
    async run(exchange) {
      const { parts, account, now } = exchange;
      const { source_blob: source, buildpacks } = await readJson(exchange, NewBuild);
      const app = getApp(exchange);
      const deployment = parts.store.addDeployment(
        {
          id: randomUUID(),
          site: app.id,
          status: "working",
          details: {
            source: {
              url: source.url,
              checksum: source.checksum ?? null,
              version: source.version ?? null,
              version_description: source.version_description ?? null,
            },
            buildpacks: buildpacks ?? null,
            user: account,
          },
        },
        now,
      );
      parts.builds.start("heroku", deployment);
      return { status: 201, json: show(exchange, app, deployment) };
    },
  },
  {
    method: "GET",
    path: "apps/{app}/builds/{build}",
    run(exchange) {
      const { app, deployment } = getBuild(exchange);
      return { status: 200, json: show(exchange, app, deployment) };
    },
  },
  {
    // Not in the reference: heroku/heroku-builds commands/builds/cancel.js calls it, with a version of its own.
    method: "DELETE",
    path: "apps/{app}/builds/{build}",
    run(exchange) {
      const { app, deployment } = getBuild(exchange);
      const { parts, request, now } = exchange;
      if (!request.headers.accept?.endsWith("version=3.cancel-build")) {
        throw refuse(404, "not_found", "The requested API endpoint was not found.");
      }
      if (!parts.store.cancel(deployment, now)) {
        throw refuse(422, "invalid_params", "Only a pending build can be canceled.");
      }
      return { status: 200, json: show(exchange, app, parts.store.deployment(deployment.id) ?? deployment) };
    },
  },
  {
    method: "GET",
    path: "_output/{build}",
    isOpen: true,
    run({ parts, url, at, now }) {
      const key = url.searchParams.get("key") ?? "";
      const claims = parts.signer.read("heroku output", key, OutputClaims, now);
      if (claims?.build !== at("build")) throw refuse(404, "not_found", "There is no such output.");
      return { status: 200, text: output(parts, claims.build) };
    },
  },
];
