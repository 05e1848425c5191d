/** An unsaved text, and the version of the file that it began with. */
export interface Draft {
  text: string;
  /** Undefined if the file did not exist. */
  etag: string | undefined;
}

/** What a browser's tab keeps of a project's files over a reload: which are open, and what is unsaved. */
export class Drafts {
  readonly #prefix: string;

  constructor(project: string) {
    this.#prefix = `files:${project}:`;
  }

  open(): string[] {
    const found = this.#read("");
    return Array.isArray(found) ? found.filter((path) => typeof path === "string") : [];
  }

  keepOpen(paths: readonly string[]): void {
    this.#write("", paths);
  }

  of(path: string): Draft | undefined {
    const found = this.#read(path);
    if (typeof found !== "object" || found === null || !("text" in found)) return undefined;
    const etag = "etag" in found && typeof found.etag === "string" ? found.etag : undefined;
    return typeof found.text === "string" ? { text: found.text, etag } : undefined;
  }

  /** Returns false if the browser has no room for it. */
  keep(path: string, draft: Draft): boolean {
    return this.#write(path, draft);
  }

  forget(path: string): void {
    sessionStorage.removeItem(this.#prefix + path);
  }

  #read(path: string): unknown {
    try {
      // oxlint-disable-next-line no-restricted-properties -- read field by field by its callers
      return JSON.parse(sessionStorage.getItem(this.#prefix + path) ?? "null");
    } catch {
      return undefined;
    }
  }

  #write(path: string, value: unknown): boolean {
    try {
      sessionStorage.setItem(this.#prefix + path, JSON.stringify(value));
      return true;
    } catch {
      sessionStorage.removeItem(this.#prefix + path);
      return false;
    }
  }
}
