import { parseJson } from "#src/lib/parse-json.ts";
import { decodeEntries, encodeEntries } from "#src/platform/runtime/entry-stream.ts";
import { ExpectedVersion } from "#src/platform/runtime/expected-version.ts";
import { unsealed } from "#src/platform/runtime/sealed-body.ts";
import { absentAsUndefined, answer, toFileEntry } from "./answer.ts";
import { FileError } from "./file-error.ts";
import type { FileTransfer } from "./file-transfer.ts";
import type { ProjectFiles } from "./project-files.ts";
import { ENTRY_HEADER, Paths } from "./protocol.ts";
import type { ShellSessions } from "./shell-sessions.ts";

interface Parts {
  files: ProjectFiles;
  transfer: FileTransfer;
  shells: ShellSessions;
}

/** Serves the object's `fetch`: data that is too large for a call, or arrives gradually. */
export async function serveStream(parts: Parts, request: Request): Promise<Response> {
  const { pathname, searchParams } = new URL(request.url);
  switch (`${request.method} ${pathname}`) {
    case "GET /file":
      return sendFile(parts, searchParams);
    case "PUT /file":
      return Response.json(await answer(() => takeFile(parts, searchParams, request.body)));
    case "POST /entries":
      return sendEntries(parts, await request.text());
    case "PUT /entries":
      return Response.json(await answer(() => takeEntries(parts, searchParams, request.body)));
    case "GET /shell":
      return sendOutput(parts, searchParams);
    default:
      return new Response(null, { status: 404 });
  }
}

async function sendFile({ files }: Parts, query: URLSearchParams): Promise<Response> {
  const opened = await answer(() => absentAsUndefined(() => files.open(query.get("path") ?? "")));
  if (!opened.ok) return Response.json(opened, { status: 409 });
  if (!opened.value) return new Response(null, { status: 404 });
  const entry = toFileEntry(opened.value.entry);
  return new Response(opened.value.body, {
    headers: { [ENTRY_HEADER]: encodeURIComponent(JSON.stringify(entry)) },
  });
}

async function takeFile({ files }: Parts, query: URLSearchParams, body: ReadableStream<Uint8Array> | null) {
  const path = query.get("path") ?? "";
  if (!body) throw new FileError("EPIPE", path);
  const chunks = unsealed(body, query.get("seal") ?? "");
  const condition = query.get("expected");
  const expected = condition === null ? undefined : parseJson(condition, ExpectedVersion);
  return toFileEntry(await files.writeChunks(path, chunks, Number(query.get("limit")), expected));
}

async function sendEntries({ files, transfer }: Parts, paths: string): Promise<Response> {
  const asked = await answer(() => {
    files.tree.find("", { follow: false });
    return parseJson(paths, Paths);
  });
  if (!asked.ok) return Response.json(asked, { status: 409 });
  return new Response(encodeEntries(transfer.read(asked.value)));
}

async function takeEntries(
  { transfer }: Parts,
  query: URLSearchParams,
  body: ReadableStream<Uint8Array> | null,
): Promise<void> {
  if (!body) throw new FileError("EPIPE", "");
  const generation = query.get("generation");
  await transfer.replace(decodeEntries(body), generation === null ? undefined : Number(generation));
}

async function sendOutput({ shells }: Parts, query: URLSearchParams): Promise<Response> {
  const output = await answer(() => shells.watch(query.get("id") ?? "", Number(query.get("position"))));
  return output.ok ? new Response(output.value) : Response.json(output, { status: 409 });
}
