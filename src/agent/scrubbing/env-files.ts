import { AppError } from "#src/lib/errors.ts";
import type { FileEntry, ProjectFiles } from "#src/platform/runtime/project-files.ts";
import { isEnvFile, parseEnvFile, type Setting } from "./env-file.ts";
import { isMcpFile, parseMcpFile } from "./mcp-file.ts";
import type { KnownSecret } from "./placement.ts";

/** Depth of the directories that are searched: `apps/web/.env` is at depth two. */
const MAX_DEPTH = 2;
const MAX_FILES = 20;

interface Kind {
  isOf: (name: string) => boolean;
  parse: (text: string) => Setting[];
  /** Most bytes read from one file. */
  maxBytes: number;
}

/** Files in which projects keep secrets. */
const KINDS: readonly Kind[] = [
  { isOf: isEnvFile, parse: parseEnvFile, maxBytes: 64 * 1024 },
  { isOf: isMcpFile, parse: parseMcpFile, maxBytes: 256 * 1024 },
];

const kindOf = (name: string) => KINDS.find(({ isOf }) => isOf(name));

/** Directories of dependencies and of build output, where secrets are not kept. */
const SKIPPED =
  "node_modules .git dist build out .next .nuxt .cache coverage vendor target venv .venv __pycache__".split(
    " ",
  );

type Files = Pick<ProjectFiles, "list" | "readFile">;

/**
 * The `.env` files of a project, and those that name its MCP servers: those of its root and of directories up to two levels below
 * it, at most 20 files. A value that was read once stays known even when the file changes: output may still show a replaced secret.
 */
export class EnvFiles {
  readonly #files: Files;
  /** State of each file when it was read, by path. */
  readonly #read = new Map<string, string>();
  readonly #secrets = new Map<string, KnownSecret>();

  constructor(files: Files) {
    this.#files = files;
  }

  /** All secrets read so far. */
  get secrets(): KnownSecret[] {
    return [...this.#secrets.values()];
  }

  /**
   * Reads what is new or has changed, in the root alone or everywhere, and returns whether anything was read. Makes one
   * call to the runtime, and one for each such file. Throws what the runtime throws, `asleep` when the project sleeps.
   */
  async look({ everywhere }: { everywhere: boolean }): Promise<boolean> {
    const entries = await this.#list(everywhere);
    const changed = entries.filter((entry) => this.#read.get(entry.path) !== versionOf(entry));
    await Promise.all(changed.map((entry) => this.#take(entry)));
    return changed.length > 0;
  }

  async #list(everywhere: boolean): Promise<FileEntry[]> {
    const options = everywhere ? { recursive: true, exclude: SKIPPED } : { recursive: false };
    const entries = await this.#files.list("", options).catch((error: unknown) => {
      // There are more entries than a list may have.
      if (!(error instanceof AppError) || error.code !== "too_large") throw error;
      return this.#files.list("", { recursive: false });
    });
    return entries
      .filter(({ kind, name, path, size }) => {
        const directories = path.split("/").slice(0, -1);
        const settings = kindOf(name);
        if (kind === "directory" || !settings || size > settings.maxBytes) return false;
        return (
          directories.length <= MAX_DEPTH && !directories.some((directory) => SKIPPED.includes(directory))
        );
      })
      .slice(0, MAX_FILES);
  }

  async #take(entry: FileEntry): Promise<void> {
    const bytes = await this.#files.readFile(entry.path).catch((error: unknown) => {
      // A link that leads out of the project: no tool can read it either.
      if (error instanceof AppError && error.code === "invalid_input") return undefined;
      throw error;
    });
    // A link does not show when its target changes, so it is read each time.
    if (entry.kind === "file") this.#read.set(entry.path, versionOf(entry));
    const kind = kindOf(entry.name);
    if (!kind || bytes === undefined || bytes.length > kind.maxBytes) return;
    for (const { name, value } of kind.parse(new TextDecoder().decode(bytes))) {
      this.#secrets.set(`${name}=${value}`, { name, value, declared: false });
    }
  }
}

function versionOf({ size, modifiedAt }: FileEntry): string {
  return `${size} ${modifiedAt}`;
}
