import { z } from "zod";
import { revealVariable as show } from "#src/domain/containers/index.ts";
import { endpoint, Reply } from "#src/http/endpoint.ts";
import { ContainerParams } from "./container.ts";

export const revealVariable = endpoint({
  method: "post",
  path: "/api/projects/:project/containers/:container/secrets/:variable/reveal",
  summary: "Show a person the value of one variable; 10 in 5 minutes and 100 a day, each in the audit log",
  tag: "Containers",
  access: { user: "any" },
  params: ContainerParams.extend({ variable: z.string().describe("Name of the variable") }),
  response: { status: 200, schema: z.object({ key: z.string(), value: z.string() }) },
  async handler({ services, caller, params, client }) {
    const value = await show(services, caller, params, client);
    return new Reply({ key: params.variable, value }, { "Cache-Control": "no-store" });
  },
});
