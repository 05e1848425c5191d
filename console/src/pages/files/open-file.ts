import { PreconditionFailedError } from "@agent-workspace/client";
import { signal } from "@preact/signals";
import type { EditorMemory } from "../../editor/editor.tsx";
import { workspace } from "../../service/workspace.ts";
import type { Drafts } from "./drafts.ts";
import { readVersion, type Version } from "./version.ts";

/** What is shown of a file. */
export type Shown =
  | { kind: "loading" | "text" | "gone" }
  | { kind: "image"; url: string }
  | { kind: "binary" | "large"; size: number }
  | { kind: "refused"; error: unknown };

/** What the file became while a person edited it: another text, or something that is none. */
export interface Theirs {
  etag: string | undefined;
  /** Undefined if it was deleted, or is no text any more. */
  text: string | undefined;
}

/**
 * A file that a person has open. What they write stays here, and in the tab's storage, until they save it; a save goes through
 * only if the file is still the version that the text began with.
 */
export class OpenFile {
  readonly project: string;
  readonly path: string;
  readonly shown = signal<Shown>({ kind: "loading" });
  readonly isUnsaved = signal(false);
  readonly isSaving = signal(false);
  readonly refusal = signal<unknown>(undefined);
  /** Set when the file has changed under an unsaved text: the person decides. */
  readonly theirs = signal<Theirs | undefined>(undefined);
  /** Grows when `text` was replaced by something else than typing. */
  readonly revision = signal(0);
  /** Whether the unsaved text is lost with a reload, for want of room. */
  readonly isUnkept = signal(false);
  readonly memory: EditorMemory = {};
  text = "";
  /** The text as the service has it in version `#etag`, which is undefined for a file that is not there. */
  #saved = "";
  #etag: string | undefined;
  /** Reads and writes of the file take turns: what one has found is there for the next. */
  #lastTurn: Promise<void> = Promise.resolve();
  #isSaveWanted = false;
  #isCheckWanted = false;
  #isClosed = false;
  #keeping = 0;
  readonly #drafts: Drafts;

  constructor(project: string, path: string, drafts: Drafts) {
    [this.project, this.path, this.#drafts] = [project, path, drafts];
    void this.load();
  }

  #inTurn(work: () => Promise<void>): Promise<void> {
    const turn = this.#lastTurn.then(() => (this.#isClosed ? undefined : work()));
    this.#lastTurn = turn.catch(later);
    return turn;
  }

  /** Reads the file for the first time, and takes up what was unsaved. */
  async load(): Promise<void> {
    this.shown.value = { kind: "loading" };
    await this.#inTurn(() => this.#begin());
  }

  async #begin(): Promise<void> {
    try {
      const version = await readVersion(this.project, this.path);
      if (this.#isClosed) return;
      // A look before this one has shown it already, and the person writes.
      if (this.isUnsaved.value) return this.#collide(version);
      const draft = this.#drafts.of(this.path);
      if (draft) this.#resume(draft.text, draft.etag, version);
      else this.#show(version);
    } catch (error) {
      this.shown.value = { kind: "refused", error };
    }
  }

