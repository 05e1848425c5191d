import { v5 as nameBasedId } from "uuid";
import { z } from "zod";
import { listTexts, normalizeDirectory, openFiles } from "#src/domain/files/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { Moment } from "#src/http/schemas.ts";
import { ProjectParams } from "../project.ts";
import { ContainerDir } from "./file.ts";

const ListedFile = z
  .object({
    id: z.uuid().describe("The same for the same path of the same project"),
    project_id: z.uuid(),
    file_path: z.string(),
    content: z.string(),
    created_at: Moment.describe("As `updated_at`: only the last change is kept"),
    updated_at: Moment,
  })
  .meta({ id: "ListedFile" });

export const listFiles = endpoint({
  method: "get",
  path: "/api/projects/:project/files",
  summary: "The first 200 text files of at most 100,000 bytes, with their contents",
  tag: "Files",
  access: { userOrKey: "file.read" },
  params: ProjectParams,
  query: z.object({ container_dir: ContainerDir }),
  refusals: [409],
  response: { status: 200, schema: z.array(ListedFile) },
  async handler({ services, caller, params, query }) {
    const directory = normalizeDirectory(query.container_dir);
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
