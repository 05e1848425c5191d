import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readdirSync } from "node:fs";
import { rename } from "node:fs/promises";
import path from "node:path";
import { removeTree } from "./disk.ts";
import { giveToSandbox } from "./host-user.ts";

/** Files that are complete and only wait to be moved to their place. */
const NEXT = "files.next";
/** Folders with such names hold nothing that counts. */
const LEFTOVER = "gone-";

/** A project's folder: its files, and beside them what the service keeps and no sandbox sees. */
export class ProjectFolder {
  readonly path: string;

  constructor(dir: string) {
    this.path = dir;
    mkdirSync(dir, { recursive: true });
  }

  /** The files; made if there are none yet. */
  get files(): string {
    const files = path.join(this.path, "files");
    if (!existsSync(files)) {
      mkdirSync(files);
      giveToSandbox(files);
    }
    return files;
  }

  /** Finish what a service that was killed had begun. */
  async recover(): Promise<void> {
    if (existsSync(path.join(this.path, NEXT))) await this.#moveNextUp();
    await this.sweep();
  }

  /** An empty folder for files to come; those that are not taken over are swept. */
  newFiles(): string {
    const dir = path.join(this.path, `${LEFTOVER}${randomBytes(8).toString("hex")}`);
    mkdirSync(dir);
    giveToSandbox(dir);
    return dir;
  }

  /** Put such a folder in the place of the files, which nobody may use now. From the first step on it will come to be. */
  async takeOver(dir: string): Promise<void> {
    await rename(dir, path.join(this.path, NEXT));
    await this.#moveNextUp();
    await this.sweep();
  }

  async #moveNextUp(): Promise<void> {
    await this.#moveFilesAway();
    await rename(path.join(this.path, NEXT), path.join(this.path, "files"));
  }

  async removeFiles(): Promise<void> {
    await this.#moveFilesAway();
    await this.sweep();
  }

  /** Remove all but these names. */
  async removeAllBut(names: readonly string[]): Promise<void> {
    for (const name of readdirSync(this.path)) {
      if (!names.includes(name)) await removeTree(path.join(this.path, name));
    }
  }

  async #moveFilesAway(): Promise<void> {
    const files = path.join(this.path, "files");
    if (!existsSync(files)) return;
    await rename(files, path.join(this.path, `${LEFTOVER}${randomBytes(8).toString("hex")}`));
  }

  /** Remove the folders that hold nothing that counts. */
  async sweep(): Promise<void> {
    for (const name of readdirSync(this.path)) {
      if (name.startsWith(LEFTOVER)) await removeTree(path.join(this.path, name));
    }
  }
}
