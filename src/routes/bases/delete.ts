import { z } from "zod";
import * as bases from "#src/domain/workspaces/bases/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { BaseParams } from "./base.ts";

export const deleteBase = endpoint({
  operationId: "deleteTemplate",
  method: "delete",
  path: "/api/bases/:base",
  summary: "Delete a template",
  description: "One of the caller's own. Projects created from it keep their files.",
  tag: "Templates",
  access: { userOrKey: "project.create" },
  params: BaseParams,
  response: { status: 204, schema: z.null() },
  async handler({ services, caller, params }) {
    await bases.deleteBase(services, caller, params.base);
    return null;
  },
});
