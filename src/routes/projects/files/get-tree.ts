import { z } from "zod";
import { directoryFromRoot, openFiles, readTree } from "#src/domain/workspaces/files/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { ProjectParams } from "../project.ts";
import { etagOf } from "./conditions.ts";
import { ContainerDir, Etag } from "./file.ts";

const TreeEntry = z
  .object({
    path: z.string(),
    name: z.string(),
    is_dir: z.boolean(),
    size: z.int().describe("Bytes; 0 for directories"),
    etag: Etag,
    mod_time: z.number().describe("Last change, in seconds since the epoch"),
  })
  .meta({ id: "TreeEntry" });

export const getTree = endpoint({
  operationId: "getFileTree",
  method: "get",
  path: "/api/projects/:project/files/tree",
  summary: "Get the file tree",
  description:
    "Every file and directory that an editor shows. A directory comes before its entries. A file has an `etag`; a link has none.",
  tag: "Files",
  access: { userOrKey: "file.read" },
  params: ProjectParams,
  query: z.object({
    container_dir: ContainerDir,
    all: z
      .stringbool()
      .default(false)
      .describe("Every file that is not in `.git` or `node_modules`, also generated and binary ones"),
  }),
  refusals: [409],
  response: {
    status: 200,
    schema: z.object({ status: z.literal("ready"), files: z.array(TreeEntry) }),
  },
  async handler({ services, caller, params, query }) {
    const directory = directoryFromRoot(query.container_dir);
    const { runtime } = await openFiles(services, caller, params.project);
    const files = (await readTree(runtime, directory, { all: query.all })).map(
      ({ path, name, kind, size, modifiedAt, version }) => ({
        path,
        name,
        is_dir: kind === "directory",
        size,
        mod_time: modifiedAt / 1000,
        ...(version !== undefined && { etag: etagOf(version) }),
      }),
    );
    return { status: "ready" as const, files };
  },
});