  #resume(text: string, etag: string | undefined, version: Version | "same" | "gone"): void {
    const now = version === "same" || version === "gone" ? undefined : version;
    const theirs = now?.kind === "text" ? now.text : undefined;
    this.text = text;
    this.#etag = etag;
    this.#saved = theirs ?? "";
    this.shown.value = { kind: "text" };
    this.#replaced();
    if (text === theirs) this.#etag = now?.etag;
    else if (now?.etag !== etag) this.theirs.value = { etag: now?.etag, text: theirs };
  }

  #show(version: Version | "same" | "gone"): void {
    if (version === "same") return;
    this.#forgetImage();
    if (version === "gone") {
      this.#etag = undefined;
      this.shown.value = { kind: "gone" };
      return;
    }
    this.#etag = version.etag;
    if (version.kind === "image") {
      this.shown.value = { kind: "image", url: URL.createObjectURL(version.blob) };
    } else if (version.kind === "text") {
      this.text = this.#saved = version.text;
      this.shown.value = { kind: "text" };
      this.#replaced();
    } else this.shown.value = { kind: version.kind, size: version.size };
  }

  #replaced(): void {
    this.revision.value += 1;
    this.#note();
  }

  /** The person has typed. */
  edit(text: string): void {
    this.text = text;
    this.#note();
  }

  #note(): void {
    this.isUnsaved.value = this.text !== this.#saved || this.theirs.value !== undefined;
    clearTimeout(this.#keeping);
    this.#keeping = setTimeout(() => this.keepDraft(), 300);
  }

  /** Keeps what is unsaved over a reload. */
  keepDraft(): void {
    clearTimeout(this.#keeping);
    const { kind } = this.shown.value;
    // Until the file is read, what was unsaved is in the storage alone.
    if (this.#isClosed || kind === "loading" || kind === "refused") return;
    if (!this.isUnsaved.value) this.#drafts.forget(this.path);
    else this.isUnkept.value = !this.#drafts.keep(this.path, { text: this.text, etag: this.#etag });
  }

  /** Saves the text, unless the file has changed underneath. */
  async save(): Promise<void> {
    if (this.#isSaveWanted || !this.#maySave) return;
    this.#isSaveWanted = true;
    this.isSaving.value = true;
    await this.#inTurn(async () => {
      this.#isSaveWanted = false;
      this.refusal.value = undefined;
      try {
        if (this.#maySave) await this.#write(this.text);
      } catch (error) {
        this.refusal.value = error;
      } finally {
        this.isSaving.value = this.#isSaveWanted;
      }
    });
  }

  get #maySave(): boolean {
    return this.shown.value.kind === "text" && !this.theirs.value && this.isUnsaved.value;
  }

  async #write(sent: string): Promise<void> {
    try {
      const condition = this.#etag === undefined ? { "if-none-match": "*" } : { "if-match": this.#etag };
      const saved = await workspace.files.write(this.project, this.path, sent, { headers: condition });
      this.#accept(sent, saved.etag);
    } catch (error) {
      if (!(error instanceof PreconditionFailedError)) throw error;
      const now = await readVersion(this.project, this.path);
      // A save whose answer was lost finds itself.
      if (typeof now === "object" && now.kind === "text" && now.text === sent) this.#accept(sent, now.etag);
      else this.#collide(now);
    }
  }

  #accept(text: string, etag: string | undefined): void {
    this.#saved = text;
    this.#etag = etag;
    this.#note();
    this.keepDraft();
  }

  /** Looks whether the file has changed underneath: without edits it is shown anew, else the person is asked. */
  async check(): Promise<void> {
    if (this.#isCheckWanted) return;
    this.#isCheckWanted = true;
    await this.#inTurn(async () => {
      this.#isCheckWanted = false;
      await this.#look();
    }).catch(later);
  }

  /** Looks, if a list of all files has another version; undefined if it is not among them. */
  async compare(listed: string | undefined): Promise<void> {
    await this.#inTurn(async () => {
      const isThere = this.shown.value.kind !== "gone";
      const isSame = isThere ? listed !== undefined && listed === this.#known : listed === undefined;
      if (!isSame) await this.#look();
    }).catch(later);
  }

  /** The newest version that the person was shown, or told of. */
  get #known(): string | undefined {
    return this.theirs.value ? this.theirs.value.etag : this.#etag;
  }

  async #look(): Promise<void> {
    if (this.shown.value.kind === "refused") return this.#begin();
    const now = await readVersion(this.project, this.path, this.#known);
    if (now === "same" || this.#isClosed) return;
    if (this.isUnsaved.value) this.#collide(now);
    else this.#show(now);
  }

  #collide(now: Version | "same" | "gone"): void {
    if (now === "same") return;
    const text = now !== "gone" && now.kind === "text" ? now.text : undefined;
    const etag = now === "gone" ? undefined : now.etag;
    if (text === this.text) this.#accept(text, etag);
    else this.theirs.value = { etag, text };
  }

  /** The text here stays, unsaved; the next save replaces theirs, which the person has seen. */
  keepMine(): void {
    const { theirs } = this;
    if (!theirs.value) return;
    this.#etag = theirs.value.etag;
    this.#saved = theirs.value.text ?? "";
    theirs.value = undefined;
    this.#note();
    // Nothing is there to compare with: it is unsaved, even if it is empty.
    if (this.#etag === undefined) this.isUnsaved.value = true;
  }

  /** The text here is given up for what the file is now. */
  async takeTheirs(): Promise<void> {
    this.theirs.value = undefined;
    this.isUnsaved.value = false;
    this.refusal.value = undefined;
    this.keepDraft();
    await this.load();
  }

  /** Gives up what is unsaved. The file is no longer used. */
  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#keeping);
    this.#drafts.forget(this.path);
    this.#forgetImage();
  }

  #forgetImage(): void {
    if (this.shown.value.kind === "image") URL.revokeObjectURL(this.shown.value.url);
  }
}

/** A look that fails is repeated with the next notice. */
function later(): void {}
