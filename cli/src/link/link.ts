import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { randomUUID } from "node:crypto";
import path from "node:path";
import { objectOf, parseJson, textOf } from "../json.ts";
import { hasCode, isMissing } from "../session/private-file.ts";

const FOLDER = ".workspace";
const FILE = "project.json";

/** The project that a folder is tied to. It holds no secret. */
export interface Link {
  /** The folder that is linked. */
  readonly folder: string;
  /** Address of the service. */
  readonly service: string;
  readonly projectId: string;
  /** The project's name in addresses, for people. */
  readonly slug: string | undefined;
}

/** The link of the folder, or of the nearest folder above it. */
export async function findLink(from: string): Promise<Link | undefined> {
  for (let folder = path.resolve(from); ; folder = path.dirname(folder)) {
    const link = await readLink(folder);
    if (link || folder === path.dirname(folder)) return link;
  }
}

async function readLink(folder: string): Promise<Link | undefined> {
  try {
    const fields = objectOf(parseJson(await readFile(path.join(folder, FOLDER, FILE), "utf8")));
    const [service, projectId] = [textOf(fields, "service"), textOf(fields, "project_id")];
    if (service === undefined || projectId === undefined) return undefined;
    return { folder, service, projectId, slug: textOf(fields, "slug") };
  } catch (error) {
    if (isMissing(error) || hasCode(error, "ENOTDIR") || hasCode(error, "EACCES")) return undefined;
    throw error;
  }
}

/** Ties a folder to a project. */
export async function writeLink({ folder, service, projectId, slug }: Link): Promise<void> {
  const inside = path.join(folder, FOLDER);
  await mkdir(inside, { recursive: true });
  const text = `${JSON.stringify({ service, project_id: projectId, slug }, undefined, 2)}\n`;
  const temporary = path.join(inside, `${FILE}.${randomUUID()}`);
  await writeFile(temporary, text);
  await rename(temporary, path.join(inside, FILE));
}

export async function removeLink({ folder }: Pick<Link, "folder">): Promise<void> {
  await rm(path.join(folder, FOLDER, FILE), { force: true });
}
