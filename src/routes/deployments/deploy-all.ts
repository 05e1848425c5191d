import { z } from "zod";
import { deployAll, type ContainerDeployment } from "#src/domain/hosting/deployments/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { IdempotencyHeaders } from "#src/http/idempotency-key.ts";

const Result = z.object({
  container_id: z.uuid(),
  container_name: z.string(),
  provider: z.string().nullable().describe("The container's deployment target"),
  status: z
    .enum(["success", "failed", "skipped"])
    .describe(
      "`success`: the deployment was requested; `skipped`: the container has no target that is served",
    ),
  deployment_id: z.uuid().optional(),
  deployment_url: z.string().nullable().optional(),
  error: z.string().optional(),
});

export const deployAllContainers = endpoint({
  operationId: "deployAllContainers",
  method: "post",
  path: "/api/deployments/:project/deploy-all",
  tag: "Deployments",
  summary: "Deploy all containers",
  description: "Requests a deployment of each container that has a deployment target, with its variables.",
  access: { userOrKey: "deployment.create" },
  params: z.object({ project: z.string() }),
  headers: IdempotencyHeaders,
  refusals: [404],
  response: {
    status: 200,
    schema: z.object({
      total: z.int(),
      deployed: z.int(),
      failed: z.int(),
      skipped: z.int(),
      results: z.array(Result),
    }),
  },
  async handler({ services, caller, params, headers }) {
    const outcomes = await deployAll(services, caller, params.project, headers["Idempotency-Key"]);
    const results = outcomes.map(describe);
    const countOf = (status: string) => results.filter((each) => each.status === status).length;
    return {
      total: results.length,
      deployed: countOf("success"),
      failed: countOf("failed"),
      skipped: countOf("skipped"),
      results,
    };
  },
});

function describe({ container, provider, deployment, error }: ContainerDeployment): z.input<typeof Result> {
  const named = { container_id: container.id, container_name: container.name, provider };
  if (deployment)
    return { ...named, status: "success", deployment_id: deployment.id, deployment_url: deployment.url };
  return error === undefined ? { ...named, status: "skipped" } : { ...named, status: "failed", error };
}
