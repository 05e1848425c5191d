import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { rename } from "node:fs/promises";
import path from "node:path";
import { removeTree } from "./disk.ts";
import { giveToSandbox } from "./host-user.ts";

/** Complete files that only wait to be moved into place. */
const NEXT = "files.next";
/** Prefix of folders whose contents can be deleted. */
const LEFTOVER = "gone-";

/** A project's folder: its files, and beside them data of the service that no sandbox sees. */
export class ProjectFolder {
  readonly path: string;
  /** A file that says that there are files. It is elsewhere, so that it is not lost with the folder. */
  readonly #mark: string;

  constructor(dir: string, mark: string) {
    this.path = dir;
    this.#mark = mark;
    mkdirSync(dir, { recursive: true });
  }

  /** Path of the files; created if missing. */
  get files(): string {
    const files = path.join(this.path, "files");
    if (!existsSync(files)) {
      mkdirSync(files, { recursive: true });
      giveToSandbox(files);
    }
    this.#setMark();
    return files;
  }

  /** Whether the folder of the files is missing although the service did not move the files away. */
  get isLost(): boolean {
    return !["files", NEXT].some((name) => existsSync(path.join(this.path, name))) && existsSync(this.#mark);
  }

  #setMark(): void {
    if (!existsSync(this.#mark)) writeFileSync(this.#mark, "");
  }

  /** Completes what a killed service had begun. */
  async recover(): Promise<void> {
    if (existsSync(path.join(this.path, NEXT))) await this.#moveNextUp();
    await this.sweep();
  }

  /** Makes an empty folder for new files; unused ones are swept. */
  newFiles(): string {
    const dir = path.join(this.path, `${LEFTOVER}${randomBytes(8).toString("hex")}`);
    mkdirSync(dir);
    giveToSandbox(dir);
    return dir;
  }

  /**
   * Replaces the files, which must not be in use, by such a folder. After the first step a crash does not undo it:
   * `recover` completes it.
   */
  async takeOver(dir: string): Promise<void> {
    await rename(dir, path.join(this.path, NEXT));
    await this.#moveNextUp();
    await this.sweep();
  }

  async #moveNextUp(): Promise<void> {
    this.#setMark();
    await this.#moveFilesAway();
    await rename(path.join(this.path, NEXT), path.join(this.path, "files"));
  }

  async removeFiles(): Promise<void> {
    rmSync(this.#mark, { force: true });
    await this.#moveFilesAway();
    await this.sweep();
  }

  /** Removes all entries but these. */
  async removeAllBut(names: readonly string[]): Promise<void> {
    rmSync(this.#mark, { force: true });
    for (const name of readdirSync(this.path)) {
      if (!names.includes(name)) await removeTree(path.join(this.path, name));
    }
  }

  async #moveFilesAway(): Promise<void> {
    const files = path.join(this.path, "files");
    if (!existsSync(files)) return;
    await rename(files, path.join(this.path, `${LEFTOVER}${randomBytes(8).toString("hex")}`));
  }

  /** Removes the folders whose contents can be deleted. */
  async sweep(): Promise<void> {
    for (const name of readdirSync(this.path)) {
      if (name.startsWith(LEFTOVER)) await removeTree(path.join(this.path, name));
    }
  }
}
