import { z } from "zod";
import { containersOf, containerUrl } from "#src/domain/workspaces/containers/index.ts";
import { requireProject } from "#src/domain/workspaces/projects/index.ts";
import { repositoryOf } from "#src/domain/source-control/repositories/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { Moment } from "#src/http/schemas.ts";
import { describeStatus, ProjectParams, ProjectStatus, StatusFields } from "./project.ts";

export const getProjectStatus = endpoint({
  operationId: "getProjectStatus",
  method: "get",
  path: "/api/projects/:project/status",
  summary: "Get a project's status",
  description: "Clients poll it every two seconds.",
  tag: "Projects",
  access: { userOrKey: "project.view" },
  params: ProjectParams,
  response: {
    status: 200,
    schema: z.object({
      project_id: z.uuid(),
      state: ProjectStatus,
      ...StatusFields,
      progress: z.string().nullable().describe("Current step, in a few words"),
      hibernated_at: Moment.nullable(),
      containers: z
        .array(z.object({ id: z.uuid(), name: z.string(), status: z.string(), url: z.string().nullable() }))
        .describe("Containers of a running project"),
      git_status: z.enum(["cloning", "cloned", "failed"]).nullable(),
      git_error: z.string().nullable().describe("Why the last clone failed"),
    }),
  },
  async handler({ services, caller, params }) {
    const project = await requireProject(services, caller, params.project, "project.view");
    const described = describeStatus(project);
    const [containers, repository] = await Promise.all([
      described.status === "running" ? containersOf(services.db, project.id) : [],
      repositoryOf(services.db, project.id),
    ]);
    const cloneFailure = repository?.syncStatus === "failed" ? repository.error : null;
    return {
      project_id: project.id,
      state: described.status,
      ...described,
      error: described.error ?? cloneFailure,
      progress: project.progress,
      hibernated_at: project.hibernatedAt?.toISOString() ?? null,
      containers: containers.map(({ id, name, label, status }) => ({
        id,
        name,
        status,
        url: status === "running" ? containerUrl(services.config, project.slug, label) : null,
      })),
      git_status: repository?.syncStatus ?? null,
      git_error: cloneFailure,
    };
  },
});
