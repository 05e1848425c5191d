import type { IncomingMessage, ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { z } from "zod";
import { AppError } from "#src/lib/errors.ts";
import { parseJson } from "#src/lib/parse-json.ts";
import { isRead, READ_ONLY_COMMANDS, ReadOnlyCommand } from "#src/platform/runtime/http-runtime/protocol.ts";
import type { Project, ProjectRequest } from "./project.ts";
import type { TodoLists } from "./todo-lists.ts";

const MAX_BODY_BYTES = 4 * 1024 * 1024;

const Move = z.object({ generation: z.number().int().nonnegative() });
const Generation = z.coerce.number().int().nonnegative().optional();
const GitBody = z.object({ input: z.unknown() });

/** A request to one project; `path` and query are what follows its id. */
export interface ProjectCall {
  project: Project;
  todos: TodoLists;
  url: URL;
  request: IncomingMessage;
  response: ServerResponse;
}

/**
 * Serves the host's own routes: the state of the files, data that must outlive the sandbox, and git and read-only
 * commands, which have separate sandboxes. All other requests go to the workspace server.
 */
export async function answerCall(call: ProjectCall): Promise<void> {
  const { project, url, request, response } = call;
  const route = `${request.method} ${url.pathname}`;
  const [, area = "", name = ""] = url.pathname.split("/");
  if (route === "DELETE /") return done(response, await project.destroy());
  if (route === "GET /storage") return done(response, await project.storageState());
  if (route === "POST /storage/freeze")
    return done(response, await project.freeze(await generationIn(request)));
  if (route === "POST /storage/thaw") return done(response, await project.thaw(await generationIn(request)));
  if (route === "POST /storage/discard")
    return done(response, await project.discard(await generationIn(request)));
  if (route === "PUT /storage/entries") {
    const generation = Generation.parse(url.searchParams.get("generation") ?? undefined);
    return project.replace(request, response, { path: pathIn(url), generation });
  }
  if (area === "todos" && name !== "") return answerTodos(call, decodeURIComponent(name));
  if (area === "git" && request.method === "POST") {
    const { input } = parseJson(await bodyOf(request), GitBody);
    return project.git(response, name, input);
  }
  if (route === `POST ${READ_ONLY_COMMANDS}`) {
    return project.runReadOnly(response, parseJson(await bodyOf(request), ReadOnlyCommand));
  }
  return project.answer(request, response, requestOf(request.method ?? "GET", url));
}

async function answerTodos(
  { project, todos, request, response }: ProjectCall,
  chatId: string,
): Promise<void> {
  if (request.method === "PUT") {
    const body = await bodyOf(request);
    if (project.isDestroyed) throw new AppError("not_found", "The project is gone");
    return done(response, await todos.write(chatId, body));
  }
  return done(response, { todos: await todos.read(chatId) });
}

/** Classifies a request to the workspace server for the host. */
export function requestOf(method: string, url: URL): ProjectRequest {
  return {
    path: pathIn(url),
    isRead: isRead(method, url.pathname),
    ends:
      `${method} ${url.pathname}` === "POST /stop" || (method === "DELETE" && isRead(method, url.pathname)),
    stores: `${method} ${url.pathname}` === "PUT /files/content",
    isCommand: `${method} ${url.pathname}` === "POST /commands",
  };
}

function pathIn(url: URL): string {
  return `${url.pathname}${url.search}`;
}

async function generationIn(request: IncomingMessage): Promise<number> {
  return parseJson(await bodyOf(request), Move).generation;
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  if (Number(request.headers["content-length"] ?? 0) > MAX_BODY_BYTES) {
    throw new AppError("too_large", "The request is too large");
  }
  return text(request);
}

function done(response: ServerResponse, answer: object | void): void {
  if (answer === undefined) response.writeHead(204).end();
  else response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(answer));
}
