import { z } from "zod";
import { AppError, STATUS } from "#src/lib/errors.ts";
import { parseJson } from "#src/lib/parse-json.ts";
import type { Log } from "#src/platform/log/log.ts";
import {
  ERROR_HEADER,
  type Inventory,
  NOT_READ_ONLY,
  READ_ONLY_COMMANDS,
  SANDBOX_PORTS,
} from "#src/platform/runtime/http-runtime/protocol.ts";
import type { SandboxHolder } from "./holder.ts";

const Move = z.object({ generation: z.number().int().nonnegative() });
const Generation = z.coerce.number().int().nonnegative().optional();

/**
 * Serves the routes of the holder itself: the state of the files, and data that must outlive the container. All other
 * requests go to the workspace server. A failure has its code's status, like the server's.
 */
export async function answerRequest(holder: SandboxHolder, request: Request, log: Log): Promise<Response> {
  try {
    return await route(holder, request);
  } catch (error) {
    const known = error instanceof AppError;
    if (!known) log.error("a sandbox request failed", { cause: error });
    const { code, message } = known ? error : INTERNAL;
    return Response.json({ code, message }, { status: STATUS[code], headers: { [ERROR_HEADER]: code } });
  }
}

const INTERNAL = new AppError("internal", "The project's environment has failed");

async function route(holder: SandboxHolder, request: Request): Promise<Response> {
  const { pathname, searchParams } = new URL(request.url);
  const [, area, name = ""] = pathname.split("/");
  if (area === "port") requireProgramsPort(Number(name));
  if (area === "todos" && name !== "") return answerTodos(holder, request, decodeURIComponent(name));
  switch (`${request.method} ${pathname}`) {
    case "DELETE /":
      return done(await holder.destroy());
    case "GET /storage":
      return done(holder.storageState());
    case "POST /storage/freeze":
      return done(await holder.freeze(await generationIn(request)));
    case "POST /storage/thaw":
      return done(await holder.thaw(await generationIn(request)));
    case "POST /storage/discard":
      return done(await holder.discard(await generationIn(request)));
    case "PUT /storage/entries":
      return holder.replace(request, Generation.parse(searchParams.get("generation") ?? undefined));
    case "GET /storage/inventory":
      // A container that nothing was put into is not started to say so.
      return holder.isUntouched ? Response.json(EMPTY) : holder.forward(request, pathname);
    case `POST ${READ_ONLY_COMMANDS}`:
      throw new AppError("forbidden", NOT_READ_ONLY);
    default:
      return holder.forward(request, pathname);
  }
}

const EMPTY: z.input<typeof Inventory> = { entries: [] };

/** Last check before a container: the servers behind these ports execute any request. */
function requireProgramsPort(port: number): void {
  if (SANDBOX_PORTS.includes(port)) throw new AppError("forbidden", `Port ${port} is the runtime's own`);
}

async function answerTodos(holder: SandboxHolder, request: Request, chatId: string): Promise<Response> {
  if (request.method === "PUT") return done(holder.writeTodos(chatId, await request.text()));
  return done({ todos: holder.readTodos(chatId) });
}

async function generationIn(request: Request): Promise<number> {
  return parseJson(await request.text(), Move).generation;
}

function done(answer: object | void): Response {
  return answer === undefined ? new Response(null, { status: 204 }) : Response.json(answer);
}
