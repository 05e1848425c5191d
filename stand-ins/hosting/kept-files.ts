import { createHash, randomUUID } from "node:crypto";
import {
  createReadStream,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { open } from "node:fs/promises";
import path from "node:path";
import { InvalidBody } from "./invalid-body.ts";

/** A file's content in the folder. */
export interface KeptFile {
  /** SHA-256, which names it. */
  blob: string;
  sha1: string;
  size: number;
}

/**
 * The contents of uploaded files, each once, in `DATA_DIR/hosting-files`. One is written under another name and moved, so
 * that a kill leaves no partial file. They are kept as long as the folder.
 */
export class KeptFiles {
  readonly #dir: string;

  constructor(dataDir: string) {
    this.#dir = path.join(dataDir, "hosting-files");
    // What a killed process had not finished.
    rmSync(path.join(this.#dir, "unfinished"), { recursive: true, force: true });
    mkdirSync(path.join(this.#dir, "unfinished"), { recursive: true });
  }

  /** Keeps what is sent; nothing of it when it is longer than `limit`, or breaks off. */
  async receive(source: AsyncIterable<Uint8Array>, limit: number): Promise<KeptFile> {
    const unfinished = this.#unfinished();
    const [sha256, sha1] = [createHash("sha256"), createHash("sha1")];
    let size = 0;
    try {
      await using file = await open(unfinished, "wx");
      for await (const piece of source) {
        size += piece.byteLength;
        if (size > limit) throw new InvalidBody("The body is too large", 413);
        sha256.update(piece);
        sha1.update(piece);
        await file.appendFile(piece);
      }
    } catch (error) {
      rmSync(unfinished, { force: true });
      throw error;
    }
    const blob = sha256.digest("hex");
    this.#finish(unfinished, blob);
    return { blob, sha1: sha1.digest("hex"), size };
  }

  keep(bytes: Uint8Array): KeptFile {
    const blob = createHash("sha256").update(bytes).digest("hex");
    if (!existsSync(this.#path(blob))) {
      const unfinished = this.#unfinished();
      writeFileSync(unfinished, bytes);
      this.#finish(unfinished, blob);
    }
    return { blob, sha1: createHash("sha1").update(bytes).digest("hex"), size: bytes.byteLength };
  }

  read(blob: string): Buffer {
    return readFileSync(this.#path(blob));
  }

  stream(blob: string): NodeJS.ReadableStream {
    return createReadStream(this.#path(blob));
  }

  #unfinished(): string {
    return path.join(this.#dir, "unfinished", randomUUID());
  }

  #finish(unfinished: string, blob: string): void {
    mkdirSync(path.dirname(this.#path(blob)), { recursive: true });
    renameSync(unfinished, this.#path(blob));
  }

  #path(blob: string): string {
    return path.join(this.#dir, blob.slice(0, 2), blob);
  }
}
