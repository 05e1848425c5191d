import { z } from "zod";
import * as bases from "#src/domain/workspaces/bases/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { Base, describeBase } from "./base.ts";

export const listBases = endpoint({
  operationId: "listTemplates",
  method: "get",
  path: "/api/bases",
  summary: "List templates",
  description: "The caller's own templates and the public ones. A project can be created from each.",
  tag: "Templates",
  access: { userOrKey: "marketplace.read" },
  response: { status: 200, schema: z.array(Base) },
  handler: async ({ services, caller }) => (await bases.listBases(services, caller)).map(describeBase),
});
