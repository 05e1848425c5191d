import { z } from "zod";
import { pathFromRoot } from "#src/domain/workspaces/files/index.ts";
import { openSnapshotFile } from "#src/domain/workspaces/snapshots/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { SnapshotParams } from "./snapshot.ts";

export const getSnapshotFile = endpoint({
  operationId: "getSnapshotFile",
  method: "get",
  path: "/api/projects/:project/snapshots/:hash/file",
  summary: "Download a snapshot's file",
  description: "The bytes of a file as it was in the snapshot. Does not wake the project.",
  tag: "Snapshots",
  access: { userOrKey: "file.read" },
  params: SnapshotParams,
  query: z.object({ path: z.string() }),
  refusals: [503],
  response: {
    status: 200,
    schema: z.string(),
    mediaType: "application/octet-stream",
    description: "The bytes of the file",
  },
  async handler({ services, caller, params, query }) {
    const path = pathFromRoot(query.path);
    const { size, body } = await openSnapshotFile(services, caller, { ...params, path });
    // With a fixed length, a client notices a stream that breaks off.
    return new Response(body.pipeThrough(new FixedLengthStream(size)), {
      headers: { "content-type": "application/octet-stream", "cache-control": "no-store" },
    });
  },
});
