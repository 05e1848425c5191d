import { AppError } from "#src/lib/errors.ts";
import type { ProjectFiles } from "#src/platform/runtime/project-files.ts";
import { EnvFiles } from "./env-files.ts";
import type { KnownSecret } from "./placement.ts";
import { KnownSecrets } from "./scrub.ts";

export interface RunSecretsSources {
  /** Loads `knownSecrets`; called once. */
  load(): Promise<readonly KnownSecret[]>;
  files: Pick<ProjectFiles, "list" | "readFile">;
  /** Called when `.env` files exist but cannot be read. */
  onUnreadable(cause: unknown): void;
}

/**
 * The known secrets of one step of a task. Files are first read after the first call of a tool, so that a run without
 * tools does not wake its project: before that, no tool can have shown the model what is in them.
 */
export class RunSecrets {
  readonly #sources: RunSecretsSources;
  readonly #files: EnvFiles;
  #declared: Promise<readonly KnownSecret[]> | undefined;
  /** Secrets that came up during the step. */
  readonly #learned: KnownSecret[] = [];
  #hasLooked = false;
  #known: KnownSecrets | undefined;
  #stored: KnownSecrets | undefined;
  /** Serialises the reads of files, since calls run in parallel. */
  #looking: Promise<void> = Promise.resolve();

  constructor(sources: RunSecretsSources) {
    this.#sources = sources;
    this.#files = new EnvFiles(sources.files);
  }

  /** Secrets that people have stored in the service, without those in files. Throws as `known` does. */
  async stored(): Promise<KnownSecrets> {
    const declared = await (this.#declared ??= this.#load());
    return (this.#stored ??= new KnownSecrets([...declared, ...this.#learned]));
  }

  /** Adds a secret that came up during the step, such as a token that was renewed. */
  learn(secret: KnownSecret): void {
    if (this.#learned.some(({ value }) => value === secret.value)) return;
    this.#learned.push(secret);
    this.#known = undefined;
    this.#stored = undefined;
  }

  /** Secrets known now. Throws when stored secrets cannot be read: nothing may be shown without them. */
  async known(): Promise<KnownSecrets> {
    const declared = await (this.#declared ??= this.#load());
    return (this.#known ??= new KnownSecrets([...declared, ...this.#learned, ...this.#files.secrets]));
  }

  /**
   * Secrets for scrubbing the result of a call. After a call that may have changed files the root's `.env` files are
   * read again; after a call that names such a file, all of them. If the runtime does not respond, the result is
   * scrubbed without the secrets in files.
   */
  async knownAfter(call: { arguments: string; mayChange: boolean }): Promise<KnownSecrets> {
    const everywhere = !this.#hasLooked || /\.env|\.dev\.vars|\.mcp\.json/u.test(call.arguments);
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
      // The next call loads them again.
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
