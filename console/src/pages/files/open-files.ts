import type { api } from "@agent-workspace/client";
import { signal } from "@preact/signals";
import { Drafts } from "./drafts.ts";
import { OpenFile } from "./open-file.ts";
import { isWithin } from "../../parts/files/paths.ts";

/** The files that a person has open in a project, as tabs. */
export class OpenFiles {
  readonly files = signal<readonly OpenFile[]>([]);
  readonly #project: string;
  readonly #drafts: Drafts;

  constructor(project: string) {
    this.#project = project;
    this.#drafts = new Drafts(project);
    this.#set(this.#drafts.open().map((path) => this.#made(path)));
  }

  #made(path: string): OpenFile {
    return new OpenFile(this.#project, path, this.#drafts);
  }

  #set(files: readonly OpenFile[]): void {
    this.files.value = files;
    this.#drafts.keepOpen(files.map(({ path }) => path));
  }

  of(path: string): OpenFile | undefined {
    return this.files.value.find((file) => file.path === path);
  }

  open(path: string): void {
    if (!this.of(path)) this.#set([...this.files.value, this.#made(path)]);
  }

  /** Closes a file, or all below a directory. */
  close(path: string): void {
    for (const file of this.files.value) if (isWithin(file.path, path)) file.close();
    this.#set(this.files.value.filter((file) => !isWithin(file.path, path)));
  }

  /** Files at these paths may have changed. */
  changed(paths: readonly string[]): void {
    for (const file of this.files.value) {
      if (paths.some((path) => isWithin(file.path, path))) void file.check();
    }
  }

  /** Looks at the files whose version is another one in a new list of all of them. */
  compare(entries: readonly api.TreeEntry[]): void {
    const etags = new Map(entries.map(({ path, etag }) => [path, etag]));
    for (const file of this.files.value) void file.compare(etags.get(file.path));
  }

  /** Keeps what is unsaved, as the page may go. */
  keepDrafts(): void {
    for (const file of this.files.value) file.keepDraft();
  }
}
