/** What runs at the moment, by names under which it can be ended. */
export class Running {
  readonly #controllers = new Map<string, AbortController>();

  /** Do something that ends early when its signal says so. */
  async run<T>(id: string, act: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const controller = new AbortController();
    this.#controllers.set(id, controller);
    try {
      return await act(controller.signal);
    } finally {
      this.#controllers.delete(id);
    }
  }

  /** End one of them; what has ended is left in peace. */
  end(id: string): void {
    this.#controllers.get(id)?.abort();
  }

  endAll(): void {
    for (const controller of this.#controllers.values()) controller.abort();
  }
}
