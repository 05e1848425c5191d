import { AppError } from "#src/lib/errors.ts";
import type { ProjectFiles } from "#src/platform/runtime/project-files.ts";
import { EnvFiles } from "./env-files.ts";
import type { KnownSecret } from "./placement.ts";
import { KnownSecrets } from "./scrub.ts";

export interface RunSecretsSources {
  /** As `knownSecrets` gives them; asked once. */
  load(): Promise<readonly KnownSecret[]>;
  files: Pick<ProjectFiles, "list" | "readFile">;
  /** Told when `.env` files cannot be read, though the files are there. */
  onUnreadable(cause: unknown): void;
}

/**
 * The known secrets of one step of a task. Files are first read after the first call of a tool, so that a run without one does not
 * wake its project: before that, no tool can have told the model what is in them.
 */
export class RunSecrets {
  readonly #sources: RunSecretsSources;
  readonly #files: EnvFiles;
  #declared: Promise<readonly KnownSecret[]> | undefined;
  #hasLooked = false;
  #known: KnownSecrets | undefined;
  #stored: KnownSecrets | undefined;
  /** Looks at files follow one another: calls run side by side. */
  #looking: Promise<void> = Promise.resolve();

  constructor(sources: RunSecretsSources) {
    this.#sources = sources;
    this.#files = new EnvFiles(sources.files);
  }

  /** Those that a person has stored in the service; what files say is left out. Throws as `known` does. */
  async stored(): Promise<KnownSecrets> {
    const declared = await (this.#declared ??= this.#load());
    return (this.#stored ??= new KnownSecrets(declared));
  }

  /** What is known now. Throws when stored secrets cannot be read: without them nothing may be shown. */
  async known(): Promise<KnownSecrets> {
    const declared = await (this.#declared ??= this.#load());
    return (this.#known ??= new KnownSecrets([...declared, ...this.#files.secrets]));
  }

  /**
   * What is known after a call, for its result: a call that may have changed files is followed by a look at the root's, one that
   * names a `.env` file by a look at all. Where the runtime does not answer, the result is scrubbed without what is in files.
   */
  async knownAfter(call: { arguments: string; mayChange: boolean }): Promise<KnownSecrets> {
    const everywhere = !this.#hasLooked || /\.env|\.dev\.vars/u.test(call.arguments);
    if (everywhere || call.mayChange) {
      this.#looking = this.#looking.then(() => this.#look(everywhere));
      await this.#looking;
    }
    return this.known();
  }

  async #load(): Promise<readonly KnownSecret[]> {
    try {
      return await this.#sources.load();
    } catch (error) {
      // The next one asks again.
      this.#declared = undefined;
      throw error;
    }
  }

  async #look(everywhere: boolean): Promise<void> {
    try {
      if (await this.#files.look({ everywhere })) this.#known = undefined;
      this.#hasLooked ||= everywhere;
    } catch (error) {
      if (!(error instanceof AppError && error.code === "asleep")) this.#sources.onUnreadable(error);
    }
  }
}
