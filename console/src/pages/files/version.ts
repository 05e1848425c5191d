import { NotFoundError } from "@agent-workspace/client";
import { pictureType } from "../../parts/files/picture-type.ts";
import { workspace } from "../../service/workspace.ts";

/** Larger texts are not edited here. */
const MAX_TEXT = 1024 * 1024;
const MAX_IMAGE = 20 * 1024 * 1024;

/** A file as the service has it now. */
export type Version = { etag: string | undefined } & (
  | { kind: "text"; text: string }
  | { kind: "image"; blob: Blob }
  | { kind: "binary" | "large"; size: number }
);

/** Reads a file: `same` if it has this version, `gone` if it is not there. */
export async function readVersion(
  project: string,
  path: string,
  etag?: string,
): Promise<Version | "same" | "gone"> {
  const headers = etag === undefined ? {} : { "if-none-match": etag };
  try {
    const response = await workspace.response("GET", "/api/projects/{project}/files/raw", {
      path: { project },
      query: { path },
      headers,
    });
    return response.status === 304 ? "same" : await versionOf(path, response);
  } catch (error) {
    if (error instanceof NotFoundError) return "gone";
    throw error;
  }
}

async function versionOf(path: string, response: Response): Promise<Version> {
  const etag = response.headers.get("etag") ?? undefined;
  const type = pictureType(path);
  const length = Number(response.headers.get("content-length"));
  if (length > (type === undefined ? MAX_TEXT : MAX_IMAGE)) {
    await response.body?.cancel();
    return { kind: "large", size: length, etag };
  }
  const content = await response.arrayBuffer();
  if (type !== undefined) return { kind: "image", blob: new Blob([content], { type }), etag };
  const size = content.byteLength;
  if (size > MAX_TEXT) return { kind: "large", size, etag };
  const text = textIn(content);
  return text === undefined ? { kind: "binary", size, etag } : { kind: "text", text, etag };
}

/** The text of bytes, if they are one. */
function textIn(content: ArrayBuffer): string | undefined {
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(content);
    return text.includes("\0") ? undefined : text;
  } catch {
    return undefined;
  }
}
