import { z } from "zod";
import { deleteBase as removeBase } from "#src/domain/bases/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { BaseParams } from "./base.ts";

export const deleteBase = endpoint({
  method: "delete",
  path: "/api/bases/:base",
  summary: "Delete a template of one's own; projects made from it keep their files",
  tag: "Templates",
  access: { userOrKey: "project.create" },
  params: BaseParams,
  response: { status: 204, schema: z.null() },
  async handler({ services, caller, params }) {
    await removeBase(services, caller, params.base);
    return null;
  },
});
