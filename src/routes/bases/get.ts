import { requireBase } from "#src/domain/workspaces/bases/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { Base, BaseParams, describeBase } from "./base.ts";

export const getBase = endpoint({
  operationId: "getTemplate",
  method: "get",
  path: "/api/bases/:base",
  summary: "Get a template",
  description: "By id or slug.",
  tag: "Templates",
  access: { userOrKey: "marketplace.read" },
  params: BaseParams,
  response: { status: 200, schema: Base },
  handler: async ({ services, caller, params }) =>
    describeBase(await requireBase(services, caller, params.base)),
});
