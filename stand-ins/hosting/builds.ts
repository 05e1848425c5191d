import type { Deployment } from "./records.ts";
import type { Built, HostingStore } from "./store.ts";
import type { Provider } from "./providers.ts";

/** Fetches the sources of a deployment and decides what is served. Repeated when a process died meanwhile. */
export type Build = (deployment: Deployment, closing: AbortSignal) => Promise<Built>;

/** Runs the work on deployments whose sources the provider fetches itself. */
export class Builds {
  readonly #store: HostingStore;
  readonly #clock: () => number;
  readonly #log: (line: string) => void;
  readonly #builders = new Map<Provider, Build>();
  readonly #running = new Set<Promise<void>>();
  readonly #closing = new AbortController();

  constructor(options: { store: HostingStore; clock: () => number; log: (line: string) => void }) {
    this.#store = options.store;
    this.#clock = options.clock;
    this.#log = options.log;
  }

  /** Says how a provider's deployments are built. */
  use(provider: Provider, build: Build): void {
    this.#builders.set(provider, build);
  }

  /** Goes on with what the last process left. */
  resume(): void {
    const providers = new Map(this.#store.sites().map(({ id, provider }) => [id, provider]));
    for (const deployment of this.#store.unfinished()) {
      const provider = providers.get(deployment.site);
      if (provider) this.start(provider, deployment);
    }
  }

  start(provider: Provider, deployment: Deployment): void {
    const build = this.#builders.get(provider);
    if (!build) throw new Error(`There are no builds of ${provider}`);
    const running = this.#run(build, deployment).finally(() => this.#running.delete(running));
    this.#running.add(running);
  }

  /** Stops what is under way; the next start begins it again. */
  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.all(this.#running);
  }

  async #run(build: Build, deployment: Deployment): Promise<void> {
    const { signal } = this.#closing;
    try {
      const built = await build(deployment, signal);
      if (!signal.aborted) this.#store.finish(deployment, built, this.#clock());
    } catch (error) {
      if (signal.aborted) return;
      this.#log(`hosting: ${deployment.id} could not be built: ${String(error)}`);
      const reason = "The sources could not be read.";
      this.#store.finish(deployment, { reason, log: [reason] }, this.#clock());
    }
  }
}
