import { randomUUID } from "node:crypto";
import { z } from "zod";
import { fetchSources } from "../fetch-sources.ts";
import { iso } from "../ids.ts";
import type { HostingParts } from "../parts.ts";
import type { Deployment, Phase, Site } from "../records.ts";
import { servedRoot } from "../sources.ts";
import type { Built } from "../store.ts";
import type { Exchange } from "../wire.ts";
import { AppSpec, componentsOf, shownSpec } from "./spec.ts";

export const Stored = z.object({
  cause: z.string(),
  spec: AppSpec,
  /** The deployment that is repeated by a rollback. */
  clonedFrom: z.string().optional(),
  commit: z.string().optional(),
});

const PHASES: Readonly<Record<Phase, string>> = {
  uploading: "PENDING_BUILD",
  queued: "PENDING_BUILD",
  building: "BUILDING",
  ready: "ACTIVE",
  failed: "ERROR",
  canceled: "CANCELED",
};

const STEPS: Readonly<Record<string, string>> = {
  ACTIVE: "SUCCESS",
  SUPERSEDED: "SUCCESS",
  ERROR: "ERROR",
  BUILDING: "RUNNING",
};

/** A deployment in the form of models/apps_deployment.yml. */
export function showDeployment({ parts, now }: Exchange, app: Site, deployment: Deployment): object {
  const { cause, spec, clonedFrom } = Stored.parse(deployment.details);
  const seen = parts.store.phase(deployment, now);
  const phase = seen === "ready" && app.live !== deployment.id ? "SUPERSEDED" : PHASES[seen];
  const reason = seen === "failed" ? { code: "BuildJobFailed", message: deployment.reason } : undefined;
  const step = { name: "build", status: STEPS[phase] ?? "PENDING", ...(reason && { reason }) };
  const components = (list: { name: string }[] | undefined) =>
    list?.map(({ name }) => ({ name, source_commit_hash: deployment.details["commit"] ?? "" }));
  return {
    id: deployment.id,
    cause,
    ...(clonedFrom !== undefined && { cloned_from: clonedFrom }),
    spec: shownSpec(spec),
    phase,
    phase_last_updated_at: iso(Math.min(now, deployment.dueAt)),
    progress: {
      pending_steps: step.status === "PENDING" ? 1 : 0,
      running_steps: step.status === "RUNNING" ? 1 : 0,
      success_steps: step.status === "SUCCESS" ? 1 : 0,
      error_steps: step.status === "ERROR" ? 1 : 0,
      total_steps: 1,
      steps: [step],
    },
    static_sites: components(spec.static_sites),
    services: components(spec.services),
    tier_slug: "starter",
    created_at: iso(deployment.createdAt),
    updated_at: iso(Math.min(now, deployment.dueAt)),
  };
}

/** Notes a new deployment. Its sources are fetched once `builds` is told. */
export function addDeployment(
  { parts, now }: Exchange,
  app: Site,
  details: { cause: string; spec: AppSpec; clonedFrom?: string },
): Deployment {
  return parts.store.addDeployment({ id: randomUUID(), site: app.id, status: "working", details }, now);
}

/** Folders in which the App Platform looks for built files: models/app_static_site_spec.yml. */
const OUTPUTS = ["_static", "dist", "public", "build"];

/** Fetches the repository of a deployment, or takes the files of the one that it repeats. */
export async function buildDigitalocean(
  parts: Pick<HostingParts, "store" | "files"> & { dataDir: string },
  deployment: Deployment,
  closing: AbortSignal,
): Promise<Built> {
  const { spec, clonedFrom } = Stored.parse(deployment.details);
  const earlier = clonedFrom === undefined ? undefined : parts.store.deployment(clonedFrom);
  if (earlier) {
    const log = [`Deploying ${earlier.id} again.`];
    return { files: parts.store.files(earlier.id), root: earlier.root, log };
  }
  const [component, ...others] = componentsOf(spec);
  const log: string[] = [];
  const failed = (reason: string): Built => ({ reason, log: [...log, `error: ${reason}`] });
  if (!component || others.length > 0) return failed("The stand-in serves an app of one component.");
  const { git, github } = component;
  const url = git?.repo_clone_url ?? (github ? `https://github.com/${github.repo}.git` : undefined);
  const branch = git?.branch ?? github?.branch ?? "main";
  if (url === undefined) return failed("The stand-in fetches sources by git or from GitHub.");
  log.push(`Cloning ${withoutCredentials(url)}, branch ${branch}`);
  const fetched = await fetchSources(parts, { url, branch, folder: component.source_dir ?? "" }, closing);
  if ("reason" in fetched) return failed(fetched.reason);
  log.push(`Checked out ${fetched.commit}: ${fetched.files.length} files`);
  const isSite = spec.static_sites?.length === 1;
  const served = servedRoot(parts.files, fetched.files, {
    buildCommand: component.build_command,
    isProgram: !isSite,
    usualOutputs: OUTPUTS,
    ...("output_dir" in component && { outputDirectory: component.output_dir }),
  });
  if ("reason" in served) return failed(served.reason);
  parts.store.changeDeployment(deployment, { ...deployment.details, commit: fetched.commit });
  return { files: fetched.files, root: served.root, log: [...log, "Deployed"] };
}

function withoutCredentials(url: string): string {
  const parsed = URL.parse(url);
  if (!parsed) return "";
  parsed.username = "";
  parsed.password = "";
  parsed.search = "";
  return parsed.href;
}
