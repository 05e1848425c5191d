import { createHash } from "node:crypto";
import type { Workspace } from "@agent-workspace/client";
import { numberOf, objectOf, objectsOf, textOf } from "../json.ts";

const FILES = "/api/projects/{project}/files";
const RAW = `${FILES}/raw`;

/** Largest file that the service takes, in bytes. */
export const MAX_UPLOAD_BYTES = 100 * 1024 * 1024;
/** Longest that one file takes, in milliseconds. */
const TRANSFER_MS = 15 * 60_000;

/** A file at the service. */
export interface RemoteFile {
  readonly etag: string;
  readonly size: number;
}

export interface RemoteTree {
  readonly files: ReadonlyMap<string, RemoteFile>;
  /** Links, which are not followed. */
  readonly others: ReadonlySet<string>;
}

/** A small text file with its content. */
interface TextFile {
  readonly content: Uint8Array;
  readonly etag: string;
}

/** What must be so at the service for a write: the file has this entity tag, or there is none. */
export type Condition = { readonly etag: string } | "absent";

/** A project's files at the service. Its answers are not trusted: paths are not checked here, and types are. */
export class RemoteFiles {
  readonly #workspace: Workspace;
  readonly #project: string;
  readonly #signal: AbortSignal;

  constructor(workspace: Workspace, project: string, signal: AbortSignal) {
    this.#workspace = workspace;
    this.#project = project;
    this.#signal = signal;
  }

  /** Every file that is not in `.git` or `node_modules`. */
  async tree(): Promise<RemoteTree> {
    const answer = await this.#workspace.request("GET", `${FILES}/tree`, {
      ...this.#call(),
      query: { all: "true" },
      timeoutMs: TRANSFER_MS,
    });
    const files = new Map<string, RemoteFile>();
    const others = new Set<string>();
    for (const entry of objectsOf(objectOf(answer)["files"])) {
      const path = textOf(entry, "path");
      if (path === undefined || entry["is_dir"] === true) continue;
      const [etag, size] = [textOf(entry, "etag"), numberOf(entry, "size")];
      if (etag === undefined || size === undefined) others.add(path);
      else files.set(path, { etag, size });
    }
    return { files, others };
  }

  /** Reads small text files in one request. What is no text, or is gone, is left out. */
  async readTexts(paths: readonly string[]): Promise<ReadonlyMap<string, TextFile>> {
    const answer = await this.#workspace.request("POST", `${FILES}/content/batch`, {
      ...this.#call(),
      body: { paths: [...paths] },
    });
    const asked = new Set(paths);
    const texts = objectsOf(objectOf(answer)["files"]).flatMap((entry) => {
      const [path, text, etag] = [textOf(entry, "path"), textOf(entry, "content"), textOf(entry, "etag")];
      if (path === undefined || text === undefined || etag === undefined || !asked.has(path)) return [];
      const content = Buffer.from(text);
      return content.length === entry["size"] ? [[path, { content, etag }] as const] : [];
    });
    return new Map(texts);
  }

  /** Opens a file for reading. */
  async open(path: string): Promise<{ etag: string; content: AsyncIterable<Uint8Array> }> {
    const response = await this.#workspace.response("GET", RAW, {
      ...this.#call(),
      query: { path },
      timeoutMs: TRANSFER_MS,
    });
    return { etag: response.headers.get("etag") ?? "", content: chunksOf(response) };
  }

  /** The entity tag and the SHA-256 of a file's content. */
  async hash(path: string): Promise<{ etag: string; hash: string }> {
    const { etag, content } = await this.open(path);
    const hash = createHash("sha256");
    for await (const chunk of content) hash.update(chunk);
    return { etag, hash: hash.digest("hex") };
  }

  /** Writes a file and returns its entity tag. Throws with status 412 where the condition does not hold. */
  async write(path: string, content: Blob, condition: Condition): Promise<string> {
    const response = await this.#workspace.response("PUT", RAW, {
      ...this.#call({ "content-type": "application/octet-stream", ...headersOf(condition) }),
      query: { path },
      body: content,
      timeoutMs: TRANSFER_MS,
    });
    await response.body?.cancel();
    return response.headers.get("etag") ?? "";
  }

  async delete(path: string, etag: string): Promise<void> {
    const call = this.#call(headersOf({ etag }));
    await this.#workspace.request("DELETE", FILES, { ...call, body: { file_path: path } });
  }

  #call(headers: Readonly<Record<string, string>> = {}) {
    return { path: { project: this.#project }, headers, signal: this.#signal };
  }
}

function headersOf(condition: Condition): Record<string, string> {
  return condition === "absent" ? { "if-none-match": "*" } : { "if-match": condition.etag };
}

/** Not every runtime's streams can be iterated as they are typed. */
async function* chunksOf({ body }: Response): AsyncGenerator<Uint8Array, void> {
  if (!body) return;
  const reader = body.getReader();
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
