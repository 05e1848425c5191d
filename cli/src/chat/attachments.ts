import { readFile, stat } from "node:fs/promises";
import { homedir } from "node:os";
import path from "node:path";
import { UsageError } from "../errors.ts";
import type { Service } from "../service.ts";
import { isMissing } from "../session/private-file.ts";
import type { Entry } from "./entry.ts";

/** `@path` at the beginning of a word, or `@"path with spaces"`. */
const MENTION = /(?<=^|\s)@(?:"([^"]+)"|(\S+))/gu;

/** A file of this machine that a message names. */
export interface LocalFile {
  readonly file: string;
  readonly bytes: number;
}

/**
 * The files that a person named by `@path`. What was pasted names none: its author, who may be another, would choose the files
 * that leave this machine. An `@word` without a file of that name is text; one with a slash is a mistake, and throws.
 */
export async function filesNamedIn(entry: Entry, folder: string): Promise<LocalFile[]> {
  const names = entry
    .filter(({ isPasted }) => !isPasted)
    .flatMap(({ text }) => [...text.matchAll(MENTION)].map(([, quoted, plain]) => quoted ?? plain ?? ""));
  const found: LocalFile[] = [];
  for (const name of new Set(names)) {
    const file = path.resolve(folder, name.replace(/^~(?=\/)/u, homedir()));
    const bytes = await sizeOf(file);
    if (bytes !== undefined) found.push({ file, bytes });
    else if (/[/\\]/u.test(name)) throw new UsageError(`There is no file ${name}`);
  }
  return found;
}

/** Uploads a file for a message of the chat, and returns the attachment as the message names it. */
export async function attach({ workspace }: Service, chat: string, { file }: LocalFile): Promise<object> {
  const name = path.basename(file);
  const uploaded = await workspace.chats.attach(chat, new Blob([await readFile(file)]), name);
  return {
    type: uploaded.mime_type.startsWith("image/") ? "image" : "file_reference",
    attachment_id: uploaded.attachment_id,
    label: name,
  };
}

/** Bytes of a regular file; undefined for everything else. */
async function sizeOf(file: string): Promise<number | undefined> {
  try {
    const found = await stat(file);
    return found.isFile() ? found.size : undefined;
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}
