import { Readable } from "node:stream";
import { AppError } from "#src/lib/errors.ts";
import { decodeEntries, encodeEntries } from "#src/platform/runtime/entry-stream.ts";
import { Paths } from "#src/platform/runtime/http-runtime/protocol.ts";
import type { EntryWithContent } from "#src/platform/runtime/project-storage.ts";
import { inventory } from "../storage/inventory.ts";
import { readEntries } from "../storage/read-entries.ts";
import { stageEntries } from "../storage/stage-entries.ts";
import { abandon, beginStaging, swapIn } from "../storage/swap.ts";
import type { Workspace } from "../workspace.ts";
import { param, readJson, Streamed, type Exchange, type Route } from "./exchange.ts";
import { bodyOf } from "./file-routes.ts";

/** Most bytes of a body that wait for the disk. */
const QUEUED_BYTES = 256 * 1024;

export function storageRoutes(workspace: Workspace): Route[] {
  const { paths } = workspace;
  return [
    {
      method: "GET",
      path: "/storage/inventory",
      handle: () => inventory(paths),
    },
    {
      method: "POST",
      path: "/storage/read",
      handle: async (exchange) => {
        const wanted = await readJson(exchange, Paths);
        return new Streamed(Readable.from(iterate(encodeEntries(readEntries(paths, wanted.paths)))));
      },
    },
    {
      method: "PUT",
      path: "/storage/entries",
      handle: async (exchange) => {
        const staged = beginStaging(paths);
        try {
          await stageEntries(staged.directory, received(exchange));
          await swapIn(paths, staged);
        } finally {
          await abandon(paths, staged);
        }
      },
    },
    { method: "POST", path: "/storage/staging", handle: () => workspace.stage() },
    {
      method: "POST",
      path: "/storage/staging/:id/commit",
      handle: (exchange) => workspace.commitStaged(param(exchange, "id")),
    },
    {
      method: "DELETE",
      path: "/storage/staging/:id",
      handle: (exchange) => workspace.abandonStaged(param(exchange, "id")),
    },
  ];
}

/** Yields the entries of a body; throws `invalid_input` if it breaks off or has another format. */
async function* received(exchange: Exchange): AsyncGenerator<EntryWithContent, undefined> {
  const entries = decodeEntries(streamOf(bodyOf(exchange)));
  for (;;) {
    const next = await entries.next().catch((cause: unknown) => {
      throw brokenOff(cause);
    });
    if (next.done) return;
    const { entry, content } = next.value;
    try {
      yield { entry, content: guarded(content) };
    } finally {
      if (exchange.gone.aborted) await entries.return(undefined);
    }
  }
}

async function* guarded(content: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, undefined> {
  const chunks = content[Symbol.asyncIterator]();
  for (;;) {
    const next = await chunks.next().catch((cause: unknown) => {
      throw brokenOff(cause);
    });
    if (next.done) return;
    yield next.value;
  }
}

function brokenOff(cause: unknown): AppError {
  if (cause instanceof AppError) return cause;
  return new AppError("invalid_input", "The entries broke off before their end", { cause });
}

function streamOf(chunks: AsyncGenerator<Uint8Array, undefined>): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await chunks.next();
        if (done) controller.close();
        else controller.enqueue(value);
      },
      cancel: async () => void (await chunks.return(undefined)),
    },
    { highWaterMark: QUEUED_BYTES, size: (chunk) => chunk.byteLength },
  );
}

async function* iterate(stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array, undefined> {
  const reader = stream.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    await reader.cancel();
  }
}
