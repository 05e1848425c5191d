import { randomBytes } from "node:crypto";
import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import path from "node:path";

/** The to-do lists of agents, stored beside a project's files, one per chat; they stay while the files are away. */
export class TodoLists {
  readonly #dir: string;

  constructor(projectDir: string) {
    this.#dir = path.join(projectDir, "todos");
  }

  async read(chatId: string): Promise<string | undefined> {
    try {
      return await readFile(this.#fileOf(chatId), "utf8");
    } catch (error) {
      if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
      throw error;
    }
  }

  async write(chatId: string, todos: string): Promise<void> {
    await mkdir(this.#dir, { recursive: true });
    const draft = `${this.#fileOf(chatId)}.${randomBytes(4).toString("hex")}`;
    await writeFile(draft, todos);
    await rename(draft, this.#fileOf(chatId));
  }

  /** Returns the file of a list. The caller chooses the id, so it is not used as a file name. */
  #fileOf(chatId: string): string {
    return path.join(this.#dir, `${Buffer.from(chatId).toString("hex").slice(0, 200)}.json`);
  }
}
