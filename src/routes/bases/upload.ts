import { MAX_UPLOAD_BYTES, uploadBase as storeUpload } from "#src/domain/bases/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { AppError } from "#src/lib/errors.ts";
import { Base, BaseFields, describeBase, wishOf } from "./base.ts";

export const uploadBase = endpoint({
  method: "post",
  path: "/api/bases",
  summary: "Make a template of the tar archive in the request body, at most 100 MiB",
  tag: "Templates",
  access: { userOrKey: "project.create" },
  query: BaseFields,
  bodyLimit: null,
  refusals: [409, 413],
  response: { status: 201, schema: Base },
  async handler({ services, caller, query, request }) {
    if (Number(request.headers.get("content-length")) > MAX_UPLOAD_BYTES) {
      throw new AppError("too_large", `The archive has more than ${MAX_UPLOAD_BYTES} bytes`);
    }
    const archive = request.body ?? new Blob([]).stream();
    return describeBase(await storeUpload(services, caller, wishOf(query), archive));
  },
});
