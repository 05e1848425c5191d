import { z } from "zod";
import * as containers from "#src/domain/workspaces/containers/index.ts";
import { endpoint, Reply } from "#src/http/endpoint.ts";
import { ContainerParams } from "./container.ts";

export const revealVariable = endpoint({
  operationId: "revealContainerVariable",
  method: "post",
  path: "/api/projects/:project/containers/:container/secrets/:variable/reveal",
  summary: "Reveal a variable's value",
  description:
    "Only for people, not for API keys. At most 10 in 5 minutes and 100 a day. Each is written to the audit log.",
  tag: "Containers",
  access: { user: "any" },
  countsAsActivity: true,
  params: ContainerParams.extend({ variable: z.string().describe("Name of the variable") }),
  response: { status: 200, schema: z.object({ key: z.string(), value: z.string() }) },
  async handler({ services, caller, params, client }) {
    const value = await containers.revealVariable(services, caller, params, client);
    return new Reply({ key: params.variable, value }, { "Cache-Control": "no-store" });
  },
});
