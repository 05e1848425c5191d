import { z } from "zod";
import * as files from "#src/domain/workspaces/files/index.ts";
import { defineTool } from "../tool.ts";
import { ProjectId } from "./projects.ts";

/** Most of each that one result contains, so that it fits into a model's window. */
const MAX_ENTRIES = 1_000;
const MAX_CHARACTERS = 100_000;
const MAX_HITS = 500;

/** Directories that a recursive listing leaves out: git and the package manager make them. */
const NOT_LISTED = [".git", "node_modules"];

const FilePath = z.string().min(1).max(4_096).describe("Path from the project's root, such as `src/app.ts`");
const READS = { readOnlyHint: true, openWorldHint: false };

export const listProjectFiles = defineTool({
  name: "list_project_files",
  title: "List files of a project",
  description: `The entries of a directory of a project; with \`recursive\` everything below it, without \`.git\` and \`node_modules\`. At most ${MAX_ENTRIES} entries.`,
  scope: "file.read",
  input: z.object({
    project_id: ProjectId,
    path: z.string().max(4_096).default("/").describe("Directory from the project's root"),
    recursive: z.boolean().default(false),
  }),
  annotations: READS,
  async run({ services, caller }, { project_id, path, recursive }) {
    const directory = files.directoryFromRoot(path);
    const { runtime } = await files.openFiles(services, caller, project_id);
    const entries = await runtime.list(directory, { recursive, exclude: NOT_LISTED });
    return {
      project_id,
      path,
      files: entries.slice(0, MAX_ENTRIES).map(({ path: at, kind, size }) => ({ path: at, kind, size })),
      ...(entries.length > MAX_ENTRIES && { truncated: true, total: entries.length }),
    };
  },
});

export const readProjectFile = defineTool({
  name: "read_project_file",
  title: "Read a file of a project",
  description: `The text of a file, at most ${MAX_CHARACTERS} characters. The rest of a longer one is read from \`next_offset\`.`,
  scope: "file.read",
  input: z.object({
    project_id: ProjectId,
    path: FilePath,
    offset: z.number().int().min(0).default(0).describe("Characters to skip"),
    limit: z.number().int().min(1).max(MAX_CHARACTERS).default(MAX_CHARACTERS).describe("Most characters"),
  }),
  annotations: READS,
  async run({ services, caller }, { project_id, path, offset, limit }) {
    const real = files.pathFromRoot(path);
    const { runtime } = await files.openFiles(services, caller, project_id);
    const { content } = await files.readText(await files.openFile(runtime, real), "utf-8");
    const end = offset + limit;
    return {
      project_id,
      path,
      content: content.slice(offset, end),
      ...(content.length > end && { next_offset: end, total_characters: content.length }),
    };
  },
});

export const writeProjectFile = defineTool({
  name: "write_project_file",
  title: "Write a file of a project",
  description: "Creates or replaces a file, and creates missing directories.",
  scope: "file.write",
  input: z.object({ project_id: ProjectId, path: FilePath, content: z.string() }),
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  async run({ services, caller }, { project_id, path, content }) {
    const real = files.fileToWrite(path);
    const bytes = files.toBytes(content, "utf-8");
    const access = { caller, project: project_id, scope: "file.write" } as const;
    const { size } = await files.changeFiles(services, access, (runtime) => runtime.writeFile(real, bytes));
    return { project_id, path, size };
  },
});

export const searchProjectFiles = defineTool({
  name: "search_project_files",
  title: "Search text in files of a project",
  description:
    "The lines of a project's text files that contain a text. Leaves out `.git`, `node_modules` and binary files.",
  scope: "file.read",
  input: z.object({
    project_id: ProjectId,
    query: z
      .string()
      .max(1_000)
      .regex(/^[^\r\n]+$/u, "must be a part of one line")
      .describe("The text, taken literally"),
    path: z.string().max(4_096).default("/").describe("A directory or a file to search"),
    match_case: z.boolean().default(false),
    limit: z.number().int().min(1).max(MAX_HITS).default(100).describe("Most lines to return"),
  }),
  annotations: READS,
  async run({ services, caller, signal }, { project_id, query, path, match_case, limit }) {
    const under = files.directoryFromRoot(path);
    const { runtime } = await files.openFiles(services, caller, project_id);
    const search = { text: query, matchCase: match_case, under, limit, signal };
    const { hits, searched, isTruncated } = await files.searchFiles(runtime, search);
    return { project_id, hits, files_searched: searched, truncated: isTruncated };
  },
});
