import { z } from "zod";
import { DEPLOYMENT_STATUSES } from "#src/db/schema/index.ts";
import { HOSTING_NAMES } from "#src/domain/hosting/credentials/index.ts";
import { listOfProject, listOwn } from "#src/domain/hosting/deployments/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { text } from "#src/http/schemas.ts";
import { Deployment, describeDeployment } from "./deployment.ts";

const MOST = 100;

const Status = z.enum(DEPLOYMENT_STATUSES);
const Filter = {
  provider: z.enum(HOSTING_NAMES).optional(),
  status: Status.optional(),
  limit: z.coerce.number().int().min(1).max(MOST).default(20),
  offset: z.coerce.number().int().min(0).max(1_000_000).default(0),
};

export const listDeployments = endpoint({
  operationId: "listDeployments",
  method: "get",
  path: "/api/deployments",
  tag: "Deployments",
  summary: "List deployments",
  description:
    "Newest first: of a project, or those that the caller requested, with those of deleted projects whose sites are still up.",
  access: { userOrKey: "deployment.view" },
  query: z.object({
    project_id: text({ min: 1, max: 100, trim: true }).optional().describe("Id or slug"),
    ...Filter,
  }),
  refusals: [404],
  response: { status: 200, schema: z.array(Deployment) },
  async handler({ services, caller, query: { project_id: project, ...filter } }) {
    const found =
      project === undefined
        ? await listOwn(services, caller, filter)
        : await listOfProject(services, caller, project, filter);
    return found.map((row) => describeDeployment(row));
  },
});

export const listProjectDeployments = endpoint({
  operationId: "listProjectDeployments",
  method: "get",
  path: "/api/deployments/:project/deployments",
  tag: "Deployments",
  summary: "List a project's deployments",
  description: "Newest first.",
  access: { userOrKey: "deployment.view" },
  params: z.object({ project: z.string() }),
  query: z.object({ ...Filter, status_filter: Status.optional().describe("As `status`") }),
  refusals: [404],
  response: { status: 200, schema: z.array(Deployment) },
  async handler({ services, caller, params, query: { status_filter: also, ...filter } }) {
    const found = await listOfProject(services, caller, params.project, {
      ...filter,
      status: filter.status ?? also,
    });
    return found.map((row) => describeDeployment(row));
  },
});
