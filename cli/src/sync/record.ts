import { randomUUID } from "node:crypto";
import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { isObject, numberOf, objectOf, parseJson, textOf } from "../json.ts";
import { isMissing } from "../session/private-file.ts";
import type { Stamp } from "./local-tree.ts";
import { problemOfPath } from "./paths.ts";
import type { Recorded } from "./plan.ts";

/** The folder for what belongs to this copy of a project. */
export const OWN_FOLDER = ".workspace";
const FILE = "files.json";

/** A file after its last sync; `stamp` spares reading a file that was not touched. */
export interface RecordedFile extends Recorded {
  readonly stamp?: Stamp | undefined;
}

interface Owner {
  readonly service: string;
  readonly projectId: string;
}

/**
 * What both sides had after the last sync of a folder, in `.workspace/files.json`. A record of another project counts as none.
 * It is a note, not an authority: a lost or wrong one makes conflicts, and never an overwritten file.
 */
export class SyncRecord {
  readonly #root: string;
  readonly #owner: Owner;
  readonly #files: Map<string, RecordedFile>;

  private constructor(root: string, owner: Owner, files: Map<string, RecordedFile>) {
    this.#root = root;
    this.#owner = owner;
    this.#files = files;
  }

  static async read(root: string, owner: Owner): Promise<SyncRecord> {
    const text = await readOptional(path.join(root, OWN_FOLDER, FILE));
    const stored = objectOf(text === undefined ? undefined : parseJson(text));
    const isOwn =
      textOf(stored, "service") === owner.service && textOf(stored, "project_id") === owner.projectId;
    const entries = isOwn ? Object.entries(objectOf(stored["files"])) : [];
    const files = entries.flatMap(([name, value]) => {
      const file = recordedFile(value);
      return file && problemOfPath(name) === undefined ? [[name, file] as const] : [];
    });
    return new SyncRecord(root, owner, new Map(files));
  }

  get paths(): Iterable<string> {
    return this.#files.keys();
  }

  get(file: string): RecordedFile | undefined {
    return this.#files.get(file);
  }

  set(file: string, recorded: RecordedFile): void {
    this.#files.set(file, recorded);
  }

  delete(file: string): void {
    this.#files.delete(file);
  }

  /** Writes the record in one step. */
  async write(): Promise<void> {
    const folder = await ownFolder(this.#root);
    const { service, projectId } = this.#owner;
    const files = Object.fromEntries([...this.#files].toSorted(([a], [b]) => (a < b ? -1 : 1)));
    const temporary = path.join(folder, `${FILE}.${randomUUID()}`);
    try {
      await writeFile(temporary, `${JSON.stringify({ service, project_id: projectId, files })}\n`, {
        flag: "wx",
      });
      await rename(temporary, path.join(folder, FILE));
    } finally {
      await rm(temporary, { force: true });
    }
  }
}

/** Makes the folder for what belongs to this copy; git ignores it. */
export async function ownFolder(root: string): Promise<string> {
  const folder = path.join(root, OWN_FOLDER);
  await mkdir(folder, { recursive: true });
  await writeFile(path.join(folder, ".gitignore"), "*\n");
  return folder;
}

function recordedFile(value: unknown): RecordedFile | undefined {
  const fields = objectOf(value);
  const [hash, etag] = [textOf(fields, "hash"), textOf(fields, "etag")];
  if (hash === undefined || etag === undefined) return undefined;
  const stamp = stampIn(fields["stamp"]);
  return { hash, etag, ...(stamp && { stamp }) };
}

function stampIn(value: unknown): Stamp | undefined {
  if (!isObject(value)) return undefined;
  const [size, mtimeMs, ctimeMs, ino] = ["size", "mtimeMs", "ctimeMs", "ino"].map((name) =>
    numberOf(value, name),
  );
  if (size === undefined || mtimeMs === undefined || ctimeMs === undefined || ino === undefined)
    return undefined;
  return { size, mtimeMs, ctimeMs, ino };
}

async function readOptional(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}
