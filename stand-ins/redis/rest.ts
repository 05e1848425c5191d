import type http from "node:http";
import { text } from "node:stream/consumers";
import { z } from "zod";
import { sameText } from "#local/same-text.ts";
import { safeParseJson } from "#src/lib/parse-json.ts";
import { RedisError, type RedisBackend, type Reply } from "./reply.ts";

const Argument = z.union([z.string(), z.number(), z.boolean()]).transform(String);
const OneCommand = z.array(Argument).min(1);
const ManyCommands = z.array(OneCommand);

type Answer = readonly [status: number, body: object];

/**
 * Upstash's REST API: `POST /` runs one command, `/pipeline` a list of commands, `/multi-exec` a list as a transaction.
 * With `Upstash-Encoding: base64`, texts of the response are base64, except `OK`. Source:
 * upstash.com/docs/redis/features/restapi.
 */
export function restHandler(backend: RedisBackend, token: string) {
  return async (request: http.IncomingMessage, response: http.ServerResponse): Promise<void> => {
    const body = await text(request);
    const encode = request.headers["upstash-encoding"] === "base64" ? toBase64 : (reply: Reply) => reply;
    const [status, answered] = sameText(request.headers.authorization ?? "", `Bearer ${token}`)
      ? await answer(backend, `${request.method} ${request.url}`, body, encode)
      : [401, { error: "Unauthorized" }];
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(answered));
  };
}

async function answer(
  backend: RedisBackend,
  route: string,
  body: string,
  encode: (reply: Reply) => Reply,
): Promise<Answer> {
  const wire = (outcome: Reply | RedisError) =>
    outcome instanceof RedisError ? { error: outcome.message } : { result: encode(outcome) };
  try {
    switch (route) {
      case "POST /":
        return [200, wire(await backend.run(read(body, OneCommand)))];
      case "POST /pipeline": {
        const commands = read(body, ManyCommands);
        return [200, (await Promise.all(commands.map((each) => settled(backend.run(each))))).map(wire)];
      }
      case "POST /multi-exec":
        return [200, (await backend.runTogether(read(body, ManyCommands))).map(wire)];
      default:
        return [404, { error: "Only POST to /, /pipeline and /multi-exec is served" }];
    }
  } catch (error) {
    if (error instanceof RedisError) return [400, { error: error.message }];
    return [503, { error: "ERR Redis did not answer" }];
  }
}

function read<T>(body: string, schema: z.ZodType<T>): T {
  const parsed = safeParseJson(body, schema);
  if (!parsed) throw new RedisError("ERR failed to parse the command");
  return parsed.value;
}

async function settled(reply: Promise<Reply>): Promise<Reply | RedisError> {
  try {
    return await reply;
  } catch (error) {
    if (error instanceof RedisError) return error;
    throw error;
  }
}

function toBase64(reply: Reply): Reply {
  if (Array.isArray(reply)) return reply.map(toBase64);
  return typeof reply === "string" && reply !== "OK" ? Buffer.from(reply).toString("base64") : reply;
}
