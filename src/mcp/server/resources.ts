import type { McpServer, ReadResourceResult, Resource } from "@modelcontextprotocol/server";
import { holdsScope } from "#src/domain/access/permissions/index.ts";
import { listTasks, requireOpenTask } from "#src/domain/agent-work/tasks/index.ts";
import { isBinary, openFile, openFiles, pathFromRoot } from "#src/domain/workspaces/files/index.ts";
import { listProjects } from "#src/domain/workspaces/projects/index.ts";
import { AppError } from "#src/lib/errors.ts";
import type { McpSession, Protocol } from "./session.ts";
import { refusalOf } from "./refusal.ts";
import { transcriptOf } from "./transcript.ts";

const FILES = "workspace://projects/{project}/files";
const FILE = `${FILES}/{+path}`;
const TRANSCRIPT = "workspace://tasks/{task}/transcript";

/** Largest file that is read as a resource, in bytes. */
const FILE_BYTES = 1024 * 1024;
/** Most entries of a listing of files. */
const MAX_ENTRIES = 1_000;
/** Most projects, and most tasks, that are listed as resources. */
const LISTED = 50;

/** Offers files of projects and transcripts of tasks by their URIs, as far as the key may read them. */
export function offerResources(protocol: Protocol, server: McpServer, session: McpSession): void {
  const { services, caller } = session;
  const { ResourceTemplate } = protocol;
  const reading = readingOf(protocol, session);
  if (holdsScope(caller, "file.read")) {
    const list = async () => ({ resources: await projectsAsResources(session) });
    server.registerResource(
      "project-files",
      new ResourceTemplate(FILES, { list: holdsScope(caller, "project.list") ? list : undefined }),
      { title: "Files of a project", description: "The paths of a project's files", mimeType: "text/plain" },
      reading(async (_, { project }) => {
        const { runtime } = await openFiles(services, caller, project ?? "");
        const entries = await runtime.list("", { recursive: true, exclude: [".git", "node_modules"] });
        const paths = entries.filter(({ kind }) => kind !== "directory").map(({ path }) => path);
        const left = paths.length - MAX_ENTRIES;
        const more = left > 0 ? [`[… ${left} paths left out …]`] : [];
        return { mimeType: "text/plain", text: [...paths.slice(0, MAX_ENTRIES), ...more].join("\n") };
      }),
    );
    server.registerResource(
      "project-file",
      new ResourceTemplate(FILE, { list: undefined }),
      { title: "A file of a project", description: "A file by the path from the project's root" },
      reading(async (_, { project, path }) => fileOf(session, project ?? "", path ?? "")),
    );
  }
  if (holdsScope(caller, "chat.view")) {
    const list = async () => ({ resources: await tasksAsResources(session) });
    server.registerResource(
      "task-transcript",
      new ResourceTemplate(TRANSCRIPT, { list }),
      {
        title: "Transcript of a task",
        description: "What the agent wrote and did",
        mimeType: "text/markdown",
      },
      reading(async (_, { task }) => {
        const found = await requireOpenTask(services, caller, task ?? "", "chat.view");
        return { mimeType: "text/markdown", text: await transcriptOf(services, found) };
      }),
    );
  }
}

type Content = { text: string; mimeType: string } | { blob: string };

/** Answers with the content, or with a protocol error that has the sentence of the refusal. */
function readingOf(
  { ProtocolError, ProtocolErrorCode, ResourceNotFoundError }: Protocol,
  session: McpSession,
) {
  return (read: (uri: URL, names: Record<string, string>) => Promise<Content>) =>
    async (uri: URL, variables: Record<string, string | string[]>): Promise<ReadResourceResult> => {
      try {
        const content = await read(uri, decoded(variables));
        return { contents: [{ uri: uri.href, ...content }] };
      } catch (error) {
        const { code, message } = refusalOf(session, error);
        if (code === "not_found") throw new ResourceNotFoundError(uri.href, message);
        throw new ProtocolError(ProtocolErrorCode.InvalidParams, message, { uri: uri.href });
      }
    };
}

function decoded(variables: Record<string, string | string[]>): Record<string, string> {
  try {
    return Object.fromEntries(
      Object.entries(variables).map(([name, value]) => [name, decodeURIComponent(String(value))]),
    );
  } catch (error) {
    throw new AppError("invalid_input", "The URI is not well-formed", { cause: error });
  }
}

async function fileOf({ services, caller }: McpSession, project: string, path: string): Promise<Content> {
  const real = pathFromRoot(path);
  const { runtime } = await openFiles(services, caller, project);
  const { entry, body } = await openFile(runtime, real);
  if (entry.size > FILE_BYTES) {
    await body.cancel();
    throw new AppError(
      "too_large",
      `The file has ${entry.size} bytes: read it in parts with read_project_file`,
    );
  }
  const bytes = new Uint8Array(await new Response(body).arrayBuffer());
  if (isBinary(bytes)) return { blob: Buffer.from(bytes).toString("base64") };
  return { mimeType: "text/plain", text: new TextDecoder().decode(bytes) };
}

async function projectsAsResources({ services, caller }: McpSession): Promise<Resource[]> {
  const projects = await listProjects(services, caller, { limit: LISTED });
  return projects.map(({ id, name, slug }) => ({
    uri: `workspace://projects/${id}/files`,
    name: slug,
    title: `Files of ${name}`,
  }));
}

async function tasksAsResources({ services, caller }: McpSession): Promise<Resource[]> {
  const all = { statuses: null, projectId: null, since: null };
  const { items } = await listTasks(services, caller, all, { page: 1, limit: LISTED });
  return items.map(({ id, message, createdAt }) => ({
    uri: `workspace://tasks/${id}/transcript`,
    name: id,
    title: message.slice(0, 80),
    annotations: { lastModified: createdAt.toISOString() },
  }));
}
