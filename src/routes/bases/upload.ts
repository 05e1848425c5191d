import * as bases from "#src/domain/workspaces/bases/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { AppError } from "#src/lib/errors.ts";
import { Base, BaseFields, describeBase, wishOf } from "./base.ts";

export const uploadBase = endpoint({
  operationId: "uploadTemplate",
  method: "post",
  path: "/api/bases",
  summary: "Upload a template",
  description: "The request body is a tar archive of at most 100 MiB.",
  tag: "Templates",
  access: { userOrKey: "project.create" },
  query: BaseFields,
  bodyLimit: null,
  refusals: [409, 413],
  response: { status: 201, schema: Base },
  async handler({ services, caller, query, request }) {
    if (Number(request.headers.get("content-length")) > bases.MAX_UPLOAD_BYTES) {
      throw new AppError("too_large", `The archive is larger than ${bases.MAX_UPLOAD_BYTES} bytes`);
    }
    const archive = request.body ?? new Blob([]).stream();
    return describeBase(await bases.uploadBase(services, caller, wishOf(query), archive));
  },
});
