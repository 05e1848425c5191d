import { z } from "zod";
import { safeParseJson } from "#src/lib/parse-json.ts";
import { LIST_BYTES, pathOf, type Api } from "../api.ts";
import { HostingFailure } from "../failure.ts";
import type { Release, RequestBudget } from "../hosting.ts";
import { App, Deployment } from "./answers.ts";
import { appSpec } from "./app-spec.ts";

/** The newest deployment before ours, and what was asked for since. Deployments carry no id of ours. */
const Notes = z.object({
  before: z.string().nullable(),
  asked: z.enum(["nothing", "spec", "deployment"]),
});
type Notes = z.output<typeof Notes>;

/** Most requests of one call. */
const REQUESTS = 5;

const Deployments = z.object({ deployments: z.array(Deployment).nullish() });
const OneDeployment = z.object({ deployment: Deployment });
const OneApp = z.object({ app: App });

/**
 * Makes the app, or a new deployment of it. What is newer than the newest deployment before is ours: the deployments of a site
 * run one at a time, and nothing else deploys it, because pushes do not.
 */
export async function publishApp(
  api: Api,
  appId: string | undefined,
  release: Release,
  budget: RequestBudget,
): Promise<{ deploymentId: string } | "unfinished"> {
  if (budget.left < REQUESTS) return "unfinished";
  const noted = safeParseJson(release.notes.get() ?? "", Notes)?.value;
  if (appId === undefined) return createApp(api, release);

  const path = `/v2/apps${pathOf(appId)}`;
  const newest = await newestOf(api, path);
  if (noted && newest !== undefined && newest !== noted.before) return { deploymentId: newest };
  const before = noted?.before ?? newest ?? null;
  const note = (asked: Notes["asked"]) => release.notes.set(JSON.stringify({ before, asked }));

  if (release.again !== null) {
    await note("deployment");
    // Unpinned: a pinned app refuses the next deployment.
    const json = { deployment_id: release.again, skip_pin: true };
    const { deployment } = await api.send(OneDeployment, { method: "POST", path: `${path}/rollback`, json });
    return { deploymentId: deployment.id };
  }
  if (noted?.asked !== "spec") {
    await note("spec");
    // Also brings the newest commit, and deploys.
    const json = { spec: appSpec(release), update_all_source_versions: true };
    await api.send(OneApp, { method: "PUT", path, json, maxBytes: LIST_BYTES });
    const made = await newestOf(api, path);
    if (made !== undefined && made !== before) return { deploymentId: made };
  }
  // The new description deployed nothing.
  await note("deployment");
  const { deployment } = await api.send(OneDeployment, {
    method: "POST",
    path: `${path}/deployments`,
    json: { force_build: true },
    maxBytes: LIST_BYTES,
  });
  return { deploymentId: deployment.id };
}

/** A creation with an unknown outcome is found again by the name; its first deployment is ours. */
async function createApp(api: Api, release: Release): Promise<{ deploymentId: string } | "unfinished"> {
  await release.notes.set(JSON.stringify({ before: null, asked: "nothing" } satisfies Notes));
  const { app } = await api.send(
    OneApp,
    { method: "POST", path: "/v2/apps", json: { spec: appSpec(release) }, maxBytes: LIST_BYTES },
    ({ status }) =>
      status === 409
        ? new HostingFailure("name_taken", `DigitalOcean has an app named ${release.site.name} already`)
        : undefined,
  );
  const made = await newestOf(api, `/v2/apps${pathOf(app.id)}`);
  return made === undefined ? "unfinished" : { deploymentId: made };
}

async function newestOf(api: Api, path: string): Promise<string | undefined> {
  const { deployments } = await api.send(Deployments, {
    path: `${path}/deployments`,
    query: { per_page: "1" },
    maxBytes: LIST_BYTES,
  });
  return deployments?.[0]?.id;
}
