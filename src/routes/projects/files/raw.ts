import { z } from "zod";
import {
  changeFiles,
  fileToWrite,
  openFile,
  openFiles,
  pathFromRootIn,
} from "#src/domain/workspaces/files/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { AppError } from "#src/lib/errors.ts";
import { ProjectParams } from "../project.ts";
import { etagHeader, expectedVersion, notModified } from "./conditions.ts";
import { ContainerDir, CONDITIONAL_READ, CONDITIONAL_WRITE, RAW_BYTES, replySaved, Saved } from "./file.ts";

const RawQuery = z.object({ path: z.string(), container_dir: ContainerDir });

export const getRaw = endpoint({
  operationId: "downloadFile",
  method: "get",
  path: "/api/projects/:project/files/raw",
  summary: "Download a file",
  description: `Returns the bytes unchanged, of a file of any size. ${CONDITIONAL_READ}`,
  tag: "Files",
  access: { userOrKey: "file.read" },
  params: ProjectParams,
  query: RawQuery,
  response: {
    status: 200,
    schema: z.string(),
    mediaType: "application/octet-stream",
    description: "The bytes of the file",
  },
  async handler({ services, caller, params, query, request }) {
    const path = pathFromRootIn(query.container_dir, query.path);
    const { runtime } = await openFiles(services, caller, params.project);
    const file = await openFile(runtime, path);
    const unchanged = notModified(request, file.entry.version);
    if (unchanged) {
      await file.body.cancel();
      return unchanged;
    }
    // With a fixed length, a client notices a stream that breaks off.
    const body = file.body.pipeThrough(new FixedLengthStream(file.entry.size));
    return new Response(body, {
      headers: {
        "content-type": "application/octet-stream",
        "cache-control": "no-store",
        ...etagHeader(file.entry.version),
      },
    });
  },
});

export const putRaw = endpoint({
  operationId: "uploadFile",
  method: "put",
  path: "/api/projects/:project/files/raw",
  summary: "Upload a file",
  description: `Creates or replaces the file with the bytes of the request body, at most 100 MiB. ${CONDITIONAL_WRITE}`,
  tag: "Files",
  access: { userOrKey: "file.write" },
  params: ProjectParams,
  query: RawQuery,
  bodyLimit: null,
  refusals: [409, 412, 413],
  response: { status: 200, schema: Saved.extend({ size: z.int() }) },
  async handler({ services, caller, params, query, request }) {
    const path = fileToWrite(query.path, query.container_dir);
    if (Number(request.headers.get("content-length")) > RAW_BYTES) {
      throw new AppError("too_large", `A file has at most ${RAW_BYTES} bytes`);
    }
    const body = request.body ?? new Blob([]).stream();
    const access = { caller, project: params.project, scope: "file.write" } as const;
    const expected = expectedVersion(request);
    const entry = await changeFiles(services, access, (runtime) =>
      runtime.writeStream(path, body, RAW_BYTES, expected),
    );
    return replySaved(path, entry);
  },
});
