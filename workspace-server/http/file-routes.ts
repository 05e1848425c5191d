import { AppError } from "#src/lib/errors.ts";
import { parseJson } from "#src/lib/parse-json.ts";
import { ExpectedVersion } from "#src/platform/runtime/expected-version.ts";
import { ENTRY_HEADER, Move } from "#src/platform/runtime/http-runtime/protocol.ts";
import { unsealed } from "#src/platform/runtime/sealed-body.ts";
import type { Workspace } from "../workspace.ts";
import { countOf, readJson, Streamed, type Exchange, type Route } from "./exchange.ts";

export function fileRoutes({ files }: Workspace): Route[] {
  return [
    {
      method: "GET",
      path: "/files/entry",
      handle: (exchange) => ({ entry: files.stat(pathOf(exchange)) ?? null }),
    },
    {
      method: "GET",
      path: "/files/list",
      handle: async (exchange) => {
        const recursive = exchange.query.get("recursive") === "true";
        const exclude = exchange.query.getAll("exclude");
        return { entries: await files.list(pathOf(exchange), { recursive, exclude }) };
      },
    },
    {
      method: "GET",
      path: "/files/content",
      handle: (exchange) => {
        const limit = exchange.query.has("limit") ? countOf(exchange, "limit") : Infinity;
        const found = files.open(pathOf(exchange), limit);
        if (!found) throw new AppError("not_found", "There is no such file");
        const { entry, body } = found;
        return new Streamed(body, {
          size: entry.size,
          headers: { [ENTRY_HEADER]: encodeURIComponent(JSON.stringify(entry)) },
        });
      },
    },
    {
      method: "PUT",
      path: "/files/content",
      handle: (exchange) => {
        if (exchange.query.has("size")) {
          const size = countOf(exchange, "size");
          return files.write(pathOf(exchange), ofSize(bodyOf(exchange), size), size, expectedOf(exchange));
        }
        const content = unsealed(bodyOf(exchange), exchange.query.get("seal") ?? "");
        return files.write(pathOf(exchange), content, countOf(exchange, "limit"), expectedOf(exchange));
      },
    },
    {
      method: "POST",
      path: "/files/directory",
      handle: (exchange) => files.makeDirectory(pathOf(exchange)),
    },
    {
      method: "POST",
      path: "/files/move",
      handle: async (exchange) => {
        const { from, to, expected } = await readJson(exchange, Move);
        files.move(from, to, expected);
      },
    },
    {
      method: "DELETE",
      path: "/files/entry",
      handle: (exchange) =>
        files.remove(pathOf(exchange), {
          recursive: exchange.query.get("recursive") === "true",
          expected: expectedOf(exchange),
        }),
    },
  ];
}

function pathOf({ query }: Exchange): string {
  const path = query.get("path");
  if (path === null) throw new AppError("invalid_input", "path is missing");
  return path;
}

function expectedOf({ query }: Exchange): ExpectedVersion | undefined {
  const expected = query.get("expected");
  return expected === null ? undefined : parseJson(expected, ExpectedVersion);
}

/** Yields the body. If the reader stops early, the connection stays open, so that a refusal can still be sent. */
export async function* bodyOf({ body }: Exchange): AsyncGenerator<Uint8Array, undefined> {
  for await (const chunk of body.iterator({ destroyOnReturn: false })) {
    if (chunk instanceof Uint8Array) yield chunk;
  }
}

async function* ofSize(
  content: AsyncIterable<Uint8Array>,
  size: number,
): AsyncGenerator<Uint8Array, undefined> {
  let left = size;
  for await (const chunk of content) {
    left -= chunk.byteLength;
    yield chunk;
  }
  if (left > 0) throw new AppError("invalid_input", "The body broke off before its end");
}
