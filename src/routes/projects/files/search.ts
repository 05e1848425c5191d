import { z } from "zod";
import { directoryFromRoot, openFiles, searchFiles } from "#src/domain/workspaces/files/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { ProjectParams } from "../project.ts";

const MAX_HITS = 1_000;

const SearchHit = z
  .object({
    path: z.string(),
    line: z.int().describe("From 1 on"),
    column: z.int().describe("Of the first occurrence in the line, in UTF-16 units, from 1 on"),
    text: z.string().describe("The line, cut to its first 300 characters"),
  })
  .meta({ id: "SearchHit" });

export const searchFileTexts = endpoint({
  operationId: "searchFiles",
  method: "get",
  path: "/api/projects/:project/files/search",
  summary: "Search text in files",
  description:
    "The lines of the project's text files that contain a text, by path, each line once. Leaves out `.git`, `node_modules`, binary files, and files above 4 MiB.",
  tag: "Files",
  access: { userOrKey: "file.read" },
  params: ProjectParams,
  query: z.object({
    q: z
      .string()
      .max(1_000)
      .regex(/^[^\r\n]+$/u, "must be a part of one line")
      .describe("The text, taken literally"),
    limit: z.coerce.number().int().min(1).max(MAX_HITS).default(100).describe("Most hits to return"),
    case: z.stringbool().default(false).describe("Whether upper and lower case differ"),
    under: z.string().optional().describe("A directory or a file to search; the whole project when absent"),
  }),
  refusals: [409, 413],
  response: {
    status: 200,
    schema: z.object({
      hits: z.array(SearchHit),
      files_searched: z.int(),
      truncated: z
        .boolean()
        .describe("Whether there may be more: the limit, 10 seconds or 64 MiB were reached"),
    }),
  },
  async handler({ services, caller, params, query, request }) {
    const under = directoryFromRoot(query.under);
    const { runtime } = await openFiles(services, caller, params.project);
    const { hits, searched, isTruncated } = await searchFiles(runtime, {
      text: query.q,
      matchCase: query.case,
      limit: query.limit,
      under,
      signal: request.signal,
    });
    return { hits, files_searched: searched, truncated: isTruncated };
  },
});
