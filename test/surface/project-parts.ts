import { vi } from "vitest";
import { z } from "zod";
import type { SharedService } from "#test/support/shared-service.ts";
import { ask, Made } from "./ask.ts";
import type { Owned } from "./owned.ts";

/** The estate with a snapshot of the project, and a template made of it. */
export async function withArchives<E extends Owned>(service: SharedService, estate: E): Promise<E> {
  const { token } = estate.owner;
  const project = `/api/projects/${String(estate.samples["project"])}`;
  const Snapshot = z.object({ hash: z.string() });
  const { hash } = await ask(service, ["POST", `${project}/snapshots`], { token, json: {} }, Snapshot);
  const json = { name: "template" };
  const base = await ask(service, ["POST", `${project}/export-template`], { token, json }, Made);
  return { ...estate, samples: { ...estate.samples, hash, base: base.id } };
}

/** The estate with a project that runs, and a shell open in it. */
export async function withShell<E extends Owned>(service: SharedService, estate: E): Promise<E> {
  const { token } = estate.owner;
  const project_id = String(estate.samples["project"]);
  await ask(service, ["POST", `/api/projects/${project_id}/start`], { token }, z.unknown());
  const Shell = z.object({ session_id: z.string() });
  const shell = await vi.waitUntil(
    async () => {
      const opened = await service.call("POST", "/api/shell/sessions", { token, json: { project_id } });
      return opened.status === 200 && Shell.parse(opened.body).session_id;
    },
    { interval: 100 },
  );
  return { ...estate, samples: { ...estate.samples, shell } };
}

/** The estate with a project that was deleted, which a task tells of. */
export async function withBackgroundTask<E extends Owned>(service: SharedService, estate: E): Promise<E> {
  const { token } = estate.owner;
  const { id } = await service.newProject(token);
  const Deleted = z.looseObject({ task_id: z.string() });
  const { task_id } = await ask(service, ["DELETE", `/api/projects/${id}`], { token }, Deleted);
  return { ...estate, samples: { ...estate.samples, background_task: task_id } };
}

/** The estate whose files are a repository, with a commit and an unreachable remote. */
export async function withRepository<E extends Owned>(service: SharedService, estate: E): Promise<E> {
  const { token } = estate.owner;
  const git = `/api/projects/${String(estate.samples["project"])}/git`;
  const remote = { repo_url: estate.samples["repo_url"] };
  await ask(service, ["POST", `${git}/init`], { token, json: remote }, z.unknown());
  await ask(service, ["POST", `${git}/commit`], { token, json: { message: "first" } }, z.unknown());
  return estate;
}
