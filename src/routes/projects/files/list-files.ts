import { v5 as nameBasedId } from "uuid";
import { z } from "zod";
import { listTexts, directoryFromRoot, openFiles } from "#src/domain/workspaces/files/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { Moment } from "#src/http/schemas.ts";
import { ProjectParams } from "../project.ts";
import { ContainerDir } from "./file.ts";

const ListedFile = z
  .object({
    id: z.uuid().describe("Stable for a path of a project"),
    project_id: z.uuid(),
    file_path: z.string(),
    content: z.string(),
    created_at: Moment.describe("Same as `updated_at`: only the last change is recorded"),
    updated_at: Moment,
  })
  .meta({ id: "ListedFile" });

export const listFiles = endpoint({
  operationId: "listTextFiles",
  method: "get",
  path: "/api/projects/:project/files",
  summary: "List text files with contents",
  description: "The first 200 text files of at most 100,000 bytes each.",
  tag: "Files",
  access: { userOrKey: "file.read" },
  params: ProjectParams,
  query: z.object({ container_dir: ContainerDir }),
  refusals: [409],
  response: { status: 200, schema: z.array(ListedFile) },
  async handler({ services, caller, params, query }) {
    const directory = directoryFromRoot(query.container_dir);
    const { projectId, runtime } = await openFiles(services, caller, params.project);
    return (await listTexts(runtime, directory)).map(({ entry, content }) => {
      const changed = new Date(entry.modifiedAt).toISOString();
      return {
        id: nameBasedId(entry.path, projectId),
        project_id: projectId,
        file_path: entry.path,
        content,
        created_at: changed,
        updated_at: changed,
      };
    });
  },
});
