import { z } from "zod";
import * as files from "#src/domain/workspaces/files/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { ProjectParams } from "../project.ts";
import { etagOf } from "./conditions.ts";
import { ContainerDir, Etag } from "./file.ts";

export const readBatch = endpoint({
  operationId: "readFiles",
  method: "post",
  path: "/api/projects/:project/files/content/batch",
  summary: "Read several text files",
  description: "Up to 200 files at once.",
  tag: "Files",
  access: { userOrKey: "file.read" },
  params: ProjectParams,
  query: z.object({ container_dir: ContainerDir }),
  example: { paths: ["README.md"] },
  body: z.object({
    paths: z.array(z.string()).max(200, "must have at most 200 paths"),
    container_dir: ContainerDir.nullable(),
  }),
  response: {
    status: 200,
    schema: z.object({
      status: z.literal("ready"),
      files: z.array(z.object({ path: z.string(), content: z.string(), size: z.int(), etag: Etag })),
      errors: z.array(z.string()).describe("Paths that could not be read"),
      error_details: z.array(z.object({ path: z.string(), error: z.string() })),
    }),
  },
  async handler({ services, caller, params, query, body }) {
    const { runtime } = await files.openFiles(services, caller, params.project);
    const directory = body.container_dir ?? query.container_dir;
    const read = await files.readBatch(runtime, directory, body.paths);
    return {
      status: "ready" as const,
      files: read.files.map(({ version, ...file }) => ({
        ...file,
        ...(version !== undefined && { etag: etagOf(version) }),
      })),
      errors: read.errors.map(({ path }) => path),
      error_details: read.errors,
    };
  },
});
