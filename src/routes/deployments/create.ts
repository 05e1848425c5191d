import { z } from "zod";
import { DEPLOYMENT_MODES } from "#src/db/schema/index.ts";
import { requireHostingName } from "#src/domain/hosting/credentials/index.ts";
import { requestDeployment } from "#src/domain/hosting/deployments/index.ts";
import { MAX_VALUE_LENGTH } from "#src/domain/workspaces/containers/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { IdempotencyHeaders } from "#src/http/idempotency-key.ts";
import { text } from "#src/http/schemas.ts";
import { AppError } from "#src/lib/errors.ts";
import { Deployment, describeDeployment } from "./deployment.ts";

const MAX_COMMAND = 2_000;
const MAX_PATH = 1_000;

const fields = {
  provider: text({ min: 1, max: 50, trim: true }).describe(
    "`vercel`, `netlify`, `cloudflare`, `heroku` or `digitalocean`",
  ),
  deployment_mode: z
    .enum(DEPLOYMENT_MODES)
    .nullish()
    .describe("Whether the provider builds (`source`) or the project (`pre-built`)"),
  env_vars: z
    .record(text({ min: 1, max: 200 }), text({ max: MAX_VALUE_LENGTH }))
    .nullish()
    .describe("Variables of the program"),
  include_container_env: z.boolean().nullish().describe("Whether it gets the container's variables, too"),
  build_command: text({ max: MAX_COMMAND }).nullish().describe("The container's when absent"),
  output_directory: text({ max: MAX_PATH }).nullish().describe("The container's when absent"),
  framework: text({ max: 100, trim: true }).nullish().describe("The container's when absent"),
  branch: text({ min: 1, max: 250, trim: true })
    .nullish()
    .describe("For providers that fetch the sources; the current one when absent"),
  custom_domain: text({ max: 300 }).nullish().describe("Not served: refused"),
};

const Container = z.uuid("must be the id of a container");
const containerField = Container.nullish().describe("The project's first one when absent");

const Body = z.object({ ...fields, container_id: containerField });

const SHARED = {
  tag: "Deployments",
  description:
    "Publishes the project at the provider, in the caller's own account there. Returns at once; the state is followed by `GET …/status`, `GET …/stream` or the project's sockets. A repetition with the same `Idempotency-Key` returns the first deployment.",
  access: { userOrKeyInRead: "deployment.create" },
  headers: IdempotencyHeaders,
  refusals: [400, 404, 429, 503],
  response: { status: 200, schema: Deployment },
} as const;

export const createDeployment = endpoint({
  operationId: "createDeployment",
  ...SHARED,
  method: "post",
  path: "/api/deployments",
  summary: "Deploy a project",
  example: { provider: "netlify", project_id: "3f0c6c1e-8a53-4b52-9a57-1f2d7c9e4b10" },
  body: Body.extend({ project_id: text({ min: 1, max: 100, trim: true }).describe("Id or slug") }),
  handler: async ({ services, caller, body, headers }) =>
    describeDeployment(
      await requestDeployment(services, caller, {
        ...wishOf(body),
        project: body.project_id,
        idempotencyKey: headers["Idempotency-Key"],
      }),
    ),
});

export const deployProject = endpoint({
  operationId: "deployProject",
  ...SHARED,
  method: "post",
  path: "/api/deployments/:project/deploy",
  summary: "Deploy the project in the path",
  params: z.object({ project: z.string() }),
  example: { provider: "netlify" },
  body: Body,
  handler: async ({ services, caller, params, body, headers }) =>
    describeDeployment(
      await requestDeployment(services, caller, {
        ...wishOf(body),
        project: params.project,
        idempotencyKey: headers["Idempotency-Key"],
      }),
    ),
});

export const deployContainer = endpoint({
  operationId: "deployContainer",
  ...SHARED,
  method: "post",
  path: "/api/deployments/:project/containers/:container/deploy",
  summary: "Deploy a container",
  params: z.object({ project: z.string(), container: z.string() }),
  example: { provider: "netlify" },
  body: z.object(fields),
  handler: async ({ services, caller, params, body, headers }) =>
    describeDeployment(
      await requestDeployment(services, caller, {
        ...wishOf(body),
        containerId: params.container,
        project: params.project,
        idempotencyKey: headers["Idempotency-Key"],
      }),
    ),
});

function wishOf(body: z.output<z.ZodObject<typeof fields>> & { container_id?: string | null | undefined }) {
  if (body.custom_domain)
    throw new AppError("invalid_input", "custom_domain is not served: set the domain at the provider");
  return {
    provider: requireHostingName(body.provider.toLowerCase()),
    containerId: body.container_id ?? undefined,
    mode: body.deployment_mode ?? undefined,
    buildCommand: body.build_command ?? undefined,
    outputDirectory: body.output_directory ?? undefined,
    framework: body.framework ?? undefined,
    branch: body.branch ?? undefined,
    env: body.env_vars ?? {},
    includesContainerEnv: body.include_container_env ?? false,
  };
}
