import { createGunzip } from "node:zlib";
import { createTarDecoder } from "modern-tar";
import { toStream } from "#src/lib/to-stream.ts";
import type { KeptFiles } from "./kept-files.ts";
import type { DeployedFile } from "./records.ts";
import { tidyPath } from "./sources.ts";

const MAX_FILE_BYTES = 256 * 1024 * 1024;

/**
 * Keeps the files of a gzipped tar archive and returns them; undefined for something else. A folder that holds all of
 * them is left out, as it is of the archives that code hosts make.
 */
export async function unpackSources(kept: KeptFiles, archive: string): Promise<DeployedFile[] | undefined> {
  const files: DeployedFile[] = [];
  try {
    const entries = toStream(unzipped(kept.stream(archive))).pipeThrough(createTarDecoder({ strict: true }));
    for await (const { header, body } of entries) {
      const path = tidyPath(header.name);
      if (header.type !== "file" || path === undefined) {
        await body.cancel();
        continue;
      }
      const { blob, size } = await kept.receive(body, MAX_FILE_BYTES);
      files.push({ path, blob, size, type: undefined });
    }
  } catch {
    return undefined;
  }
  return withoutCommonFolder(files);
}

function withoutCommonFolder(files: readonly DeployedFile[]): DeployedFile[] {
  const folder = files[0]?.path.split("/")[0] ?? "";
  if (!files.every(({ path }) => path.startsWith(`${folder}/`)) || folder === "public") return [...files];
  return files.map((file) => ({ ...file, path: file.path.slice(folder.length + 1) }));
}

async function* unzipped(packed: NodeJS.ReadableStream): AsyncGenerator<Uint8Array, void, undefined> {
  const gunzip = createGunzip();
  packed.on("error", (error) => gunzip.destroy(error));
  const pieces: AsyncIterable<Buffer> = packed.pipe(gunzip);
  for await (const piece of pieces) yield piece;
}
